/** TCP ports that processes listen on: only for the message that the app bound a port instead of its socket (rules 7). */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** Ports in order; empty also when the tables can't be read. */
export function listeningPorts(pids: readonly number[]): readonly number[] {
  const inodes = new Set(pids.flatMap(socketInodes));
  if (inodes.size === 0) return [];
  const ports = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => parseListening(read(table)).filter((row) => inodes.has(row.inode)));
  return [...new Set(ports.map((row) => row.port))].sort((left, right) => left - right).slice(0, 256);
}

/** Rows in state LISTEN (0A). Columns: sl local_address rem_address st … inode as the tenth. */
export function parseListening(text: string): readonly { readonly port: number; readonly inode: string }[] {
  return text.split('\n').flatMap((line) => {
    const columns = line.trim().split(/\s+/);
    const [, local = '', , state] = columns;
    const inode = columns[9];
    if (state !== '0A' || inode === undefined) return [];
    return [{ port: Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16), inode }];
  });
}

function socketInodes(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const inode = /^socket:\[([0-9]+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    return [];
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
