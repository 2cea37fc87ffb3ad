/** Programs of this machine, as argv and never by a shell, within a time. */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findExecutable } from '../../kit/place.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';

/** Root's programs are not in everybody's PATH. */
const search = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;

export const isThere = (program: string): boolean => findExecutable(program, search) !== null;

const spawned = ([program = '', ...args]: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync(program, args, {
    encoding: 'utf8',
    timeout: limits.setupCommandMsMax,
    maxBuffer: limits.setupOutputBytesMax,
    env: { ...process.env, PATH: search },
  });

/** Output of the program; null when it ended with another code than 0. */
export function ask(argv: readonly string[]): string | null {
  const { status, stdout } = spawned(argv);
  return status === 0 ? stdout : null;
}

/** Rejects CONFLICT with its last lines. */
export function run(argv: readonly string[]): void {
  const { status, signal, error, stdout, stderr } = spawned(argv);
  if (status === 0) return;
  const said = `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-3).join(' ').slice(-500);
  const how = error?.message ?? (signal === null ? `code ${status}` : signal);
  throw new SvcError('CONFLICT', `${argv.join(' ')} failed (${how}): ${said}`);
}

/** Source: sd_booted(3). */
export const hasSystemd = (): boolean => existsSync('/run/systemd/system');
