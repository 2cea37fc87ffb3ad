/** Step 6: what an app gets of the cards, with the sentence why (rules 2.1 `recursos.gpu`, 3.1 step 6). */
import { gpuSentences } from '../../schema/texts/gpu.ts';
import { fillIn } from '../../schema/texts/sentences.ts';
import { type GpuDevice, gpuInventory } from './gpu.ts';
import { type GpuLease, isLeaseFree, isShared, leasePath, takeLease } from './gpu-lease.ts';

/** As in limits.json, which the runtime libraries read. */
export interface GpuVerdict {
  readonly modo: 'opcional' | 'necessaria';
  readonly concedida: boolean;
  /** Cards that the app may use: with leases a single one. */
  readonly dispositivos: readonly GpuDevice[];
  readonly motivo: string;
  /** Every card of the server. */
  readonly inventario: readonly GpuDevice[];
}

export interface GpuDecision {
  readonly verdict: GpuVerdict;
  /** There is a card for the app and others have it: worth waiting for. */
  readonly busy: boolean;
  /** The caller closes its descriptor or hands it to the backend. */
  readonly lease: GpuLease | null;
  /** For the environment of the backend. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Physical, and open to this account; the stronger makers first. A virtual card does not count (rules 2.3 `quando`). */
export function usableDevices(inventory: readonly GpuDevice[]): readonly GpuDevice[] {
  const order = ['NVIDIA', 'AMD'];
  const rank = ({ fornecedor }: GpuDevice): number => (order.includes(fornecedor) ? order.indexOf(fornecedor) : order.length);
  return inventory.filter((device) => !device.virtual && device.acessivel).toSorted((left, right) => rank(left) - rank(right));
}

/** Takes the first free card, or says why there is none. */
export function decideGpu(modo: GpuVerdict['modo'], root: string): GpuDecision {
  const inventario = gpuInventory(root);
  const usable = usableDevices(inventario);
  if (usable.length === 0) return { verdict: verdictOf(modo, inventario, [], false), busy: false, lease: null, variables: {} };
  if (isShared(root)) return { verdict: verdictOf(modo, inventario, usable, false), busy: false, lease: null, variables: {} };
  for (const device of usable) {
    const path = leasePath(root, device);
    const lease = path === null ? null : takeLease(path);
    if (path !== null && lease === null) continue;
    return { verdict: verdictOf(modo, inventario, [device], false), busy: false, lease, variables: grantedVariables(device, inventario) };
  }
  // Others were promised the cards that it could open.
  return { verdict: verdictOf(modo, inventario, [], true), busy: true, lease: null, variables: hiddenGpus };
}

/** Whether a start that found every card taken would find one now. */
export async function isAnyGpuFree(root: string): Promise<boolean> {
  const usable = usableDevices(gpuInventory(root));
  if (isShared(root) || usable.length === 0) return true;
  for (const device of usable) {
    const path = leasePath(root, device);
    if (path === null || (await isLeaseFree(path))) return true;
  }
  return false;
}

export function verdictOf(
  modo: GpuVerdict['modo'],
  inventario: readonly GpuDevice[],
  dispositivos: readonly GpuDevice[],
  busy: boolean,
): GpuVerdict {
  return {
    modo,
    concedida: dispositivos.length > 0,
    dispositivos,
    motivo: busy ? busySentence(inventario) : sentence(inventario, dispositivos),
    inventario,
  };
}

const nameOf = ({ fornecedor, modelo }: GpuDevice): string =>
  modelo === '' || modelo.startsWith(fornecedor) ? modelo || fornecedor : `${fornecedor} ${modelo}`;

function busySentence(inventory: readonly GpuDevice[]): string {
  const taken = usableDevices(inventory).map(({ dispositivo }) => dispositivo);
  return fillIn(gpuSentences.busy.pt, { dispositivos: taken.join(', ') });
}

/** For the person: what was given, or what to ask the administrator for. */
export function sentence(inventory: readonly GpuDevice[], granted: readonly GpuDevice[]): string {
  const [first] = granted;
  const said = gpuSentences;
  if (first !== undefined) return fillIn(said.given.pt, { placa: nameOf(first), driver: first.driver, dispositivo: first.dispositivo });
  const physical = inventory.filter(({ virtual }) => !virtual);
  const closed = physical.filter(({ dispositivo }) => dispositivo !== '').map(({ dispositivo }) => dispositivo);
  if (closed.length > 0) return fillIn(said.closed.pt, { dispositivos: closed.join(', ') });
  const [bare] = physical;
  if (bare !== undefined) return fillIn(said.bare.pt, { placa: nameOf(bare), pci: bare.pci });
  return inventory.length > 0 ? said.virtual.pt : said.none.pt;
}

/** Without a declaration, and when the card is another's. Source: rules 2.6 `CUDA_VISIBLE_DEVICES`. */
export const hiddenGpus: Readonly<Record<string, string>> = {
  CUDA_VISIBLE_DEVICES: '',
  HIP_VISIBLE_DEVICES: '',
  ROCR_VISIBLE_DEVICES: '',
  ZE_AFFINITY_MASK: '',
};

/** With one card there is nothing to choose. With several the runtimes are shown the one that was given, by their own way of counting. */
function grantedVariables(device: GpuDevice, inventory: readonly GpuDevice[]): Readonly<Record<string, string>> {
  const physical = inventory.filter(({ virtual, dispositivo }) => !virtual && dispositivo !== '');
  if (physical.length === 1) return {};
  const siblings = physical
    .filter(({ fornecedor }) => fornecedor === device.fornecedor)
    .toSorted((left, right) => (left.pci < right.pci ? -1 : 1));
  const index = String(siblings.indexOf(device));
  if (device.fornecedor === 'NVIDIA') {
    const own =
      device.uuid === '' ? { CUDA_VISIBLE_DEVICES: index, CUDA_DEVICE_ORDER: 'PCI_BUS_ID' } : { CUDA_VISIBLE_DEVICES: device.uuid };
    return { ...hiddenGpus, ...own };
  }
  // HIP counts what ROCr left over.
  if (device.fornecedor === 'AMD') return { ...hiddenGpus, ROCR_VISIBLE_DEVICES: index, HIP_VISIBLE_DEVICES: '0' };
  if (device.fornecedor === 'Intel') return { ...hiddenGpus, ZE_AFFINITY_MASK: index };
  return {};
}
