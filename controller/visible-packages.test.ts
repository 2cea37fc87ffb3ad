/** `Package.spec.grupos` through the loop and the views that everything asks: a real folder and store, servers and supervisors in memory. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alive } from '../reconcilers/backend-fixtures.ts';
import type { Gateway } from '../schema/gateway.ts';
import { createBus } from '../store/bus.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import type { Store } from '../store/store.ts';
import { systemClock } from './clock/system.ts';
import type { InstalledPackage } from './hosts/host.ts';
import { packagesInMemory } from './hosts/testing/memory-host.ts';
import { memorySupervisors } from './hosts/testing/memory-supervisors.ts';
import { createController, type Controller } from './loop/loop.ts';
import { silentLog } from './loop/testing/silent-log.ts';
import { createGateway } from './views/gateway.ts';

let dir: string;
let store: Store;
let controller: Controller;
let gateway: Gateway;
/** Apps whose connections are closed, and whether there was a way to them then. */
let ended: string[];
let supervisors: ReturnType<typeof memorySupervisors>;

const doc = (kind: string, name: string, spec: object): string => JSON.stringify({ apiVersion: 'svc/v1', kind, metadata: { name }, spec });
interface Folder {
  readonly ana?: readonly string[];
  readonly caio?: readonly string[];
  readonly grupos?: readonly string[];
}

function write({ ana = ['editores'], caio = ['editores'], grupos = ['editores'] }: Folder = {}): void {
  const person = (name: string, groups: readonly string[]) =>
    doc('Person', name, { nome: name, login: name, server: 'casa', account: name, grupos: groups });
  const spec = { app: 'app0', versao: '1.0.0', servers: 'all', ...(grupos.length > 0 && { grupos }) };
  const documents = [
    doc('Portal', 'casa', { repository: './apps' }),
    doc('Server', 'casa', { local: { prefix: 'casa', trusted: true } }),
    doc('Package', 'app', spec),
    doc('Package', 'mural', { ...spec, app: 'app2' }),
    doc('Backend', 'ana-app0', { app: 'app0', pessoa: 'ana', estado: 'ligado' }),
    person('ana', ana),
    person('bia', ['leitores']),
    person('caio', caio),
  ];
  writeFileSync(path.join(dir, 'all.yaml'), documents.join('\n---\n'));
}

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-groups-'));
  write();
  const [one] = packagesInMemory(1);
  mkdirSync(path.join(dir, 'apps/app0'), { recursive: true });
  writeFileSync(path.join(dir, 'apps/app0/svc-app.json'), JSON.stringify(one?.manifest));
  writeFileSync(path.join(dir, 'apps/app0/main.js'), '');
  const packages = packagesInMemory(3).map((one) => (one.app === 'app2' ? ofServer(one) : one));
  supervisors = memorySupervisors(packages, alive);
  supervisors.up.add('ana');
  supervisors.living.set('ana', new Map([['app0', 'Healthy']]));
  store = await openSqliteStore(':memory:');
  const bus = createBus();
  ended = [];
  bus.onPublish((person, event) => {
    if (event.type !== 'app-status' || event.status !== 'stopped') return;
    const hasWay = gateway.apps.has(person, event.app) || gateway.commands.apps.route(person, event.app) !== null;
    ended.push(`${person} ${event.app} ${event.reason} ${hasWay}`);
  });
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus,
    clock: systemClock,
    log: silentLog,
    createHost: () => supervisors.host,
  });
  gateway = createGateway(controller.context);
  await controller.prepare();
  await controller.start();
  await running();
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Turns a package into a single backend for all people of the server. */
const ofServer = (one: InstalledPackage): InstalledPackage => ({
  ...one,
  manifest: { ...one.manifest, kind: 'service', escopo: 'servidor' },
});

async function running(): Promise<void> {
  await expect.poll(() => gateway.apps.find('ana', 'app0')?.status).toBe('running');
}

async function apply(folder: Folder): Promise<void> {
  write(folder);
  await gateway.commands.admin.apply(false);
  await controller.context.queue.idle();
}

/** Returns the answers of each way to an app. */
async function ways(person: string) {
  const { apps, shop, commands } = gateway;
  const sources = await shop.sources(person);
  const seen = {
    installed: apps.installed(person).includes('app0'),
    list: apps.of(person).some(({ id }) => id === 'app0'),
    one: apps.find(person, 'app0') !== null,
    origin: apps.has(person, 'app0'),
    manifest: apps.manifest(person, 'app0') !== null,
    files: apps.scope(person, 'app0') !== null,
    shop: sources.installs.some(({ app }) => app === 'app0'),
    offer: sources.offers.apps.some(({ id }) => id === 'app0'),
  };
  const route = commands.apps.route(person, 'app0') !== null;
  return new Set(Object.values(seen)).size === 1 ? [seen.list, route] : seen;
}

test('people of other groups have no way to the app, and are told why', async () => {
  expect([await ways('ana'), await ways('bia'), await ways('caio')]).toEqual([
    [true, true],
    [false, false],
    [true, false],
  ]);
  expect(gateway.apps.installed('bia')).toEqual(['app1']);
  expect((await gateway.admin.why('Package/app'))?.key).toBe('Package/app@casa');
  const why = await gateway.admin.why('Backend/bia/app0');
  expect(why?.sentence).toContain('bia is in none of the groups that it is for: editores');
  expect(why?.fix).toContain('grupos of the Package document');
});

test('who leaves the group loses the app, which is stopped whatever pins it, and has it again by coming back', async () => {
  ended = [];
  await apply({ ana: ['leitores'], caio: [] });
  // Before the supervisor ended it, and for whom nothing runs.
  expect(ended.slice(0, 4)).toEqual(['ana app0', 'ana app2', 'caio app0', 'caio app2'].map((each) => `${each} NotInGroup false`));
  expect(await ways('ana')).toEqual([false, false]);
  await expect.poll(() => supervisors.asked.filter((one) => one === 'ana stop').length).toBeGreaterThan(0);
  await expect.poll(async () => (await store.status('Backend/ana/app0'))?.reason).toBe('NotInGroup');
  await apply({});
  expect(gateway.apps.installed('ana')).toContain('app0');
  await apply({ ana: ['leitores'], grupos: [] });
  expect(gateway.apps.installed('ana')).toContain('app0');
});
