/**
 * Erasing a person: everything that the portal and their server hold of them. Asked for while they are known, and carried out as they leave: rooms first, then
 * what ends with every removal of a person, then what svc made on their server, and the rest of the store at the end. Each step may be done again, and
 * the row of the store says that it is not over. Decision: docs/decisions/0416-erasing-a-person.md
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Erasure, Held } from '../../schema/erasure.ts';
import { SvcError } from '../../schema/errors.ts';
import type { RoomStore, StoredRoom } from '../../store/rooms.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { Entries, PersonEntry } from '../entries.ts';

const rowName = (person: string): string => `erasure/${person}`;

export async function erasureOf(store: Pick<Store, 'value'>, person: string): Promise<Erasure | null> {
  const text = await store.value(rowName(person));
  return text === null || text === '' ? null : (JSON.parse(text) as Erasure);
}

/** Reads the erasures of people who leave, before anything is decided about them after a start. */
export async function rereadErasures({ people }: Entries, store: Pick<Store, 'values'>): Promise<void> {
  const rows = await store.values(rowName(''));
  for (const [name, text] of rows) {
    const person = people.get(name.slice(rowName('').length));
    if (person?.leaving === true && text !== '') person.erasure = JSON.parse(text) as Erasure;
  }
}

export async function putErasure(store: Pick<Store, 'putValue'>, person: string, erasure: Erasure | null): Promise<void> {
  await store.putValue(rowName(person), erasure === null ? '' : JSON.stringify(erasure));
}

/** Rooms that they own, with whether others are in them. */
export async function ownedBy(
  rooms: RoomStore,
  person: string,
): Promise<readonly { readonly room: StoredRoom; readonly others: number }[]> {
  const found = [];
  for (const id of await rooms.ownedRooms(person)) {
    const room = await rooms.room(id);
    if (room === null) continue;
    const { people, groups } = await rooms.members(id);
    found.push({ room, others: people.filter(({ usuario }) => usuario !== person).length + groups.length });
  }
  return found;
}

/** Rooms with other people get the new owner, and the person's other rooms are deleted; the collection removes their files later. */
export async function settleRooms(rooms: RoomStore, person: string, { roomsTo }: Erasure, clock: Clock): Promise<void> {
  for (const { room, others } of await ownedBy(rooms, person)) {
    if (others > 0 && roomsTo !== null) await rooms.setOwner(room.id, roomsTo, clock.nowMs());
    // Somebody came in since it was asked, and nobody was named: it stays theirs, without an owner.
    else if (others === 0) await rooms.deleteRoom(room.id);
  }
}

const script = path.resolve(import.meta.dirname, '../../kit/server/erase.sh');

interface OnServer {
  readonly entries: Entries;
  readonly ending: AbortSignal;
}

/** Lists the folders that svc made for them on their server; `remove` removes them first and lists the rest. Rejects SERVER_UNREACHABLE when the server does not tell. */
export async function onTheirServer({ entries, ending }: OnServer, person: PersonEntry, act: 'look' | 'remove'): Promise<readonly Held[]> {
  const { server, account, accountSeen } = person;
  const of = (what: string, note: string | null, count: number | null = null): Held => ({ what, count, unit: 'bytes', note });
  if (server.lost) return [of(`folders of ${account} on ${server.name}`, 'the server was given up: what is there stays')];
  const other = await whoShares(entries, person);
  if (other !== null) return [of(`folders of ${account} on ${server.name}`, `${other} uses them, too`)];
  const kept = server.kit === null ? [] : await server.kit.admin.kept(act, account);
  const rest = kept.map((name) => of(`${name} on ${server.name}`, act === 'remove' ? 'it could not be removed' : null));
  if (accountSeen === false) return rest;
  const { home, prefix } = await server.host.place(account);
  const isOurs = prefix !== '' && (await server.host.asPortal(account)) !== null;
  const lines: string[] = [];
  const { code, said } = await server.host.run(account, {
    argv: ['sh', '-s', '--', act, ...(isOurs ? ['home'] : [])],
    stdin: `HOME=${quoted(home)}\nexport HOME\n${readFileSync(script, 'utf8')}`,
    onLine: (line) => lines.push(line),
    signal: ending,
    msMax: act === 'remove' ? limits.eraseMsMax : limits.eraseLookMsMax,
  });
  if (code !== 0)
    throw new SvcError('KIT_FAILED', `${account} on ${server.name}: ${said.trim().split('\n').at(-1) ?? ''} (exit code ${code})`);
  const made = lines.flatMap((line) => {
    const [, kb = '', name = ''] = /^made (\S+) (\S+)$/.exec(line) ?? [];
    if (name === '') return [];
    const bytes = /^[0-9]{1,15}$/.test(kb) ? Number(kb) * 1_024 : null;
    const note = bytes === null ? 'it is more than can be counted in nine seconds' : null;
    return [of(`~/${name} of ${account} on ${server.name}`, act === 'remove' ? 'it could not be removed whole' : note, bytes)];
  });
  return [...made, ...rest];
}

/** Another person whose apps are in the same home; null: nobody. */
export async function whoShares(
  { people }: Pick<Entries, 'people'>,
  { name, server, account }: Pick<PersonEntry, 'name' | 'server' | 'account'>,
): Promise<string | null> {
  const others = [...people.values()].filter((each) => each.name !== name && each.server === server && !each.leaving);
  const same = others.find((each) => each.account === account);
  if (same !== undefined) return same.name;
  if ((await server.host.asPortal(account)) === null) return null;
  // All are one account: their homes may be one folder.
  const { home } = await server.host.place(account);
  for (const each of others) if ((await server.host.place(each.account)).home === home) return each.name;
  return null;
}

/** For sh. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
