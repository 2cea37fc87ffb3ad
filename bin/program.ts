/** The end of every command: parse, run, and say an error as `name: CODE text` with exit code 1. */
import type { Command } from 'commander';
import { diskError } from '../kit/disk-error.ts';
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
  } catch (thrown) {
    const error = diskError(thrown);
    const code = codeOf(error);
    const text = error instanceof Error ? error.message : String(error);
    warn(`${color('red', `${program.name()}:`, process.stderr)} ${code === null ? '' : `${code} `}${text}\n`);
    if (code === null && process.env['SVC_DEBUG'] !== undefined && error instanceof Error) warn(`${error.stack}\n`);
    process.exitCode = 1;
  }
}

/** Errors of svc, or of a portal (client.ts, which the small commands do not load); null for an unexpected one. */
function codeOf(error: unknown): string | null {
  if (error instanceof SvcError) return error.code;
  return error instanceof Error && error.name === 'PortalError' && 'code' in error ? String(error.code) : null;
}
