/**
 * The folder of YAML against a running `svc up`: last good, prune guard, removal, restart, a supervisor that goes. A portal for each of the
 * three blocks, which go on at the same time: they wait for scans, for a hung supervisor and for events that must not come.
 * @module-tag carries-state
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PlanAnswer } from '../../schema/gateway.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { backendPids, order, supervisorPids, view, whenState, writeDesired } from './world.ts';

/** A portal of its own for the tests of a block, in which ana has notas pinned. */
function place(...apps: readonly string[]) {
  let folder = '';
  let portal: RunningPortal | null = null;
  const own = {
    desired: () => join(folder, 'd'),
    state: () => join(folder, 's'),
    running: (): RunningPortal => {
      if (!portal) throw new Error('no portal');
      return portal;
    },
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svcd-'));
    await writeDesired(own.desired(), { apps, pinned: ['notas'] });
    portal = await startPortal({ desired: own.desired(), state: own.state() });
    await whenState(portal, 'notas', 'running');
  });
  afterAll(async () => {
    await portal?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return own;
}

/** Within a block each goes on from where the one before left the portal. */
const oneByOne = { concurrent: false } as const;
const person = (name: string): string =>
  `apiVersion: svc/v1\nkind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: casa }\n`;

describe.concurrent('the folder and the portal', () => {
  const { desired, state, running } = place('notas', 'relogio', 'batimento');
  const plan = async (): Promise<PlanAnswer> => (await running().admin('POST', '/api/admin/plan', {})).body as PlanAnswer;
  const whenPortalIs = (wanted: string): Promise<ObjectView> =>
    until(`Portal/casa ${wanted}`, async () => {
      const found = await view(running(), 'Portal/casa');
      return found?.state === wanted ? found : null;
    });

  test('a portal that is killed and comes back finds everything as it was, without a transition', oneByOne, async () => {
    await order(running(), 'start', 'relogio');
    const pids = [...backendPids(state(), 'notas'), ...backendPids(state(), 'relogio'), ...supervisorPids(state())];
    await running().kill();
    expect([...backendPids(state(), 'notas'), ...backendPids(state(), 'relogio'), ...supervisorPids(state())]).toEqual(pids);
    const before = running().output().length;
    await running().again();
    await whenState(running(), 'relogio', 'running');
    expect([...backendPids(state(), 'notas'), ...backendPids(state(), 'relogio'), ...supervisorPids(state())]).toEqual(pids);
    const since = running().output().slice(before);
    expect(since.split('\n').filter((line) => line.includes('"msg":"transition"'))).toEqual([]);
  });

  test('an error in the folder leaves apps and state as they are, says the place, and ends with the error', oneByOne, async () => {
    const pids = backendPids(state(), 'notas');
    await writeFile(join(desired(), 'erro.yaml'), 'apiVersion: svc/v1\nkind: Backend\nmetadata: { name: x }\nspec: { ap: notas }\n');
    const broken = await whenPortalIs('invalid');
    expect(broken.details['errors']).toEqual(expect.arrayContaining([expect.stringMatching(/^erro\.yaml:4:9 UNKNOWN_FIELD /)]));
    const refused = await plan();
    expect(refused.ok).toBe(false);
    expect(refused.errors.join('\n')).toMatch(/erro\.yaml:4:9/);
    expect((await view(running(), 'Backend/ana/notas'))?.state).toBe('running');
    expect(backendPids(state(), 'notas')).toEqual(pids);

    // Also over a death of the portal.
    await running().kill();
    await running().again();
    expect((await whenPortalIs('invalid')).reason).toBe('Invalid');
    await whenState(running(), 'notas', 'running');
    expect(backendPids(state(), 'notas')).toEqual(pids);
    await rm(join(desired(), 'erro.yaml'));
    await whenPortalIs('listening');
    expect(await plan()).toEqual({ ok: true, changes: [], blocked: [], errors: [], pendingPrune: [] });
  });

  test('what is read at the start waits for a restart, says so, and is for apps as it was until then', oneByOne, async () => {
    const file = join(desired(), 'casa.yaml');
    const before = await readFile(file, 'utf8');
    const edited = 'listen: "127.0.0.1:1", url: "http://svc.localhost:1", origins: path, trustedProxies: [10.0.0.5], store: "sqlite:x.db"';
    await writeFile(file, before.replace('origins: subdomain', edited));
    const fields = ['url', 'origins', 'trustedProxies', 'store'];
    // Where it listens was said by the command line.
    const waiting = await whenPortalIs('waiting');
    expect([waiting.reason, waiting.message]).toEqual([
      'RestartNeeded',
      `${fields.join(', ')}: as before until the portal is started again`,
    ]);
    expect(await plan()).toEqual({ ok: true, changes: [], blocked: [], errors: [], pendingPrune: [], restart: fields });
    const { checks } = (await running().admin('GET', '/api/admin/doctor')).body as { checks: readonly { name: string }[] };
    expect(checks.find(({ name }) => name === 'desired')).toMatchObject({
      warning: true,
      detail: `wait for a restart: ${fields.join(', ')}`,
    });
    await order(running(), 'restart', 'notas');
    await whenState(running(), 'notas', 'running');
    const environ = await readFile(`/proc/${backendPids(state(), 'notas')[0]}/environ`, 'utf8');
    expect(environ.split('\0')).toContain('SVC_APP_BASE_PATH=/');
    await writeFile(file, before);
    await whenPortalIs('listening');
    expect((await plan()).restart).toBeUndefined();
  });

  test('another name for the same package removes nothing', oneByOne, async () => {
    const pids = backendPids(state(), 'notas');
    const text = await readFile(join(desired(), 'casa.yaml'), 'utf8');
    await writeFile(join(desired(), 'casa.yaml'), text.replace('metadata: { name: relogio }', 'metadata: { name: relogio-novo }'));
    await until('the new name', async () => (await view(running(), 'Package/relogio-novo'))?.state === 'installed');
    await until('the old name gone', async () => (await view(running(), 'Package/relogio')) === null);
    expect(existsSync(join(state(), 'opt/svc-apps/relogio/svc-app.json'))).toBe(true);
    expect(backendPids(state(), 'notas')).toEqual(pids);
    await writeFile(join(desired(), 'casa.yaml'), text);
    await until('the name of before', async () => (await view(running(), 'Package/relogio'))?.state === 'installed');
    await until('the new name gone', async () => (await view(running(), 'Package/relogio-novo')) === null);
  });

  test('removed documents wait for --prune when they are too many, and then take away what they owned', oneByOne, async () => {
    await order(running(), 'start', 'relogio');
    await writeDesired(desired(), { apps: [] });
    const waiting = await whenPortalIs('waiting');
    expect(waiting.reason).toBe('PendingPrune');
    expect((await plan()).pendingPrune).toEqual(
      expect.arrayContaining(['Backend/ana-notas', 'Package/batimento', 'Package/notas', 'Package/relogio']),
    );
    expect(backendPids(state(), 'notas')).toHaveLength(1);
    expect(existsSync(join(state(), 'opt/svc-apps/notas/svc-app.json'))).toBe(true);

    await running().admin('POST', '/api/admin/apply', { prune: true });
    await until(
      'packages gone',
      () => !existsSync(join(state(), 'opt/svc-apps/notas')) && !existsSync(join(state(), 'opt/svc-apps/relogio')),
    );
    await until(
      'apps of removed packages ended',
      () => backendPids(state(), 'notas').length + backendPids(state(), 'relogio').length === 0,
    );
    await until('their objects gone', async () => (await view(running(), 'Backend/ana/notas')) === null);
    await whenPortalIs('listening');
  });
});

describe.concurrent('removed documents', () => {
  const { desired, state, running } = place('notas');

  test('of one person among many end their apps, their supervisor and their sessions, and nobody else', oneByOne, async () => {
    const others = Array.from({ length: 8 }, (_unused, index) => `p${index}`);
    const bia = 'apiVersion: svc/v1\nkind: Backend\nmetadata: { name: bia-notas }\nspec: { app: notas, pessoa: bia, estado: ligado }\n';
    const dan = bia.replaceAll('bia', 'p0');
    await writeFile(join(desired(), 'gente.yaml'), [...others, 'bia'].map(person).concat(bia, dan).join('---\n'));
    await until('both run', () => backendPids(state(), 'notas').length === 3);
    await until('three supervisors', () => supervisorPids(state()).length === 3);
    await writeFile(join(desired(), 'gente.yaml'), others.map(person).concat(dan).join('---\n'));
    await until('one less', () => backendPids(state(), 'notas').length === 2 && supervisorPids(state()).length === 2);
    await until('the object is gone', async () => (await view(running(), 'Person/bia')) === null);
    await until('the other one goes on', async () => (await view(running(), 'Backend/p0/notas'))?.state === 'running');
    expect(supervisorPids(state())).toHaveLength(2);
  });

  test('of several people at once leave no supervisor, at any of their ends', oneByOne, async () => {
    const others = Array.from({ length: 16 }, (_unused, index) => `p${index}`);
    const going = ['eva', 'gil', 'ivo', 'lia'];
    const pin = (name: string): string =>
      `apiVersion: svc/v1\nkind: Backend\nmetadata: { name: ${name}-notas }\nspec: { app: notas, pessoa: ${name}, estado: ligado }\n`;
    const dan = pin('p0');
    await writeFile(join(desired(), 'gente.yaml'), [...others, ...going].map(person).concat(dan, going.map(pin)).join('---\n'));
    const before = 2;
    await until(
      'all run',
      () => supervisorPids(state()).length === before + going.length && backendPids(state(), 'notas').length === before + going.length,
    );
    await until('all answer', async () => {
      const views = await Promise.all(going.map((name) => view(running(), `Backend/${name}/notas`)));
      return views.every((one) => one?.state === 'running');
    });
    await writeFile(join(desired(), 'gente.yaml'), others.map(person).concat(dan).join('---\n'));
    await running().admin('POST', '/api/admin/apply', { prune: true });
    await until('the objects gone', async () =>
      (await Promise.all(going.map((name) => view(running(), `Person/${name}`)))).every((one) => one === null),
    );
    // A supervisor started again on the way shows itself by now or within the wait between two starts.
    const endMs = performance.now() + 12_000;
    while (performance.now() < endMs) {
      expect(supervisorPids(state())).toHaveLength(before);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });
});

describe.concurrent('a supervisor', () => {
  const { state, running } = place('notas');
  /** Waits for a single supervisor: one that was about to begin while another came back ends by itself. */
  const theSupervisor = (): Promise<number> =>
    until('one supervisor', () => {
      const pids = supervisorPids(state());
      return pids.length === 1 ? pids[0] : null;
    });

  test('that hangs makes its apps unknown, never stopped, and all is well when it goes on', { ...oneByOne, timeout: 180_000 }, async () => {
    const pids = backendPids(state(), 'notas');
    const pid = await theSupervisor();
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
      if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGCONT');
    }
    await whenState(running(), 'notas', 'running', 60_000);
    expect(backendPids(state(), 'notas')).toEqual(pids);
    // Before its package was installed it was stopped; what counts is what happened since.
    expect((await transitions()).slice(before)).not.toContain('stopped');
  });

  test('that stays stopped by a signal is replaced, and its apps live on', { ...oneByOne, timeout: 180_000 }, async () => {
    await whenState(running(), 'notas', 'running');
    const apps = backendPids(state(), 'notas');
    const pid = await theSupervisor();
    process.kill(pid, 'SIGSTOP');
    await until('its end', () => !supervisorPids(state()).includes(pid), 90_000);
    expect(await theSupervisor()).not.toBe(pid);
    await whenState(running(), 'notas', 'running');
    expect(backendPids(state(), 'notas')).toEqual(apps);
  });
});
