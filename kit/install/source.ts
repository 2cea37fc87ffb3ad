/** Finds the source of an installation: a folder, a tarball, or an id that a repository (a folder or an address) knows. */
import { closeSync, fstatSync, lstatSync, statSync } from 'node:fs';
import { copyFile, constants } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathState } from '../atomic-file.ts';
import { appIdFault } from '../../schema/app-id.ts';
import { SvcError } from '../../schema/errors.ts';
import { findPackage, type PackagePlace } from '../repository/reading/find.ts';
import { checkSigned, type Signed } from '../repository/reading/signed-package.ts';
import { packageChooser } from '../repository/publishing/package-files.ts';
import { packageArchive } from '../archive/rules.ts';
import { openNamed, pathOf } from '../beneath.ts';
import { download, fetchDocument, progressReporter } from './download.ts';
import type { OnEvent } from '../../schema/install-events.ts';
import { faultPoint } from './faults.ts';
import { receive, type Incoming } from './input.ts';
import type { Offers } from './requirements.ts';
import { copyTree, hashFile, refusePackage, walkTree } from './tree.ts';
import { unpack } from './unpack.ts';

export type Source =
  | PackagePlace
  /** A tarball that comes in; see input.ts. */
  | ({ readonly kind: 'input'; readonly sha256: string } & Incoming)
  /** Already installed: its engines are looked after. */
  | { readonly kind: 'installed' };

export interface Found {
  readonly source: Source;
  /** The id and version that were asked for; null when the package says. */
  readonly app: string | null;
  readonly version: string | null;
  readonly offers: Offers;
  /** Checked before anything is extracted; absent: no signature is asked for. */
  readonly signed?: Signed;
}

/** `what` as given on the command line: a path holds a `/` or ends like a tarball; everything else is an id, or `id@version`; see `folderOf`. */
export async function findSource(what: string, repository: string, sha256: string | null): Promise<Found> {
  const none: Offers = new Map();
  if (what.includes('/') || what === '.' || /\.(tgz|tar\.gz)$/.test(what)) {
    const path = resolve(what);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new SvcError('PACKAGE_SOURCE_MISSING', `${what} is not there`);
    const source: Source = found.isDirectory() ? { kind: 'folder', path } : { kind: 'tarball', path, sha256 };
    return { source, app: null, version: null, offers: none };
  }
  const match = /^([a-z0-9-]+)(?:@([0-9A-Za-z][0-9A-Za-z.+_-]*))?$/.exec(what);
  if (match?.[1] === undefined) throw new SvcError('BAD_REQUEST', `${JSON.stringify(what)} is neither a folder, a tarball nor an id`);
  const [, app, version = null] = match;
  const fault = appIdFault(app);
  if (fault !== null) throw new SvcError('BAD_REQUEST', fault);
  if (repository === '') return { source: { kind: 'installed' }, app, version, offers: none };
  return { app, ...(await findPackage(repository, { app, version, sha256 }, fetchDocument)) };
}

/**
 * The folder that a word names after all, as `error` says that nobody has it as an id; null: there is none. It is the caller's own and nobody else
 * may write in it: a word installs nothing that another account put into the current directory.
 * Decision: docs/decisions/0364-a-bare-word-is-an-id.md
 */
export function folderOf(what: string, error: unknown, sudoUid: string | undefined): Found | null {
  if (!(error instanceof SvcError) || error.details['unknown'] !== what) return null;
  const path = resolve(what);
  if (pathState(join(path, 'svc-app.json')).kind !== 'present') return null;
  const { uid, mode } = lstatSync(path);
  const own = process.getuid?.() ?? 0;
  const isOwn = uid === own || (own === 0 && sudoUid === String(uid));
  if (!isOwn || (mode & 0o002) !== 0)
    throw new SvcError(
      error.code,
      `${error.message}; the folder ${what} is not yours alone and is installed by its path: svc-app-install ./${what}`,
    );
  return { source: { kind: 'folder', path }, app: null, version: null, offers: new Map() };
}

/** Puts the package into `staging/package`. Validation and extraction use a private copy, which no other process can change. */
export async function stage(
  { source, signed }: Pick<Found, 'signed'> & { readonly source: Exclude<Source, { kind: 'installed' }> },
  staging: string,
  makeFolder: (path: string) => Promise<unknown>,
  onEvent: OnEvent,
): Promise<string> {
  const folder = join(staging, 'package');
  if (source.kind === 'folder') {
    // The same files that publishing would pack: no history, no local secrets, no links of node_modules/.bin.
    const root = openNamed(source.path, 'folder');
    try {
      const tree = await walkTree(root, { chosen: packageChooser(pathOf(root)) });
      if (!tree.files.some(({ path }) => path === 'svc-app.json'))
        throw new SvcError('PACKAGE_SOURCE_MISSING', `${source.path} holds no svc-app.json`);
      await makeFolder(folder);
      await copyTree(root, folder, tree);
      return folder;
    } finally {
      closeSync(root);
    }
  }
  const tarball = join(staging, 'package.tgz');
  if (source.kind === 'url') {
    const onBytes = progressReporter({ nome: source.app, versao: source.version, total: source.bytes }, 0, onEvent);
    await download({ url: source.url, part: tarball, bytes: source.bytes, onBytes });
  } else if (source.kind === 'input') await receive(tarball, source);
  else await copyTarball(source.path, tarball);
  const expected = source.sha256 ?? signed?.claim.sha256;
  const found = expected === undefined ? null : await hashFile(tarball);
  if (source.sha256 !== null && found !== source.sha256)
    throw new SvcError('CHECKSUM_MISMATCH', `the tarball has the sha256 ${found}, expected ${source.sha256}; nothing was extracted`);
  if (signed !== undefined) await checkSigned(tarball, found, signed);
  await unpack(tarball, folder, 'package');
  faultPoint('first-file-copied');
  return folder;
}

async function copyTarball(from: string, to: string): Promise<void> {
  const fd = openNamed(from, 'file');
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) refusePackage(`${from} is no file`);
    if (found.size > packageArchive.tarballBytesMax) refusePackage(`${from} is larger than ${packageArchive.tarballBytesMax} bytes`);
    await copyFile(pathOf(fd), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } finally {
    closeSync(fd);
  }
}
