/** Makes the one file that goes to a server: a tarball as it is, or a folder packed by the rules of publishing. */
import { randomBytes } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { access, mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { PackageSource } from '../../kit/repository/reading/source.ts';
import type { PackedSource } from '../../controller/hosts/ssh/host.ts';
import { isMissing } from '../../kit/atomic-file.ts';
import { packFolder } from '../../kit/archive/pack.ts';
import { packageChooser } from '../../kit/repository/publishing/package-files.ts';
import { SvcError } from '../../schema/errors.ts';
import { whyUnread } from '../../schema/plain-file.ts';
import { limits } from '../../schema/limits.ts';

/** Rejects PACKAGE_SOURCE_MISSING, FILES_UNREADABLE and PACKAGE_REFUSED, as svc-app-install does for the same folder. */
export async function packSource(asked: Exclude<PackageSource, { readonly kind: 'url' }>, stateDir: string): Promise<PackedSource> {
  const source = path.resolve(asked.path);
  const seen = await stat(source).catch((error: unknown) => {
    throw missing(error, source, `${source} is not there`);
  });
  // The server compares the digest: what was promised is what it takes.
  if (asked.kind === 'tarball') return tarball(source, seen, asked.sha256);
  await access(path.join(source, 'svc-app.json')).catch((error: unknown) => {
    throw missing(error, source, `${source} holds no svc-app.json`);
  });
  const folder = path.join(stateDir, 'tmp');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const out = path.join(folder, `send-${randomBytes(9).toString('hex')}.tgz`);
  try {
    const { bytes, sha256 } = await packFolder(source, { root: 'package', out, chosen: packageChooser(source) });
    return { bytes, sha256, read: () => createReadStream(out), remove: () => rm(out, { force: true }) };
  } catch (error) {
    await rm(out, { force: true });
    if (!(error instanceof SvcError) || error.code !== 'ARCHIVE_REFUSED') throw error;
    throw new SvcError('PACKAGE_REFUSED', `the package is refused: ${error.message}`, error.details, { cause: error });
  }
}

/** A package that can't be read now may be there. */
function missing(error: unknown, source: string, words: string): SvcError {
  return isMissing(error)
    ? new SvcError('PACKAGE_SOURCE_MISSING', words)
    : new SvcError('FILES_UNREADABLE', `${source} can't be read: ${whyUnread(error)}`, {}, { cause: error });
}

function tarball(file: string, seen: Stats, sha256: string): PackedSource {
  if (!seen.isFile()) throw new SvcError('PACKAGE_REFUSED', `the package is refused: ${file} is no plain file`);
  const bytes = seen.size;
  if (bytes > limits.packageTarballBytesMax)
    throw new SvcError('TOO_LARGE', `${file} is larger than ${limits.packageTarballBytesMax} bytes`);
  return { bytes, sha256, read: () => createReadStream(file), remove: async () => undefined };
}
