/**
 * Apps of people that rest: installed for somebody who is away, never started, desired by no document and by no order. They change only
 * with what all of their server have in common, so they have no entry, no key in the queue, no row in the store: their shown state is
 * decided when it is asked for, by the same decide as for all others. Decision: docs/decisions/0253-what-is-skipped.md
 */
import { backendMemory } from '../../reconcilers/backend-memory.ts';
import type { BackendDecision, Reachability } from '../../reconcilers/backend-types.ts';
import type { ServiceDecision } from '../../reconcilers/service.ts';
import { keys, readKey } from '../../schema/keys.ts';
import type { StoredStatus } from '../../store/store.ts';
import type { InstalledPackage } from '../hosts/host.ts';
import { isAwake, isUntouched, newBackend, type BackendEntry, type Entries, type PersonEntry } from '../entries.ts';
import { backendKind } from '../kinds/backend.ts';
import type { Kind } from '../kinds/kind.ts';
import { personKind } from '../kinds/person.ts';
import { supervisorKind } from '../kinds/supervisor.ts';
import { projectionOf } from './projection.ts';
import type { BackendState } from '../../schema/backend.ts';
import type { Context } from '../context.ts';
import { isShut } from '../visible-packages.ts';

/** Shared by all who rest on a server; the decision follows from nothing else. */
interface Shared {
  readonly host: Reachability;
  readonly service: ServiceDecision | null | undefined;
  readonly removing: boolean | undefined;
  readonly decision: BackendDecision;
  readonly atMs: number;
}

const shared = new WeakMap<InstalledPackage, Shared>();

/** The entry of an app, as views take it: that of the loop, or one made for the question. undefined: there is no such app for the person. */
export function entryOrResting(context: Context, person: PersonEntry, app: string): BackendEntry | undefined {
  return person.backends.get(app) ?? restingEntry(context, person, app);
}

/** Backends of all apps of a person, those that rest included. */
export function allBackendsOf(context: Context, person: PersonEntry): readonly BackendEntry[] {
  const resting = [...person.packages.keys()].flatMap((app) => restingEntry(context, person, app) ?? []);
  return [...person.backends.values(), ...resting];
}

/** Counts backends by state. People who are away and used nothing have the same apps as all of their server: counted once for all of them. */
export function countByState(context: Context): ReadonlyMap<BackendState, number> {
  const counts = new Map<BackendState, number>();
  const add = (state: BackendState, count: number): void => void counts.set(state, (counts.get(state) ?? 0) + count);
  const alike = new Map<PersonEntry['packages'], { readonly person: PersonEntry; count: number }>();
  for (const person of context.entries.people.values()) {
    if (person.leaving) continue;
    const same = alike.get(person.packages);
    const isAlike = person.backends.size === 0 && person.own.length === 0 && !isAwake(person);
    if (isAlike && same !== undefined) same.count += 1;
    else if (isAlike) alike.set(person.packages, { person, count: 1 });
    else
      for (const entry of allBackendsOf(context, person))
        if (projectionOf(context.entries, entry) !== null) add(entry.decision?.state ?? 'unknown', 1);
  }
  for (const { person, count } of alike.values())
    for (const { decision } of allBackendsOf(context, person)) add(decision?.state ?? 'unknown', count);
  return counts;
}

function restingEntry(context: Context, person: PersonEntry, app: string): BackendEntry | undefined {
  const installed = person.packages.get(app);
  // For an app of other groups, only the reason is shown.
  if ((installed === undefined && !isShut(person, app)) || person.backends.has(app)) return undefined;
  const entry = newBackend(person, app, null);
  const { decision } = decided(context, entry, installed);
  return Object.assign(entry, { decision, memory: decision.memory });
}

function decided(context: Context, entry: BackendEntry, installed: InstalledPackage | undefined): Shared {
  const [desired, observed] = [backendKind.desired(context, entry), backendKind.observed(context, entry)];
  const { host, service } = observed;
  const { removing } = desired;
  const known = installed && shared.get(installed);
  // A person who just came has entries in a moment: their decisions are no longer shared.
  const isOwn = isAwake(entry.person);
  if (!isOwn && known?.host === host && known.service === service && known.removing === removing) return known;
  const atMs = context.options.clock.nowMs();
  const made = { host, service, removing, atMs, decision: backendKind.decide(desired, observed, null, atMs) };
  if (!isOwn && installed !== undefined) shared.set(installed, made);
  return made;
}

/** As the store would hold it; null when nothing of that key rests. */
export function restingStatus(context: Context, key: string): StoredStatus | null {
  const { kind, parts } = readKey(key);
  const [whose, app] = parts;
  const person = context.entries.people.get(whose);
  if (kind === 'Person' && app === undefined) return untouchedStatus(context, person, personKind);
  if (kind === 'Supervisor' && app === undefined) return untouchedStatus(context, person, supervisorKind);
  const installed = app === undefined ? undefined : person?.packages.get(app);
  if (person === undefined || app === undefined) return null;
  const entry = restingEntry(context, person, app);
  if (entry === undefined) return null;
  const { decision, atMs } = decided(context, entry, installed);
  const { state, reason, message, conditions, nextDeadlineMs } = decision;
  const observed = backendKind.observed(context, entry);
  const round = { desired: backendKind.desired(context, entry), observed, atMs, decision };
  const memory = { version: backendMemory.version, value: decision.memory };
  return {
    key,
    kind: 'Backend',
    state,
    reason,
    message,
    conditions,
    nextDeadlineMs,
    seenAtMs: atMs,
    memory,
    ...backendKind.report(context, entry, round),
  };
}

/** Status of a person who never signed in, by the same decide as for all others. */
function untouchedStatus<Desired, Observed, Memory>(
  context: Context,
  person: PersonEntry | undefined,
  kind: Kind<PersonEntry, Desired, Observed, Memory>,
): StoredStatus | null {
  if (person === undefined || !isUntouched(person)) return null;
  const atMs = person.server.observedAtMs;
  const [desired, observed] = [kind.desired(context, person), kind.observed(context, person)];
  const decision = kind.decide(desired, observed, null, atMs);
  const { state, reason, message, nextDeadlineMs } = decision;
  // Nothing is kept of them, so nobody knows since when it is so.
  const conditions = decision.conditions.map((condition) => Object.assign({}, condition, { sinceMs: 0 }));
  return {
    key: kind.keyOf(person),
    kind: kind.name,
    state,
    reason,
    message,
    conditions,
    nextDeadlineMs,
    seenAtMs: atMs,
    memory: { version: kind.memory.version, value: decision.memory },
    ...kind.report(context, person, { desired, observed, atMs, decision }),
  };
}

function untouchedKeys(people: Entries['people'], prefix: string): readonly string[] {
  if (!['Person/', 'Supervisor/'].some((begin) => begin.startsWith(prefix) || prefix.startsWith(begin))) return [];
  const all = [...people.values()].filter(isUntouched).flatMap(({ name }) => [keys.person(name), keys.supervisor(name)]);
  return all.filter((key) => key.startsWith(prefix));
}

/** Keys of what rests that begin so, in no order. */
export function restingKeys({ people }: Entries, prefix: string): readonly string[] {
  const found = [...untouchedKeys(people, prefix)];
  const add = (person: PersonEntry): void => {
    for (const app of person.packages.keys()) {
      const key = keys.backend(person.name, app);
      if (!person.backends.has(app) && key.startsWith(prefix)) found.push(key);
    }
  };
  const [kind = '', name, app] = prefix.split('/');
  if (!'Backend'.startsWith(kind) || (name !== undefined && kind !== 'Backend')) return found;
  if (name === undefined || app === undefined) for (const person of people.values()) add(person);
  else {
    const person = people.get(name);
    if (person !== undefined) add(person);
  }
  return found;
}
