import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createMemoryRooms } from '../../store/testing/memory-rooms.ts';
import type { BackendEntry, Entries, ServiceEntry } from '../entries.ts';
import { createPortalCredentials } from './portal-credentials.ts';
import { moving } from '../../schema/testing/moving.ts';

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
    clock: { nowMs: () => 5, monotonicMs: moving(() => 5), at: () => () => undefined },
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

describe('of a server-scope app', () => {
  const manifest = { id: 'mural', version: '1.0.0', escopo: 'servidor', backend: {}, recursos: { salas: true, fila: true }, usa: ['x/v1'] };
  const document = { spec: { ssh: {} } };
  const service = {
    key: 'Service/sirius/mural',
    app: 'mural',
    server: { name: 'sirius', placed: { document }, system: new Map([['mural', { manifest }]]) },
  } as unknown as ServiceEntry;
  const give = async (
    { credentials }: ReturnType<typeof world>,
    put: (given: Readonly<Record<string, string>>) => Promise<void> = async () => undefined,
  ) => {
    let variables: Readonly<Record<string, string>> = {};
    await credentials.giveService(service, async (given) => {
      variables = given;
      await put(given);
    });
    return variables;
  };

  test('it belongs to the app on its server, with every scope that it declares', async () => {
    const made = world({});
    const variables = await give(made);
    expect(Object.keys(variables)).toEqual(['SVC_PORTAL_URL', 'SVC_PORTAL_TOKEN', 'SVC_PORTAL_SCOPES']);
    expect(variables['SVC_PORTAL_SCOPES']).toBe('salas,fila,capacidades');
    const hash = sha256(tokenOf(variables));
    expect(await made.rooms.portalToken(hash)).toMatchObject({
      usuario: '@sirius',
      app: 'mural',
      scopes: ['salas', 'fila', 'capacidades'],
    });
    expect(await made.credentials.ofService(service, hash)).toEqual(['salas', 'fila', 'capacidades']);
    expect(await made.credentials.ofService({ ...service, app: 'outro' }, hash)).toBeNull();
    expect(await made.credentials.ofService(service, null)).toBeNull();
    expect(await made.credentials.servicesOf('sirius')).toEqual(['mural']);
  });

  test('the one before is good until the next is written, and ended then', async () => {
    const made = world({});
    const first = sha256(tokenOf(await give(made)));
    const second = sha256(
      tokenOf(
        await give(made, async () => {
          expect(await made.rooms.portalToken(first)).not.toBeNull();
        }),
      ),
    );
    expect([await made.rooms.portalToken(first), (await made.rooms.portalToken(second))?.app]).toEqual([null, 'mural']);
  });

  test('one that could not be written is in force nowhere, and the one before stays', async () => {
    const made = world({});
    const first = sha256(tokenOf(await give(made)));
    let lost = '';
    const fails = give(made, async (given) => {
      lost = sha256(tokenOf(given));
      throw new Error('the line went');
    });
    await expect(fails).rejects.toThrow('the line went');
    expect([await made.rooms.portalToken(lost), (await made.rooms.portalToken(first))?.app]).toEqual([null, 'mural']);
  });

  test('ends with its app and with its server, and a sweep of people leaves it', async () => {
    const made = world({});
    const hash = sha256(tokenOf(await give(made)));
    await made.credentials.sweep({ people: new Map() } as unknown as Entries);
    await made.credentials.endOfGoneServers({ servers: new Map([['sirius', {}]]) } as unknown as Entries);
    expect(await made.rooms.portalToken(hash)).not.toBeNull();
    await made.credentials.endOfGoneServers({ servers: new Map() });
    expect(await made.rooms.portalToken(hash)).toBeNull();
    const again = sha256(tokenOf(await give(made)));
    await made.credentials.endService('sirius', 'mural');
    expect(await made.rooms.portalToken(again)).toBeNull();
  });
});
