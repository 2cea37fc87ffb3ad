/** `svc plan` of People documents that are not in force yet: their servers are asked who the people are, and what can't be asked is blocked. */
import type { PeopleDocument, ServerDocument } from '../../schema/desired/documents.ts';
import { keyOfDocument, keys } from '../../schema/keys.ts';
import { decidePeople } from '../../reconcilers/people.ts';
import type { PeopleList, PeopleLists } from '../desired/derived.ts';
import type { InForce } from '../desired/in-force.ts';
import type { PlacedDocument } from '../desired/placed-document.ts';
import type { Context } from '../context.ts';
import { lookAtPeople } from '../observe/people-list.ts';
import type { PeopleLook } from '../desired/people-look.ts';
import type { Blocked } from './plan-changes.ts';

export interface PlannedPeople {
  /** Null: nothing was asked. */
  readonly lists: PeopleLists | null;
  readonly blocked: readonly Blocked[];
}

export async function planPeople(context: Context, inForce: InForce): Promise<PlannedPeople> {
  const { source, recorder } = context;
  const asked = new Map<string, PeopleList>();
  const blocked: Blocked[] = [];
  for (const [key, placed] of inForce.documents) {
    if (placed.document.kind !== 'People') continue;
    const living = source.current().documents.get(key);
    if (living === placed) {
      const status = recorder.last(key);
      if (status?.state === 'unknown') blocked.push({ key, reason: status.reason, message: status.message });
      continue;
    }
    const look = await lookFor(context, inForce, placed);
    if (look.list !== null) {
      asked.set(key, look.list);
      continue;
    }
    const { server, group = null } = placed.document.spec;
    const observed = { host: { status: 'reachable', message: '' }, seen: look.seen, count: 0, leftOut: [], waiting: null } as const;
    const { reason, message } = decidePeople({ generation: 0, server, group }, observed, null, 0);
    blocked.push({ key: keyOfDocument(placed.document), reason, message });
  }
  return { lists: asked.size === 0 ? null : new Map([...source.lists(), ...asked]), blocked };
}

/** By the host of the loop, where the server is in force as it is; else by one of its own that ends with the question. */
async function lookFor(context: Context, { documents }: InForce, placed: PlacedDocument): Promise<PeopleLook> {
  const { entries, options } = context;
  const { server: name } = (placed.document as PeopleDocument).spec;
  const known = entries.servers.get(name);
  const server = documents.get(keys.server(name))?.document as ServerDocument;
  if (known !== undefined && known.placed.document === server) return await lookAtPeople(context, placed, known.host, null);
  const host = options.createHost(server, true);
  try {
    return await lookAtPeople(context, placed, host, null);
  } finally {
    await host.close();
  }
}
