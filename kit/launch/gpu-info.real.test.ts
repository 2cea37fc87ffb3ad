/** The command as a person runs it, over planted hardware. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const command = resolve(import.meta.dirname, '../../bin/svc-gpu-info');
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    // Nothing but this is needed: no HOME, no portal.
    env: { PATH: '/usr/bin:/bin', SVC_KIT_SOURCE: '1' },
  });
  return { status, stdout, stderr };
};
const plant = (node: string, pci: string, vendor: string, driver: string, opens: boolean): string => {
  const device = join(root, 'sys/bus/pci/devices', pci);
  mkdirSync(device, { recursive: true });
  mkdirSync(join(root, 'sys/class/drm', node), { recursive: true });
  mkdirSync(join(root, 'dev/dri'), { recursive: true });
  writeFileSync(join(device, 'vendor'), `${vendor}\n`);
  symlinkSync(`../../drivers/${driver}`, join(device, 'driver'));
  symlinkSync(device, join(root, 'sys/class/drm', node, 'device'));
  if (opens) writeFileSync(join(root, 'dev/dri', node), '');
  return device;
};

test('an empty server is told in words and as JSON', () => {
  const motivo = 'não há placa gráfica neste servidor: peça ao administrador um servidor com GPU';
  expect(run('--root', root)).toEqual({ status: 0, stdout: `not usable: ${motivo}\n`, stderr: '' });
  expect(JSON.parse(run('--json', '--root', root).stdout)).toEqual({ utilizavel: false, motivo, compartilhada: false, dispositivos: [] });
});

test('every card with vendor, driver, kind, rights and lease', async () => {
  const held = plant('renderD128', '0000:01:00.0', '0x10de', 'nvidia', true);
  plant('renderD129', '0000:02:00.0', '0x1002', 'amdgpu', true);
  plant('renderD130', '0000:03:00.0', '0x8086', 'i915', false);
  plant('renderD131', '0000:00:02.0', '0x1af4', 'virtio-pci', true);
  const holder = spawn('flock', ['-n', held, '-c', 'echo held; read x'], { stdio: ['pipe', 'pipe', 'ignore'] });
  await once(holder.stdout, 'data');
  const { stdout } = run('--root', root);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['DEVICE', 'PCI', 'VENDOR', 'MODEL', 'DRIVER', 'KIND', 'ACCOUNT', 'LEASE'],
    ['/dev/dri/renderD128', '0000:01:00.0', 'NVIDIA', '-', 'nvidia', 'physical', 'opens', 'taken'],
    ['/dev/dri/renderD129', '0000:02:00.0', 'AMD', '-', 'amdgpu', 'physical', 'opens', 'free'],
    ['/dev/dri/renderD130', '0000:03:00.0', 'Intel', '-', 'i915', 'physical', 'closed', '-'],
    ['/dev/dri/renderD131', '0000:00:02.0', 'virtio', '-', 'virtio-pci', 'virtual', 'opens', '-'],
    ['usable: NVIDIA (nvidia) em /dev/dri/renderD128'],
    [''],
  ]);
  holder.stdin.end();
  await once(holder, 'close');
  const answer = JSON.parse(run('--json', '--root', root).stdout) as {
    readonly dispositivos: readonly { readonly livre: boolean | null }[];
  };
  expect(answer.dispositivos.map(({ livre }) => livre)).toEqual([true, true, null, null]);
});

test.each([['--root'], ['--root', 'relative'], ['--root', '/', '--root', '/'], ['--yaml'], ['x']])('%j is usage', (...args) => {
  expect(run(...args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/^usage: svc-gpu-info/) });
});

test('a root that is no folder is told', () => {
  expect(run('--root', join(root, 'none'))).toMatchObject({ status: 2, stderr: `svc-gpu-info: ${root}/none is no folder\n` });
});
