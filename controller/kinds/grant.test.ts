/** Grant documents through the loop, on a real folder and a real store; the servers' side is not needed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../store/limits.ts';
import { systemClock } from '../clock/system.ts';
import { createBus, type Bus, type RoomEdge } from '../../store/bus.ts';
import { memoryHost, packagesInMemory } from '../hosts/testing/memory-host.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createGateway } from '../views/gateway.ts';
import { createController, type Controller } from '../loop/loop.ts';
import { documentsOf } from '../entries.ts';

let dir: string;
let store: Store;
let bus: Bus;
let controller: Controller;
let edges: RoomEdge[];

const doc = (kind: string, name: string, spec: object) => JSON.stringify({ apiVersion: 'svc/v1', kind, metadata: { name }, spec });
const person = (name: string, ...grupos: readonly string[]) =>
  doc('Person', name, { nome: name, login: name, server: 'casa', account: name, grupos });
const base = [
  doc('Server', 'casa', { local: { prefix: 'srv', trusted: true } }),
  doc('Package', 'app0', { app: 'app0', versao: '1.0.0', server: 'casa' }),
  person('ana'),
  person('bia'),
  person('caio', 'editores'),
];
const grant = (spec: object = {}) =>
  doc('Grant', 'atas', {
    app: 'app0',
    sala: 'Atas',
    dona: 'ana',
    pessoas: [{ usuario: 'bia', papel: 'ver' }],
    grupos: [{ grupo: 'editores', papel: 'editar' }],
    ...spec,
  });
const write = (...documents: readonly string[]): void => writeFileSync(path.join(dir, 'all.yaml'), [...base, ...documents].join('\n---\n'));

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-grants-'));
  mkdirSync(path.join(dir, 'state'));
  bus = createBus();
  edges = [];
  bus.onRoomChanged((edge) => edges.push(edge));
  store = await openSqliteStore(':memory:');
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

const quiet = () => undefined;
async function begin(): Promise<void> {
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus,
    clock: systemClock,
    log: { info: quiet, warn: quiet, debug: quiet, error: quiet },
    createHost: () => memoryHost(packagesInMemory(1)),
  });
  await controller.prepare();
  await controller.start();
  await settled();
}
async function settled(): Promise<void> {
  await controller.context.queue.idle();
  await controller.context.recorder.written();
}
async function apply(...documents: readonly string[]): Promise<void> {
  write(...documents);
  await createGateway(controller.context).commands.admin.apply(true);
  await settled();
}

const roles = async (): Promise<readonly string[]> => {
  const room = await store.rooms.declaredRoom('app0', 'Atas');
  if (room === null) return [];
  const { people, groups } = await store.rooms.members(room.id);
  return [
    `${room.dona} dona`,
    ...people.map(({ usuario, papel }) => `${usuario} ${papel}`),
    ...groups.map(({ grupo, papel }) => `${grupo} ${papel}`),
  ];
};
const status = async () => await store.status('Grant/atas');

test('a document makes the room and its roles, invites, and rests', async () => {
  write(grant());
  await begin();
  expect(await roles()).toEqual(['ana dona', 'bia ver', 'editores editar']);
  expect(await status()).toMatchObject({ state: 'granted', reason: 'Granted', details: { nome: 'Atas', dona: 'ana', given: [] } });
  expect((await store.rooms.notices('bia')).map(({ tipo, de, papel }) => `${tipo} ${de} ${papel}`)).toEqual(['convite ana ver']);
  expect((await store.rooms.notices('caio')).map(({ papel }) => papel)).toEqual(['editar']);
  expect(await store.rooms.notices('ana')).toEqual([]);
  expect(new Set(edges.flatMap(({ people }) => people))).toEqual(new Set(['ana', 'bia', 'caio']));
  edges.length = 0;
  await controller.resync();
  await settled();
  expect(edges).toEqual([]);
});

test('what a page takes away comes back, what it gives besides stays, also when the document goes', async () => {
  write(grant());
  await begin();
  const id = (await store.rooms.declaredRoom('app0', 'Atas'))?.id ?? '';
  await store.rooms.takePerson(id, 'bia', 1);
  await store.rooms.renameRoom(id, 'Outro nome', 1);
  await store.rooms.givePerson(id, 'caio', { papel: 'comentar', atMs: 1, invitations: [] });
  await store.rooms.giveGroup(id, 'editores', { papel: 'ver', atMs: 1, invitations: [] });
  await controller.resync();
  // The same role is given again: not at once (decision 0316).
  await expect.poll(roles).toEqual(['ana dona', 'bia ver', 'caio comentar', 'editores editar']);
  await controller.resync();
  await settled();
  expect(await status()).toMatchObject({
    state: 'granted',
    details: {
      nome: 'Outro nome',
      declared: ['bia ver', 'group editores editar'],
      given: ['caio comentar', expect.stringMatching(/^group editores ver, behind/)],
    },
  });
  await apply();
  expect(await roles()).toEqual(['ana dona', 'caio comentar', 'editores ver']);
  expect(await status()).toBeNull();
  expect(documentsOf(controller.context.entries, 'Grant').length).toBe(0);
});

test('another room in the document takes the roles along', async () => {
  write(grant());
  await begin();
  await apply(grant({ sala: 'Planos' }));
  expect(await roles()).toEqual(['ana dona']);
  const room = await store.rooms.declaredRoom('app0', 'Planos');
  expect((await store.rooms.members(room?.id ?? '')).people).toMatchObject([{ usuario: 'bia', papel: 'ver', declaredBy: 'atas' }]);
});

test('who is not there is waited for, and granted when they come', async () => {
  write(grant({ grupos: [{ grupo: 'autores', papel: 'ver' }] }));
  await begin();
  expect(await status()).toMatchObject({
    state: 'waiting',
    reason: 'ReferenceMissing',
    message: 'waits for somebody in the group autores',
  });
  await apply(grant({ grupos: [{ grupo: 'autores', papel: 'ver' }] }), person('dora', 'autores'));
  expect(await roles()).toEqual(['ana dona', 'bia ver', 'autores ver']);
  expect(await status()).toMatchObject({ state: 'granted' });
});

test('a full room is told, and mended once there is a place', async () => {
  write(grant({ grupos: [] }));
  await begin();
  const id = (await store.rooms.declaredRoom('app0', 'Atas'))?.id ?? '';
  const wish = { papel: 'ver', atMs: 1, invitations: [] } as const;
  for (let n = 0; n < limits.roomGroupsMax; n += 1) await store.rooms.giveGroup(id, `g${n}`, wish);
  await apply(grant());
  await controller.resync();
  await settled();
  expect(await status()).toMatchObject({ state: 'refused', reason: 'GrantRefused', message: 'the room holds 100 groups already' });
  await store.rooms.takeGroup(id, 'g0', 1);
  await controller.resync();
  await expect.poll(status).toMatchObject({ state: 'granted' });
});

test('a plan tells the roles of a room that is not there yet, and what people gave', async () => {
  write();
  await begin();
  write(grant());
  const gateway = createGateway(controller.context);
  const changes = (await gateway.admin.plan(dir)).changes
    .filter(({ key }) => key === 'Grant/atas')
    .map(({ action, detail }) => `${action} ${detail}`);
  expect(changes).toEqual([
    expect.stringMatching(/^document\/add /),
    'grant/create room Atas of app0, owned by ana',
    'grant/person bia ver',
    'grant/group group editores editar',
  ]);
  expect(await roles()).toEqual([]);
  await apply(grant());
  const id = (await store.rooms.declaredRoom('app0', 'Atas'))?.id ?? '';
  await store.rooms.givePerson(id, 'caio', { papel: 'comentar', atMs: 1, invitations: [] });
  const quietPlan = await gateway.admin.plan(dir);
  expect(quietPlan).toMatchObject({ changes: [], notes: ['Grant/atas leaves what people gave: caio comentar'] });
  const other = doc('Grant', 'planos', { app: 'app0', sala: 'Planos', dona: 'ana' });
  await apply(grant(), other);
  write(other);
  expect((await gateway.admin.plan(dir)).changes.map(({ action, detail }) => `${action} ${detail}`)).toEqual([
    'document/remove ',
    'grant/withdraw-person bia',
    'grant/withdraw-group group editores',
    'object/forget nothing that it owned is left',
  ]);
});
