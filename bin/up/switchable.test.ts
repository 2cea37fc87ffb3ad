import { expect, test } from 'vitest';
import { createRoomNews } from '../../api/rooms/news.ts';
import { followRoles } from '../../api/rooms/follow-roles.ts';
import type { Gateway, PersonRecord } from '../../schema/gateway.ts';
import { createBus } from '../../store/bus.ts';
import { createMemoryRooms } from '../../store/testing/memory-rooms.ts';
import { switchable } from './switchable.ts';

const of = (people: readonly PersonRecord[]) =>
  ({
    people: { all: () => people, find: (usuario: string) => people.find((each) => each.usuario === usuario) ?? null },
    commands: {},
  }) as unknown as Gateway;
const person = (usuario: string, ...grupos: readonly string[]): PersonRecord => ({ usuario, nome: usuario, login: usuario, grupos });

test('who lost a group while this portal stood still loses its rooms here once the next controller is shown', async () => {
  const bus = createBus();
  const rooms = createMemoryRooms();
  await rooms.createRoom({ id: 's1', app: 'notas', nome: 'Atas', dona: 'ana', createdAtMs: 0, changedAtMs: 0, declaredName: null });
  await rooms.giveGroup('s1', 'editores', { papel: 'editar', atMs: 0, invitations: [] });
  const { gateway, set } = switchable(of([person('ana'), person('bia', 'editores')]), bus);
  const { people } = gateway;
  const roles: string[] = [];
  const relay = {
    setRole: (sala: string, usuario: string, papel: string | null) => void roles.push(`${sala} ${usuario} ${papel}`),
    seated: () => [],
    endSession: () => undefined,
    endRoom: () => undefined,
    deleteRoom: async () => undefined,
  };
  const onError = (error: unknown) => void roles.push(String(error));
  const stop = followRoles({ rooms, people, relay, bus, onError, news: createRoomNews({ rooms, people, relay, bus }) });
  // The next one reads the documents before the portal shows what it read.
  bus.peopleChanged();
  set(of([person('ana'), person('bia')]));
  await expect.poll(() => roles).toEqual(['s1 bia null']);
  stop();
});
