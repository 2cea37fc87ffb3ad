/** Tests the promise of schema/gateway.ts about views: whatever is read, no desired or stored state changes, and no process is started. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alive } from '../../reconcilers/backend-fixtures.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { createBus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { systemClock } from '../clock/system.ts';
import { packagesInMemory } from '../hosts/testing/memory-host.ts';
import { memorySupervisors } from '../hosts/testing/memory-supervisors.ts';
import { createController, type Controller } from '../loop/loop.ts';
import { createGateway } from './gateway.ts';
import { silentLog } from '../loop/testing/silent-log.ts';

const doc = (kind: string, name: string, spec: object): string => JSON.stringify({ apiVersion: 'svc/v1', kind, metadata: { name }, spec });
const person = (name: string): string => doc('Person', name, { nome: name, login: name, server: 'casa', account: name });

type Called = (name: string) => void;

/** Each method of it tells its name before it does what it always does. */
function watched<Of extends object>(of: Of, called: Called, within: Readonly<Record<string, unknown>> = {}): Of {
  return new Proxy(of, {
    get: (target, name, receiver) => {
      if (typeof name === 'string' && name in within) return within[name];
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...given: readonly unknown[]): unknown => {
        called(String(name));
        return Reflect.apply(value, target, given);
      };
    },
  });
}

const readsOfStore =
  /^(?:statuses|status|events|event|intents|intent|windows|windowsOf|inForce|value|installWishes|rollbacks|session|sessionsOf|present)$/;
const readsOfRooms = /^(?:room|declaredRoom|declaredBy|members|portalTokenOwners)$/;
/** The loop writes down what it saw: that is its own memory, and wants nothing. */
const records = /^(?:putStatus|deleteStatus|appendEvent)$/;
const looks = /^(?:place|dial|directSocketPath|installed|closed|packageFile|inventoryMark|inventory|asPortal|onDoubt)$/;

let dir: string;
let store: Store;
let controller: Controller;
let gateway: Gateway;
let supervisors: ReturnType<typeof memorySupervisors>;
let acts: string[];

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-views-'));
  writeFileSync(
    path.join(dir, 'all.yaml'),
    [
      doc('Server', 'casa', { local: { prefix: 'casa', trusted: true } }),
      doc('Package', 'app0', { app: 'app0', versao: '1.0.0', server: 'casa' }),
      person('ana'),
      person('bia'),
    ].join('\n---\n'),
  );
  acts = [];
  supervisors = memorySupervisors(packagesInMemory(2), alive);
  supervisors.up.add('ana');
  supervisors.living.set('ana', new Map([['app0', 'Healthy']]));
  store = await openSqliteStore(':memory:');
  const rooms = watched(store.rooms, (name) => readsOfRooms.test(name) || acts.push(`rooms.${name}`));
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store: watched(store, (name) => readsOfStore.test(name) || records.test(name) || acts.push(`store.${name}`), { rooms }),
    bus: createBus(),
    clock: systemClock,
    log: silentLog,
    createHost: () => watched(supervisors.host, (name) => looks.test(name) || acts.push(`host.${name}`)),
  });
  gateway = createGateway(controller.context);
  await controller.prepare();
  await controller.start();
  await running();
  acts = [];
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function running(): Promise<void> {
  await expect.poll(() => gateway.apps.find('ana', 'app0')?.status).toBe('running');
  await settled();
}

async function settled(): Promise<void> {
  await controller.context.queue.idle();
  await controller.context.recorder.written();
}

type Reads<View> = { readonly [Name in keyof View]: () => unknown };

/** Every method of every view: one that is added is called here, or this file does not compile. */
function everyRead({ people, apps, shop, admin }: Gateway) {
  const ofPeople: Reads<Gateway['people']> = { find: () => people.find('bia'), all: () => people.all(), signIn: () => people.signIn() };
  const ofApps: Reads<Gateway['apps']> = {
    find: () => apps.find('bia', 'app0'),
    has: () => apps.has('bia', 'app0'),
    of: () => apps.of('bia'),
    byState: () => apps.byState(),
    installed: () => apps.installed('bia'),
    isInstalled: () => apps.isInstalled('app0'),
    manifest: () => apps.manifest('bia', 'app0'),
    packagesRead: () => apps.packagesRead('bia'),
    scope: () => apps.scope('bia', 'app0'),
    file: () => apps.file('bia', 'app0', 'icon.svg'),
    cluster: () => apps.cluster('bia', 'app0'),
    observeUsage: () => apps.observeUsage('bia'),
  };
  const ofShop: Reads<Gateway['shop']> = {
    sources: () => shop.sources('bia'),
    extensions: () => shop.extensions(),
    file: () => shop.file('app0', '1.0.0', 'icon.svg'),
  };
  const ofAdmin: Reads<Gateway['admin']> = {
    objects: () => admin.objects(''),
    why: () => admin.why('Backend/bia/app0'),
    packages: () => admin.packages(),
    usage: () => admin.usage(null),
    serverChecks: () => admin.serverChecks('casa').catch((error: Error) => error.message),
    sshKey: () => admin.sshKey(),
    plan: () => admin.plan(null),
  };
  return { ofPeople, ofApps, ofShop, ofAdmin };
}

test('reading changes nothing and starts nothing, also for somebody whose supervisor is not there', async () => {
  const said = new Map<string, unknown>();
  for (const [view, reads] of Object.entries(everyRead(gateway)))
    for (const [name, read] of Object.entries(reads)) said.set(`${view}.${name}`, await read());
  await settled();
  expect([acts, [...supervisors.up]]).toEqual([[], ['ana']]);
  expect(said.get('ofPeople.find')).toMatchObject({ usuario: 'bia' });
  expect(said.get('ofApps.of')).toMatchObject([{ id: 'app0' }, { id: 'app1' }]);
  expect(said.get('ofApps.installed')).toEqual(['app0', 'app1']);
  expect(said.get('ofAdmin.usage')).toMatchObject([{ person: 'ana', app: 'app0' }]);
  expect(said.get('ofAdmin.plan')).toMatchObject({ ok: true });
});

test('a command of hers starts her supervisor, and an administrator who goes back writes it down', async () => {
  // The supervisor in memory knows no secrets: that it was started and asked is enough.
  await expect(gateway.commands.apps.secretNames('bia', 'app0')).rejects.toMatchObject({ code: 'SUPERVISOR_PROTOCOL' });
  expect([...supervisors.up]).toEqual(['ana', 'bia']);
  expect(acts).toContain('host.startSupervisor');
  const { entries } = controller.context;
  const [entry] = entries.packages.values();
  const { server } = entries.people.get('ana') ?? {};
  const installed = server?.system.get('app0');
  if (!entry || !server || !installed) throw new Error('nothing is installed');
  server.system = new Map(server.system).set('app0', { ...installed, previous: '0.9.0' });
  await gateway.commands.admin.rollBack(entry.key);
  expect(acts).toContain('store.putRollback');
});
