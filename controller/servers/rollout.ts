/**
 * Collects the state of a new kit on the servers of a site: who has it, where it failed, what runs worse since. reconcilers/kit-rollout.ts
 * judges it.
 */
import { turnOf, type RolloutServer, type Trouble, type Turn } from '../../reconcilers/kit-rollout.ts';
import { kitAim, serverMemory, type ServerMemory, type ServerObserved } from '../../reconcilers/server.ts';
import { keys } from '../../schema/keys.ts';
import type { StoredStatus } from '../../store/store.ts';
import type { PersonEntry, ServerEntry } from '../entries.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { serverObserved } from './kit-work.ts';

type Site = Pick<Context, 'entries' | 'recorder' | 'options'>;

export function serverSight(site: Site, server: ServerEntry): ServerObserved {
  const turn = turnIn(site, server);
  const observed = serverObserved(site.entries, server);
  return turn === null ? observed : { ...observed, turn };
}

/** Null where nothing is to be put in the place of a kit that runs: then it waits for nobody. */
function turnIn(site: Site, server: ServerEntry): Turn | null {
  const { kit } = server;
  if (kit === null || kit.wanted === null || kit.observed.status !== 'seen' || kit.observed.id === null) return null;
  if (kit.observed.id === kit.wanted.id || kit.wish?.held === kit.wanted.id) return null;
  const all = [...site.entries.servers.values()].map((each) => rolloutOf(site, each));
  return turnOf(rolloutOf(site, server), all, site.options.clock.nowMs());
}

/** The servers where the kit of this portal failed, with why; by server. For doctor and metrics. */
export function stoppedAt(site: Site): ReadonlyMap<string, string> {
  const at = new Map<string, string>();
  for (const server of site.entries.servers.values()) {
    const turn = turnIn(site, server);
    if (turn?.is === 'stopped') at.set(turn.server, turn.message);
  }
  return at;
}

function rolloutOf(site: Site, server: ServerEntry): RolloutServer {
  const { name, kit, lost, door } = server;
  const memory = site.recorder.memory(server.key, serverMemory) as ServerMemory | null;
  const wanted = kit === null || lost || kit.wish?.removed === true ? null : (kit.wanted?.id ?? null);
  const isTried = memory !== null && wanted !== null && memory.attempted === kitAim(name, wanted);
  return {
    name,
    wanted,
    kit: kit?.facts?.kitAt ?? null,
    runs: (kit?.facts?.kit ?? null) !== null,
    isHeld: wanted !== null && kit?.wish?.held === wanted,
    isOpen: kit?.observed.status === 'seen' && door === null,
    attempts: isTried ? memory.attempts : 0,
    nextAttemptAtMs: isTried ? memory.nextAttemptAtMs : 0,
    isBusy: kit?.busy?.act === 'kit',
    failure: kit?.failure?.message ?? (isTried ? memory.failure : null),
    placedAtMs: memory?.placedAtMs ?? null,
    trouble: memory?.placedAtMs == null ? null : troubleSince(site, server, memory.placedAtMs),
    apps: appsOn(site, server),
  };
}

const peopleOn = ({ entries }: Site, server: ServerEntry): readonly PersonEntry[] =>
  [...entries.people.values()].filter((person) => person.server === server);

/** By what was recorded last: right after a start nothing else is known. */
function appsOn(site: Site, server: ServerEntry): number {
  let apps = 0;
  for (const person of peopleOn(site, server))
    for (const { key } of person.backends.values()) if (site.recorder.last(key)?.state === 'running') apps += 1;
  return apps;
}

/** Returns the oldest failure that began after the kit came, and soon enough to be laid to it. */
function troubleSince(site: Site, server: ServerEntry, placedAtMs: number): Trouble | null {
  const troubles: Trouble[] = [];
  const look = (key: string, type: 'Ready' | 'Reachable', states: readonly string[] | null): void => {
    const status = site.recorder.last(key);
    const sinceMs = status === null ? null : lostSinceMs(status, type);
    if (status === null || sinceMs === null || (states !== null && !states.includes(status.state))) return;
    if (sinceMs < placedAtMs || sinceMs > placedAtMs + limits.kitTroubleMs) return;
    troubles.push({ message: `${key} is ${status.state}${status.message === '' ? '' : `: ${status.message}`}`, sinceMs });
  };
  look(server.key, 'Reachable', null);
  for (const person of peopleOn(site, server)) {
    look(keys.supervisor(person.name), 'Ready', ['starting', 'backoff']);
    for (const { key } of person.backends.values()) look(key, 'Ready', ['backoff', 'failed']);
  }
  return troubles.toSorted((one, other) => one.sinceMs - other.sinceMs)[0] ?? null;
}

const lostSinceMs = ({ conditions }: StoredStatus, wanted: 'Ready' | 'Reachable'): number | null =>
  conditions.find(({ type, status }) => type === wanted && status !== 'True')?.sinceMs ?? null;
