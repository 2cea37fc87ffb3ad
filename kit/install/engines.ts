/**
 * The engine artefacts of a package on the server (rules 2.3): `<engines>/<app>/<nome>/<versao>` is there whole or not at all. Downloads go on where
 * they were cut, also by a killed run; nothing is extracted before size and sha256 are right. The part file is named after the declared sha256; one
 * of an earlier run that does not fit is fetched once more from its first byte. A version that goes is renamed before it is removed: half of one
 * would pass for installed when it is declared again. The space asked for beforehand is the rest of the tarball plus its size once more, since the
 * unpacked size is not declared. Engines come before the swap of a package and undeclared ones go after it, so both versions find theirs.
 */
import { lstatSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import type { Manifest, Motor } from '../../schema/manifest/manifest.ts';
import { isWholeEngine, sealedBy, sealEngine } from '../engine-seal.ts';
import { removeTree } from '../archive/folder-writer.ts';
import { gpuInventory } from '../launch/gpu.ts';
import { download, progressReporter } from './download.ts';
import type { OnEvent } from '../../schema/install-events.ts';
import { errorCode } from '../../schema/system-error.ts';
import { faultPoint } from './faults.ts';
import { syncFolder } from '../../schema/sync-folder.ts';
import { hashFile } from './tree.ts';
import { unpack } from './unpack.ts';

export interface EngineFolders {
  /** `/var/lib/svc-motores` */
  readonly root: string;
  readonly app: string;
  /** '' on a server; tests plant a /sys below it. */
  readonly gpuRoot?: string;
  readonly retryMs?: number;
  readonly slowMsMax?: number;
}

/** The engines that this server should hold: without a physical GPU, none that waits for one. Source: rules 2.3 `quando`. */
export function wantedEngines(manifest: Manifest, gpuRoot: string): readonly Motor[] {
  const motores = manifest.motores ?? [];
  if (!motores.some((motor) => motor.quando === 'gpu')) return motores;
  const physical = gpuInventory(gpuRoot).some((device) => !device.virtual && device.dispositivo !== '');
  return motores.filter((motor) => motor.quando !== 'gpu' || physical);
}

/** Downloads what is missing. The result names each wanted engine as `SVC_MOTOR_<NOME>`, for the root phase. */
export async function ensureEngines(folders: EngineFolders, manifest: Manifest, onEvent: OnEvent): Promise<ReadonlyMap<string, string>> {
  const variables = new Map<string, string>();
  for (const motor of wantedEngines(manifest, folders.gpuRoot ?? '')) {
    const place = join(folders.root, folders.app, motor.nome, motor.versao);
    if (!isFolder(place) || !isWholeEngine(place)) await bring(folders, motor, place, onEvent);
    variables.set(`SVC_MOTOR_${motor.nome.toUpperCase().replaceAll('-', '_')}`, place);
  }
  return variables;
}

async function bring(folders: EngineFolders, motor: Motor, place: string, onEvent: OnEvent): Promise<void> {
  const parts = join(folders.root, folders.app, '.parts');
  const parent = join(folders.root, folders.app, motor.nome);
  for (const folder of [folders.root, join(folders.root, folders.app), parent]) await mkdir(folder, { recursive: true, mode: 0o755 });
  await mkdir(parts, { recursive: true, mode: 0o700 });
  const part = join(parts, `${motor.sha256}.part`);
  await checkSpace(folders.root, motor, part);
  await downloadEngine(folders, motor, part, onEvent);

  const staging = join(parent, '.new');
  for (const left of [staging, `${staging}.cell`]) removeTree(left);
  try {
    onEvent({ event: 'engine', step: 'extract', nome: motor.nome, versao: motor.versao });
    await unpack(part, staging, 'engine');
    faultPoint('engine-extracted');
    if (motor.confere !== undefined && lstatSync(join(staging, motor.confere), { throwIfNoEntry: false }) === undefined)
      throw new SvcError(
        'ENGINE_REFUSED',
        `the engine ${motor.nome} ${motor.versao} does not hold ${motor.confere} (confere): the tarball is another one`,
      );
    faultPoint('engine-checked');
    sealEngine(staging, place);
    // The old folder has lost files; a process that has its other files open keeps them.
    if (isFolder(place)) await loseName(place);
    await rename(staging, place);
  } catch (error) {
    removeTree(staging);
    throw error;
  }
  await syncFolder(parent);
  faultPoint('engine-swapped');
  await rm(part, { force: true });
  await rm(`${part}.etag`, { force: true });
  faultPoint('engine-part-deleted');
  onEvent({ event: 'engine', step: 'ready', nome: motor.nome, versao: motor.versao });
}

async function downloadEngine(folders: EngineFolders, motor: Motor, part: string, onEvent: OnEvent): Promise<void> {
  const named = `the engine ${motor.nome} ${motor.versao}`;
  const { retryMs, slowMsMax } = folders;
  const patience = { ...(retryMs === undefined ? {} : { retryMs }), ...(slowMsMax === undefined ? {} : { slowMsMax }) };
  // A part of an earlier run may have been spoiled by a power cut: then it is fetched once more from its first byte.
  for (const fresh of [(await partSize(part)) === 0, true]) {
    const { nome, versao, tamanho } = motor;
    const progress = progressReporter({ nome, versao, total: tamanho }, await partSize(part), onEvent);
    try {
      await download({ url: motor.url, part, bytes: motor.tamanho, onBytes: progress, ...patience });
      faultPoint('engine-downloaded');
      const sha256 = await hashFile(part);
      if (sha256 !== motor.sha256)
        throw new SvcError('CHECKSUM_MISMATCH', `${named}: the sha256 is ${sha256}, declared is ${motor.sha256}; nothing was extracted`);
      faultPoint('engine-verified');
      return;
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'CHECKSUM_MISMATCH') throw error;
      await rm(part, { force: true });
      await rm(`${part}.etag`, { force: true });
      if (fresh) throw error;
    }
  }
}

/** Before the first byte: the rest of the tarball, and at least as much again for what is in it. Source: rules 2.3 `tamanho`. */
async function checkSpace(root: string, motor: Motor, part: string): Promise<void> {
  const { bavail, bsize } = await statfs(root);
  const free = bavail * bsize;
  const needed = motor.tamanho - Math.min(motor.tamanho, await partSize(part)) + motor.tamanho;
  if (free >= needed) return;
  const mega = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  throw new SvcError(
    'DISK_FULL',
    `the engine ${motor.nome} ${motor.versao} needs ${mega(needed)} on the disk of ${root}, ${mega(free)} are free`,
    {
      needed,
      free,
    },
  );
}

/**
 * Versions and engines that are declared no longer, and the cut downloads of other ones. Only after the new version entered. A version
 * loses its name before its files: half a one would pass for installed when it is declared again.
 */
export async function dropUndeclared(folders: EngineFolders, wanted: readonly Motor[]): Promise<void> {
  const home = join(folders.root, folders.app);
  const kept = new Set(wanted.map((motor) => `${motor.nome}/${motor.versao}`));
  for (const nome of await namesIn(home)) {
    if (nome === '.parts') removeTree(join(home, nome));
    for (const versao of await namesIn(join(home, nome))) {
      if (nome === '.parts' || kept.has(`${nome}/${versao}`) || kept.has(`${nome}/${sealedBy(versao)}`)) continue;
      if (versao !== '.gone') await loseName(join(home, nome, versao));
      removeTree(join(home, nome, '.gone'));
    }
    if (!wanted.some((motor) => motor.nome === nome)) removeTree(join(home, nome));
    faultPoint('engine-old-deleted');
  }
  if (wanted.length === 0) removeTree(home);
}

async function loseName(place: string): Promise<void> {
  const gone = join(dirname(place), '.gone');
  removeTree(gone);
  await rename(place, gone);
  removeTree(gone);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

async function partSize(part: string): Promise<number> {
  return (await stat(part).catch(() => ({ size: 0 }))).size;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
