/**
 * The client's address, for counting and for the list of sessions; never for authentication. It is the peer of the connection; if the peer
 * is a proxy that Portal.spec.trustedProxies names, it is the address that proxy saw: X-Forwarded-For, read from its end up to the first
 * address that is not such a proxy, with or without a port; an entry that is no address ends the reading at the last valid hop. From any
 * other peer the header is ignored, and the log says so once per run: if it were believed from this machine, an account there could use a
 * new address for each password guess, or use up another person's attempts. The default is no proxy. Behind a proxy that is not named all
 * people share one address. Naming `127.0.0.1` trusts all accounts of the machine; where people have accounts, the proxy belongs on another
 * machine or in its own network namespace. Backends get the peer of the portal (docs/decisions/0041-paths-and-headers-of-the-proxy.md).
 */
import type { IncomingMessage } from 'node:http';
import net from 'node:net';

/** `address` without brackets and without the prefix of a mapped IPv4 one. */
export type TrustedProxies = (address: string) => boolean;

/** `entries` are addresses and networks (`10.0.0.5`, `10.1.0.0/16`, `fd00::/8`), as the validator lets them pass. */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  if (entries.length === 0) return () => false;
  const list = new net.BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = net.isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return (address) => {
    const version = net.isIP(address);
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

export function clientAddress(req: Pick<IncomingMessage, 'socket' | 'headers'>, isTrusted: TrustedProxies): string {
  let client = plainAddress(req.socket.remoteAddress ?? '');
  if (!isTrusted(client)) return client;
  for (const said of forwardedFor(req).toReversed()) {
    const address = plainAddress(withoutPort(said.trim()));
    if (net.isIP(address) === 0) return client;
    client = address;
    if (!isTrusted(client)) return client;
  }
  return client;
}

/** The header names a client, but its sender is not trusted. */
export function isUnknownProxy(req: Pick<IncomingMessage, 'socket' | 'headers'>, isTrusted: TrustedProxies): boolean {
  return req.headers['x-forwarded-for'] !== undefined && !isTrusted(plainAddress(req.socket.remoteAddress ?? ''));
}

function forwardedFor(req: Pick<IncomingMessage, 'headers'>): readonly string[] {
  return [req.headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
}

/** The smallest range that one customer of a network has: an IPv4 address, 64 bits of an IPv6 one. */
export function networkOf(address: string): string {
  return prefixOf(address, 4);
}

/** The largest range that one customer has: an IPv4 address, 48 bits of an IPv6 one. */
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

export function plainAddress(address: string): string {
  return address.replace(/^\[(.*)\]$/, '$1').replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Some proxies say the port of their client with it: `192.0.2.1:5555`, `[2001:db8::1]:5555`. */
function withoutPort(address: string): string {
  return address.replace(/^([\d.]+|\[[^\]]*\]):\d{1,5}$/, '$1');
}
