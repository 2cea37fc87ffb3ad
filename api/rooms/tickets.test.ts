import { expect, test } from 'vitest';
import { createMemoryRooms } from '../../store/testing/memory-rooms.ts';
import { fixedRing } from '../auth/key-rings.ts';
import { limits } from '../auth/limits.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createTickets, type TicketFor } from './tickets.ts';

const room = 's000000000000000000001';
const other = 's000000000000000000002';
const ana: TicketFor = { usuario: 'ana', app: 'notas', sala: room, por: 'pagina', session: 'root', credential: null };
const ring = fixedRing(Buffer.alloc(32, 7));
const people = new Map([
  ['ana', { usuario: 'ana', nome: 'Ana Souza', login: 'ana@casa.example', grupos: [] as string[] }],
  ['bia', { usuario: 'bia', nome: 'Bia', login: 'bia', grupos: ['editores'] }],
]);

async function world() {
  const clock = createManualClock();
  const rooms = createMemoryRooms();
  const sessions = new Set(['root']);
  for (const id of [room, other]) {
    await rooms.createRoom({ id, app: 'notas', nome: 'Atas', dona: 'ana', createdAtMs: 0, changedAtMs: 0, declaredName: null });
  }
  const person = (usuario: string) => people.get(usuario) ?? null;
  const tickets = createTickets({ clock, ring, rooms, person, alive: async (session) => sessions.has(session) });
  return { clock, rooms, sessions, tickets };
}

test('lets in for 59.9 s, as often as asked, with who it is and the role of now', async () => {
  const { clock, tickets } = await world();
  const ticket = tickets.give(ana);
  const seat = {
    sala: room,
    app: 'notas',
    usuario: 'ana',
    nome: 'Ana Souza',
    iniciais: 'AS',
    papel: 'dona',
    dona: 'ana',
    por: 'pagina',
    session: 'root',
    credential: null,
  };
  expect(await tickets.admit(room, ticket)).toEqual({ kind: 'seat', seat });
  clock.advance(59_900);
  expect(await tickets.admit(room, ticket)).toEqual({ kind: 'seat', seat });
  clock.advance(200);
  expect(await tickets.admit(room, ticket)).toEqual({ kind: 'refused' });
  clock.advance(-60_000);
  clock.advance(-60_000);
  expect(await tickets.admit(room, ticket)).toEqual({ kind: 'refused' });
});

test('opens so many times with one ticket, and again with another', async () => {
  const { clock, tickets } = await world();
  const [one, other] = [tickets.give(ana), tickets.give(ana)];
  const uses = Array.from({ length: 65 }, () => tickets.use(one));
  expect([uses.filter(Boolean).length, uses.at(-1), tickets.use(other)]).toEqual([64, false, true]);
  clock.advance(59_000);
  expect(tickets.use(one)).toBe(false);
});

test('opens no other room, and nothing else is a ticket', async () => {
  const { tickets } = await world();
  const ticket = tickets.give(ana);
  expect(await tickets.admit(other, ticket)).toEqual({ kind: 'refused' });
  const wrong = ['', 'x', ticket.slice(0, -1), `${ticket}A`, ticket.toLowerCase(), 'A'.repeat(43), '\u0000'.repeat(43), 'é'.repeat(1_000)];
  for (const bilhete of wrong) expect(await tickets.admit(room, bilhete)).toEqual({ kind: 'refused' });
  expect((await tickets.admit(room, ticket)).kind).toBe('seat');
});

test('the role is the one that holds when it opens; who was removed and what was deleted are told apart', async () => {
  const { rooms, tickets } = await world();
  const bia: TicketFor = { ...ana, usuario: 'bia', por: 'backend', session: null };
  const ticket = tickets.give(bia);
  const role = async () => {
    const admission = await tickets.admit(room, ticket);
    return admission.kind === 'seat' ? `${admission.seat.por} ${admission.seat.papel}` : admission.kind;
  };
  const wish = (papel: 'ver' | 'editar') => ({ papel, atMs: 0, invitations: [] });
  expect(await role()).toBe('removed');
  await rooms.givePerson(room, 'bia', wish('ver'));
  expect(await role()).toBe('backend ver');
  await rooms.giveGroup(room, 'editores', wish('editar'));
  expect(await role()).toBe('backend editar');
  await rooms.takePerson(room, 'bia', 0);
  expect(await role()).toBe('backend editar');
  await rooms.takeGroup(room, 'editores', 0);
  expect(await role()).toBe('removed');
  await rooms.deleteRoom(room);
  expect(await role()).toBe('deleted');
});

test('ends with the session of its page and with the person', async () => {
  const { sessions, tickets } = await world();
  const ticket = tickets.give(ana);
  sessions.clear();
  expect(await tickets.admit(room, ticket)).toEqual({ kind: 'refused' });
  const gone = tickets.give({ ...ana, usuario: 'dora', por: 'backend', session: null });
  expect(await tickets.admit(room, gone)).toEqual({ kind: 'removed' });
});

test('a backend’s ends with its credential', async () => {
  const { rooms, tickets } = await world();
  const token = { tokenHash: 't1', usuario: 'ana', app: 'notas', scopes: ['salas'], startHash: 's', atMs: 0 } as const;
  await rooms.putPortalToken(token);
  const ticket = tickets.give({ ...ana, por: 'backend', session: null, credential: 't1' });
  expect(await tickets.admit(room, ticket)).toMatchObject({ kind: 'seat', seat: { session: null, credential: 't1' } });
  await rooms.keepPortalTokens('ana', 'notas', null);
  expect(await tickets.admit(room, ticket)).toEqual({ kind: 'refused' });
});

test('another portal of the store reads it, and one with another key does not', async () => {
  const { clock, rooms, tickets } = await world();
  const ticket = tickets.give(ana);
  const of = (other: Buffer) =>
    createTickets({ clock, ring: fixedRing(other), rooms, person: (name) => people.get(name) ?? null, alive: async () => true });
  expect((await of(Buffer.alloc(32, 7)).admit(room, ticket)).kind).toBe('seat');
  expect((await of(Buffer.alloc(32, 8)).admit(room, ticket)).kind).toBe('refused');
});

test('another portal, whose clock differs by some seconds, takes it while it is good there', async () => {
  const { clock, rooms, tickets } = await world();
  const at = (skewMs: number) => {
    const other = createManualClock(clock.nowMs() + skewMs);
    const person = (name: string) => people.get(name) ?? null;
    return { other, tickets: createTickets({ clock: other, ring, rooms, person, alive: async () => true }) };
  };
  const kindAt = async (skewMs: number) => (await at(skewMs).tickets.admit(room, tickets.give(ana))).kind;
  const kinds = await Promise.all([-11_000, -10_000, -2_000, 0, 2_000, 59_999, 60_000].map(kindAt));
  expect(kinds).toEqual(['refused', 'seat', 'seat', 'seat', 'seat', 'seat', 'refused']);
  const behind = at(-2_000);
  const ticket = tickets.give(ana);
  behind.other.advance(61_999);
  expect((await behind.tickets.admit(room, ticket)).kind).toBe('seat');
  behind.other.advance(1);
  expect((await behind.tickets.admit(room, ticket)).kind).toBe('refused');
});

test('says nothing to who has it, and any bit that is another one makes it none', async () => {
  const { tickets } = await world();
  const ticket = tickets.give(ana);
  expect(ticket).not.toBe(tickets.give(ana));
  const bytes = Buffer.from(ticket, 'base64url');
  expect(bytes.toString('latin1')).not.toContain('ana');
  for (let at = 0; at < bytes.length; at += 1) {
    const other = Buffer.from(bytes);
    other[at]! ^= 1 << (at % 8);
    expect((await tickets.admit(room, other.toString('base64url'))).kind).toBe('refused');
  }
  expect(ticket.length).toBeLessThan(limits.sealedCharsMax);
});
