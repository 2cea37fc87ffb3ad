/**
 * Where versions are and how one replaces another. `<parent>/<id>` is a link to `.versions/<id>/<tag>`, a folder that is complete before a
 * link names it; one rename of a link is the swap, so the old or the new version is there at every moment, and running instances keep their
 * files. A folder that no link names is a leftover.
 * Decision: docs/decisions/0060-versions-side-by-side.md
 */
import { lstatSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readInstalledRecord, type InstalledRecord } from '../../schema/installed-record.ts';
import { errorCode } from '../../schema/system-error.ts';
import { removeTree } from '../archive/folder-writer.ts';
import { isMissing, readIfThere, unlinkIfThere, writeFileAtomic } from '../atomic-file.ts';
import { isAlive, bootId } from '../processes.ts';
import { faultPoint } from './faults.ts';
import { syncFolder } from '../../schema/sync-folder.ts';
import { readPlainFileSync } from '../../schema/plain-file.ts';

export interface Versions {
  readonly parent: string;
  readonly app: string;
  /** `.versions`, shared by all apps of the scope. */
  readonly root: string;
  /** `.versions/<id>` */
  readonly store: string;
  /** `<parent>/<id>`: what everybody reads. */
  readonly link: string;
}

export function versionsOf(parent: string, app: string): Versions {
  const root = join(parent, '.versions');
  return { parent, app, root, store: join(root, app), link: join(parent, app) };
}

const tagPattern = /^[0-9a-f]{12}$/;

/** The tag that the link names, or null when the link is missing or not in our format. */
function tagAt(path: string): string | null {
  let text: string;
  try {
    text = readlinkSync(path);
  } catch (error) {
    // EINVAL: something else than a link. A path that the disk does not let us read counts as present.
    if (!isMissing(error) && errorCode(error) !== 'EINVAL') throw error;
    return null;
  }
  const tag = text.slice(text.lastIndexOf('/') + 1);
  return tagPattern.test(tag) ? tag : null;
}

export const currentTag = (versions: Versions): string | null => tagAt(versions.link);
export const previousTag = (versions: Versions): string | null => tagAt(join(versions.store, 'previous'));
export const folderOf = (versions: Versions, tag: string): string => join(versions.store, tag);
const recordPath = (versions: Versions, tag: string): string => join(versions.store, `${tag}.json`);

export function recordOf(versions: Versions, tag: string): InstalledRecord | null {
  const text = readIfThere(recordPath(versions, tag));
  return text === null ? null : readInstalledRecord(text);
}

export function writeRecord(versions: Versions, tag: string, record: InstalledRecord): void {
  writeFileAtomic(recordPath(versions, tag), `${JSON.stringify(record)}\n`, { mode: 0o644, durable: true });
}

/** The manifest bytes of the version that the link names; null when there is none. */
export function currentManifest(versions: Versions): Buffer | null {
  try {
    return readPlainFileSync(join(versions.link, 'svc-app.json'));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Makes `link` name `tag` in one step, and replaces an existing link. */
async function point(versions: Versions, link: string, target: string, afterMade?: () => void): Promise<void> {
  const temporary = join(versions.store, `link-${process.pid}`);
  unlinkIfThere(temporary);
  await symlink(target, temporary);
  afterMade?.();
  await rename(temporary, link);
}

/** The complete folder `tag` becomes the current version; the one before stays as `previous`, unless it is not worth going back to. */
export async function swapIn(versions: Versions, tag: string, keepOld: boolean): Promise<void> {
  await adoptPlainFolder(versions);
  const old = keepOld ? currentTag(versions) : null;
  if (old !== null) await point(versions, join(versions.store, 'replaced'), old);
  await syncFolder(versions.store);
  faultPoint('replaced-linked');
  await point(versions, versions.link, `.versions/${versions.app}/${tag}`, () => faultPoint('link-made'));
  await syncFolder(versions.parent);
  faultPoint('swapped');
  if (old !== null) await rename(join(versions.store, 'replaced'), join(versions.store, 'previous'));
  faultPoint('previous-linked');
}

/**
 * A plain folder in the place of the link (put there by hand) becomes a version like any other. Between two system calls nothing is at the
 * link; `adopted` names what to put back.
 */
async function adoptPlainFolder(versions: Versions): Promise<void> {
  if (!isFolder(versions.link)) return;
  const tag = '00000000ad0f';
  removeTree(folderOf(versions, tag));
  await point(versions, join(versions.store, 'adopted'), tag);
  await rename(versions.link, folderOf(versions, tag));
  await point(versions, versions.link, `.versions/${versions.app}/${tag}`);
  unlinkIfThere(join(versions.store, 'adopted'));
}

/** The previous version is current again; the other one is dropped. False when there is none. */
export async function swapBack(versions: Versions): Promise<boolean> {
  const tag = previousTag(versions);
  if (tag === null || !isFolder(folderOf(versions, tag))) return false;
  await point(versions, versions.link, `.versions/${versions.app}/${tag}`, () => faultPoint('rollback-link-made'));
  await syncFolder(versions.parent);
  faultPoint('rolled-back');
  unlinkIfThere(join(versions.store, 'previous'));
  faultPoint('rollback-previous-unlinked');
  await dropLeftovers(versions);
  faultPoint('rollback-deleted');
  return true;
}

/** False when nothing was installed. */
export async function removeAll(versions: Versions): Promise<boolean> {
  await adoptPlainFolder(versions);
  unlinkIfThere(join(versions.store, 'previous'));
  faultPoint('previous-unlinked');
  const was = unlinkIfThere(versions.link);
  if (was) await syncFolder(versions.parent);
  faultPoint('unlinked');
  removeTree(versions.store);
  faultPoint('store-deleted');
  return was;
}

export function dropPrevious(versions: Versions): boolean {
  return unlinkIfThere(join(versions.store, 'previous'));
}

/** Ends what a killed run left half done. Only under the lock of the app. */
export async function recover(versions: Versions): Promise<void> {
  const adopted = tagAt(join(versions.store, 'adopted'));
  if (adopted !== null && !exists(versions.link) && isFolder(folderOf(versions, adopted)))
    await point(versions, versions.link, `.versions/${versions.app}/${adopted}`);
  unlinkIfThere(join(versions.store, 'adopted'));
  const replaced = tagAt(join(versions.store, 'replaced'));
  // The swap had happened, or it had not: either way the two links end as they would have.
  if (replaced !== null && replaced !== currentTag(versions))
    await rename(join(versions.store, 'replaced'), join(versions.store, 'previous'));
  else unlinkIfThere(join(versions.store, 'replaced'));
  if (previousTag(versions) === currentTag(versions)) unlinkIfThere(join(versions.store, 'previous'));
  await dropLeftovers(versions);
}

/** Everything in the store that neither the link nor `previous` names. */
export async function dropLeftovers(versions: Versions): Promise<void> {
  const kept = new Set([currentTag(versions), previousTag(versions)].flatMap((tag) => (tag === null ? [] : [tag, `${tag}.json`])));
  if (kept.size > 0) for (const name of ['previous', 'install.log']) kept.add(name);
  for (const name of await namesIn(versions.store)) {
    if (!kept.has(name)) removeTree(join(versions.store, name));
  }
  if (kept.size === 0) removeTree(versions.store);
}

/** Staging folders of this process: removed when it is ended in the middle. */
const ownStagings = new Set<string>();

/** A folder of our own to stage in; its name says whose it is, so that the next run knows a dead one's. */
export async function makeStaging(parent: string, tag: string, startTicks: number): Promise<string> {
  const folder = join(parent, '.versions', `in.${process.pid}.${startTicks}.${tag}`);
  await mkdir(join(parent, '.versions'), { recursive: true, mode: 0o755 });
  ownStagings.add(folder);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Before an end at any step. The next run removes the rest. */
export function dropOwnStagings(): void {
  for (const folder of ownStagings) {
    try {
      removeTree(folder);
    } catch {
      // Another process still writes into it.
    }
  }
}

/** Staging folders of processes that are gone. */
export async function dropDeadStagings(parent: string): Promise<void> {
  const root = join(parent, '.versions');
  for (const name of await namesIn(root)) {
    const match = /^in\.([0-9]+)\.([0-9]+)\.[0-9a-f]{12}$/.exec(name);
    if (match === null) continue;
    if (isAlive({ pid: Number(match[1]), startTicks: Number(match[2]), bootId: bootId() })) continue;
    removeTree(join(root, name));
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
