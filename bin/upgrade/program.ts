/** The command `svc upgrade` as a part of the program. */
import type { Command } from 'commander';
import { output, state } from '../common-options.ts';

export function addUpgrade(program: Command): void {
  program
    .command('upgrade')
    .argument('[dir]', 'folder of desired-state YAML; without it that of the last start')
    .description(
      'what this version would do to store, servers, apps and documents of a site: exit 0 nothing, 2 changes, 1 it can not go on with them',
    )
    .option('--plan', 'say it, and change nothing')
    .addOption(state())
    .addOption(output())
    .action(async (dir: string | undefined, options) => {
      process.exitCode = await (await import('../commands/upgrade.ts')).runUpgrade(dir, options);
    });
}
