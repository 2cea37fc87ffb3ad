/** Observations that are not pushed: packages and accounts of a server, and the api's rows in the store. */
import { causeOf } from '../../schema/cause.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Reachability } from '../../reconcilers/backend-types.ts';
import type { Intent, Store } from '../../store/store.ts';
import { isHere, type BackendEntry, type PersonEntry, type ServerEntry, type Entries } from '../entries.ts';
import { limits } from '../limits.ts';
import { byApp, samePackages, sharedPackages, takePackages } from '../visible-packages.ts';

/** So many people are asked for at once: each waits for the disk most of the time. */
const peopleAtOnce = 16;

/**
 * Reads the packages of a server and of its people, and whether it answers at all. Answers the people whose packages changed. Only some of
 * the people who are away are read each time, everybody in turn; packages of the whole server reach everybody at once. Never rejects: a
 * server that can't be read is unreachable, and its earlier observation stays. Decision: docs/decisions/0253-what-is-skipped.md
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
    const due = duePeople(entries, server, people);
    const system = byApp(
      await server.host.installed(
        null,
        [...due].map((person) => person.account),
      ),
    );
    const closed = await server.host.closed(people.filter(({ waits }) => !waits).map(({ account }) => account));
    if (!isStale(server)) {
      if (!samePackages(server.system, system)) server.system = system;
      for (const person of people) if (takeClosed(person, closed.get(person.account) ?? null)) changed.push(person);
    }
    for (const person of people)
      if (person.waits) person.packages = sharedPackages(person);
      else if (!due.has(person) && person.accountSeen === true && takePackages(person, person.own)) changed.push(person);
    const waiting = due.values();
    const worker = async (): Promise<void> => {
      for (const person of waiting) if (await observePerson(person, isStale)) changed.push(person);
    };
    await Promise.all(Array.from({ length: Math.min(peopleAtOnce, due.size) }, worker));
    if (!isStale(server)) {
      // Apps that could not be seen were kept: they may be gone.
      const isKept = ({ backends, packages }: PersonEntry): boolean => backends.keys().some((app) => !packages.has(app));
      if (server.seen.status !== 'reachable') changed.push(...people.filter((person) => isKept(person) && !changed.includes(person)));
      setReachability(server, { status: 'reachable', message: '' });
      server.observationStartedAtMs = begunAtMs;
    }
  } catch (error) {
    // A busy server answers nevertheless: its last observation holds.
    const isBusy = error instanceof SvcError && error.code === 'SSH_SATURATED' && server.seen.status === 'reachable';
    if (!isBusy && !isStale(server)) setReachability(server, unreachableBy(error));
  }
  server.observedAtMs = nowMs();
  return changed;
}

/** True when it is another one than before: what follows from it is due. */
function takeClosed(person: PersonEntry, closed: PersonEntry['closed']): boolean {
  const isOther = person.closed !== closed;
  person.closed = closed;
  return isOther;
}

/** Chooses the people to observe this time: all who have orders or are not known, and the next ones of those who are away or at rest. */
function duePeople(entries: Entries, server: ServerEntry, people: readonly PersonEntry[]): ReadonlySet<PersonEntry> {
  const due = new Set<PersonEntry>();
  const away: PersonEntry[] = [];
  const resting: PersonEntry[] = [];
  const isWanted = pinnedOrChanging(entries);
  // Nobody was seen while it did not answer.
  const isAll = server.everybody || server.seen.status !== 'reachable';
  server.everybody = false;
  for (const person of people) {
    if (person.waits) continue;
    if (isAll || person.lookDue || isWanted(person) || person.accountSeen !== true) due.add(person);
    else if (!isHere(person)) away.push(person);
    else if (isToldOf(person)) resting.push(person);
    else due.add(person);
  }
  server.nextAway = addNext(due, away, server.nextAway, Math.max(limits.awayLookMin, Math.ceil(away.length / limits.awayLooks)));
  const share = Math.max(limits.restingLookMin, Math.ceil(resting.length / limits.restingLooks));
  server.nextResting = addNext(due, resting, server.nextResting, share);
  return due;
}

/** Answers where the next ones begin. */
function addNext(due: Set<PersonEntry>, people: readonly PersonEntry[], from: number, share: number): number {
  for (let n = 0; n < Math.min(share, people.length); n += 1) due.add(people[(from + n) % people.length]!);
  return people.length === 0 ? 0 : (from + share) % people.length;
}

/**
 * True when the supervisor of a person without an app of their own would report the first one. Decision:
 * docs/decisions/0253-what-is-skipped.md
 */
function isToldOf({ own, leaving, link }: PersonEntry): boolean {
  return own.length === 0 && !leaving && link.view().status === 'up';
}

/** Whom a document pins something for, or of whom something is under way. */
export function pinnedOrChanging(entries: Entries): (person: PersonEntry) => boolean {
  const changing = changingPeople(entries);
  return ({ name }) => entries.pinned.has(name) || changing.has(name);
}

/** Something is installed for them, or goes: what became of that is seen at once. */
function changingPeople({ packages }: Entries): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { target, decision } of packages.values())
    if (target.person !== null && decision?.state !== 'installed') found.add(target.person);
  return found;
}

/**
 * Observes a person who just came; homes that can't be read now are read at the next observation of the server. True when the apps that
 * they can run changed.
 */
export async function observeArrived(person: PersonEntry): Promise<boolean> {
  if (person.server.seen.status !== 'reachable') return false;
  return await observePerson(person, () => false).catch(() => false);
}

/** True when the packages that the person can run changed. */
export async function observePerson(person: PersonEntry, isStale: (person: PersonEntry) => boolean): Promise<boolean> {
  const wasDue = person.lookDue;
  // A report from here on may be newer than this observation.
  person.lookDue = false;
  try {
    return await readPerson(person, isStale);
  } catch (error) {
    person.lookDue ||= wasDue;
    throw error;
  }
}

async function readPerson(person: PersonEntry, isStale: (person: PersonEntry) => boolean): Promise<boolean> {
  const { host } = person.server;
  try {
    person.place = await host.place(person.account);
    person.accountSeen = true;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'NOT_FOUND') throw error;
    person.accountSeen = false;
    return false;
  }
  const packages = await host.installed(person.account);
  if (isStale(person)) return false;
  return takePackages(
    person,
    packages.filter(({ scope }) => scope === 'pessoa'),
  );
}

function unreachableBy(error: unknown): Reachability {
  const { message } = error as Error;
  return error instanceof SvcError ? { status: 'unreachable', message, cause: causeOf(error) } : { status: 'unreachable', message };
}

/** The same object while it says the same: a new one makes every decision of the server due. */
function setReachability(server: ServerEntry, now: Reachability): void {
  const { seen } = server;
  const isSame = seen.status === now.status && seen.message === now.message && seen.cause?.reason === now.cause?.reason;
  if (!isSame || seen.cause?.fix?.en !== now.cause?.fix?.en) server.seen = now;
}

/** The newest order and the windows of a backend, as the api stored them. */
export async function observeIntent(store: Store, entry: BackendEntry): Promise<void> {
  const { person, app } = entry;
  const [intent, windows] = await Promise.all([store.intent(person.name, app), store.windowsOf(person.name, app)]);
  noteStop(entry, intent);
  const pending = intent?.done === false ? intent : null;
  if (entry.intent?.requestId !== pending?.requestId) {
    entry.intent = pending;
    entry.refused = null;
  }
  if (entry.windows?.open !== windows?.open || entry.windows?.zeroSinceMs !== windows?.zeroSinceMs) entry.windows = windows;
}

/** The very same object while it is the same stop. */
export function noteStop(entry: BackendEntry, intent: Intent | null): void {
  const who = intent?.wish === 'stop' ? intent.who : undefined;
  if (intent === null || who === undefined) entry.stoppedBy = null;
  else if (entry.stoppedBy?.requestId !== intent.requestId) entry.stoppedBy = { requestId: intent.requestId, who };
}

/** Under which the store holds since when a person is there. */
export const presenceName = (person: string): string => `presence/${person}`;

/** Whether the person is present, and since when: sessions that overlap are one presence, over restarts of the portal too. */
export async function observeSession(store: Store, person: PersonEntry, nowMs: number): Promise<boolean> {
  const name = presenceName(person.name);
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
