/** Runs `bin/svc` as a person would, for tests. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';

export const repository = path.resolve(import.meta.dirname, '../..');

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

type Env = Readonly<Record<string, string>>;

/** `text` grows while it runs. */
export function beginSvc(cwd: string, args: readonly string[], env: Env = {}) {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(path.join(repository, 'bin/svc'), args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  return { child, text };
}

export async function runSvc(cwd: string, args: readonly string[], env: Env = {}): Promise<Outcome> {
  const { child, text } = beginSvc(cwd, args, env);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...text };
}

/** The same with something on its stdin. */
export async function runSvcWith(input: string | Uint8Array, cwd: string, args: readonly string[]): Promise<Outcome> {
  const child = spawn(path.join(repository, 'bin/svc'), args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  // It may end without having read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...text };
}
