import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createMemoryRooms } from '../../store/testing/memory-rooms.ts';
import type { BackendEntry, Entries } from '../entries.ts';
import { createPortalCredentials } from './portal-credentials.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function world(recursos: object | undefined, more: object = {}) {
  const rooms = createMemoryRooms();
  const seen = { snapshot: null as object | null, status: 'up' };
  const manifest = { id: 'notas', version: '1.0.0', backend: {}, ...(recursos === undefined ? {} : { recursos }), ...more };
  const entry = {
    key: 'Backend/ana/notas',
    app: 'notas',
    person: {
      name: 'ana',
      packages: new Map([['notas', { manifest }]]),
      server: { placed: { document: { spec: { local: {} } } } },
      link: { view: () => ({ status: seen.status }), snapshot: () => seen.snapshot },
    },
  } as unknown as BackendEntry;
  const errors: unknown[] = [];
  const credentials = createPortalCredentials({
    rooms,
    clock: { nowMs: () => 5, monotonicMs: () => 5, at: () => () => undefined },
    portalUrl: async () => 'http://127.0.0.1:8787',
    onError: (error) => errors.push(error),
  });
  return { rooms, seen, entry, credentials, errors };
}
const tokenOf = (variables: Readonly<Record<string, string>>): string => variables['SVC_PORTAL_TOKEN'] ?? '';

test('what asks for something gets an address and a token of its own, and the store only its hash', async () => {
  const { rooms, entry, credentials } = world({ salas: true, fila: false, metricas: true });
  const variables = await credentials.issue(entry, 'app-token', 'r1');
  expect(variables).toEqual({
    SVC_PORTAL_URL: 'http://127.0.0.1:8787',
    SVC_PORTAL_TOKEN: expect.stringMatching(/^[\w-]{43}$/) as string,
    SVC_PORTAL_SCOPES: 'salas,metricas',
  });
  expect(await rooms.portalToken(tokenOf(variables))).toBeNull();
  expect(await rooms.portalToken(sha256(tokenOf(variables)))).toMatchObject({
    usuario: 'ana',
    app: 'notas',
    scopes: ['salas', 'metricas'],
  });
});

test.for([
  [undefined, {}],
  [{}, {}],
  [{ salas: false, gpu: { modo: 'opcional' } }, {}],
  [{ salas: true }, { escopo: 'servidor', usa: ['dicionario/v1'] }],
  [{}, { requires: [], usa: [] }],
] as const)('recursos %j, %j: none', async ([recursos, more]) => {
  const { entry, credentials } = world(recursos, more);
  expect(await credentials.issue(entry, 'app-token', 'r1')).toEqual({});
});

test.for([{ requires: ['dicionario/v1'] }, { usa: ['dicionario/v1'] }])('%j: asks other apps for capabilities', async (declared) => {
  const { rooms, entry, credentials } = world({ salas: true }, declared);
  const variables = await credentials.issue(entry, 'app-token', 'r1');
  expect(variables['SVC_PORTAL_SCOPES']).toBe('salas,capacidades');
  expect((await rooms.portalToken(sha256(tokenOf(variables))))?.scopes).toEqual(['salas', 'capacidades']);
});

test('of two starts the one that the supervisor took stays', async () => {
  const { rooms, entry, credentials } = world({ salas: true });
  const first = tokenOf(await credentials.issue(entry, 'first', 'r1'));
  const second = tokenOf(await credentials.issue(entry, 'second', 'r2'));
  await credentials.keep(entry, 'first');
  expect(await rooms.portalToken(sha256(first))).not.toBeNull();
  expect(await rooms.portalToken(sha256(second))).toBeNull();
});

test('ends when the app stopped, not when it crashed, and never by a snapshot from before its start', async () => {
  const { rooms, seen, entry, credentials, errors } = world({ salas: true });
  const token = sha256(tokenOf(await credentials.issue(entry, 'app-token', 'r2')));
  const look = async (snapshot: object | null) => {
    seen.snapshot = snapshot;
    credentials.follow(entry);
    return (await rooms.portalToken(token)) !== null;
  };
  expect(await look({ wanted: false, process: null, requestId: 'r1' })).toBe(true);
  expect(await look(null)).toBe(true);
  expect(await look({ wanted: true, process: { pid: 7 }, requestId: 'r2' })).toBe(true);
  expect(await look({ wanted: true, process: null, requestId: 'r2' })).toBe(true);
  seen.status = 'down';
  expect(await look(null)).toBe(true);
  seen.status = 'up';
  expect(await look({ wanted: false, process: { pid: 7 }, requestId: 'r3' })).toBe(true);
  expect(await look({ wanted: false, process: null, requestId: 'r3' })).toBe(false);
  expect(errors).toEqual([]);
});

test('a new run knows those of before, and ends those of people who are gone', async () => {
  const { rooms, seen, entry, credentials } = world({ salas: true });
  const row = { usuario: 'ana', app: 'notas', scopes: ['salas'], startHash: 's', atMs: 1 } as const;
  await rooms.putPortalToken({ ...row, tokenHash: 'a' });
  await rooms.putPortalToken({ ...row, tokenHash: 'b', usuario: 'gone' });
  await credentials.sweep({ people: new Map([['ana', {}]]) } as unknown as Entries);
  expect(await rooms.portalToken('b')).toBeNull();
  expect(await rooms.portalToken('a')).not.toBeNull();
  seen.snapshot = { wanted: false, process: null, requestId: null };
  credentials.follow(entry);
  expect(await rooms.portalToken('a')).toBeNull();
});
