/** `svc-app-install --look`: what of this server matters to packages: engines on disk, a physical GPU, Linux packages that lack. */
import { readdir, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallInventory } from '../../schema/install-events.ts';
import { limits } from './limits.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { gpuInventory } from '../launch/gpu.ts';
import { isAppId } from '../../schema/app-id.ts';
import { errorCode } from '../../schema/system-error.ts';
import { isWholeEngine } from '../engine-seal.ts';
import { unmetRequirements } from './requirements.ts';

export async function takeInventory(place: ServerPlace, requirements: readonly string[]): Promise<InstallInventory> {
  return {
    event: 'look',
    missing: await unmetRequirements(requirements),
    engines: await enginesIn(accountPaths(place).engines),
    gpu: gpuInventory('').some((device) => !device.virtual),
  };
}

/** Half-made ones start with a dot; one that lost files is to be brought again. */
async function enginesIn(root: string): Promise<InstallInventory['engines']> {
  const engines: { app: string; nome: string; versao: string; bytes: number | null }[] = [];
  for (const app of (await foldersIn(root)).filter(isAppId)) {
    for (const nome of await foldersIn(join(root, app))) {
      for (const versao of await foldersIn(join(root, app, nome))) {
        const place = join(root, app, nome, versao);
        if (isWholeEngine(place)) engines.push({ app, nome, versao, bytes: await bytesIn(place) });
      }
    }
  }
  return engines;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith('.') ? [entry.name] : [])).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Null when it holds too many entries to count. */
async function bytesIn(folder: string): Promise<number | null> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  if (entries.length > limits.engineCountedEntriesMax) return null;
  let bytes = 0;
  for (const entry of entries) if (entry.isFile()) bytes += (await lstat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
