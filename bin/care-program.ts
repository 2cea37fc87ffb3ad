/** The part of `svc` that an administrator uses from the second day on: disks, people, keys. Implemented in commands/. */
import type { Command } from 'commander';
import { duration, listed, output, state } from './common-options.ts';

export function addCare(program: Command, server: Command): void {
  server
    .command('drain')
    .argument('<server>', 'a Server document')
    .description('take a server out of use: nothing is started there, and apps are stopped once nobody uses them')
    .option('--now', 'stop what runs at once')
    .option('--deadline <duration>', 'stop what still runs then, such as 30m or 12h', duration)
    .option('--undo', 'take it into use again')
    .option('--wait', 'end when nothing runs there')
    .option('--plan', 'only say what would be done: 0 nothing, 2 changes')
    .addOption(state())
    .addOption(output(['table', 'json']))
    .action(async (name, options) => {
      process.exitCode = await (await import('./commands/server-drain.ts')).runDrain(name, options);
    });

  program
    .command('du')
    .description('what uses the disks: person, app, version, engine, room, job; the largest first')
    .option('--person <person>', 'of this person only')
    .option('--app <app>', 'of this app only')
    .addOption(state())
    .addOption(listed())
    .action(async (options) => (await import('./commands/du.ts')).runDu(options));

  const person = program.command('person').description('people: what is held of one, its end, and a move to another server');

  person
    .command('erase')
    .argument('<person>', 'whose')
    .description('say what the portal and their server hold of a person; with --yes none of it stays, and their document goes')
    .option('--rooms-to <person>', 'who gets the rooms that others are in')
    .option('--yes', 'do it')
    .addOption(state())
    .addOption(output())
    .action(async (name, options) => {
      process.exitCode = await (await import('./commands/person.ts')).runErase(name, options);
    });

  person
    .command('move')
    .argument('<person>', 'whose')
    .description('bring the apps of a person, with their data, to another server; without --yes only say what would be done')
    .requiredOption('--to <server>', 'where to: a Server document')
    .option('--plan', 'only say what would be done: 0 nothing, 2 changes')
    .option('--clean', 'remove the copy that a move left on the server before')
    .option('--yes', 'do it')
    .addOption(state())
    .addOption(output(['table', 'json']))
    .action(async (name, options) => {
      process.exitCode = await (await import('./commands/person-move.ts')).runMove(name, options);
    });

  const keys = program.command('keys').description('keys of the portal: its ssh key, and what it seals and signs with');

  keys
    .command('rotate')
    .description('new keys beside the old ones, which count until nothing needs them; 1 when a server keeps the old ssh key')
    .option('--server <server>', 'the ssh key on this server only, for now')
    .option('--plan', 'only say what would be done: 2 changes')
    .addOption(state())
    .addOption(output(['table', 'json']))
    .action(async (options) => {
      process.exitCode = await (await import('./commands/keys.ts')).runKeysRotate(options);
    });
}
