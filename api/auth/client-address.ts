/**
 * Where a request comes from, for counting and for the list of sessions; never for deciding who somebody is. Behind a reverse proxy
 * on the portal's own machine it is what that proxy saw: the last entry of X-Forwarded-For. Decision: docs/decisions/0071-guessing-passwords.md
 */
import type { IncomingMessage } from 'node:http';
import net from 'node:net';

export function clientAddress(req: IncomingMessage): string {
  const peer = plain(req.socket.remoteAddress ?? '');
  if (!isLoopback(peer)) return peer;
  const forwarded = [req.headers['x-forwarded-for'] ?? ''].flat().join(',').split(',').at(-1)?.trim() ?? '';
  return net.isIP(plain(forwarded)) === 0 ? peer : plain(forwarded);
}

/** What one customer of a network has at least: an IPv4 address, 64 bits of an IPv6 one. */
export function networkOf(address: string): string {
  return prefixOf(address, 4);
}

/** What one customer has at most: an IPv4 address, 48 bits of an IPv6 one. */
export function siteNetworkOf(address: string): string {
  return prefixOf(address, 3);
}

function prefixOf(address: string, groups: number): string {
  if (net.isIP(address) !== 6) return address;
  const [left = '', right] = address.split('%')[0]?.split('::') ?? [];
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const zeros = right === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill('0'), ...after]
    .slice(0, groups)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}

function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^\[(.*)\]$/, '$1');
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
