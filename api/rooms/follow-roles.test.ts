import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createBus, type Bus } from '../../store/bus.ts';
import type { RoomStore } from '../../store/rooms.ts';
import { createMemoryRooms } from '../../store/testing/memory-rooms.ts';
import type { PersonRecord } from '../../schema/gateway.ts';
import { followRoles } from './follow-roles.ts';
import { createRoomNews } from './news.ts';

const person = (usuario: string, ...grupos: readonly string[]): PersonRecord => ({ usuario, nome: usuario, login: usuario, grupos });
const wish = (papel: 'ver' | 'editar') => ({ papel, atMs: 0, invitations: [] });

let people: readonly PersonRecord[];
let rooms: RoomStore;
let bus: Bus;
let told: string[];
let seats: { sala: string; usuario: string; credential: string | null }[];
let stop: () => void;
beforeEach(async () => {
  people = [person('ana'), person('bia', 'editores'), person('caio')];
  rooms = createMemoryRooms();
  bus = createBus();
  told = [];
  seats = [];
  const view = { all: () => people, find: (usuario: string) => people.find((each) => each.usuario === usuario) ?? null };
  const relay = {
    setRole: (sala: string, usuario: string, papel: string | null) => void told.push(`${sala} ${usuario} ${papel}`),
    endRoom: () => undefined,
    deleteRoom: async (sala: string) => void told.push(`${sala} deleted`),
    endSession: (session: string) => void told.push(`${session} ended`),
    seated: () => {
      told.push('looked');
      return seats;
    },
  };
  bus.onPublish((usuario, event) => told.push(`${usuario} hears ${event.type}`));
  const onError = (error: unknown) => void told.push(String(error));
  stop = followRoles({ rooms, people: view, relay, bus, onError, news: createRoomNews({ rooms, people: view, relay, bus }) });
  for (const id of ['s1', 's2']) {
    await rooms.createRoom({ id, app: 'notas', nome: id, dona: 'ana', createdAtMs: 0, changedAtMs: 0, declaredName: null });
  }
  await rooms.giveGroup('s1', 'editores', wish('editar'));
});

const whatHappens = async (act: () => void): Promise<string[]> => {
  told.length = 0;
  act();
  await new Promise((resolve) => setImmediate(resolve));
  return told.toSorted();
};

test('who leaves a group loses the role that came by it at once, and keeps the one by name', async () => {
  people = [person('ana'), person('bia'), person('caio')];
  expect(await whatHappens(() => bus.peopleChanged())).toEqual(['bia hears avisos', 'bia hears mudaram', 's1 bia null']);
  people = [person('ana'), person('bia', 'editores'), person('caio')];
  expect(await whatHappens(() => bus.peopleChanged())).toEqual(['bia hears avisos', 'bia hears mudaram', 's1 bia editar']);
  await rooms.givePerson('s1', 'bia', wish('ver'));
  people = [person('ana'), person('bia'), person('caio')];
  expect(await whatHappens(() => bus.peopleChanged())).toEqual(['bia hears avisos', 'bia hears mudaram', 's1 bia ver']);
});

test('who leaves the portal loses every room, also their own', async () => {
  await rooms.setOwner('s2', 'bia', 0);
  people = [person('ana'), person('caio')];
  expect(await whatHappens(() => bus.peopleChanged())).toEqual(['bia hears avisos', 'bia hears mudaram', 's1 bia null', 's2 bia null']);
});

test('nothing is told of people for whom nothing changed, or after the end', async () => {
  people = [person('ana'), person('bia', 'editores'), person('caio')];
  expect(await whatHappens(() => bus.peopleChanged())).toEqual([]);
  stop();
  people = [];
  expect(await whatHappens(() => bus.peopleChanged())).toEqual([]);
});

test('what a document changed reaches the sockets, the pages and the bell', async () => {
  await rooms.declarePerson('s2', 'caio', 'atas', wish('ver'));
  expect(await whatHappens(() => bus.roomChanged({ id: 's2', app: 'notas', people: ['caio'] }))).toEqual([
    'caio hears avisos',
    'caio hears mudaram',
    's2 caio ver',
  ]);
});

test('what another portal did to a room reaches the sockets of this one, and is told to nobody again', async () => {
  bus.heard({ kind: 'roles', edge: { id: 's1', app: 'notas', people: ['bia', 'caio'] } });
  bus.heard({ kind: 'room-deleted', id: 's2' });
  await vi.waitFor(() => expect(told.toSorted()).toEqual(['s1 bia editar', 's1 caio null', 's2 deleted']));
});

describe('when something that another portal said was lost', () => {
  const seat = (sala: string, usuario: string, credential: string | null = null) => ({ sala, usuario, credential });

  test('everybody who sits here has the role of now, and who may not be here goes', async () => {
    const token = { usuario: 'ana', app: 'notas', scopes: ['salas'], atMs: 0 } as const;
    for (const tokenHash of ['t1', 't2']) await rooms.putPortalToken({ ...token, tokenHash, startHash: `of ${tokenHash}` });
    seats = [seat('s1', 'ana', 't1'), seat('s1', 'bia'), seat('s1', 'bia'), seat('s1', 'caio'), seat('s2', 'ana', 't2')];
    await rooms.takeGroup('s1', 'editores', 0);
    await rooms.givePerson('s1', 'caio', wish('ver'));
    await rooms.deleteRoom('s2');
    await rooms.keepPortalTokens('ana', 'notas', 'of t1');
    bus.edgesMissed();
    await vi.waitFor(() => expect(told).toContain('t2 ended'));
    expect(told).toEqual(['looked', 's1 ana dona', 's1 bia null', 's1 caio ver', 's2 deleted', 't2 ended']);
  });

  test('it is looked at once more for all that was lost meanwhile, and a room that can not be read keeps no other one waiting', async () => {
    seats = [seat('s1', 'bia'), seat('s2', 'ana')];
    const { standing } = rooms;
    rooms.standing = async (id, who) => (id === 's1' ? await Promise.reject(new Error('away')) : await standing(id, who));
    for (let time = 0; time < 5; time += 1) bus.edgesMissed();
    const round = ['looked', 's2 ana dona', 'Error: away'];
    await vi.waitFor(() => expect(told).toEqual([...round, ...round]));
    stop();
    bus.edgesMissed();
    expect(told).toHaveLength(2 * round.length);
  });
});
