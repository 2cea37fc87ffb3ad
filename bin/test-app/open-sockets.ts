/** Unix sockets that other accounts of the server can use, read from the kernel's table and the files themselves, whatever the app says. */
import { readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Flags of a socket that listens. */
const listening = '00010000';

/** Paths, and `@name` of abstract ones, which have no permissions; of the network that this process sees. Empty also where nothing can be read. */
export function openSockets(pids: readonly number[]): readonly string[] {
  const own = new Set(pids.flatMap(socketInodes));
  const names = read('/proc/net/unix').flatMap((line) => {
    const { flags, inode, name } = readRow(line);
    return flags === listening && own.has(inode) ? [name] : [];
  });
  return [...new Set(names)].filter((name) => name !== '' && (name.startsWith('@') || isOpen(name))).toSorted();
}

/** Number, references, protocol, flags, type, state, the inode with spaces before it, and the path, which may hold spaces. */
function readRow(line: string): { readonly flags: string; readonly inode: string; readonly name: string } {
  const [, , , flags = '', , , ...more] = line.split(' ');
  const at = more.findIndex((word) => word !== '');
  return { flags, inode: more[at] ?? '', name: more.slice(at + 1).join(' ') };
}

/** Everybody may write to it, and get to it. */
function isOpen(socket: string): boolean {
  if (!allows(socket, 0o002)) return false;
  for (let folder = dirname(socket); ; folder = dirname(folder)) {
    if (!allows(folder, 0o001)) return false;
    if (folder === dirname(folder)) return true;
  }
}

function allows(path: string, bit: number): boolean {
  try {
    return (statSync(path).mode & bit) !== 0;
  } catch {
    return false;
  }
}

function socketInodes(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? []);
  } catch {
    return [];
  }
}

/** '' where it was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function read(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
