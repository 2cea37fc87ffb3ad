/**
 * Node and SFTP know nothing of groups by right, ACLs, extended attributes and holes: `cp` of the server's coreutils copies them, as the account. Paths go by
 * standard input, since they are bytes, and no words of a command line. Decision: docs/decisions/0325-attributes-that-stay.md
 */
import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { KeptAttributes } from './file-system.ts';

const attributes = 'cp -aT --attributes-only';
/** Copies only where less than half of `$1` is on the disk (`%b`: in pieces of 512 bytes), and so little that it ends before the question for it does. */
const holes = `read -r blocks bytes << end
$(stat -c '%b %s' -- "$1")
end
  [ "$bytes" -gt $((blocks * 1024)) ] && [ "$blocks" -lt 4194304 ] && exec timeout 40 cp -PT --sparse=always -- "$1" "$2"`;

/** Commands that copy the attributes of `$1` to `$2`. */
const scripts: Readonly<Record<KeptAttributes, string>> = {
  file: `exec ${attributes} --no-preserve=timestamps,links -- "$1" "$2"`,
  tree: `exec ${attributes} -- "$1" "$2"`,
  holes,
};

/**
 * On another machine, where the process that holds the folders is not this one: it goes into them by `$1` and `$3` and compares where it is then, so that a link on the
 * way leads to an end. The second one has to be the account's own, and closed to others, as it was made.
 */
const thereFirst = `
cd -P -- "$1" && [ "$(pwd -P; echo .)" = "$1
." ] && exec 3< . && cd -P -- "$3" && [ "$(pwd -P; echo .)" = "$3
." ] && [ -O . ] || exit 1
case "$(stat -c %a .)" in *00) ;; *) exit 1 ;; esac
set -- "/proc/self/fd/3/$2" "./$4"
`;

// Scripts go with the paths by standard input: no word of a remote command line may hold them (remote-command.ts).
export const attributesArgv = ['xargs', '-0', 'sh', '-c'] as const;

const ended = (words: readonly (Buffer | string)[]): Buffer =>
  Buffer.concat(words.flatMap((word) => [Buffer.from(word), Buffer.from([0])]));

/** A file in a folder, by the path of that as the kernel says it. */
export interface PlaceThere {
  readonly folder: Buffer;
  readonly name: Buffer;
}

/** Standard input of it, on another machine. */
export const attributesThere = (from: PlaceThere, to: PlaceThere, what: KeptAttributes): Buffer =>
  ended([thereFirst + scripts[what], 'sh', from.folder, from.name, to.folder, to.name]);

/** On this machine, as the account of this process. Held folders of this process are those of the child, by other numbers. */
export function keepAttributesHere(from: Buffer, to: Buffer, what: KeptAttributes): Promise<boolean> {
  return new Promise((resolve) => {
    const [program, ...args] = attributesArgv;
    const [source, target] = [inChild(from, 3), inChild(to, 4)];
    const stdio = ['pipe', 'ignore', 'ignore', source.descriptor, target.descriptor] as const;
    const child = spawn(program, args, { cwd: '/', stdio: [...stdio] });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
    const words = child.stdin as Writable;
    words.on('error', () => undefined);
    words.end(ended([scripts[what], 'sh', source.path, target.path]));
  });
}

function inChild(path: Buffer, descriptor: number): { readonly descriptor: number | 'ignore'; readonly path: Buffer } {
  const [whole, number] = heldPath.exec(path.toString('latin1')) ?? [];
  if (whole === undefined) return { descriptor: 'ignore', path };
  return { descriptor: Number(number), path: Buffer.concat([Buffer.from(`/proc/self/fd/${descriptor}`), path.subarray(whole.length)]) };
}

const heldPath = /^\/proc\/self\/fd\/(\d+)(?=\/)/;
