/** The commands `svc backup` and `svc restore`, as svc-program.ts has the others. */
import type { Command } from 'commander';
import { count, listed, state } from '../common-options.ts';

export function addBackup(program: Command): void {
  program
    .command('backup')
    .argument('<dest>', 'folder for backups, which is made; - writes one tar to standard output')
    .description('everything that brings the site back, as of one moment, while the portal goes on')
    .option('--desired <dir>', 'desired-state folder, instead of the one that the portal was started with')
    .option('--keep-last <count>', 'of the snapshots keep the newest so many; with any --keep the others are removed', count)
    .option('--keep-daily <count>', 'the newest of each of so many days', count)
    .option('--keep-weekly <count>', 'the newest of each of so many weeks', count)
    .option('--keep-monthly <count>', 'the newest of each of so many months', count)
    .option('--check', 'read everything of the snapshot again, not only what is new')
    .option('--list', 'only list the snapshots that are there')
    .addOption(state())
    .addOption(listed())
    .action(async (dest, options) => (await import('../commands/backup.ts')).runBackup(dest, options));

  program
    .command('restore')
    .argument('<src>', 'folder of backups; - reads a tar from standard input')
    .argument('[dir]', 'where the desired-state folder goes; without it that one is left out')
    .description('put a backup back; without --yes only say what would be written, and what is there: 0 nothing, 2 something')
    .option('--snapshot <snapshot>', 'the beginning of its name; without it the newest')
    .option('--yes', 'do it')
    .option('--over', 'also replace what is newer than the snapshot; it is kept beside')
    .option('--room <room>', 'only this room (name or id), into the running portal, beside what is there')
    .option('--as <name>', 'with --room: its new name')
    .option('--person <person>', 'only what one person has, into the running portal: rooms that are gone, preferences, roles')
    .option('--jobs <dir>', 'with --person: what their jobs left, as files into that folder')
    .addOption(state())
    .addOption(listed())
    .action(async (src, dir, options) => {
      process.exitCode = await (await import('../commands/restore.ts')).runRestore(src, dir, options);
    });
}
