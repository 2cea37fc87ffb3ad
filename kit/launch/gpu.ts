/** Step 6: the GPU inventory and verdict (spec 2.1 `recursos.gpu`, 3.1 step 6), read from sysfs. */
import { closeSync, openSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { errorCode } from '../atomic-file.ts';

/** One card with a render node, as it stands in limits.json and reaches `svc.gpu.concedida()`. */
export interface GpuDevice {
  readonly dispositivo: string;
  readonly fornecedor: string;
  readonly driver: string;
  readonly virtual: boolean;
  /** The person's own process can open the render node for reading and writing. */
  readonly acessivel: boolean;
}

export interface GpuVerdict {
  readonly modo: 'opcional' | 'necessaria';
  readonly concedida: boolean;
  readonly dispositivos: readonly GpuDevice[];
  readonly motivo: string;
}

/** `recursos.gpu.modo` wins over the legacy `gpu`; null means the app declares none. Source: spec 2.1 `gpu`. */
export function gpuMode(manifest: Manifest): 'opcional' | 'necessaria' | null {
  return manifest.recursos?.gpu?.modo ?? (manifest.gpu === true ? 'opcional' : null);
}

const vendors: Readonly<Record<string, string>> = {
  '0x10de': 'NVIDIA',
  '0x1002': 'AMD',
  '0x8086': 'Intel',
  '0x1af4': 'virtio',
  '0x15ad': 'VMware',
  '0x1234': 'QEMU',
  '0x1b36': 'QEMU',
  '0x80ee': 'VirtualBox',
  '0x1414': 'Microsoft',
};
const virtualVendors: ReadonlySet<string> = new Set(['0x1af4', '0x15ad', '0x1234', '0x1b36', '0x80ee', '0x1414']);
const virtualDrivers: ReadonlySet<string> = new Set([
  'virtio_gpu',
  'virtio-pci',
  'virtio-gpu',
  'vmwgfx',
  'qxl',
  'bochs-drm',
  'bochs',
  'cirrus',
  'cirrus-qemu',
  'vboxvideo',
  'hyperv_drm',
  'vkms',
  'vgem',
  'simple-framebuffer',
  'simpledrm',
  'xen-platform-pci',
]);

/** Cards with a render node. `root` is '' on a server; a test plants a tree below a folder. */
export function gpuInventory(root: string): readonly GpuDevice[] {
  const folder = join(root, '/sys/class/drm');
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => /^renderD[0-9]+$/.test(name))
    .sort()
    .map((name) => {
      const vendor = readTrimmed(join(folder, name, 'device/vendor'));
      const driver = linkName(join(folder, name, 'device/driver'));
      const node = `/dev/dri/${name}`;
      return {
        dispositivo: node,
        fornecedor: vendors[vendor] ?? (vendor === '' ? 'desconhecido' : vendor),
        driver,
        virtual: vendor === '' || virtualVendors.has(vendor) || virtualDrivers.has(driver),
        acessivel: openProblem(join(root, node)) === '',
      };
    });
}

/** What the app gets, with the sentence why. A virtual card does not count (spec 2.3 `quando`). */
export function gpuVerdict(modo: 'opcional' | 'necessaria', dispositivos: readonly GpuDevice[]): GpuVerdict {
  const physical = dispositivos.filter((device) => !device.virtual);
  const usable = physical.find((device) => device.acessivel);
  const closed = physical.map((device) => device.dispositivo).join(', ');
  const motivo = usable
    ? `${usable.fornecedor} (${usable.driver}) em ${usable.dispositivo}`
    : physical.length > 0
      ? `a conta não abre ${closed}: peça ao administrador o grupo do dispositivo (render)`
      : dispositivos.length > 0
        ? 'só há placa virtual neste servidor'
        : 'não há placa gráfica neste servidor';
  return { modo, concedida: usable !== undefined, dispositivos, motivo };
}

function openProblem(path: string): string {
  try {
    closeSync(openSync(path, 'r+'));
    return '';
  } catch (error) {
    return errorCode(error) || 'EIO';
  }
}

function readTrimmed(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function linkName(path: string): string {
  try {
    return basename(readlinkSync(path));
  } catch {
    return '';
  }
}
