/**
 * How many connections the portal holds, and how many of them for one address: once it is half full, an address gets no more than
 * its share, so that one client can't keep everybody else out. This machine's own loopback is excepted: a front proxy stands there.
 * Decision: docs/decisions/0035-http-border.md
 */
import net from 'node:net';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../schema/limits.ts';

export function boundConnections(server: Server, connectionsMax: number = limits.portalConnectionsMax): void {
  const held = new Map<string, number>();
  const perAddressMax = Math.ceil(connectionsMax * limits.portalConnectionsShareOfAddress);
  let open = 0;
  server.maxConnections = connectionsMax;
  server.on('connection', (socket: Socket) => {
    const address = addressBlock(socket.remoteAddress);
    const before = held.get(address) ?? 0;
    if (address !== '' && open >= connectionsMax / 2 && before >= perAddressMax) {
      socket.destroy();
      return;
    }
    open += 1;
    held.set(address, before + 1);
    socket.once('close', () => {
      open -= 1;
      const left = (held.get(address) ?? 1) - 1;
      if (left === 0) held.delete(address);
      else held.set(address, left);
    });
  });
}

/** What counts as one address: IPv4 as it is, of IPv6 the network of 64 bits that one household gets. '' has no limit. */
export function addressBlock(address: string | undefined): string {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
  if (plain === '' || plain === '127.0.0.1' || plain === '::1') return '';
  if (!net.isIPv6(plain)) return plain;
  const [left = '', right] = plain.split('::');
  const groups = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = right === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - tail.length) }, () => '0');
  return [...groups, ...zeros, ...tail].slice(0, 4).join(':');
}
