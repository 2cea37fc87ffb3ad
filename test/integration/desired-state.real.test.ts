/** The folder of YAML against a running `svc up`: last good, prune guard, removal, restart, a supervisor that goes. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PlanAnswer } from '../../schema/gateway.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { backendPids, order, supervisorPids, view, whenState, writeDesired } from './world.ts';

const apps = ['notas', 'relogio', 'batimento'] as const;
let folder: string;
let desired: string;
let state: string;
let portal: RunningPortal | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcd-'));
  desired = await writeDesired(join(folder, 'd'), { apps, pinned: ['notas'] });
  state = join(folder, 's');
  portal = await startPortal({ desired, state });
  await whenState(portal, 'notas', 'running');
});
afterEach(async () => {
  await portal?.stop();
  portal = null;
  await rm(folder, { recursive: true, force: true });
});

const running = (): RunningPortal => {
  if (!portal) throw new Error('no portal');
  return portal;
};
const plan = async (): Promise<PlanAnswer> => (await running().admin('POST', '/api/admin/plan', {})).body as PlanAnswer;
const whenPortalIs = (wanted: string): Promise<ObjectView> =>
  until(`Portal/casa ${wanted}`, async () => {
    const found = await view(running(), 'Portal/casa');
    return found?.state === wanted ? found : null;
  });
const person = (name: string): string =>
  `apiVersion: svc/v1\nkind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: casa }\n`;

describe('an error in the folder', () => {
  test('leaves apps and state as they are, says the place, and ends with the error', async () => {
    const pids = backendPids(state, 'notas');
    await writeFile(join(desired, 'erro.yaml'), 'apiVersion: svc/v1\nkind: Backend\nmetadata: { name: x }\nspec: { ap: notas }\n');
    const broken = await whenPortalIs('invalid');
    expect(broken.details['errors']).toEqual(expect.arrayContaining([expect.stringMatching(/^erro\.yaml:4:9 UNKNOWN_FIELD /)]));
    const refused = await plan();
    expect(refused.ok).toBe(false);
    expect(refused.errors.join('\n')).toMatch(/erro\.yaml:4:9/);
    expect((await view(running(), 'Backend/ana/notas'))?.state).toBe('running');
    expect(backendPids(state, 'notas')).toEqual(pids);

    // Also over a death of the portal.
    await running().kill();
    await running().again();
    expect((await whenPortalIs('invalid')).reason).toBe('Invalid');
    await whenState(running(), 'notas', 'running');
    expect(backendPids(state, 'notas')).toEqual(pids);
    await rm(join(desired, 'erro.yaml'));
    await whenPortalIs('listening');
    expect(await plan()).toEqual({ ok: true, changes: [], errors: [], pendingPrune: [] });
  });
});

describe('removed documents', () => {
  test('wait for --prune when they are too many, and then take away what they owned', async () => {
    await order(running(), 'start', 'relogio');
    await writeDesired(desired, { apps: [] });
    const waiting = await whenPortalIs('waiting');
    expect(waiting.reason).toBe('PendingPrune');
    expect((await plan()).pendingPrune).toEqual(
      expect.arrayContaining(['Backend/ana-notas', 'Package/batimento', 'Package/notas', 'Package/relogio']),
    );
    expect(backendPids(state, 'notas')).toHaveLength(1);
    expect(existsSync(join(state, 'opt/svc-apps/notas/svc-app.json'))).toBe(true);

    await running().admin('POST', '/api/admin/apply', { prune: true });
    await until('packages gone', () => !existsSync(join(state, 'opt/svc-apps/notas')) && !existsSync(join(state, 'opt/svc-apps/relogio')));
    await until('apps of removed packages ended', () => backendPids(state, 'notas').length + backendPids(state, 'relogio').length === 0);
    await until('their objects gone', async () => (await view(running(), 'Backend/ana/notas')) === null);
    await whenPortalIs('listening');
  });

  test('of one person among many end their apps, their supervisor and their sessions, and nobody else', async () => {
    const others = Array.from({ length: 8 }, (_unused, index) => `p${index}`);
    const bia = 'apiVersion: svc/v1\nkind: Backend\nmetadata: { name: bia-notas }\nspec: { app: notas, pessoa: bia, estado: ligado }\n';
    const dan = bia.replaceAll('bia', 'p0');
    await writeFile(join(desired, 'gente.yaml'), [...others, 'bia'].map(person).concat(bia, dan).join('---\n'));
    await until('both run', () => backendPids(state, 'notas').length === 3);
    await until('three supervisors', () => supervisorPids(state).length === 3);
    await writeFile(join(desired, 'gente.yaml'), others.map(person).concat(dan).join('---\n'));
    await until('one less', () => backendPids(state, 'notas').length === 2 && supervisorPids(state).length === 2);
    await until('the object is gone', async () => (await view(running(), 'Person/bia')) === null);
    await until('the other one goes on', async () => (await view(running(), 'Backend/p0/notas'))?.state === 'running');
    expect(supervisorPids(state)).toHaveLength(2);
  });

  test('another name for the same package removes nothing', async () => {
    const pids = backendPids(state, 'notas');
    const text = await readFile(join(desired, 'casa.yaml'), 'utf8');
    await writeFile(join(desired, 'casa.yaml'), text.replace('metadata: { name: relogio }', 'metadata: { name: relogio-novo }'));
    await until('the new name', async () => (await view(running(), 'Package/relogio-novo'))?.state === 'installed');
    await until('the old name gone', async () => (await view(running(), 'Package/relogio')) === null);
    expect(existsSync(join(state, 'opt/svc-apps/relogio/svc-app.json'))).toBe(true);
    expect(backendPids(state, 'notas')).toEqual(pids);
  });
});

describe('a supervisor', () => {
  test('that is killed comes back, and its apps never noticed', async () => {
    const pids = backendPids(state, 'notas');
    const [old] = supervisorPids(state);
    process.kill(old ?? 0, 'SIGKILL');
    await until('another supervisor', () => supervisorPids(state).some((pid) => pid !== old));
    await whenState(running(), 'notas', 'running');
    expect(backendPids(state, 'notas')).toEqual(pids);
  });

  test('that hangs makes its apps unknown, never stopped, and all is well when it goes on', { timeout: 180_000 }, async () => {
    const pids = backendPids(state, 'notas');
    const [pid = 0] = supervisorPids(state);
    const transitions = async (): Promise<readonly string[]> => {
      const { body } = await running().admin('GET', '/api/admin/events?key=Backend/ana/notas');
      return (body as { readonly events: readonly { readonly to: string }[] }).events.map(({ to }) => to);
    };
    const before = (await transitions()).length;
    process.kill(pid, 'SIGSTOP');
    try {
      const unknown = await whenState(running(), 'notas', 'unknown', 60_000);
      expect(unknown.message).toMatch(/last known: running/);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await whenState(running(), 'notas', 'running', 60_000);
    expect(backendPids(state, 'notas')).toEqual(pids);
    // Before its package was installed it was stopped; what counts is what happened since.
    expect((await transitions()).slice(before)).not.toContain('stopped');
  });
});

test('a portal that is killed and comes back finds everything as it was, without a transition', async () => {
  await order(running(), 'start', 'relogio');
  const pids = [...backendPids(state, 'notas'), ...backendPids(state, 'relogio'), ...supervisorPids(state)];
  await running().kill();
  expect([...backendPids(state, 'notas'), ...backendPids(state, 'relogio'), ...supervisorPids(state)]).toEqual(pids);
  const before = running().output().length;
  await running().again();
  await whenState(running(), 'relogio', 'running');
  expect([...backendPids(state, 'notas'), ...backendPids(state, 'relogio'), ...supervisorPids(state)]).toEqual(pids);
  const since = running().output().slice(before);
  expect(since.split('\n').filter((line) => line.includes('"msg":"transition"'))).toEqual([]);
});

test('a second svc up on the same state is refused by name', async () => {
  const child = spawn(join(repository, 'bin/svc'), ['up', desired, '--state', state], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(/STATE_IN_USE .*pid [0-9]+/) as string });
  expect((await view(running(), 'Portal/casa'))?.state).toBe('listening');
});
