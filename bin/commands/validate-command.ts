/** How `svc validate` is called; said once for the whole command and for its bundle. */
import type { Command } from 'commander';
import type { runValidate } from './validate.ts';

export function addValidate(program: Command, load: () => Promise<typeof runValidate>): void {
  program
    .command('validate')
    .argument('<file...>', 'svc-app.json, desired-state YAML, or folders of them')
    .description('judge manifests and desired state; exit 0 or 1')
    .option('--json', 'reports as JSON')
    .action(async (files: string[], options: { json?: boolean }) => {
      const run = await load();
      process.exitCode = await run(files, options);
    });
}
