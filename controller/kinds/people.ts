/** `People/<name>`: a People document: who its people are is read from its server, and goes into the documents in force. */
import { decidePeople, peopleMemory, type PeopleDesired, type PeopleMemory, type PeopleObserved } from '../../reconcilers/people.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { applyInForce } from '../apply.ts';
import { lookAtPeople } from '../observe/people-list.ts';
import { documentsOf, notObserved, type Entries, type PeopleEntry } from '../entries.ts';
import type { Kind } from './kind.ts';

export const peopleKind: Kind<PeopleEntry, PeopleDesired, PeopleObserved, PeopleMemory> = {
  name: 'People',
  entries: (entries) => documentsOf(entries, 'People'),
  find: ({ documents }, _name, key) => documents.get(key) as PeopleEntry | undefined,
  keyOf: ({ key }) => key,
  lane: ({ placed }) => placed.document.spec.server,
  observe,
  desired: (_context, { placed }) => {
    const { server, group = null } = placed.document.spec;
    return { generation: placed.generation, server, group };
  },
  observed: ({ entries }, entry) => peopleObserved(entries, entry),
  decide: decidePeople,
  memory: peopleMemory,
  report: (_context, { placed }, { observed: { count, leftOut } }) => {
    const { server, group, oidc } = placed.document.spec;
    const shown = leftOut.slice(0, limits.leftOutShownMax).map(({ name, why }) => `${name}: ${why}`);
    return {
      generation: placed.generation,
      details: { server, ...(group === undefined ? oidc : { group }), people: count, leftOut: shown },
    };
  },
  onEdge: async ({ entries, queue }, key, urgent) => {
    const entry: PeopleEntry | undefined = entries.documents.get(key) as PeopleEntry | undefined;
    if (entry === undefined) return;
    entry.nextLookAtMs = 0;
    queue.add(key, urgent);
  },
};

function peopleObserved({ servers, inForce }: Entries, { key, placed, look, leftOut = [] }: PeopleEntry): PeopleObserved {
  let count = 0;
  for (const { from } of inForce.documents.values()) if (from === key) count += 1;
  return {
    host: servers.get(placed.document.spec.server)?.reachability ?? notObserved,
    seen: look?.seen ?? null,
    count,
    leftOut: [...leftOut, ...(inForce.people?.leftOut.get(key) ?? [])],
    waiting: inForce.people?.waiting.get(key) ?? null,
  };
}

/** A directory that is away takes as long as its client waits for it, and is asked again soon: who left meanwhile has left. */
export function lookEveryMs(tookMs: number, isRead: boolean): number {
  const everyMs = Math.max(limits.peoplePollMs, 10 * tookMs);
  return isRead ? everyMs : Math.min(everyMs, tookMs + limits.peopleAgainMs);
}

async function observe(context: Context, entry: PeopleEntry): Promise<boolean> {
  const { options, entries, source } = context;
  const { clock } = options;
  const server = entries.servers.get(entry.placed.document.spec.server);
  if (server?.reachability.status !== 'reachable' || clock.monotonicMs() < (entry.nextLookAtMs ?? 0)) return true;
  const placed = source.current().documents.get(entry.key);
  // Another folder is in force since.
  if (placed === undefined || placed.document !== entry.placed.document) return true;
  const begunMs = clock.monotonicMs();
  // Set before the answer: a caller that comes meanwhile asks for another observation.
  entry.nextLookAtMs = begunMs + limits.peoplePollMs;
  const look = await lookAtPeople(context, placed, server.host, entry.look ?? null);
  if ((entry.nextLookAtMs ?? 0) > 0) entry.nextLookAtMs = begunMs + lookEveryMs(clock.monotonicMs() - begunMs, look.list !== null);
  if (entries.documents.get(entry.key) !== entry) return false;
  entry.look = look;
  // A list that could not be read leaves the people left out as they are, too.
  if (look.list !== null) entry.leftOut = look.leftOut;
  if (look.list !== null) await source.takePeople(entry.key, look.list);
  if (entries.inForce !== source.current()) await applyInForce(context);
  return true;
}
