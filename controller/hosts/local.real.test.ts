import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { InstallEvent } from '../../schema/install-events.ts';
import { emptyServer, processesBelow } from '../../test/support/portal.ts';
import { systemClock } from '../clock/system.ts';
import { describeHost } from './host-contract.ts';
import { createLocalHost } from './local.ts';
import type { LocalHostOptions } from './people.ts';

const binDir = path.resolve(import.meta.dirname, '../../bin');

function options(prefix: string, over: Partial<LocalHostOptions> = {}): LocalHostOptions {
  return { server: 'casa', prefix, binDir, clock: systemClock, onBadPackage: () => undefined, ...over };
}

describeHost('local', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-h-'));
  return {
    host: createLocalHost(options(dir)),
    account: 'ana',
    place: { home: `${dir}/home/ana`, prefix: dir },
    again: async () => createLocalHost(options(dir)),
    remove: async () => {
      await emptyServer(dir);
      rmSync(dir, { recursive: true, force: true });
    },
  };
});

test('a prefix that makes the sockets too long is refused by name before anything is started', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-h-'));
  const host = createLocalHost(options(path.join(dir, 'x'.repeat(90))));
  await expect(host.startSupervisor('ana')).rejects.toMatchObject({
    code: 'SOCKET_PATH_TOO_LONG',
    message: expect.stringContaining('Server.spec.local.prefix') as string,
  });
  expect(processesBelow(dir)).toEqual([]);
  rmSync(dir, { recursive: true, force: true });
});

test('a supervisor that can not start says where its log is', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-h-'));
  const missing = createLocalHost(options(dir, { binDir: '/nonexistent' }));
  await expect(missing.startSupervisor('ana')).rejects.toMatchObject({ code: 'SUPERVISOR_FAILED' });
  rmSync(dir, { recursive: true, force: true });
});

test('a listing that was under way during an install is not what people are told afterwards', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-h-'));
  const write = (folder: string, id: string): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'main.js'), '');
    writeFileSync(
      path.join(folder, 'svc-app.json'),
      JSON.stringify({ id, version: '1.0.0', backend: { runtime: 'node', entrypoint: 'main.js' } }),
    );
  };
  for (let n = 0; n < 300; n += 1) write(`${dir}/opt/svc-apps/app${n}`, `app${n}`);
  const host = createLocalHost(options(dir));
  let later = 0;
  // Now and then the listing is over before the install is: that tells nothing.
  for (const id of Array.from({ length: 20 }, (_, round) => `notas${round}`)) {
    write(`${dir}/${id}`, id);
    let isInstalled = false;
    const listings: Promise<unknown>[] = [];
    const list = (): void =>
      void listings.push(
        host.installed(null).finally(() => {
          if (isInstalled) later += 1;
        }),
      );
    // Shortly before it is in place.
    const onEvent = (event: InstallEvent): void => (event.event === 'step' && event.step === 'check' ? list() : undefined);
    await host.install({ kind: 'folder', path: `${dir}/${id}` }, 'sistema', null, { onEvent });
    isInstalled = true;
    await Promise.all(listings);
    expect((await host.installed('ana')).map(({ app }) => app)).toContain(id);
    if (later > 0) break;
  }
  expect(later).toBeGreaterThan(0);
  rmSync(dir, { recursive: true, force: true });
});

test('a package that can not be read is not one that is gone, and hides no other', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-h-'));
  const apps = `${dir}/opt/svc-apps`;
  const install = (id: string): void => {
    const folder = `${apps}/.versions/${id}/one`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'main.js'), '');
    const backend = { runtime: 'node', entrypoint: 'main.js' };
    writeFileSync(path.join(folder, 'svc-app.json'), JSON.stringify({ id, version: '1.0.0', backend }));
    symlinkSync(`.versions/${id}/one`, `${apps}/${id}`);
  };
  install('notas');
  install('relogio');
  const told: string[] = [];
  const host = createLocalHost(options(dir, { onBadPackage: (folder, error) => told.push(`${folder}: ${(error as Error).message}`) }));
  const seen = async () => (await host.installed(null)).map(({ app, version, unread }) => `${app} ${version} ${unread?.slice(0, 5) ?? ''}`);
  expect(await seen()).toEqual(['notas 1.0.0 ', 'relogio 1.0.0 ']);
  // ELOOP is what root, too, is refused with.
  rmSync(`${apps}/notas`);
  symlinkSync('notas', `${apps}/notas`);
  expect(await seen()).toEqual(['notas 1.0.0 ELOOP', 'relogio 1.0.0 ']);
  expect(told).toEqual([expect.stringContaining('/notas: ELOOP')]);
  rmSync(`${apps}/notas`);
  expect(await seen()).toEqual(['relogio 1.0.0 ']);
  symlinkSync('.versions/notas/one', `${apps}/notas`);
  expect(await seen()).toEqual(['notas 1.0.0 ', 'relogio 1.0.0 ']);
  rmSync(dir, { recursive: true, force: true });
});

test('a record that is written after its files is seen: what a set-up made is no changed file', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-h-'));
  const kept = `${dir}/opt/svc-apps/.versions/notas/0123456789ab`;
  mkdirSync(kept, { recursive: true });
  writeFileSync(path.join(kept, 'main.js'), '');
  writeFileSync(
    path.join(kept, 'svc-app.json'),
    JSON.stringify({ id: 'notas', version: '1.0.0', backend: { runtime: 'node', entrypoint: 'main.js' } }),
  );
  symlinkSync('.versions/notas/0123456789ab', `${dir}/opt/svc-apps/notas`);
  const host = createLocalHost(options(dir));
  const [first] = await host.installed(null);
  const record = { version: '1.0.0', deliveredHash: first!.hash, installedHash: first!.hash, installedAtMs: 1 };
  writeFileSync(`${kept}.json`, JSON.stringify(record));
  writeFileSync(path.join(kept, 'made'), 'by the set-up');
  const [during] = await host.installed(null);
  expect(during?.delivered).toBe(null);
  writeFileSync(`${kept}.json`, JSON.stringify({ ...record, installedHash: during!.hash }));
  expect((await host.installed(null))[0]?.delivered).toBe(first!.hash);
  rmSync(dir, { recursive: true, force: true });
});
