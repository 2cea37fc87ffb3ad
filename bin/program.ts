/** The end of every small command: parse, run, and say an error as `name: CODE text` with exit code 1. */
import type { Command } from 'commander';
import { SvcError } from '../schema/errors.ts';
import { color, warn } from './output.ts';

export async function runProgram(program: Command): Promise<void> {
  // `… | head` ends quietly.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    throw error;
  });
  try {
    await program.parseAsync();
  } catch (error) {
    const code = error instanceof SvcError ? `${error.code} ` : '';
    warn(`${color('red', `${program.name()}:`, process.stderr)} ${code}${error instanceof Error ? error.message : String(error)}\n`);
    if (!(error instanceof SvcError) && process.env['SVC_DEBUG'] !== undefined && error instanceof Error) warn(`${error.stack}\n`);
    process.exitCode = 1;
  }
}
