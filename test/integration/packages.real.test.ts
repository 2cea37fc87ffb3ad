/**
 * Packages from a repository to people and back, on a real local server: versions, confirm, rollback, drift, engines, orders. The tests go
 * on at the same time, each in a world of its own: they wait for resyncs of ten seconds.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, test as plain } from 'vitest';
import { makeEngine } from '../../kit/install/test-web-server.ts';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { document, holdingRepository, packageWorld, pinned, serveRepository, serveSlowly, type PackageWorld } from '../support/packages.ts';
import { msOften, until } from '../support/portal.ts';
import { backendPids } from './world.ts';

/** A resync with its jitter, and the delay of a busy machine; two resyncs are longer. */
const roundMsMax = 10_000 + 1_000 + 8_000;

/** Installed packages on the disk of a world. */
interface Disk {
  installedVersion(app: string, apps?: string): string | null;
  readonly ownApps: string;
  statusOf(app: string): { readonly failures: number };
  versionsKept(app: string): number;
  engineFolder(versao?: string): string;
}

const test = plain.extend<{ world: PackageWorld; disk: Disk }>({
  // oxlint-disable-next-line no-empty-pattern
  world: async ({}, use) => {
    const world = await packageWorld();
    await use(world);
    await world.dispose();
  },
  disk: async ({ world: { state } }, use) => {
    await use({
      installedVersion: (app, apps = join(state, 'opt/svc-apps')) => {
        const file = join(apps, app, 'svc-app.json');
        return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : null;
      },
      ownApps: join(state, 'home/ana/.local/share/svc-apps'),
      statusOf: (app) => JSON.parse(readFileSync(join(state, 'home/ana/.svc-apps', app, 'status.json'), 'utf8')) as { failures: number },
      versionsKept: (app) => readdirSync(join(state, 'opt/svc-apps/.versions', app)).filter((name) => /^[0-9a-f]{12}$/.test(name)).length,
      engineFolder: (versao = '1.0') => join(state, 'var/lib/svc-motores/notas/rosto', versao),
    });
  },
});

describe.concurrent.each(['folder', 'address', 'unpacked'] as const)('from a repository that is a %s', (kind) => {
  const publishIn = async (world: PackageWorld, version: string): Promise<string> => {
    if (kind === 'unpacked') return world.unpacked('notas', version);
    await world.publish('notas', version);
    return world.repo;
  };

  test('a version by YAML, an upgrade that is confirmed, and back down', async ({ world, disk, onTestFinished, expect }) => {
    const publish = (version: string): Promise<string> => publishIn(world, version);
    let where = await publish('1.0.0');
    if (kind !== 'unpacked') await publish('1.1.0');
    if (kind === 'address') {
      const served = await serveRepository(world.repo);
      onTestFinished(served.close);
      where = served.url;
    }
    // Any version that the catalogue holds, not only the newest.
    await world.write([document('notas', 'notas', '1.0.0'), pinned('notas')], where);
    await world.begin();
    await world.when('Package/notas', 'installed', ({ message }) => message === 'version 1.0.0');
    await world.when('Backend/ana/notas', 'running');
    const [before] = backendPids(world.state, 'notas');

    if (kind === 'unpacked') await publish('1.1.0');
    await world.write([document('notas', 'notas', '1.1.0'), pinned('notas')], where);
    await world.when('Package/notas', 'installed', ({ message }) => message === 'version 1.1.0');
    // The old instance had ended by then; the new one answers, and only then the old code goes.
    expect(backendPids(world.state, 'notas')).not.toContain(before);
    await world.when('Backend/ana/notas', 'running', ({ details }) => details['stale'] === false);
    // Ended for its new code is no failure of the app.
    expect(disk.statusOf('notas').failures).toBe(0);
    expect(world.events.filter((event) => event.type === 'app-status' && event.reason === 'Crashed')).toEqual([]);
    await until('the old version to go', () => disk.versionsKept('notas') === 1);
    expect(world.view('Package/notas')?.details).toMatchObject({ installed: '1.1.0', previous: '1.0.0', drift: false });

    if (kind === 'unpacked') await publish('1.0.0');
    await world.write([document('notas', 'notas', '1.0.0'), pinned('notas')], where);
    await world.when('Package/notas', 'installed', ({ message }) => message === 'version 1.0.0');
    await world.when('Backend/ana/notas', 'running', ({ details }) => details['stale'] === false);
    expect(disk.installedVersion('notas')).toBe('1.0.0');
  });
});

test.concurrent('a removal ends the running instances before it takes their code', async ({ world, disk, expect }) => {
  await world.publish('notas', '1.0.0');
  await world.write([document('notas', 'notas', '1.0.0'), pinned('notas')]);
  await world.begin();
  await world.when('Backend/ana/notas', 'running');
  const [pid] = backendPids(world.state, 'notas');
  await world.write([]);
  const livedWithoutCode = await until(
    'the package to be gone',
    () => {
      const code = disk.installedVersion('notas') !== null;
      const lives = backendPids(world.state, 'notas').length > 0;
      if (!code && lives) return 'lives';
      return code ? null : 'gone';
    },
    60_000,
    msOften,
  );
  expect(livedWithoutCode).toBe('gone');
  expect(pid).toBeGreaterThan(0);
  await until('no object is left', () => world.view('Package/notas') === null);
  expect(world.up.controller.context.source.current().leaving.size).toBe(0);
});

describe.concurrent('a rollback', () => {
  test.for(['kept by the server', 'from the repository'])(
    'to a version %s is held until another one is wanted',
    async (how, { world, disk, expect }) => {
      await world.publish('notas', '1.0.0');
      await world.publish('notas', '2.0.0');
      await world.publish('notas', '3.0.0');
      const run = how === 'from the repository' ? [pinned('notas')] : [];
      await world.write([document('notas', 'notas', '1.0.0'), ...run]);
      await world.begin();
      await world.when('Package/notas', 'installed');
      if (run.length > 0) await world.when('Backend/ana/notas', 'running');
      await world.write([document('notas', 'notas', '2.0.0'), ...run]);
      await world.when('Package/notas', 'installed', ({ message }) => message === 'version 2.0.0');
      // Confirmed means: the server keeps the old one no longer, and it comes from the repository.
      await until('the versions that are kept', () => disk.versionsKept('notas') === (run.length > 0 ? 1 : 2));

      expect(await world.up.gateway.commands.admin.rollBack('Package/notas')).toEqual({ key: 'Package/notas', from: '2.0.0', to: '1.0.0' });
      const held = await world.when('Package/notas', 'outdated', ({ details }) => details['installed'] === '1.0.0');
      expect([held.reason, disk.installedVersion('notas')]).toEqual(['RolledBack', '1.0.0']);
      expect((await world.up.gateway.admin.plan(null)).changes).toEqual([]);
      // Also over a restart of the portal.
      await world.up.end();
      await world.begin();
      await world.when('Package/notas', 'outdated', ({ reason }) => reason === 'RolledBack');
      expect(disk.installedVersion('notas')).toBe('1.0.0');

      if (run.length > 0) {
        await world.up.gateway.commands.admin.undoRollBack('notas');
        await world.when('Package/notas', 'installed', ({ message }) => message === 'version 2.0.0');
        return;
      }
      await world.write([document('notas', 'notas', '3.0.0')]);
      await world.when('Package/notas', 'installed', ({ message }) => message === 'version 3.0.0');
      expect(await world.up.controller.context.options.store.rollbacks()).toEqual([]);
    },
  );

  test('is one command, and so is its end', async ({ world, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.publish('notas', '2.0.0');
    await world.write([document('notas-casa', 'notas', '1.0.0')]);
    await world.begin();
    await world.when('Package/notas-casa', 'installed');
    await world.write([document('notas-casa', 'notas', '2.0.0')]);
    await world.when('Package/notas-casa', 'installed', ({ message }) => message === 'version 2.0.0');
    const svc = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await runSvc(world.dir, [...args, '--state', world.state]);
      expect([code, err]).toEqual([0, '']);
      return out;
    };
    expect(await svc('rollback', 'notas-casa')).toContain('Package/notas-casa: back from 2.0.0 to 1.0.0; held');
    await world.when('Package/notas-casa', 'outdated', ({ details }) => details['installed'] === '1.0.0');
    expect(await svc('why', 'package/notas-casa')).toContain('svc rollback notas-casa --undo');
    expect(await svc('rollback', 'notas-casa', '--undo')).toBe('Package/notas-casa: 2.0.0 is installed again\n');
    await world.when('Package/notas-casa', 'installed', ({ message }) => message === 'version 2.0.0');
    expect(await svc('get', 'packages')).toMatch(/Package\/notas-casa +installed +\d+[smh] +Installed +version 2\.0\.0/);
    expect(await svc('get', 'engines')).toBe('No objects.\n');
  });

  test('without a version before is refused', async ({ world, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.begin();
    await world.when('Package/notas', 'installed');
    await expect(world.up.gateway.commands.admin.rollBack('Package/notas')).rejects.toMatchObject({ code: 'NO_PREVIOUS_VERSION' });
    await expect(world.up.gateway.commands.admin.rollBack('Package/outro')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe.concurrent('files that somebody changed on the server', () => {
  const change = (world: PackageWorld): void =>
    appendFileSync(join(world.state, 'opt/svc-apps/notas/frontend/index.html'), '<!-- changed -->');
  const isChanged = (world: PackageWorld): boolean =>
    readFileSync(join(world.state, 'opt/svc-apps/notas/frontend/index.html'), 'utf8').includes('changed');
  /** Makes the observation of every minute due now. */
  const look = (world: PackageWorld): void => {
    for (const server of world.up.controller.context.entries.servers.values()) {
      server.observedAtMs = 0;
      world.up.controller.context.queue.add(server.key, false);
    }
  };

  test('show as drift and are put back within a round; changed again, they wait as long as is said', async ({ world, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.write([document('notas', 'notas', '1.0.0'), pinned('notas')]);
    await world.begin();
    await world.when('Backend/ana/notas', 'running');
    const drifts = () => world.events.filter((event) => event.type === 'install-progress' && event.state === 'drifted');
    change(world);
    expect((await world.up.gateway.admin.plan(null)).changes).toEqual([
      { key: 'Package/notas', action: 'package/install', detail: '1.0.0 on casa (sistema); files were changed there' },
    ]);
    await until('the file to be as it was', () => !isChanged(world), roundMsMax);
    expect(drifts()).toEqual([
      expect.objectContaining({ reason: 'Drift', message: 'files of 1.0.0 were changed on the server; they are put back' }),
    ]);
    await world.when('Package/notas', 'installed');
    await world.when('Backend/ana/notas', 'running', ({ details }) => details['stale'] === false);
    expect((await world.up.gateway.admin.plan(null)).changes).toEqual([]);

    change(world);
    look(world);
    const again = await world.when('Package/notas', 'drifted');
    expect(again.conditions.find(({ type }) => type === 'Drift')).toMatchObject({ status: 'True', reason: 'Drift' });
    const why = await world.up.gateway.admin.why('Package/notas');
    expect(why?.sentence).toContain('its files were changed on the server');
    expect([why?.waitsFor, again.message]).toEqual([
      'its repair',
      expect.stringContaining(new Date(why?.nextDeadlineMs ?? 0).toISOString()),
    ]);
    // The running code is not the installed one.
    await world.when('Backend/ana/notas', 'running', ({ details }) => details['stale'] === true);
    await world.when('Package/notas', 'installed');
    expect([isChanged(world), Date.now() >= (why?.nextDeadlineMs ?? Infinity)]).toEqual([false, true]);
  });

  test('stay while the document says paused: true', async ({ world, disk, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.publish('notas', '1.1.0');
    await world.write([document('notas', 'notas', '1.0.0', ', paused: true')]);
    await world.begin();
    await world.when('Package/notas', 'missing', ({ reason }) => reason === 'Paused');
    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.when('Package/notas', 'installed');
    await world.write([document('notas', 'notas', '1.0.0', ', paused: true')]);
    change(world);
    look(world);
    await world.when('Package/notas', 'drifted', ({ reason }) => reason === 'Paused');
    await world.write([document('notas', 'notas', '1.1.0', ', paused: true')]);
    await world.when('Package/notas', 'outdated', ({ reason }) => reason === 'Paused');
    expect([disk.installedVersion('notas'), isChanged(world)]).toEqual(['1.0.0', true]);
    await world.write([document('notas', 'notas', '1.1.0')]);
    await world.when('Package/notas', 'installed');
    expect([disk.installedVersion('notas'), isChanged(world)]).toEqual(['1.1.0', false]);
  });
});

describe.concurrent('what a person asks for', () => {
  const key = 'Package/ana/notas';

  test('is installed, upgraded, removed and told to their pages', async ({ world, disk, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.publish('notas', '1.1.0');
    await world.write([]);
    await world.begin();
    await world.wish('notas', '1.0.0');
    await world.when(key, 'installed');
    expect(disk.installedVersion('notas', disk.ownApps)).toBe('1.0.0');
    await world.wish('notas', '1.1.0');
    await world.when(key, 'installed', ({ message }) => message === 'version 1.1.0');
    const store = await world.up.gateway.shop.sources('ana');
    expect(store.installed).toMatchObject([{ id: 'notas', version: '1.1.0', scope: 'pessoa', drift: false, previous: '1.0.0' }]);
    expect(store.installs).toMatchObject([{ key, app: 'notas', scope: 'pessoa', wanted: '1.1.0', state: 'installed', progress: null }]);
    await world.wish('notas', null);
    await until('nothing of it is left', () => world.view(key) === null && disk.installedVersion('notas', disk.ownApps) === null);
    expect(await world.up.controller.context.options.store.installWishes()).toEqual([]);
    const told = world.events.flatMap((event) => (event.type === 'install-progress' ? [event] : []));
    expect(told.map(({ person }) => person)).not.toContain('bia');
    expect(told.map(({ state }) => state)).toEqual(expect.arrayContaining(['installing', 'installed', 'outdated', 'removing', 'removed']));
    expect(told.at(-1)).toMatchObject({ app: 'notas', state: 'removed' });
  });

  test('waits behind a document for the same, and is in force when that is gone', async ({ world, disk, expect }) => {
    await world.publish('notas', '1.0.0');
    await world.publish('notas', '1.1.0');
    const decided = document('notas-da-ana', 'notas', '1.1.0', ', instalacao: pessoa, pessoa: ana');
    await world.write([decided]);
    await world.begin();
    await world.when('Package/notas-da-ana', 'installed');
    await world.wish('notas', '1.0.0');
    await until('the wish was read', () => world.up.controller.context.entries.wishes.size === 1);
    expect(world.view(key)).toBeNull();
    expect(disk.installedVersion('notas', disk.ownApps)).toBe('1.1.0');
    await world.write([]);
    await world.when(key, 'installed');
    expect(disk.installedVersion('notas', disk.ownApps)).toBe('1.0.0');
  });

  test('a first installation that its person cancels leaves nothing, an upgrade leaves the version before', async ({
    world,
    disk,
    onTestFinished,
    expect,
  }) => {
    await world.publish('notas', '1.0.0');
    await world.publish('notas', '2.0.0', { backend: { installCommand: 'true' } });
    const slow = await holdingRepository(world.repo);
    onTestFinished(slow.close);
    await world.write([], slow.url);
    await world.begin();
    slow.hold();
    await world.wish('notas', '1.0.0');
    await until('the download', () => slow.waiting() > 0);
    await world.when('Package/ana/notas', 'installing');
    await world.wish('notas', null);
    await until(
      'nothing is wanted',
      () => world.view('Package/ana/notas') === null && world.up.controller.context.entries.tasks.size === 0,
    );
    expect(disk.installedVersion('notas', disk.ownApps)).toBeNull();
    // Not even half a download.
    expect(readdirSync(join(disk.ownApps, '.versions')).filter((name) => name.startsWith('in.'))).toEqual([]);
    expect(world.events.find((event) => event.type === 'install-progress' && event.reason === 'Cancelled')).toMatchObject({
      state: 'removed',
    });

    slow.release();
    await world.wish('notas', '1.0.0');
    await world.when('Package/ana/notas', 'installed');
    slow.hold();
    await world.wish('notas', '2.0.0');
    await until('the download', () => slow.waiting() > 0);
    await world.wish('notas', null);
    await world.when('Package/ana/notas', 'installed', ({ message }) => message === 'version 1.0.0');
    await until('the installer ended', () => world.up.controller.context.entries.tasks.size === 0);
    expect(disk.installedVersion('notas', disk.ownApps)).toBe('1.0.0');
    expect((await world.up.controller.context.options.store.installWish('ana', 'notas'))?.version).toBe('1.0.0');
    slow.release();
  });

  test('fails with its reason, and is tried again on request', async ({ world, disk, expect }) => {
    await world.publish('notas', '1.0.0', { requires: ['ocr/v1'] });
    await world.publish('leitor', '1.0.0', { provides: ['ocr/v1'] });
    await world.publish('novo', '1.0.0', { minShellVersion: '99.0' });
    await world.publish('nosso', '1.0.0', { instalacao: ['sistema'] });
    await world.write([]);
    await world.begin();
    for (const app of ['notas', 'novo', 'nosso']) await world.wish(app, '1.0.0');
    const waits = await world.when(key, 'missing');
    expect([waits.reason, waits.message]).toEqual(['CapabilityMissing', '1.0.0: no installed app offers ocr/v1 (install leitor first)']);
    expect((await world.when('Package/ana/novo', 'missing')).reason).toBe('ShellTooOld');
    expect((await world.when('Package/ana/nosso', 'missing')).reason).toBe('ScopeRefused');
    // Nobody asks again: it goes on when the capability is there.
    await world.wish('leitor', '1.0.0');
    await world.when(key, 'installed');
    rmSync(join(world.repo, 'v1/pacote/leitor/1.0.0.tgz'));
    await world.publish('leitor', '1.1.0');
    rmSync(join(world.repo, 'v1/pacote/leitor/1.1.0.tgz'));
    await world.wish('leitor', '1.1.0');
    const failed = await world.when('Package/ana/leitor', 'failed');
    expect([failed.reason, disk.installedVersion('leitor', disk.ownApps)]).toEqual(['SourceMissing', '1.0.0']);
    // Given up: what is there stays, and is wanted again.
    await world.wish('leitor', null, true);
    await world.when('Package/ana/leitor', 'installed', ({ message }) => message === 'version 1.0.0');
  });
});

describe.concurrent('engines', () => {
  const motor = (url: string, sha256: string, tamanho: number, versao = '1.0') => ({
    motores: [{ nome: 'rosto', versao, url, sha256, tamanho, confere: 'bin/motor' }],
    instalacao: ['sistema'],
  });

  test('are objects: progress in whole percents, cancelled in the middle, mended, removed when undeclared', async ({
    world,
    disk,
    onTestFinished,
    expect,
  }) => {
    const { bytes, sha256 } = await makeEngine(world.dir, 4_000_000);
    const served = await serveSlowly(bytes, () => 60);
    onTestFinished(served.close);
    await world.publish('notas', '1.0.0');
    await world.publish('notas', '2.0.0', motor(served.url, sha256, bytes.length));
    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.begin();
    await world.when('Package/notas', 'installed');

    await world.write([document('notas', 'notas', '2.0.0')]);
    const half = await world.when('Package/notas', 'installing', ({ message }) => /^Downloading rosto [1-9][0-9]? %$/.test(message));
    expect(half.reason).toBe('Downloading');
    const installer = () => world.up.controller.context.entries.tasks.size;
    expect(installer()).toBe(1);
    // Another order in the middle of the download: the installed version stays.
    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.when('Package/notas', 'installed', ({ message }) => message === 'version 1.0.0');
    expect([installer(), disk.installedVersion('notas'), existsSync(disk.engineFolder())]).toEqual([0, '1.0.0', false]);
    expect(served.sent()).toBeLessThan(bytes.length);

    // And again: it goes on where it was cut.
    await world.write([document('notas', 'notas', '2.0.0')]);
    await world.when('Package/notas', 'installed', ({ message }) => message === 'version 2.0.0');
    expect(served.sent()).toBeLessThan(bytes.length * 1.3);
    const engine = 'Engine/casa/notas/rosto/1.0';
    const there = await world.when(engine, 'present');
    expect(there.details['bytes']).toBeGreaterThan(3_900_000);
    const told = world.events.filter((event) => event.type === 'install-progress' && event.progress?.nome === 'rosto');
    expect(told.length).toBeGreaterThan(2);

    rmSync(disk.engineFolder(), { recursive: true });
    // No event reports it: a resync sees it.
    await world.when(engine, 'missing', () => true, roundMsMax);
    await world.when(engine, 'present');
    expect(existsSync(join(disk.engineFolder(), 'bin/motor'))).toBe(true);

    expect((await world.up.gateway.admin.packages()).servers).toMatchObject([
      { name: 'casa', sight: 'reachable', engines: [{ app: 'notas', nome: 'rosto', versao: '1.0', state: 'present' }] },
    ]);
    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.when('Package/notas', 'installed', ({ message }) => message === 'version 1.0.0');
    await until('the engine to go', () => !existsSync(disk.engineFolder()) && world.view(engine) === null);
  });
});

describe.concurrent('a Linux package that the server lacks', () => {
  const name = 'svc-test-vazio';
  afterEach(() => void spawnSync('dpkg', ['--purge', name]));

  test('is named with the line that installs it, and the app goes on when it is there', async ({ world, expect }) => {
    await world.publish('notas', '1.0.0', { requiredPackages: ['git|git-core', `${name}|outro-vazio`] });
    await world.write([document('notas', 'notas', '1.0.0')]);
    await world.begin();
    const waits = await world.when('Package/notas', 'missing');
    expect(waits.reason).toBe('PackageMissing');
    expect(waits.message).toBe(`1.0.0: the server lacks ${name} or outro-vazio; as root: apt-get install ${name}`);
    expect((await world.up.gateway.shop.sources('ana')).missingPackages).toEqual({ notas: [`${name}|outro-vazio`] });
    expect((await world.up.gateway.admin.packages()).servers[0]?.missing).toEqual([
      { package: `${name}|outro-vazio`, apps: ['notas'], line: `apt-get install ${name}` },
    ]);

    const deb = join(world.dir, 'deb');
    mkdirSync(join(deb, 'DEBIAN'), { recursive: true });
    writeFileSync(
      join(deb, 'DEBIAN/control'),
      `Package: ${name}\nVersion: 1\nArchitecture: all\nMaintainer: svc <svc@localhost>\nDescription: empty\n`,
    );
    const built = spawnSync('dpkg-deb', ['--build', '--root-owner-group', deb, join(world.dir, 'one.deb')], { encoding: 'utf8' });
    expect([built.status, built.stderr]).toEqual([0, '']);
    const put = spawnSync('dpkg', ['-i', join(world.dir, 'one.deb')], { encoding: 'utf8' });
    if (put.status !== 0)
      throw new Error(`this test installs an empty package of its own: run it as root, "sudo npm test" (${put.stderr})`);
    await world.when('Package/notas', 'installed');
    expect((await world.up.gateway.shop.sources('ana')).missingPackages).toEqual({ notas: [] });
  });
});
