/**
 * A server that is taken out of use, over a real sshd: `svc server drain` as an administrator types it, what people are told, a restart of the portal in between, and
 * the end of it; and what the audit record says of starts and stops. Needs root.
 */
import { mkdir } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditLine } from '../../schema/audit.ts';
import type { AppProjection } from '../../schema/wire/http.ts';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { copyExamples } from '../support/example-desired.ts';
import { until } from '../support/portal.ts';
import { createSshWorld, type SshWorld } from './world.ts';

let world: SshWorld;
let leave = (): void => undefined;
beforeAll(async () => {
  world = await createSshWorld({
    accounts: 2,
    apps: ['relogio', 'sai-logo'],
    packages: async (folder) => {
      const packages = join(folder, 'packages');
      await mkdir(packages, { recursive: true });
      await copyExamples(['relogio', 'sai-logo'], packages);
      return packages;
    },
  });
  await world.whenState('Package/relogio', 'installed', 120_000);
  await world.whenState('Package/sai-logo', 'installed', 120_000);
  await up('p1');
  // Somebody is in the app of p1: its supervisor counts connections every ten seconds, which go by during the first test.
  leave = use(join(world.people[1]?.account.home ?? '', '.svc-apps/relogio/app.sock'));
}, 300_000);
afterAll(async () => {
  leave();
  await world?.stop();
});

const svc = (...args: readonly string[]) => runSvc(join(world.state, '..'), [...args, '--state', world.state]);
const lines = async (...filter: readonly string[]): Promise<readonly AuditLine[]> =>
  JSON.parse((await svc('audit', ...filter, '-o', 'json')).out) as AuditLine[];
const said = ({ by, action, result, reason }: AuditLine): string => [by.kind, action, result, reason].filter(Boolean).join(' ');
const reasonOf = async (key: string): Promise<string | undefined> => (await world.view(key))?.reason;

const up = async (person: string): Promise<unknown> =>
  await until(`the app of ${person}`, async () => (await world.order(person, 'start', 'relogio')).ready, 60_000);

/** Somebody in the app. A server closes a connection that says nothing for a minute, so another one comes before. */
function use(socket: string): () => void {
  const open: net.Socket[] = [];
  const connect = (): void => void open.push(net.connect(socket).on('error', () => undefined));
  connect();
  const timer = setInterval(connect, 10_000);
  return () => {
    clearInterval(timer);
    for (const each of open) each.destroy();
  };
}

test('the record says how a start and a stop ended, not that they were ordered', { timeout: 120_000 }, async () => {
  const lost = await world.order('p0', 'start', 'sai-logo');
  expect(lost.ready).toBe(false);
  await up('p0');
  await world.order('p0', 'stop', 'relogio');
  expect((await lines('--object', 'Backend/p0/sai-logo')).map(said).toSorted()).toEqual([
    expect.stringMatching(/^control app\/start failed \S+$/),
    expect.stringMatching(/^controller app\/start failed \S+$/),
  ]);
  const told = async (): Promise<readonly string[]> => (await lines('--object', 'Backend/p0/relogio')).map(said);
  await until('the line of the stop', async () => (await told()).includes('controller app/stop ok StoppedByAdmin'), 60_000);
  expect(await told()).toEqual(expect.arrayContaining(['control app/start ok', 'control app/stop ok', 'controller app/start ok']));
});

test('a drained server lets go what nobody uses, tells who uses something, and takes no start', { timeout: 240_000 }, async () => {
  const [first, second] = world.people;
  await up('p0');
  await until(
    'the connection is counted',
    async () => Number((await world.view('Backend/p1/relogio'))?.details['connections']) > 0,
    60_000,
  );
  const before = readFileSync(world.file, 'utf8');
  const plan = await svc('server', 'drain', 'sirius', '--plan');
  expect([plan.code, plan.err]).toEqual([2, '']);
  expect(plan.out).toMatch(/will {2}Backend\/p1\/relogio: in use .*: it is stopped once nobody uses it/);
  expect(readFileSync(world.file, 'utf8')).toBe(before);

  expect((await svc('server', 'drain', 'sirius')).code).toBe(0);
  expect(readFileSync(world.file, 'utf8')).toContain('drain: {}');
  await world.whenState('Backend/p0/relogio', 'stopped', 60_000);
  expect([await reasonOf('Backend/p0/relogio'), await reasonOf('Server/sirius')]).toEqual(['Drained', 'Draining']);
  // The connections to the server stayed: it is no other place.
  expect(world.log.filter((line) => line.includes('"ssh connection lost"'))).toEqual([]);
  const page = await world.signedIn('p1');
  const shown = async (): Promise<AppProjection> => (await page.call('GET', '/api/apps/relogio')).json() as AppProjection;
  expect(await shown()).toMatchObject({ status: 'running', drain: { server: 'sirius', deadlineMs: null } });
  expect(await world.order('p0', 'start', 'relogio')).toMatchObject({ ready: false, reason: 'Drained' });
  expect((await page.call('POST', '/api/terminais', { colunas: 80, linhas: 24 })).text).toMatch(/SERVER_DRAINED/);
  expect((await svc('doctor')).out).toMatch(/drain.*nothing is started on: sirius/);
  expect((await svc('why', 'Server/sirius')).out).toMatch(/is draining since .* because it is taken out/);

  // It is in the document: the next portal goes on with it.
  await world.again();
  await world.whenState('Server/sirius', 'draining', 60_000);
  expect((await world.order('p0', 'start', 'relogio')).ready).toBe(false);
  expect(world.backends('relogio', first?.account)).toEqual([]);
  expect(world.backends('relogio', second?.account)).toHaveLength(1);

  const now = await svc('server', 'drain', 'sirius', '--now', '--wait');
  expect([now.code, now.err]).toEqual([0, '']);
  expect(world.backends('relogio')).toEqual([]);
  expect(now.out).toMatch(/sirius is drained/);
  leave();
  expect((await svc('server', 'drain', 'sirius', '--undo')).out).toMatch(/sirius is in use/);
  expect(readFileSync(world.file, 'utf8')).not.toContain('drain');
  await up('p1');
  expect((await lines('--action', 'desired/change', '--object', 'Server/sirius')).length).toBe(3);
});

test('what can not be drained is refused in words', async () => {
  expect((await svc('server', 'drain', 'vega')).err).toMatch(/NOT_FOUND no Server document vega/);
  expect((await svc('server', 'drain', 'sirius', '--now', '--deadline', '5m')).err).toMatch(/--now or --deadline/);
  expect((await svc('server', 'drain', 'sirius', '--deadline', 'soon')).code).not.toBe(0);
});
