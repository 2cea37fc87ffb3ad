/**
 * Node and SFTP know nothing of groups by right, ACLs, extended attributes and holes: `cp` of the server's coreutils copies them, as the account. Paths go by
 * standard input, since they are bytes, and no words of a command line. Decision: docs/decisions/0325-attributes-that-stay.md
 */
import { spawn } from 'node:child_process';
import type { KeptAttributes } from './file-system.ts';

const attributes = ['cp', '-aT', '--attributes-only'];
/**
 * Goes with the paths, since no word of it may stand on a remote command line (remote-command.ts). Copies only where less than half of `$1` is on the
 * disk (`%b`: in pieces of 512 bytes), and so little that it ends before the question for it does.
 */
const holes = `
  read -r blocks bytes << end
$(stat -c '%b %s' -- "$1")
end
  [ "$bytes" -gt $((blocks * 1024)) ] && [ "$blocks" -lt 4194304 ] && exec timeout 40 cp -PT --sparse=always -- "$1" "$2"`;

const commands: Readonly<Record<KeptAttributes, readonly string[]>> = {
  file: [...attributes, '--no-preserve=timestamps,links', '--'],
  tree: [...attributes, '--'],
  holes: ['sh', '-c'],
};

export const attributesArgv = (what: KeptAttributes): readonly string[] => ['xargs', '-0', ...commands[what]];

/** Standard input of it. */
export const attributesPaths = (from: Buffer, to: Buffer, what: KeptAttributes): Buffer =>
  Buffer.concat([...(what === 'holes' ? [Buffer.from(`${holes}\0sh\0`)] : []), from, Buffer.from([0]), to, Buffer.from([0])]);

/** On this machine, as the account of this process. */
export function keepAttributesHere(from: Buffer, to: Buffer, what: KeptAttributes): Promise<boolean> {
  return new Promise((resolve) => {
    const [program = '', ...args] = attributesArgv(what);
    const child = spawn(program, args, { cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
    child.stdin.on('error', () => undefined);
    child.stdin.end(attributesPaths(from, to, what));
  });
}
