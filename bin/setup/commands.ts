/** Programs of this machine, as argv and never by a shell, within a time. */
import { spawnSync } from 'node:child_process';
import { findExecutable } from '../../kit/place.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';

/** Root's programs are not in everybody's PATH. */
const search = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;

export const isThere = (program: string): boolean => findExecutable(program, search) !== null;

/** What it printed; null when it ended with another code than 0. */
export function ask([program = '', ...args]: readonly string[]): string | null {
  const options = {
    encoding: 'utf8',
    timeout: limits.setupCommandMsMax,
    maxBuffer: 1_024 * 1_024,
    env: { ...process.env, PATH: search },
  } as const;
  const { status, stdout } = spawnSync(program, args, options);
  return status === 0 ? stdout : null;
}

/** Rejects CONFLICT with its last lines. */
export function run([program = '', ...args]: readonly string[]): void {
  const options = {
    encoding: 'utf8',
    timeout: limits.setupCommandMsMax,
    maxBuffer: 1_024 * 1_024,
    env: { ...process.env, PATH: search },
  } as const;
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, options);
  if (status === 0) return;
  const said = `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-3).join(' ').slice(-500);
  const how = error?.message ?? (signal === null ? `code ${status}` : signal);
  throw new SvcError('CONFLICT', `${[program, ...args].join(' ')} failed (${how}): ${said}`);
}

export const hasSystemd = (): boolean => ask(['test', '-d', '/run/systemd/system']) !== null;
