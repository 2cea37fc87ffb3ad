/** Runs a command in this process, for tests of what it does and says and not of its process: a start of Node costs more than most commands. */
import type { Command } from 'commander';
import { runWords } from '../program.ts';
import type { Outcome } from './run-svc.ts';

/** Runs one command at a time: all that the process writes meanwhile is taken for the command's. A mistake in the words themselves rejects. */
export async function runHere(program: Command, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const text = { out: '', err: '' };
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  const { exitCode } = process;
  const streams = [
    [process.stdout, 'out'],
    [process.stderr, 'err'],
  ] as const;
  const kept = streams.map(([stream, to]) => {
    const write = Object.getOwnPropertyDescriptor(stream, 'write');
    Object.defineProperty(stream, 'write', {
      configurable: true,
      writable: true,
      value: (chunk: string | Uint8Array): boolean => {
        text[to] += String(chunk);
        return true;
      },
    });
    return () => (write === undefined ? Reflect.deleteProperty(stream, 'write') : Object.defineProperty(stream, 'write', write));
  });
  try {
    Object.assign(process.env, env);
    process.exitCode = 0;
    await runWords(program.exitOverride(), words);
    return { code: process.exitCode, ...text };
  } finally {
    for (const restore of kept) restore();
    process.exitCode = exitCode;
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
