/** Takes a room, and one person's data, out of a backup and puts them into the running portal, by the real command. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Y from 'yjs';
import { createEntry } from '../support/room-entry.ts';
import { until } from '../support/portal.ts';
import { backUp, createRoom, startWorld, svc, type World } from './world.ts';

let world: World;
let [ana, bia] = ['', ''];
let room = '';
let others = '';
const attached = JSON.stringify({ of: 'the room' });
const sha = createHash('sha256').update(attached).digest('hex');

const ask = async (person: string, method: string, path: string, body?: unknown) => {
  const answer = await world.entry.asPage(person, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
  return answer.body === '' ? null : (JSON.parse(answer.body) as Record<string, unknown>);
};

async function write(person: string, sala: string, text: string): Promise<void> {
  const doc = new Y.Doc();
  const client = await world.entry.come(person, sala, doc);
  doc.getText('text').insert(0, text);
  const other = new Y.Doc();
  const second = await world.entry.come(person, sala, other);
  await until('the text', () => other.getText('text').toJSON().includes(text));
  for (const each of [client, second]) each.end();
}

async function textOf(person: string, sala: string): Promise<string> {
  const doc = new Y.Doc();
  const client = await createEntry(() => world.portal).come(person, sala, doc);
  client.end();
  return doc.getText('text').toJSON();
}

const restore = async (...args: readonly string[]) =>
  JSON.parse(await svc('restore', world.dest, '--state', world.portal.state, '-o', 'json', ...args)) as {
    readonly restored: {
      readonly rooms: readonly { readonly id: string; readonly nome: string }[];
      readonly kept: readonly string[];
      readonly preferences: string;
      readonly roles: number;
    };
  };

beforeAll(async () => {
  world = await startWorld('part', 2);
  [ana = '', bia = ''] = world.people;
  room = await createRoom(world.entry, ana, 'Atas');
  others = await createRoom(world.entry, bia, 'De Bia');
  await write(ana, room, 'what was said');
  await ask(ana, 'PUT', `/api/salas/${room}/anexos?app=caderno`, JSON.parse(attached));
  await ask(ana, 'PUT', `/api/salas/${room}/pessoas/${bia}?app=caderno`, { papel: 'comentar' });
  await ask(bia, 'PUT', `/api/salas/${others}/pessoas/${ana}?app=caderno`, { papel: 'ver' });
  // The log has it at once, and a commit takes a moment.
  await until('a backup with the text', async () => {
    await backUp(world);
    return await svc('restore', world.dest, '--state', world.portal.state, '--room', room).then(
      () => null,
      (error: unknown) => (error as { readonly code?: number }).code === 2,
    );
  });
});
afterAll(async () => await world?.end());

test('a room comes beside the one that is there, under another name, with its text, attachments and roles', async () => {
  await write(ana, room, 'said later: ');
  const { restored } = await restore('--room', 'Atas', '--as', 'Atas de ontem', '--yes');
  const [made] = restored.rooms;
  expect(restored.rooms.map(({ nome }) => nome)).toEqual(['Atas de ontem']);
  expect(made?.id).not.toBe(room);
  expect([await textOf(ana, made!.id), await textOf(ana, room)]).toEqual(['what was said', 'said later: what was said']);
  const got = await world.entry.asPage(bia, 'GET', `/api/salas/${made!.id}/anexos/${sha}?app=caderno`);
  expect([got.status, got.body]).toEqual([200, attached]);
  expect(await ask(bia, 'GET', `/api/salas/${made!.id}?app=caderno`)).toMatchObject({ sala: { papel: 'comentar' } });
});

test('of a person come the rooms that are gone, and roles where there are none', async () => {
  await ask(ana, 'DELETE', `/api/salas/${room}?app=caderno`);
  await ask(bia, 'DELETE', `/api/salas/${others}/pessoas/${ana}?app=caderno`);
  const { restored } = await restore('--person', ana, '--yes');
  expect(restored.rooms.map(({ nome }) => nome)).toEqual(['Atas']);
  expect(restored.kept).toEqual(['primeira']);
  expect(await textOf(ana, restored.rooms[0]!.id)).toBe('what was said');
  expect(restored.roles).toBe(1);
  expect(await ask(ana, 'GET', `/api/salas/${others}?app=caderno`)).toMatchObject({ sala: { papel: 'ver' } });
  expect((await world.entry.asPage(ana, 'GET', `/api/salas/${room}?app=caderno`)).status).toBe(404);
});

test('nothing is left of it in the state folder, and what is not there is told', async () => {
  await expect(svc('restore', world.dest, '--state', world.portal.state, '--room', 'Nenhuma', '--yes')).rejects.toThrow(/NOT_FOUND/);
  expect(readdirSync(world.portal.state).filter((name) => name.startsWith('restore.'))).toEqual([]);
});
