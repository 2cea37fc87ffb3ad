import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gpuInventory, gpuMode } from './gpu.ts';
import { isLeaseFree, leasePath, takeLease } from './gpu-lease.ts';
import { decideGpu, isAnyGpuFree } from './gpu-verdict.ts';

/** No card can be had where the tests run, so a /sys and a /dev of the same shape are planted. */
describe('the GPU', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const put = (path: string, text = ''): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const link = (to: string, path: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(to, join(root, path));
  };
  interface Card {
    readonly vendor: string;
    readonly driver: string;
    readonly opens: boolean;
    readonly device?: string;
    readonly model?: string;
  }
  /** As the kernel lays it out: the render node links to the card's folder on the bus. */
  const plant = (name: string, pci: string, { vendor, driver, opens, device, model }: Card): void => {
    put(`sys/bus/pci/devices/${pci}/vendor`, `${vendor}\n`);
    put(`sys/bus/pci/devices/${pci}/class`, '0x030000\n');
    if (device !== undefined) put(`sys/bus/pci/devices/${pci}/device`, `${device}\n`);
    if (model !== undefined) put(`sys/bus/pci/devices/${pci}/product_name`, `${model}\n`);
    if (driver !== '') link(`../../drivers/${driver}`, `sys/bus/pci/devices/${pci}/driver`);
    link(`../../../bus/pci/devices/${pci}`, `sys/class/drm/${name}/device`);
    if (opens) put(`dev/dri/${name}`);
  };
  const nvidia = { vendor: '0x10de', driver: 'nvidia', opens: true } as const;
  const amd = { vendor: '0x1002', driver: 'amdgpu', opens: true } as const;
  const decide = (modo: 'opcional' | 'necessaria' = 'opcional'): ReturnType<typeof decideGpu> => {
    const decision = decideGpu(modo, root);
    if (decision.lease !== null) closeSync(decision.lease.fd);
    return decision;
  };

  test('none: the verdict says so and what to ask for', () => {
    expect(decide().verdict).toEqual({
      modo: 'opcional',
      concedida: false,
      dispositivos: [],
      motivo: 'não há placa gráfica neste servidor: peça ao administrador um servidor com GPU',
      inventario: [],
    });
  });

  test('a physical card that the person can open is granted', () => {
    plant('renderD128', '0000:01:00.0', { ...nvidia, device: '0x2204' });
    const device = {
      dispositivo: '/dev/dri/renderD128',
      fornecedor: 'NVIDIA',
      modelo: '0x2204',
      driver: 'nvidia',
      virtual: false,
      acessivel: true,
      pci: '0000:01:00.0',
      uuid: '',
    };
    expect(decide('necessaria')).toMatchObject({
      verdict: { concedida: true, dispositivos: [device], inventario: [device], motivo: 'NVIDIA 0x2204 (nvidia) em /dev/dri/renderD128' },
      busy: false,
      variables: {},
    });
  });

  test('one that the person cannot open is not, and the sentence says what to ask for', () => {
    plant('renderD128', '0000:03:00.0', { ...amd, opens: false });
    const { verdict } = decide('necessaria');
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
    plant('renderD128', '0000:00:02.0', { vendor, driver, opens: true });
    const { verdict } = decide();
    expect([verdict.concedida, verdict.motivo]).toEqual([
      false,
      'só há placa virtual neste servidor: peça ao administrador um servidor com GPU',
    ]);
  });

  test('the model comes from the driver, from NVIDIA, or from a list of names', () => {
    plant('renderD128', '0000:01:00.0', { ...nvidia, device: '0x2204' });
    put(
      'proc/driver/nvidia/gpus/0000:01:00.0/information',
      'Model: \t\t NVIDIA GeForce RTX 3090\nGPU UUID: \t GPU-12345678-1234-1234-1234-123456789abc\nDevice Minor: \t 0\n',
    );
    plant('renderD129', '0000:03:00.0', { ...amd, model: 'Radeon PRO W7900' });
    plant('renderD130', '0000:00:02.0', { vendor: '0x8086', driver: 'i915', opens: true, device: '0x9a49' });
    put(
      'usr/share/misc/pci.ids',
      '# names\n1002  AMD\n\t9a49  wrong\n8086  Intel Corporation\n\t0001  other\n\t9a49  TigerLake-LP GT2\n\t\t1028 0a9d  a board\nffff  end\n',
    );
    expect(gpuInventory(root).map(({ fornecedor, modelo, uuid }) => [fornecedor, modelo, uuid])).toEqual([
      ['NVIDIA', 'NVIDIA GeForce RTX 3090', 'GPU-12345678-1234-1234-1234-123456789abc'],
      ['AMD', 'Radeon PRO W7900', ''],
      ['Intel', 'TigerLake-LP GT2', ''],
    ]);
  });

  test('an NVIDIA card without a render node is opened by its own file', () => {
    put('sys/bus/pci/devices/0000:81:00.0/vendor', '0x10de\n');
    put('proc/driver/nvidia/gpus/0000:81:00.0/information', 'Model: \t\t NVIDIA H100\nDevice Minor: \t 0\n');
    expect(gpuInventory(root)).toMatchObject([{ dispositivo: '/dev/nvidia0', modelo: 'NVIDIA H100', acessivel: false }]);
    put('dev/nvidia0');
    expect(decide().verdict).toMatchObject({ concedida: true, motivo: 'NVIDIA H100 (nvidia) em /dev/nvidia0' });
  });

  test('a card without a driver is told apart from no card; the screen of a management controller is none', () => {
    put('sys/bus/pci/devices/0000:05:00.0/vendor', '0x1a03\n');
    put('sys/bus/pci/devices/0000:05:00.0/class', '0x030000\n');
    put('sys/bus/pci/devices/0000:01:00.1/vendor', '0x10de\n');
    put('sys/bus/pci/devices/0000:01:00.1/class', '0x040300\n');
    expect(gpuInventory(root)).toEqual([]);
    put('sys/bus/pci/devices/0000:01:00.0/vendor', '0x10de\n');
    put('sys/bus/pci/devices/0000:01:00.0/class', '0x030200\n');
    expect(decide().verdict.motivo).toBe('a placa NVIDIA (0000:01:00.0) está sem driver: peça ao administrador o driver dela');
  });

  test('a card of the chip itself is physical', () => {
    put('sys/class/drm/renderD128/device/uevent', 'DRIVER=panfrost\n');
    link('../../bus/platform/drivers/panfrost', 'sys/class/drm/renderD128/device/driver');
    put('dev/dri/renderD128');
    expect(decide().verdict).toMatchObject({ concedida: true, motivo: 'Arm (panfrost) em /dev/dri/renderD128' });
  });

  test('a list of cards that can not be read now is not one without cards', () => {
    link('drm', 'sys/class/drm');
    expect(() => gpuInventory(root)).toThrow(/ELOOP/);
  });

  test('broken entries are left out or empty, and nothing waits for them', () => {
    put('sys/class/drm/renderD', '');
    put('sys/class/drm/renderD12x/device/vendor', '0x10de');
    put('sys/class/drm/renderD128', 'a file where a folder belongs');
    link('nowhere', 'sys/class/drm/renderD129/device');
    mkdirSync(join(root, 'sys/class/drm/renderD130/device/vendor'), { recursive: true });
    mkdirSync(join(root, 'sys/class/drm/renderD131/device'), { recursive: true });
    expect(spawnSync('mkfifo', [join(root, 'sys/class/drm/renderD131/device/vendor')]).status).toBe(0);
    put('sys/class/drm/renderD132/device/vendor', `0x10de\u001b[31m${'x'.repeat(100_000)}`);
    put('proc/driver/nvidia/gpus/not-a-card/information', 'Model: x');
    mkdirSync(join(root, 'sys/bus/pci/devices/0000:09:00.0'), { recursive: true });
    const inventory = gpuInventory(root);
    expect(inventory.map(({ dispositivo, driver, acessivel }) => [dispositivo, driver, acessivel])).toEqual(
      [128, 129, 130, 131, 132].map((node) => [`/dev/dri/renderD${node}`, '', false]),
    );
  });

  test('the first to ask has a card; the next one is told, may take another, and gets it when the first has ended', async () => {
    plant('renderD128', '0000:01:00.0', nvidia);
    const first = decideGpu('opcional', root);
    expect(first.verdict.concedida).toBe(true);
    const second = decideGpu('necessaria', root);
    expect(second).toMatchObject({
      verdict: { concedida: false, dispositivos: [], motivo: 'em uso por outro app: /dev/dri/renderD128' },
      busy: true,
      lease: null,
      variables: { CUDA_VISIBLE_DEVICES: '', HIP_VISIBLE_DEVICES: '', ROCR_VISIBLE_DEVICES: '', ZE_AFFINITY_MASK: '' },
    });
    expect(await isAnyGpuFree(root)).toBe(false);
    plant('renderD129', '0000:02:00.0', amd);
    expect(decide().verdict.dispositivos.map(({ dispositivo }) => dispositivo)).toEqual(['/dev/dri/renderD129']);
    closeSync(first.lease?.fd ?? -1);
    expect(decide().verdict.dispositivos.map(({ dispositivo }) => dispositivo)).toEqual(['/dev/dri/renderD128']);
  });

  test('of several cards the runtimes are shown the one that was given', () => {
    plant('renderD128', '0000:01:00.0', nvidia);
    plant('renderD129', '0000:02:00.0', nvidia);
    plant('renderD130', '0000:03:00.0', amd);
    put('proc/driver/nvidia/gpus/0000:02:00.0/information', 'GPU UUID: GPU-12345678-1234-1234-1234-123456789abc\n');
    const held = [decideGpu('opcional', root), decideGpu('opcional', root), decideGpu('opcional', root)];
    expect(held.map(({ variables }) => variables)).toEqual([
      {
        CUDA_VISIBLE_DEVICES: '0',
        CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
        HIP_VISIBLE_DEVICES: '',
        ROCR_VISIBLE_DEVICES: '',
        ZE_AFFINITY_MASK: '',
      },
      {
        CUDA_VISIBLE_DEVICES: 'GPU-12345678-1234-1234-1234-123456789abc',
        HIP_VISIBLE_DEVICES: '',
        ROCR_VISIBLE_DEVICES: '',
        ZE_AFFINITY_MASK: '',
      },
      { CUDA_VISIBLE_DEVICES: '', HIP_VISIBLE_DEVICES: '0', ROCR_VISIBLE_DEVICES: '0', ZE_AFFINITY_MASK: '' },
    ]);
    for (const { lease } of held) closeSync(lease?.fd ?? -1);
  });

  test('where the administrator shares the cards, nobody holds one', () => {
    put('etc/svc-kit/gpu.json', '{"share":true}');
    plant('renderD128', '0000:01:00.0', nvidia);
    for (const decision of [decideGpu('opcional', root), decideGpu('necessaria', root)]) {
      expect([decision.verdict.concedida, decision.lease]).toEqual([true, null]);
    }
    put('etc/svc-kit/gpu.json', 'not JSON');
    expect(decide().lease).not.toBeNull();
  });

  test('a lease ends with the descriptor, not with the program that took the lock', async () => {
    plant('renderD128', '0000:01:00.0', nvidia);
    const path = leasePath(root, { dispositivo: '/dev/dri/renderD128', pci: '' }) ?? '';
    const lease = takeLease(path);
    expect([takeLease(path), await isLeaseFree(path)]).toEqual([null, false]);
    closeSync(lease?.fd ?? -1);
    expect(await isLeaseFree(path)).toBe(true);
    expect(takeLease(join(root, 'nowhere'))).toBeNull();
  });

  test('who only asks whether a card is free takes it from nobody', { tags: ['costly'] }, async () => {
    plant('renderD128', '0000:01:00.0', nvidia);
    const path = leasePath(root, { dispositivo: '/dev/dri/renderD128', pci: '' }) ?? '';
    for (let round = 0; round < 2; round += 1) {
      const asking = Array.from({ length: 4 }, () => isLeaseFree(path));
      const lease = takeLease(path);
      expect(lease).not.toBeNull();
      closeSync(lease?.fd ?? -1);
      await Promise.all(asking);
    }
  });

  test('recursos.gpu.modo wins over the legacy field', () => {
    const base = { id: 'a', version: '1', backend: { runtime: 'node', entrypoint: 'a' } } as const;
    expect(gpuMode(base)).toBeNull();
    expect(gpuMode({ ...base, gpu: true })).toBe('opcional');
    expect(gpuMode({ ...base, gpu: true, recursos: { gpu: { modo: 'necessaria' } } })).toBe('necessaria');
  });
});
