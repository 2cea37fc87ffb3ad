/**
 * A GET of an address, with its redirects: at most five, to http and https only, never from https to http, nor to this machine itself or its link from
 * elsewhere. Decision: docs/decisions/0354-where-redirects-lead.md
 */
import { BlockList, isIPv6 } from 'node:net';
import { limits } from './limits.ts';
import { ask, headerOf, type Answer, type Way } from './ask.ts';

/** A redirect that is not followed. The address holds neither user name, password nor query: those may be credentials. */
export class RedirectRefused extends Error {}

/** Resolves with the first answer that is no redirect, with any status. Rejects RedirectRefused, and as `ask` does. */
export async function fetchFrom(url: string, headers: Readonly<Record<string, string>>, way: Way): Promise<Answer> {
  for (let at = new URL(url), left = limits.redirectsMax; ; left -= 1) {
    const answer = await ask(
      { method: 'GET', origin: at.origin, path: at.pathname + at.search, headers: { ...headers, ...credentialOf(at) } },
      way,
    );
    const location = headerOf(answer, 'location');
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === '') return answer;
    answer.end();
    at = nextAddress(at, location, left);
  }
}

function nextAddress(from: URL, location: string, left: number): URL {
  if (left === 0) throw new RedirectRefused(`${shownAddress(from.href)}: more than ${limits.redirectsMax} redirects`);
  const to = URL.parse(location, from.href);
  if (to === null || !['http:', 'https:'].includes(to.protocol) || (from.protocol === 'https:' && to.protocol === 'http:'))
    throw new RedirectRefused(`${shownAddress(from.href)}: a redirect that is not followed`);
  const near = nearnessOf(to.hostname);
  if (near !== null && near !== nearnessOf(from.hostname))
    throw new RedirectRefused(`${shownAddress(from.href)}: a redirect to ${near}, which is not followed from elsewhere`);
  return to;
}

const subnets = (...all: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[]): BlockList => {
  const list = new BlockList();
  for (const [net, prefix, family] of all) list.addSubnet(net, prefix, family);
  return list;
};
const loopback = subnets(['127.0.0.0', 8, 'ipv4'], ['0.0.0.0', 8, 'ipv4'], ['::', 127, 'ipv6']);
const link = subnets(['169.254.0.0', 16, 'ipv4'], ['fe80::', 10, 'ipv6']);

/** Recognizes hosts that answer without a password: services of this machine, and those that identify a cloud's machine. */
function nearnessOf(hostname: string): 'this machine' | 'the own link' | null {
  if (/(?:^|\.)localhost\.?$/.test(hostname)) return 'this machine';
  const address = hostname.replace(/^\[|\]$/g, '');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (loopback.check(address, family)) return 'this machine';
  return link.check(address, family) ? 'the own link' : null;
}

/** The name and password of an address go to its own host only. */
function credentialOf({ username, password }: URL): { readonly authorization?: string } {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** Without user name, password and query: those may be credentials. */
export function shownAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
