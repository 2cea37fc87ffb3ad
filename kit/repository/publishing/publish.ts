/**
 * From an author's folder to a version in a repository: judged, packed, opened again as who installs it would, judged once more,
 * and only then given to the repository. A publish that fails at any of these leaves the version free.
 */
import { createReadStream, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { FileReport } from '../../../schema/findings.ts';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../../../schema/limits.ts';
import { isMissing } from '../../atomic-file.ts';
import { extractArchive } from '../../archive/extract.ts';
import { packFolder } from '../../archive/pack.ts';
import { packageArchive } from '../../archive/rules.ts';
import { type Chooser, type WalkedEntry, walkFolder } from '../../archive/walk.ts';
import { type Judged, judgePackage } from './judge-package.ts';
import { packageChooser } from './package-files.ts';
import { openRepositoryFolder, publishPackage, stage } from './folder.ts';
import { type SigningKey, signTarball } from './sign.ts';
import { packageAddress, upload } from './upload.ts';

/** Where versions go. */
export type Destination =
  | { readonly kind: 'folder'; readonly dir: string }
  | { readonly kind: 'address'; readonly base: URL; readonly token: string };

interface Options {
  /** Null: nothing is published, everything else is done. */
  readonly destination: Destination | null;
  readonly nowMs: number;
  /** Null: it is not signed. */
  readonly key?: SigningKey | null;
}

export interface Published {
  readonly report: FileReport;
  /** Text of svc-app.json. */
  readonly text: string;
  readonly entries: readonly WalkedEntry[];
  /** Null when the report has errors; then nothing was packed. */
  readonly tarball: { readonly id: string; readonly version: string; readonly sha256: string; readonly tamanho: number } | null;
  readonly outcome: 'refused' | 'checked' | 'published' | 'unchanged';
}

/** Rejects ARCHIVE_REFUSED, PACKAGE_REFUSED, VERSION_TAKEN and the errors of the repository. */
export async function publishApp(dir: string, { destination, nowMs, key = null }: Options): Promise<Published> {
  const chosen = packageChooser(dir);
  if (destination?.kind === 'folder') refuseWithin(dir, destination.dir, chosen);
  const entries = walkFolder(dir, packageArchive, chosen);
  const shownAs = join(dir, 'svc-app.json');
  const judged = await judgePackage(dir, entries, shownAs);
  if (judged.manifest === null) return { report: judged.report, text: judged.text, entries, tarball: null, outcome: 'refused' };
  const workshop = await mkdtemp(join(tmpdir(), 'svc-publish-'));
  try {
    const { id, version } = judged.manifest;
    const out = join(workshop, 'package.tgz');
    const packed = await pack(dir, judged, chosen, out);
    const opened = await open(out, workshop, `${id}-${version}`, shownAs);
    if (opened.manifest?.id !== id || opened.manifest.version !== version)
      throw new SvcError('PACKAGE_REFUSED', `${shownAs} changed while it was packed: try again`);
    const tarball = { id, version, sha256: packed.sha256, tamanho: packed.bytes };
    const signature = key === null ? null : await signTarball(out, { app: id, version, sha256: packed.sha256 }, key);
    const outcome = destination === null ? 'checked' : await give(destination, { out, opened, packed, signature }, nowMs);
    return { report: opened.report, text: opened.text, entries: packed.entries, tarball, outcome };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** A repository within the package would go into each next version, with every version before it. */
function refuseWithin(dir: string, repository: string, chosen: Chooser): void {
  const below = relative(realpathSync(dir), realPathOf(resolve(repository)));
  if (below === '..' || below.startsWith(`..${sep}`)) return;
  const folders = below === '' ? [] : below.split(sep);
  if (folders.some((_, at) => !chosen(`${folders.slice(0, at + 1).join('/')}/`))) return;
  throw new SvcError(
    'BAD_REQUEST',
    `the repository ${repository} lies in the folder of the app and would be packed with it: put it beside, or name it in .svcignore`,
  );
}

/** Resolves the existing part of the path; the rest stays as written. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (!isMissing(error) || parent === path) throw error;
    return join(realPathOf(parent), basename(path));
  }
}

type Packed = Awaited<ReturnType<typeof packFolder>>;

async function pack(dir: string, { manifest }: Judged, chosen: Chooser, out: string): Promise<Packed> {
  return await packFolder(dir, { root: `${manifest?.id}-${manifest?.version}`, out, chosen });
}

/** The same eyes as the repository's: what was packed, not what lies in the author's folder. */
async function open(out: string, workshop: string, root: string, shownAs: string): Promise<Judged> {
  const folder = join(workshop, 'opened');
  await extractArchive(out, folder, { limits: packageArchive, root });
  return await judgePackage(folder, walkFolder(folder, packageArchive), shownAs);
}

interface Given {
  readonly out: string;
  readonly opened: Judged;
  readonly packed: Packed;
  readonly signature: string | null;
}

async function give(
  destination: Destination,
  { out, opened, packed, signature }: Given,
  nowMs: number,
): Promise<'published' | 'unchanged'> {
  const { manifest, icon, shop, novidades } = opened;
  if (manifest === null) throw new SvcError('INTERNAL', 'a package without a manifest');
  if (destination.kind === 'address') {
    const address = packageAddress(destination.base, manifest.id, manifest.version);
    return await upload(address, destination.token, { path: out, sha256: packed.sha256, bytes: packed.bytes, novidades, signature });
  }
  const root = resolve(destination.dir);
  await openRepositoryFolder(root);
  const staged = await stage(root, createReadStream(out), limits.packageTarballBytesMax);
  return (await publishPackage(root, staged, { manifest, novidades, icon, shop, signature }, nowMs)).outcome;
}
