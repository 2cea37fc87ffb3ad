/** The gateway over a real folder, store and local host; supervisors are the business of the integration tests. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Gateway } from '../../schema/gateway.ts';
import { systemClock } from '../clock/system.ts';
import { createBus } from '../../store/bus.ts';
import { createGateway } from './gateway.ts';
import { createLocalHost } from '../hosts/local.ts';
import { createController, type Controller } from '../loop/loop.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { silentLog } from '../loop/testing/silent-log.ts';

// Real installers run: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 30_000 });

let dir: string;
let store: Store;
let controller: Controller;
let gateway: Gateway;

const desired = (over = ''): string => `
apiVersion: svc/v1
kind: Portal
metadata: { name: casa }
spec: { repository: ../repo }
---
apiVersion: svc/v1
kind: Server
metadata: { name: casa }
spec: { local: { prefix: casa } }
---
apiVersion: svc/v1
kind: Person
metadata: { name: ana }
spec: { nome: Ana Souza, login: ana, server: casa, grupos: [editores] }
---
apiVersion: svc/v1
kind: Package
metadata: { name: notas }
spec: { app: notas, versao: 1.0.0, server: casa }
${over}`;

function writePackage(root: string, app: string, version: string): void {
  mkdirSync(path.join(root, app, 'backend'), { recursive: true });
  const manifest = {
    id: app,
    name: 'Notas',
    version,
    icon: 'icon.svg',
    gpu: true,
    backend: { runtime: 'python3', entrypoint: 'backend/main.py' },
  };
  writeFileSync(path.join(root, app, 'svc-app.json'), JSON.stringify(manifest));
  writeFileSync(path.join(root, app, 'backend/main.py'), '');
  writeFileSync(path.join(root, app, 'icon.svg'), '<svg/>');
}

async function open(): Promise<void> {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-gw-'));
  mkdirSync(path.join(dir, 'yaml'));
  // Packages are installed, no supervisor is started.
  mkdirSync(path.join(dir, 'bin'));
  symlinkSync(path.resolve('bin/svc-app-install'), path.join(dir, 'bin/svc-app-install'));
  writePackage(path.join(dir, 'repo'), 'notas', '1.0.0');
  writeFileSync(path.join(dir, 'yaml/all.yaml'), desired());
  store = await openSqliteStore(':memory:');
  controller = await createController({
    shellVersion: '1.0.0',
    dir: path.join(dir, 'yaml'),
    store,
    bus: createBus(),
    clock: systemClock,
    log: silentLog,
    createHost: ({ metadata }, readOnly) => {
      const prefix = path.join(dir, 'casa');
      return createLocalHost({
        server: metadata.name,
        prefix,
        binDir: path.join(dir, 'bin'),
        clock: systemClock,
        readOnly,
        onBadPackage: () => undefined,
      });
    },
  });
  gateway = createGateway(controller.context);
}

async function close(): Promise<void> {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
}

const begin = async (): Promise<void> => {
  await controller.prepare();
  await controller.start();
  await vi.waitFor(() => expect(gateway.apps.find('ana', 'notas')?.version).toBe('1.0.0'));
  await controller.context.queue.idle();
};

describe('svc plan of a folder that is not in place', () => {
  beforeEach(open);
  afterEach(close);

  test('before anything ran names what would be added and installed, and touches nothing', async () => {
    const plan = await gateway.admin.plan(null);
    expect(plan).toMatchObject({ ok: true, errors: [], pendingPrune: [] });
    expect(plan.changes).toEqual(
      expect.arrayContaining([
        { key: 'Person/ana', action: 'document/add', detail: expect.stringMatching(/^all\.yaml:\d+$/) as string },
        { key: 'Package/notas', action: 'package/install', detail: '1.0.0 on casa (sistema)' },
      ]),
    );
    expect(readdirSync(dir).sort()).toEqual(['bin', 'repo', 'yaml']);
    expect(await store.inForce()).toEqual([]);
  });

  test('asks no repository again that did not answer a moment ago', async () => {
    let asked = 0;
    const silent = http.createServer((_, res) => {
      asked += 1;
      res.writeHead(503).end();
    });
    silent.listen(0, '127.0.0.1');
    try {
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      writeFileSync(path.join(dir, 'yaml/all.yaml'), desired().replace('../repo', `[../repo, "http://127.0.0.1:${port}"]`));
      await begin();
      await gateway.admin.plan(null);
      const before = asked;
      expect(before).toBeGreaterThan(0);
      const plans = 12;
      for (let n = 0; n < plans; n += 1) expect((await gateway.admin.plan(null)).ok).toBe(true);
      // Asked again at most each five seconds.
      expect(asked - before).toBeLessThan(plans / 2);
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });
});

/** The portal of all tests: a test takes back what others would see. */
describe('a folder in place', () => {
  beforeAll(async () => {
    await open();
    await begin();
  });
  afterAll(close);

  test('objects come by key, a page at a time', async () => {
    const keys = async (after: string, limit: number) => gateway.admin.objects('', { after, limit }).map(({ key }) => key);
    const all = gateway.admin.objects('').map(({ key }) => key);
    expect(all).toEqual(all.toSorted());
    expect(all.length).toBeGreaterThan(3);
    expect(await keys('', 2)).toEqual(all.slice(0, 2));
    expect(await keys(all[1] ?? '', 2)).toEqual(all.slice(2, 4));
    expect(await keys(all.at(-1) ?? '', 2)).toEqual([]);
  });

  test('svc plan says nothing when all is in place, and then what another folder would change', async () => {
    expect(await gateway.admin.plan(null)).toEqual({ ok: true, changes: [], blocked: [], errors: [], pendingPrune: [] });
    const other = path.join(dir, 'other');
    mkdirSync(other);
    onTestFinished(() => writePackage(path.join(dir, 'repo'), 'notas', '1.0.0'));
    writePackage(path.join(dir, 'repo'), 'notas', '2.0.0');
    writeFileSync(path.join(other, 'a.yaml'), desired().replace('1.0.0', '2.0.0'));
    expect((await gateway.admin.plan(other)).changes).toEqual([
      { key: 'Package/notas', action: 'document/change', detail: expect.any(String) as string },
      { key: 'Package/notas', action: 'package/install', detail: '2.0.0 on casa (sistema)' },
    ]);
    expect(gateway.apps.find('ana', 'notas')?.version).toBe('1.0.0');
  });

  test('svc plan has the errors of the folder with their places', async () => {
    const bad = path.join(dir, 'yaml/bad.yaml');
    writeFileSync(bad, 'kind: 7\n');
    onTestFinished(() => rmSync(bad));
    const plan = await gateway.admin.plan(null);
    expect(plan.ok).toBe(false);
    expect(plan.errors[0]).toMatch(/^bad\.yaml:1:/);
  });

  test("people and apps, without anything that is nobody else's", async () => {
    expect(gateway.people.all()).toEqual([{ usuario: 'ana', nome: 'Ana Souza', login: 'ana', grupos: ['editores'], servidor: 'casa' }]);
    expect(gateway.people.find('bia')).toBeNull();
    expect(gateway.apps.of('bia')).toEqual([]);
    expect(gateway.apps.find('ana', 'outro')).toBeNull();
    expect(gateway.apps.find('ana', 'notas')).toMatchObject({
      id: 'notas',
      name: 'Notas',
      window: {},
      gpu: true,
      aoFechar: 'encerrar',
      pid: null,
      ready: false,
    });
    expect(gateway.commands.apps.route('ana', 'notas')).toBeNull();
    expect(gateway.apps.manifest('ana', 'notas')?.icon).toBe('icon.svg');
  });

  test('files of the package, and of nothing else', async () => {
    const root = path.join(dir, 'casa/opt/svc-apps/notas');
    writeFileSync(path.join(dir, 'casa/opt/secret'), 'secret');
    symlinkSync(path.join(dir, 'casa/opt/secret'), path.join(root, 'link'));
    symlinkSync(path.join(dir, 'casa/opt'), path.join(root, 'folder'));
    const read = async (file: string): Promise<string | null> => {
      const bytes = await gateway.apps.file('ana', 'notas', file);
      return bytes === null ? null : Buffer.from(bytes).toString();
    };
    expect(await read('icon.svg')).toBe('<svg/>');
    const outside = [
      '../../secret',
      'backend/../../../secret',
      '/etc/passwd',
      'link',
      'folder/secret',
      'icon.svg\0',
      'backend',
      '.',
      '',
      'nope',
    ];
    for (const file of outside) expect([file, await read(file)]).toEqual([file, null]);
    expect(await gateway.apps.file('bia', 'notas', 'icon.svg')).toBeNull();
  });

  test('a pipe in a package is no file, and nobody waits for its other end', async () => {
    const pipe = path.join(dir, 'casa/opt/svc-apps/notas/pipe.svg');
    execFileSync('mkfifo', [pipe]);
    // More than the threads that Node has for files: each of them would wait for ever, and the portal with them.
    const reads = await Promise.all(Array.from({ length: 8 }, () => gateway.apps.file('ana', 'notas', 'pipe.svg')));
    expect(reads).toEqual(Array.from({ length: 8 }, () => null));
  });

  test('the log of an app of server scope: where it is, also to who follows it', async () => {
    const person = controller.context.entries.people.get('ana');
    const installed = person?.packages.get('notas');
    if (person === undefined || installed === undefined) throw new Error('nothing installed');
    const { packages } = person;
    onTestFinished(() => void (person.packages = packages));
    person.packages = new Map([['notas', { ...installed, manifest: { ...installed.manifest, escopo: 'servidor' } }]]);
    const told =
      'notas is of server scope: its log is the journal of the server casa. There, as an administrator: journalctl -u svc-app-notas.service\n';
    expect(await gateway.commands.apps.log('ana', 'notas', { tail: 10, previous: false })).toBe(told);
    const followed: string[] = [];
    for await (const text of gateway.commands.apps.followLog('ana', 'notas', { tail: 10, signal: new AbortController().signal }))
      followed.push(text);
    expect(followed).toEqual([told]);
  });

  test('why: one sentence with the cause, what it waits for and the fix', async () => {
    await store.putIntent({ person: 'ana', app: 'notas', wish: 'start', by: 'person', requestId: 'q', atMs: Date.now() });
    controller.context.options.bus.enqueue('Backend/ana/notas', true);
    await expect
      .poll(async () => (await gateway.admin.why('Supervisor/ana'))?.sentence)
      .toMatch(/^Supervisor\/ana is backoff since \S+ because .*svc-app-supervisor did not start/);
    const why = await gateway.admin.why('Backend/ana/notas');
    expect(why?.sentence).toMatch(
      /^Backend\/ana\/notas is unknown since \S+ because the supervisor of its person does not start: svc-app-supervisor did not start/,
    );
    expect(why?.waitsFor).toBe('the next attempt');
    expect(await gateway.admin.why('Backend/ana/nada')).toBeNull();
  });
});
