import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gpuCheck, type Declared } from './gpu-check.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const declared = (modo: 'opcional' | 'necessaria' | null): Declared =>
  ({
    people: {
      all: () => [
        { usuario: 'ana', servidor: 'casa' },
        { usuario: 'bia', servidor: 'lab' },
      ],
    },
    apps: {
      of: (usuario: string) => [{ id: 'visao' }, ...(usuario === 'bia' ? [{ id: 'longe' }] : [])],
      manifest: () => ({ id: 'visao', ...(modo === null ? {} : { recursos: { gpu: { modo } } }) }),
    },
  }) as unknown as Declared;
const isCasa = (server: string): boolean => server === 'casa';
const plant = (opens: boolean): void => {
  const device = join(root, 'sys/bus/pci/devices/0000:01:00.0');
  mkdirSync(device, { recursive: true });
  mkdirSync(join(root, 'sys/class/drm/renderD128'), { recursive: true });
  mkdirSync(join(root, 'dev/dri'), { recursive: true });
  writeFileSync(join(device, 'vendor'), '0x1002\n');
  symlinkSync(device, join(root, 'sys/class/drm/renderD128/device'));
  if (opens) writeFileSync(join(root, 'dev/dri/renderD128'), '');
};

test('without a card only an app that needs one is a fault', async () => {
  expect(await gpuCheck(declared(null), isCasa, root)).toMatchObject({ name: 'gpu', ok: true, fix: null });
  expect(await gpuCheck(declared('opcional'), isCasa, root)).toMatchObject({ ok: true, warning: false });
  expect(await gpuCheck(declared('necessaria'), isCasa, root)).toMatchObject({
    ok: false,
    warning: false,
    detail: {
      pt: expect.stringMatching(/^visao: sem início possível aqui: não há placa gráfica/),
      en: expect.stringMatching(/^visao can not start here: this server has no graphics card/),
    },
    fix: { en: expect.stringContaining('svc-gpu-info') },
  });
});

test('an app of another server is no fault of this machine', async () => {
  expect(await gpuCheck(declared('necessaria'), () => false, root)).toMatchObject({ ok: true, fix: null });
});

test('a card that the account can not open is a warning to an app that could use it', async () => {
  plant(false);
  expect(await gpuCheck(declared(null), isCasa, root)).toMatchObject({ ok: true });
  expect(await gpuCheck(declared('opcional'), isCasa, root)).toMatchObject({
    ok: false,
    warning: true,
    detail: { en: expect.stringContaining('render') },
  });
});

test('a usable card is told with how it is given out', async () => {
  plant(true);
  expect(await gpuCheck(declared('necessaria'), isCasa, root)).toMatchObject({
    ok: true,
    detail: { en: expect.stringMatching(/^1 usable: AMD .* at .*one app at a time has each$/) },
  });
  mkdirSync(join(root, 'etc/svc-kit'), { recursive: true });
  writeFileSync(join(root, 'etc/svc-kit/gpu.json'), '{ "share": true }');
  expect((await gpuCheck(declared(null), isCasa, root)).detail.en).toMatch(/shared by any number of apps$/);
});
