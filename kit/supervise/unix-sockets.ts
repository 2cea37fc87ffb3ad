/** The kernel's list of unix sockets, read once a pass for all apps (rules 3.3, supervisor rule 3). */
import { kernelFile } from './kernel-file.ts';

export interface SocketUse {
  readonly listening: boolean;
  /** An entry for each connection: the inode of the server's end, also while it waits to be accepted. */
  readonly connections: readonly string[];
}

const readList = kernelFile('/proc/net/unix');

/** The sockets below `folder`, by path; null when the list can't be read: then nothing is concluded from it. */
export function readUnixSockets(folder: string): ReadonlyMap<string, SocketUse> | null {
  try {
    const list = readList();
    return list === null ? null : parseUnixSockets(list.toString('utf8'), folder);
  } catch {
    return null;
  }
}

const acceptsFlag = 0x0001_0000;
const connectedState = '03';
/** Flags, state and inode of a line up to its path. */
const beforePath = /^\S+: [0-9A-F]{8} [0-9A-F]{8} ([0-9A-F]{8}) [0-9A-F]{4} ([0-9A-F]{2}) +(\d+)$/;

/**
 * Columns: Num RefCount Protocol Flags Type St Inode Path. Throws when the header is another one. The list is of the whole machine: only lines that
 * name the folder are parsed.
 */
export function parseUnixSockets(text: string, folder: string): ReadonlyMap<string, SocketUse> {
  if (!/^Num +RefCount Protocol Flags +Type St Inode Path *\n/.test(text)) throw new Error('/proc/net/unix has another shape');
  const byPath = new Map<string, { listening: boolean; connections: string[] }>();
  const sought = ` ${folder}/`;
  let end = 0;
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, end)) {
    end = text.indexOf('\n', at);
    if (end === -1) end = text.length;
    const columns = beforePath.exec(text.slice(text.lastIndexOf('\n', at) + 1, at));
    // Within the name of another socket.
    if (columns === null) continue;
    const path = text.slice(at + 1, end);
    let use = byPath.get(path);
    if (!use) byPath.set(path, (use = { listening: false, connections: [] }));
    if ((Number.parseInt(columns[1] ?? '0', 16) & acceptsFlag) !== 0) use.listening = true;
    else if (columns[2] === connectedState && columns[3] !== undefined) use.connections.push(columns[3]);
  }
  return byPath;
}
