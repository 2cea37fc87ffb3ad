/**
 * Node and SFTP know nothing of groups by right, ACLs and extended attributes: `cp` of the server's coreutils copies them, as the account. Paths go by
 * standard input, since they are bytes, and no words of a command line. Decision: docs/decisions/0325-attributes-that-stay.md
 */
import { spawn } from 'node:child_process';
import type { KeptAttributes } from './file-system.ts';

const words: Readonly<Record<KeptAttributes, readonly string[]>> = {
  file: ['--no-preserve=timestamps,links'],
  tree: [],
};

export const attributesArgv = (what: KeptAttributes): readonly string[] => [
  'xargs',
  '-0',
  'cp',
  '-aT',
  '--attributes-only',
  ...words[what],
  '--',
];

/** Standard input of it. */
export const attributesPaths = (from: Buffer, to: Buffer): Buffer => Buffer.concat([from, Buffer.from([0]), to, Buffer.from([0])]);

/** On this machine, as the account of this process. */
export function keepAttributesHere(from: Buffer, to: Buffer, what: KeptAttributes): Promise<boolean> {
  return new Promise((resolve) => {
    const [program = '', ...args] = attributesArgv(what);
    const child = spawn(program, args, { cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
    child.stdin.on('error', () => undefined);
    child.stdin.end(attributesPaths(from, to));
  });
}
