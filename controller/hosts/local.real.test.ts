import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { emptyServer, processesBelow } from '../../test/support/portal.ts';
import { systemClock } from '../clock/system.ts';
import { describeHost } from './host-contract.ts';
import { createLocalHost, type LocalHostOptions } from './local.ts';

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
  write(`${dir}/source`, 'notas');
  const host = createLocalHost(options(dir));
  const order: string[] = [];
  const listing = host.installed(null).then(() => order.push('listed'));
  const installing = host.install({ kind: 'folder', path: `${dir}/source` }, 'sistema', null).then(() => order.push('installed'));
  await Promise.all([listing, installing]);
  const apps = (await host.installed('ana')).map(({ app }) => app);
  rmSync(dir, { recursive: true, force: true });
  expect(order).toEqual(['installed', 'listed']);
  expect(apps).toContain('notas');
});
