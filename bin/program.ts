/** The end of every command: parse, run, and say an error as `name: CODE text` with exit code 1. */
import type { Command } from 'commander';
import { diskError } from '../kit/disk-error.ts';
import { SvcError } from '../schema/errors.ts';
import { color, warn } from './output.ts';

export async function runProgram(program: Command): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `… | head` ends quietly.
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    sayFailure(program, error);
    process.exit(1);
  });
  await runWords(program, process.argv.slice(2));
}

/** Leaves the process as it is but for its exit code. */
export async function runWords(program: Command, words: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    sayFailure(program, error);
    process.exitCode = 1;
  }
}

function sayFailure(program: Command, thrown: unknown): void {
  const error = diskError(thrown);
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  warn(`${color('red', `${program.name()}:`, process.stderr)} ${code === null ? '' : `${code} `}${text}\n`);
  if (code === null && process.env['SVC_DEBUG'] !== undefined && error instanceof Error) warn(`${error.stack}\n`);
}

/** Errors of svc, or of a portal (client.ts, which the small commands do not load); null for an unexpected one. */
function codeOf(error: unknown): string | null {
  if (error instanceof SvcError) return error.code;
  return error instanceof Error && error.name === 'PortalError' && 'code' in error ? String(error.code) : null;
}
