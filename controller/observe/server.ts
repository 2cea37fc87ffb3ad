/** Looks that are not pushed: packages and accounts of a server, and what the api wrote into the store. */
import { SvcError } from '../../schema/errors.ts';
import type { Reachability } from '../../reconcilers/backend-types.ts';
import type { InstalledPackage } from '../hosts/host.ts';
import type { Store } from '../../store/store.ts';
import type { BackendEntry, PersonEntry, ServerEntry, Entries } from '../entries.ts';

/**
 * Reads the packages of a server and of its people, and whether it answers at all. Answers the people whose packages changed.
 * Never rejects: a server that can't be read is unreachable, and what was seen of it before stays.
 */
export async function observeServer(entries: Entries, server: ServerEntry, nowMs: () => number): Promise<readonly PersonEntry[]> {
  const changed: PersonEntry[] = [];
  server.observationsStarted += 1;
  const number = server.observationsStarted;
  const begunAtMs = nowMs();
  // An observation that started before the last accepted one may have missed what was installed meanwhile.
  const isStale = (before: { lastObservation: number }): boolean => {
    if (number < before.lastObservation) return true;
    before.lastObservation = number;
    return false;
  };
  try {
    const people = [...entries.people.values()].filter((person) => person.server === server);
    const accounts = people.map((person) => person.account);
    const system = byApp(await server.host.installed(null, accounts));
    if (!isStale(server) && !samePackages(server.system, system)) server.system = system;
    for (const person of people) if (await observePerson(person, isStale)) changed.push(person);
    if (!isStale(server)) {
      setReachability(server, { status: 'reachable', message: '' });
      server.observationStartedAtMs = begunAtMs;
    }
  } catch (error) {
    // A server that is busy answers nevertheless: what was seen of it holds (anchors B 11).
    const isBusy = error instanceof SvcError && error.code === 'SSH_SATURATED' && server.seen.status === 'reachable';
    if (!isBusy && !isStale(server)) setReachability(server, { status: 'unreachable', message: (error as Error).message });
  }
  server.observedAtMs = nowMs();
  return changed;
}

/** True when the packages that the person can run changed. */
async function observePerson(person: PersonEntry, isStale: (person: PersonEntry) => boolean): Promise<boolean> {
  const { host } = person.server;
  try {
    person.place = await host.place(person.account);
    person.accountSeen = true;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'NOT_FOUND') throw error;
    person.accountSeen = false;
    return false;
  }
  // What a person installed goes before the server's: pessoa comes last.
  const packages = byApp(await host.installed(person.account));
  if (isStale(person) || samePackages(person.packages, packages)) return false;
  person.packages = packages;
  return true;
}

function byApp(packages: readonly InstalledPackage[]): ReadonlyMap<string, InstalledPackage> {
  return new Map(packages.map((one) => [one.app, one]));
}

function samePackages(before: ReadonlyMap<string, InstalledPackage>, now: ReadonlyMap<string, InstalledPackage>): boolean {
  if (before.size !== now.size) return false;
  for (const [app, one] of now) {
    const known = before.get(app);
    if (known?.hash !== one.hash || known.scope !== one.scope || known.delivered !== one.delivered || known.previous !== one.previous)
      return false;
    if (known.unread !== one.unread) return false;
  }
  return true;
}

/** The same object while it says the same: a new one makes every decision of the server due. */
function setReachability(server: ServerEntry, reachability: Reachability): void {
  if (server.seen.status !== reachability.status || server.seen.message !== reachability.message) server.seen = reachability;
}

/** The newest wish and the windows of a backend, as the api stored them. */
export async function observeIntent(store: Store, entry: BackendEntry): Promise<void> {
  const { person, app } = entry;
  const [intent, windows] = await Promise.all([store.intent(person.name, app), store.windowsOf(person.name, app)]);
  const pending = intent?.done === false ? intent : null;
  if (entry.intent?.requestId !== pending?.requestId) {
    entry.intent = pending;
    entry.refused = null;
  }
  if (entry.windows?.open !== windows?.open || entry.windows?.zeroSinceMs !== windows?.zeroSinceMs) entry.windows = windows;
}

/** Whether the person is present, and since when: sessions that overlap are one presence, over restarts of the portal too. */
export async function observeSession(store: Store, person: PersonEntry, nowMs: number): Promise<boolean> {
  const name = `presence/${person.name}`;
  // App sessions end with the portal session: an app session alone is not presence.
  const present = (await store.sessionsOf(person.name, nowMs)).some(({ audience }) => audience === 'portal');
  // Nothing to read again: who was away stays away, who was there stays there. Asked of everybody at each resync.
  if (present === person.session && person.sessionObserved && present === (person.sessionSinceMs !== null)) return false;
  const stored = await store.value(name);
  const kept = Number(stored ?? '0');
  const sinceMs = present ? (kept > 0 ? kept : nowMs) : null;
  if ((sinceMs ?? 0) !== kept) await store.putValue(name, String(sinceMs ?? 0));
  const changed = person.session !== present || person.sessionSinceMs !== sinceMs;
  person.session = present;
  person.sessionSinceMs = sinceMs;
  person.everSignedIn = stored !== null || present;
  person.sessionObserved = true;
  return changed;
}
