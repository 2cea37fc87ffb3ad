import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gpuInventory, gpuMode, gpuVerdict } from './gpu.ts';

/** No card can be had where the tests run, so a /sys and a /dev of the same shape are planted. */
describe('the GPU', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const plant = (name: string, vendor: string, driver: string, openable: boolean): void => {
    const device = join(root, 'sys/class/drm', name, 'device');
    mkdirSync(device, { recursive: true });
    mkdirSync(join(root, 'dev/dri'), { recursive: true });
    writeFileSync(join(device, 'vendor'), `${vendor}\n`);
    symlinkSync(`../../bus/pci/drivers/${driver}`, join(device, 'driver'));
    if (openable) writeFileSync(join(root, 'dev/dri', name), '');
  };

  test('none: the verdict says so', () => {
    expect(gpuVerdict('opcional', gpuInventory(root))).toEqual({
      modo: 'opcional',
      concedida: false,
      dispositivos: [],
      motivo: 'não há placa gráfica neste servidor',
    });
  });

  test('a physical card that the person can open is granted', () => {
    plant('renderD128', '0x10de', 'nvidia', true);
    expect(gpuVerdict('necessaria', gpuInventory(root))).toEqual({
      modo: 'necessaria',
      concedida: true,
      dispositivos: [{ dispositivo: '/dev/dri/renderD128', fornecedor: 'NVIDIA', driver: 'nvidia', virtual: false, acessivel: true }],
      motivo: 'NVIDIA (nvidia) em /dev/dri/renderD128',
    });
  });

  test('one that the person cannot open is not, and the sentence says what to ask for', () => {
    plant('renderD128', '0x1002', 'amdgpu', false);
    const verdict = gpuVerdict('necessaria', gpuInventory(root));
    expect([verdict.concedida, verdict.motivo]).toEqual([
      false,
      'a conta não abre /dev/dri/renderD128: peça ao administrador o grupo do dispositivo (render)',
    ]);
  });

  test.for([
    ['0x1af4', 'virtio-pci'],
    ['0x15ad', 'vmwgfx'],
    ['', 'simple-framebuffer'],
  ] as const)('a virtual one (%s, %s) does not count', ([vendor, driver]) => {
    plant('renderD128', vendor, driver, true);
    const verdict = gpuVerdict('opcional', gpuInventory(root));
    expect([verdict.concedida, verdict.motivo]).toEqual([false, 'só há placa virtual neste servidor']);
  });

  test('recursos.gpu.modo wins over the legacy field', () => {
    const base = { id: 'a', version: '1', backend: { runtime: 'node', entrypoint: 'a' } } as const;
    expect(gpuMode(base)).toBeNull();
    expect(gpuMode({ ...base, gpu: true })).toBe('opcional');
    expect(gpuMode({ ...base, gpu: true, recursos: { gpu: { modo: 'necessaria' } } })).toBe('necessaria');
  });
});
