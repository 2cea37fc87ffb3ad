/** `Grant/<document>`: a Grant document, and the rooms that it concerns. */
import {
  grantMemory,
  decideGrant,
  type GrantDecision,
  type GrantDesired,
  type GrantMemory,
  type GrantObserved,
  type GrantRoom,
} from '../../reconcilers/grant.ts';
import type { RoomStore, StoredGroup, StoredMember, StoredRoom } from '../../store/rooms.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { documentsOf, type GrantEntry, type Entries } from '../entries.ts';
import type { Kind } from './kind.ts';

export const grantKind: Kind<GrantEntry, GrantDesired, GrantObserved, GrantMemory, GrantDecision> = {
  name: 'Grant',
  entries: (entries) => documentsOf(entries, 'Grant'),
  find: ({ documents }, _name, key) => documents.get(key) as GrantEntry | undefined,
  keyOf: ({ key }) => key,
  lane: () => 'rooms',
  observe,
  desired: (_context, entry) => grantDesired(entry),
  observed: (_context, { seen }) => seen?.observed ?? nothingSeen,
  decide: decideGrant,
  memory: grantMemory,
  // Every resync takes away what people changed against the document.
  paces: {
    'grant/create': limits.grantWaitMsMax,
    'grant/owner': limits.grantWaitMsMax,
    'grant/person': limits.grantWaitMsMax,
    'grant/group': limits.grantWaitMsMax,
    'grant/withdraw-person': limits.grantWaitMsMax,
    'grant/withdraw-group': limits.grantWaitMsMax,
  },
  report: (_context, { placed, seen }) => ({ generation: placed.generation, details: seen?.details ?? {} }),
};

const nothingSeen: GrantObserved = { room: null, others: [], people: new Set(), groups: new Set(), appKnown: false, refused: null };

async function observe({ options, entries }: Context, entry: GrantEntry): Promise<boolean> {
  entry.seen = await observeGrant(options.store.rooms, entries, entry);
  return true;
}

export function grantDesired({ name, leaving, placed }: GrantEntry): GrantDesired {
  const { app, sala, dona, pessoas = [], grupos = [] } = placed.document.spec;
  return { name, generation: placed.generation, spec: leaving ? null : { app, sala, dona, pessoas, grupos } };
}

export async function observeGrant(rooms: RoomStore, entries: Entries, entry: GrantEntry): Promise<NonNullable<GrantEntry['seen']>> {
  const { app, sala } = entry.placed.document.spec;
  const declared = entry.leaving ? null : await rooms.declaredRoom(app, sala);
  const room = declared && (await roomSeen(rooms, entries, declared));
  const others: GrantRoom[] = [];
  for (const id of await rooms.declaredBy(entry.name)) {
    const other = id === declared?.id ? null : await rooms.room(id);
    if (other !== null) others.push((await roomSeen(rooms, entries, other)).seen);
  }
  const people = new Set<string>();
  const groups = new Set<string>();
  for (const { name, leaving, placed } of entries.people.values()) {
    if (leaving) continue;
    people.add(name);
    for (const grupo of placed.document.spec.grupos ?? []) groups.add(grupo);
  }
  return {
    observed: { room: room?.seen ?? null, others, people, groups, appKnown: isKnown(entries, app), refused: entry.refused ?? null },
    details: { app, sala, leaving: entry.leaving, ...(declared && room ? roomDetails(declared, room) : { room: null }) },
  };
}

interface RoomSeen {
  readonly seen: GrantRoom;
  readonly people: readonly StoredMember[];
  readonly groups: readonly StoredGroup[];
}

async function roomSeen(rooms: RoomStore, entries: Entries, { id, dona }: StoredRoom): Promise<RoomSeen> {
  const { people: all, groups } = await rooms.members(id);
  // A leaving person is taken out of every room when they are signed out.
  const people = all.filter(({ usuario }) => entries.people.get(usuario)?.leaving !== true);
  const row = ({ papel, declaredBy }: StoredMember | StoredGroup, name: string) => ({ name, papel, declaredBy });
  const seen = { id, dona, people: people.map((each) => row(each, each.usuario)), groups: groups.map((each) => row(each, each.grupo)) };
  return { seen, people, groups };
}

/** At least one person may use the app: otherwise the room would have no reader. */
function isKnown(entries: Entries, app: string): boolean {
  for (const server of entries.servers.values()) if (server.system.has(app)) return true;
  for (const person of entries.people.values()) if (person.packages.has(app)) return true;
  return false;
}

const shownMax = 100;

function roomDetails({ id, nome, dona }: StoredRoom, { people, groups }: RoomSeen): Readonly<Record<string, unknown>> {
  const rows = [
    ...people.map((each) => ({ ...each, whom: each.usuario })),
    ...groups.map((each) => ({ ...each, whom: `group ${each.grupo}` })),
  ];
  const declared = rows.flatMap(({ whom, papel, declaredBy }) => (declaredBy === null ? [] : [`${whom} ${papel}`]));
  const given = rows.flatMap(({ whom, given: papel, declaredBy }) => {
    if (papel === null) return [];
    return [declaredBy === null ? `${whom} ${papel}` : `${whom} ${papel}, behind what a document wants`];
  });
  return { room: id, nome, dona, declared: declared.slice(0, shownMax), given: given.slice(0, shownMax) };
}
