/**
 * The cards of a server (rules 2.1 `recursos.gpu`), read from /sys, /proc and /dev without any package: render nodes, NVIDIA cards without one, and
 * physical cards without a driver, so that the message can say what to ask for. gpu-verdict.ts chooses, gpu-lease.ts reserves.
 * Decision: docs/decisions/0077-gpu-inventory.md
 */
import { closeSync, constants, openSync, readSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { limits } from '../limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { errorCode } from '../../schema/system-error.ts';
import { isMissing } from '../atomic-file.ts';

/** A card, as written to limits.json and returned by `svc.gpu.concedida()`. */
export interface GpuDevice {
  /** Render node or, without one, the device file of the driver; '' when no driver made either. */
  readonly dispositivo: string;
  readonly fornecedor: string;
  /** '' when the server does not report it. */
  readonly modelo: string;
  readonly driver: string;
  readonly virtual: boolean;
  /** The person's own process can open the device for reading and writing. */
  readonly acessivel: boolean;
  /** Address on the bus, e.g. 0000:01:00.0; '' for a card without one. */
  readonly pci: string;
  /** NVIDIA's own name of the card, for CUDA_VISIBLE_DEVICES; '' when unknown. */
  readonly uuid: string;
}

/** `recursos.gpu.modo` wins over the legacy `gpu`; null means the app declares none. Source: rules 2.1 `gpu`. */
export function gpuMode(manifest: Manifest): 'opcional' | 'necessaria' | null {
  return manifest.recursos?.gpu?.modo ?? (manifest.gpu === true ? 'opcional' : null);
}

const vendors: Readonly<Record<string, string>> = {
  '0x10de': 'NVIDIA',
  '0x1002': 'AMD',
  '0x1022': 'AMD',
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
/** Cards of a chip stand on no PCI bus and have no vendor there. */
const chipDrivers: Readonly<Record<string, string>> = {
  panfrost: 'Arm',
  panthor: 'Arm',
  lima: 'Arm',
  v3d: 'Broadcom',
  vc4: 'Broadcom',
  msm: 'Qualcomm',
  etnaviv: 'Vivante',
  nvgpu: 'NVIDIA',
  tegra: 'NVIDIA',
  asahi: 'Apple',
  powervr: 'Imagination',
};

/** `root` is '' on a server; a test plants a tree below a folder. Files that can't be read are left out or empty; throws where the system can't list a folder now. */
export function gpuInventory(root: string): readonly GpuDevice[] {
  const nvidia = nvidiaCards(root);
  const nodes = namesIn(join(root, '/sys/class/drm'))
    .filter((name) => /^renderD[0-9]+$/.test(name))
    .sort()
    .map((name) => renderNode(root, name, nvidia));
  const seen = new Set(nodes.map(({ pci }) => pci));
  const bare = nvidia.filter(({ pci }) => !seen.has(pci)).map((card) => nvidiaDevice(root, card));
  for (const { pci } of bare) seen.add(pci);
  return [...nodes, ...bare, ...driverless(root, seen)].slice(0, limits.gpuDevicesMax);
}

function renderNode(root: string, name: string, nvidia: readonly NvidiaCard[]): GpuDevice {
  const folder = join(root, '/sys/class/drm', name, 'device');
  const vendor = attribute(join(folder, 'vendor'));
  const driver = linkName(join(folder, 'driver'));
  const pci = pciOf(folder);
  const node = `/dev/dri/${name}`;
  const card = nvidia.find((known) => known.pci === pci && pci !== '');
  const chip = Object.hasOwn(chipDrivers, driver) ? chipDrivers[driver] : undefined;
  return {
    dispositivo: node,
    fornecedor: vendors[vendor] ?? (vendor === '' ? (chip ?? 'desconhecido') : vendor),
    modelo: card?.model || modelOf(root, folder, vendor),
    driver,
    virtual: (vendor === '' && chip === undefined) || virtualVendors.has(vendor) || virtualDrivers.has(driver),
    // CUDA opens the driver's own file, which is for everybody where the render node is for a group.
    acessivel: canOpen(join(root, node)) || (card !== undefined && card.node !== '' && canOpen(join(root, card.node))),
    pci,
    uuid: card?.uuid ?? '',
  };
}

interface NvidiaCard {
  readonly pci: string;
  readonly model: string;
  readonly uuid: string;
  readonly node: string;
}

/** The cards that NVIDIA's driver reports. */
function nvidiaCards(root: string): readonly NvidiaCard[] {
  const folder = join(root, '/proc/driver/nvidia/gpus');
  return namesIn(folder)
    .filter((name) => pciPattern.test(name))
    .sort()
    .map((pci) => {
      const text = attribute(join(folder, pci, 'information'));
      const field = (name: string): string => clean(new RegExp(`^${name}:[ \t]*(.*)$`, 'm').exec(text)?.[1] ?? '');
      const minor = field('Device Minor');
      const uuid = field('GPU UUID');
      return {
        pci,
        model: field('Model'),
        uuid: /^GPU-[0-9a-f-]{36}$/.test(uuid) ? uuid : '',
        node: /^[0-9]{1,4}$/.test(minor) ? `/dev/nvidia${minor}` : '',
      };
    });
}

/** A compute card whose driver made no render node. */
function nvidiaDevice(root: string, { pci, model, uuid, node }: NvidiaCard): GpuDevice {
  const acessivel = node !== '' && canOpen(join(root, node));
  return { dispositivo: node, fornecedor: 'NVIDIA', modelo: model, driver: 'nvidia', virtual: false, acessivel, pci, uuid };
}

const makers: ReadonlySet<string> = new Set(['0x10de', '0x1002', '0x8086']);

/** Cards of the makers of GPUs on which no driver made a node. Management controllers with a screen of their own are none. */
function driverless(root: string, seen: ReadonlySet<string>): readonly GpuDevice[] {
  const folder = join(root, '/sys/bus/pci/devices');
  return namesIn(folder)
    .filter((name) => pciPattern.test(name) && !seen.has(name))
    .sort()
    .flatMap((pci) => {
      const device = join(folder, pci);
      const vendor = attribute(join(device, 'vendor'));
      if (!attribute(join(device, 'class')).startsWith('0x03') || !makers.has(vendor)) return [];
      const driver = linkName(join(device, 'driver'));
      const fornecedor = vendors[vendor] ?? vendor;
      const modelo = modelOf(root, device, vendor);
      return [{ dispositivo: '', fornecedor, modelo, driver, virtual: false, acessivel: false, pci, uuid: '' }];
    });
}

const pciPattern = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/;

function pciOf(folder: string): string {
  try {
    const name = basename(realpathSync(folder));
    return pciPattern.test(name) ? name : '';
  } catch {
    return '';
  }
}

/** By the driver, or by the list of names when one happens to be installed. */
function modelOf(root: string, folder: string, vendor: string): string {
  const product = clean(attribute(join(folder, 'product_name')));
  if (product !== '') return product;
  const device = attribute(join(folder, 'device'));
  if (!/^0x[0-9a-f]{4}$/.test(vendor) || !/^0x[0-9a-f]{4}$/.test(device)) return '';
  return nameInList(root, vendor.slice(2), device.slice(2)) || device;
}

const nameLists = ['/usr/share/misc/pci.ids', '/usr/share/hwdata/pci.ids'] as const;
const nameListBytesMax = 8 * 1_024 * 1_024;

function nameInList(root: string, vendor: string, device: string): string {
  for (const path of nameLists) {
    const text = readStart(join(root, path), nameListBytesMax);
    const from = text.indexOf(`\n${vendor}  `);
    if (from === -1) continue;
    for (const line of linesFrom(text, from + 1)) {
      if (line.startsWith(`\t${device}  `)) return clean(line.slice(device.length + 3));
      if (!line.startsWith('\t') && !line.startsWith('#') && !line.startsWith(`${vendor}  `)) break;
    }
  }
  return '';
}

function* linesFrom(text: string, start: number): Generator<string> {
  for (let at = start; at < text.length;) {
    const end = text.indexOf('\n', at);
    yield text.slice(at, end === -1 ? undefined : end);
    if (end === -1) return;
    at = end + 1;
  }
}

function canOpen(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}

/** A folder that can't be read now is not one without cards: an engine would be removed, and a start refused until somebody acts. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error) || closed.has(errorCode(error))) return [];
    throw error;
  }
}

/** Containers and sandboxes close these folders for good. */
const closed: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

function attribute(path: string): string {
  return readStart(path, limits.gpuAttributeBytesMax).trim();
}

/** At most so many bytes; '' when it can't be read. Does not block on a pipe. */
function readStart(path: string, bytesMax: number): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const chunks: Buffer[] = [];
    for (let left = bytesMax; left > 0;) {
      const chunk = Buffer.alloc(Math.min(left, 256 * 1_024));
      const got = readSync(fd, chunk, 0, chunk.length, null);
      if (got === 0) break;
      chunks.push(chunk.subarray(0, got));
      left -= got;
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    return '';
  } finally {
    closeSync(fd);
  }
}

/** Makes a text a printable line for a table, a log and a page. */
function clean(text: string): string {
  return text
    .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, ' ')
    .trim()
    .slice(0, 128);
}

function linkName(path: string): string {
  try {
    return clean(basename(readlinkSync(path)));
  } catch {
    return '';
  }
}
