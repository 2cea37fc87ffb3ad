/**
 * The packages that a person can run among those installed on their server: all but apps that a Package document gives to groups they are
 * in none of.
 * Decision: docs/decisions/0412-who-sees-a-package.md
 */
import type { OfferingRepository } from '../schema/shop-view.ts';
import { limits } from './limits.ts';
import type { Entries, PersonEntry, ServerEntry } from './entries.ts';
import type { InstalledPackage } from './hosts/host.ts';
import { targetKey } from './package-entries.ts';

type Packages = ReadonlyMap<string, InstalledPackage>;

/** The groups that an app is for, when the person is in none of them; null: they may use it. */
export function groupsShutting({ server, placed }: Pick<PersonEntry, 'server' | 'placed'>, app: string): readonly string[] | null {
  const groups = server.groupsOf.get(app);
  if (groups === undefined) return null;
  const own = placed.document.spec.grupos ?? [];
  return groups.some((group) => own.includes(group)) ? null : groups;
}

export const isShut = (person: Pick<PersonEntry, 'server' | 'placed'>, app: string): boolean => groupsShutting(person, app) !== null;

/** Whether a repository offers its apps to the person. Decision: docs/decisions/0434-several-repositories.md */
export const isFor = ({ groups }: Pick<OfferingRepository, 'groups'>, { placed }: Pick<PersonEntry, 'placed'>): boolean =>
  groups === null || groups.some((group) => placed.document.spec.grupos?.includes(group) === true);

/** By the documents in force, and those that leave: an app is not open to everybody while it is being removed. The very same map while it says the same. */
export function syncGroups(entries: Entries): void {
  const found = new Map<string, Map<string, readonly string[]>>();
  for (const { target, wanted } of entries.packages.values()) {
    if (wanted.by !== 'document' || target.person !== null) continue;
    const { grupos } = wanted.placed.document.spec;
    // Two documents of one place: the one that stays says it.
    if (grupos === undefined || entries.byTarget.get(targetKey(target))?.wanted !== wanted) continue;
    const ofServer = found.get(target.server) ?? new Map<string, readonly string[]>();
    found.set(target.server, ofServer.set(target.app, grupos));
  }
  for (const server of entries.servers.values()) {
    const groups = found.get(server.name) ?? new Map<string, readonly string[]>();
    if (wordsOf(server.groupsOf) !== wordsOf(groups)) server.groupsOf = groups;
  }
}

const wordsOf = (groups: ServerEntry['groupsOf']): string => JSON.stringify([...groups]);

/**
 * A person's own packages go before the server's. People who see the same share one map: ten thousand of them are few. True when the apps
 * that they can run changed.
 */
export function takePackages(person: PersonEntry, own: readonly InstalledPackage[]): boolean {
  person.own = own;
  const shared = sharedPackages(person);
  const seen = own.filter(({ app }) => !isShut(person, app));
  const next = seen.length === 0 ? shared : new Map([...shared, ...byApp(seen)]);
  if (person.packages === next || samePackages(person.packages, next)) {
    if (seen.length === 0) person.packages = shared;
    return false;
  }
  person.packages = next;
  return true;
}

const views = new WeakMap<Packages, Map<string, Packages>>();

/** The packages of the whole server that the person sees. */
export function sharedPackages(person: Pick<PersonEntry, 'server' | 'placed'>): Packages {
  const { system, groupsOf } = person.server;
  const hidden = [...groupsOf.keys()].filter((app) => system.has(app) && isShut(person, app));
  if (hidden.length === 0) return system;
  const name = hidden.join(' ');
  const known = views.get(system) ?? new Map<string, Packages>();
  if (known.size >= limits.packageViewsMax) known.clear();
  views.set(system, known);
  const view = known.get(name) ?? new Map([...system].filter(([app]) => !hidden.includes(app)));
  known.set(name, view);
  return view;
}

export function byApp(packages: readonly InstalledPackage[]): Packages {
  return new Map(packages.map((one) => [one.app, one]));
}

export function samePackages(before: Packages, now: Packages): boolean {
  if (before.size !== now.size) return false;
  for (const [app, one] of now) {
    const known = before.get(app);
    if (known?.hash !== one.hash || known.scope !== one.scope || known.delivered !== one.delivered || known.previous !== one.previous)
      return false;
    if (known.unread !== one.unread) return false;
  }
  return true;
}
