/**
 * `svc-gpu-info [--root DIR] [--json]` (rules 4.4): the cards of this server as the launcher sees them, for this account. Exit codes: 0 it could
 * look (also when there is none), 2 usage.
 */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type GpuDevice, gpuInventory } from './gpu.ts';
import { isLeaseFree, isShared, leasePath } from './gpu-lease.ts';
import { sentence, usableDevices } from './gpu-verdict.ts';
import { tellsVersion } from '../version.ts';

const usage =
  'usage: svc-gpu-info [--root DIR] [--json]\n  --root DIR  look below DIR instead of / (absolute)\n  --json      one JSON object\n';

/** The closed list of arguments; null is usage. */
function readArguments(argv: readonly string[]): { readonly root: string; readonly json: boolean } | null {
  let root = '';
  let json = false;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at];
    if (word === '--json') json = true;
    else if (word === '--root' && root === '' && isAbsolute(argv[at + 1] ?? '')) root = argv[(at += 1)] ?? '';
    else return null;
  }
  return { root: root === '/' ? '' : root, json };
}

/** Held by an app, free, or null when it can't be used anyway. */
async function isFree(root: string, device: GpuDevice): Promise<boolean | null> {
  if (device.virtual || !device.acessivel) return null;
  const path = leasePath(root, device);
  return path === null ? true : await isLeaseFree(path);
}

async function main(argv: readonly string[]): Promise<number> {
  if (tellsVersion(argv)) return 0;
  const options = readArguments(argv);
  if (options === null) {
    process.stderr.write(usage);
    return 2;
  }
  const { root, json } = options;
  if (root !== '' && !statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    process.stderr.write(`svc-gpu-info: ${root} is no folder\n`);
    return 2;
  }
  const inventory = gpuInventory(root);
  const usable = usableDevices(inventory);
  const dispositivos = await Promise.all(inventory.map(async (device) => ({ ...device, livre: await isFree(root, device) })));
  const answer = { utilizavel: usable.length > 0, motivo: sentence(inventory, usable), compartilhada: isShared(root), dispositivos };
  if (json) process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  else process.stdout.write(table(answer));
  return 0;
}

function table({
  utilizavel,
  motivo,
  compartilhada,
  dispositivos,
}: {
  readonly utilizavel: boolean;
  readonly motivo: string;
  readonly compartilhada: boolean;
  readonly dispositivos: readonly (GpuDevice & { readonly livre: boolean | null })[];
}): string {
  const rows = dispositivos.map((device) => [
    device.dispositivo || '-',
    device.pci || '-',
    device.fornecedor,
    device.modelo || '-',
    device.driver || 'none',
    device.virtual ? 'virtual' : 'physical',
    device.acessivel ? 'opens' : 'closed',
    device.livre === null ? '-' : compartilhada ? 'shared' : device.livre ? 'free' : 'taken',
  ]);
  const all = rows.length === 0 ? [] : [['DEVICE', 'PCI', 'VENDOR', 'MODEL', 'DRIVER', 'KIND', 'ACCOUNT', 'LEASE'], ...rows];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, `${utilizavel ? 'usable' : 'not usable'}: ${motivo}`, ''].join('\n');
}

process.exitCode = await main(process.argv.slice(2));
