/**
 * Elects the opener of a link: an app that declares its host, or the browser. A choice of the person counts first, then the app that alone
 * declares the host, by its name or by a domain; where two do, the link goes to the browser until the person decides. Source: rules 2.1
 * `opens.urls`. Decision: docs/decisions/0224-links.md
 */
import { limits } from '../../schema/bridge/limits.ts';
import type { Preferences } from '../../schema/wire/preferences.ts';
import type { Opener } from './file-type.ts';

/** The address as it is opened; null: no link to a page. Never one with a name and a password in it, which show another host than is meant. */
export function linkOf(address: string): URL | null {
  if (address.length > limits.linkCharsMax || !URL.canParse(address)) return null;
  const url = new URL(address);
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hostname !== '' ? url : null;
}

/** `example.com` is that host; `*.example.com` also those below it, and no other host that only ends like it. */
export function matchesHost(pattern: string, host: string): boolean {
  const [declared, asked] = [pattern.toLowerCase(), host.toLowerCase().replace(/\.$/, '')];
  if (!declared.startsWith('*.')) return asked === declared;
  return asked === declared.slice(2) || asked.endsWith(declared.slice(1));
}

/** The exact host first, then the longest domain. */
const byCloseness = (a: string, b: string): number =>
  Number(a.startsWith('*.')) - Number(b.startsWith('*.')) || b.length - a.length || (a < b ? -1 : 1);

/** Apps that open every link of `host`, which may be `*.example.com`: those that a person can choose for it. */
export function openersOf(host: string, apps: readonly Pick<Opener, 'id' | 'hosts'>[]): readonly string[] {
  const covers = (declared: string): boolean =>
    declared === host || (declared.startsWith('*.') && matchesHost(declared, host.replace(/^\*\./, '')));
  return apps.filter(({ hosts }) => hosts.some(covers)).map(({ id }) => id);
}

/** App that opens the host unasked; null: the browser. */
export function electedFor(host: string, apps: readonly Pick<Opener, 'id' | 'hosts'>[]): string | null {
  const [only, ...others] = openersOf(host, apps);
  return only !== undefined && others.length === 0 ? only : null;
}

/** The id of an app; null: the browser. */
export function opensLink(
  { hostname }: URL,
  apps: readonly Pick<Opener, 'id' | 'hosts'>[],
  { links = {} }: Pick<Preferences, 'links'>,
): string | null {
  for (const host of Object.keys(links)
    .filter((each) => matchesHost(each, hostname))
    .toSorted(byCloseness)) {
    const choice = links[host];
    if (choice === 'navegador') return null;
    if (choice !== undefined && openersOf(host, apps).includes(choice)) return choice;
  }
  return electedFor(hostname.replace(/\.$/, ''), apps);
}
