/**
 * Which accounts of this machine hold connections to one of its ports: from the kernel's table, which every account may read. Empty on
 * another system. Source: proc(5), /proc/net/tcp
 */
import { readFile } from 'node:fs/promises';

/** Account by the far end of the connection, `address port` as node:net says it. */
export type ConnectionOwners = (port: number) => Promise<ReadonlyMap<string, number>>;

export const kernelConnectionOwners: ConnectionOwners = async (port) => {
  const owners = new Map<string, number>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const [end, uid] of readOwners(await readFile(table, 'latin1').catch(() => ''), port)) owners.set(end, uid);
  }
  return owners;
};

export const endOf = (address: string, port: number): string => `${address} ${port}`;

/** Lines `sl local_address rem_address st tx:rx tr:tm retrnsmt uid …`; the client's end is the local one of its line. Pure. */
export function* readOwners(table: string, port: number): Generator<readonly [string, number]> {
  const mark = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  for (const line of table.split('\n')) {
    if (!line.includes(mark)) continue;
    const [, local = '', remote = '', , , , , uid] = line.trim().split(/ +/);
    const [address, hexPort] = local.split(':');
    // 01: established.
    if (address === undefined || hexPort === undefined || !`${remote} `.endsWith(mark)) continue;
    yield [endOf(addressOf(address), parseInt(hexPort, 16)), Number(uid)];
  }
}

/** Words of 32 bits in the byte order of the machine: little-endian on all supported ones. */
function addressOf(hex: string): string {
  const bytes = hex.match(/.{8}/g)?.flatMap((word) => (word.match(/../g) ?? []).toReversed().map((byte) => parseInt(byte, 16))) ?? [];
  const last = bytes.slice(-4).join('.');
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (bytes.length === 4 || isMapped) return last;
  const groups = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0)).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
