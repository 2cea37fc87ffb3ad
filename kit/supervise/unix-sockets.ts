/** The kernel's list of unix sockets, read once a round for all apps (spec 3.3, supervisor rule 3). */
import { readFileSync } from 'node:fs';

export interface SocketUse {
  readonly listening: boolean;
  /** One a connection: the inode of the server's end, also while it waits to be accepted. */
  readonly connections: readonly string[];
}

/** By path; null when the list can't be read: then nothing is concluded from it. */
export function readUnixSockets(): ReadonlyMap<string, SocketUse> | null {
  try {
    return parseUnixSockets(readFileSync('/proc/net/unix', 'utf8'));
  } catch {
    return null;
  }
}

const acceptsFlag = 0x0001_0000;
const connectedState = '03';

/** Columns: Num RefCount Protocol Flags Type St Inode Path. Throws when the header is another one. */
export function parseUnixSockets(text: string): ReadonlyMap<string, SocketUse> {
  const [header, ...lines] = text.split('\n');
  if (!/^Num\s+RefCount Protocol Flags\s+Type St Inode Path$/.test(header?.trimEnd() ?? ''))
    throw new Error('/proc/net/unix has another shape');
  const byPath = new Map<string, { listening: boolean; connections: string[] }>();
  for (const line of lines) {
    // Most lines are unnamed: they end with the inode.
    const slash = line.indexOf('/');
    if (slash === -1) continue;
    const columns = line.slice(0, slash).trim().split(/\s+/);
    const path = line.slice(slash);
    let use = byPath.get(path);
    if (!use) byPath.set(path, (use = { listening: false, connections: [] }));
    if ((Number.parseInt(columns[3] ?? '0', 16) & acceptsFlag) !== 0) use.listening = true;
    else if (columns[5] === connectedState && columns[6] !== undefined) use.connections.push(columns[6]);
  }
  return byPath;
}
