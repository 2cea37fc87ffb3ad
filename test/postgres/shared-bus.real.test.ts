/** Edges of portals that share a real PostgreSQL: they reach each other, and edges lost with a connection are reported as lost. */
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createBus } from '../../store/bus.ts';
import { createHosts, type PostgresPlace } from '../../store/postgres-hosts.ts';
import { createSharedBus, type SharedBus } from '../../store/shared-bus.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let server: TestPostgres;
let place: PostgresPlace;
const begun: SharedBus[] = [];

beforeAll(async () => {
  server = await startPostgres();
  place = await server.database();
});
afterEach(async () => {
  for (const one of begun.splice(0)) await one.stop();
});
afterAll(async () => await server?.remove());

async function portal() {
  const local = createBus();
  const heard: (readonly unknown[])[] = [];
  local.onPublish((person, event) => heard.push(['publish', person, event]));
  local.onEnqueue((key, urgent) => heard.push(['enqueue', key, urgent]));
  local.onHeard((edge) => heard.push(['others', edge]));
  local.onJobChanged((edge) => heard.push(['job', edge]));
  local.onCredentialEnded((hash) => heard.push(['credential', hash]));
  local.onEdgesMissed(() => heard.push(['missed']));
  const shared = createSharedBus({ hosts: createHosts(place, systemClock), local, clock: systemClock });
  begun.push(shared);
  await shared.listening();
  return { bus: shared.bus, heard };
}

const admin = async <Rows>(sql: string): Promise<Rows[]> => {
  const { name: _, ...connection } = place;
  const client = new Client(connection);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Rows[];
  } finally {
    await client.end();
  }
};

const room = { id: 's1', app: 'notas', people: ['ana', 'bia'] };
const job = { id: 'j1', usuario: 'ana', app: 'calc' };

test('each edge reaches the others once, and the one that says it once', async () => {
  const [one, two, three] = [await portal(), await portal(), await portal()];
  one.bus.enqueue('Backend/ana/notas', true);
  one.bus.enqueue('Backend/ana/notas', true);
  one.bus.publish('ana', { type: 'avisos' });
  one.bus.tellOthers({ kind: 'roles', edge: room });
  one.bus.jobChanged(job);
  one.bus.credentialEnded('abc');
  const all = [
    ['enqueue', 'Backend/ana/notas', true],
    ['publish', 'ana', { type: 'avisos' }],
    ['others', { kind: 'roles', edge: room }],
    ['job', job],
    ['credential', 'abc'],
  ];
  await vi.waitFor(() => expect([two.heard, three.heard]).toEqual([all, all]));
  expect(one.heard).toEqual([all[0], ...all.filter(([kind]) => kind !== 'others')]);
});

test('what every portal sees for itself stays in the portal', async () => {
  const [one, two] = [await portal(), await portal()];
  one.bus.publish('ana', { type: 'app-status', app: 'notas', status: 'running', ready: true, reason: 'Running', message: '' } as never);
  one.bus.publish('ana', { type: 'apps-changed' });
  one.bus.peopleChanged();
  one.bus.publish('ana', { type: 'trabalhos' });
  one.bus.publish('ana', { type: 'avisos' });
  await vi.waitFor(() => expect(two.heard).toEqual([['publish', 'ana', { type: 'avisos' }]]));
  expect(one.heard).toHaveLength(4);
});

test('who lost the connection is told that something may be missing, and so are the others of what could not be said', async () => {
  const [one, two] = [await portal(), await portal()];
  await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'svc'`);
  await vi.waitFor(() => expect([one.heard, two.heard]).toEqual([[['missed']], [['missed']]]), 10_000);
  one.bus.enqueue('Person/ana', false);
  await vi.waitFor(() => expect(two.heard.at(-1)).toEqual(['enqueue', 'Person/ana', false]));

  await server.stop('immediate');
  one.bus.enqueue('Person/bia', false);
  await server.start();
  // The edge itself, or that it was missed.
  await vi.waitFor(() => expect(two.heard.filter(([kind]) => kind === 'missed').length).toBeGreaterThanOrEqual(2), 15_000);
  // Until it is connected again, notifications are reported as missed.
  await vi.waitFor(() => {
    one.bus.enqueue('Person/caio', true);
    expect(two.heard).toContainEqual(['enqueue', 'Person/caio', true]);
  }, 15_000);
});

test('a message of something else in the database is nobody’s edge', async () => {
  const one = await portal();
  await admin(`SELECT pg_notify('svc_edges', 'hello')`);
  await admin(`SELECT pg_notify('svc_edges', '{"from":"x","edges":[{"kind":"enqueue","key":"Person/ana","urgent":false},{"kind":"?"}]}')`);
  await vi.waitFor(() => expect(one.heard).toEqual([['enqueue', 'Person/ana', false]]));
});

test('ten thousand edges at once arrive, and more are told as missed', async () => {
  const [one, two] = [await portal(), await portal()];
  for (let n = 0; n < 10_000; n += 1) one.bus.enqueue(`Backend/ana/app-${n}`, false);
  await vi.waitFor(() => expect(two.heard).toHaveLength(10_000), 20_000);
  for (let n = 0; n < 10_001; n += 1) one.bus.enqueue(`Backend/bia/app-${n}`, false);
  await vi.waitFor(() => expect(two.heard.slice(10_000)).toEqual([['missed'], ['enqueue', 'Backend/bia/app-10000', false]]), 20_000);
});
