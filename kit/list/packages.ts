/** Packages that stand in one folder, read only; one that can't be read hides no other. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../../schema/limits.ts';
import type { ListLine } from '../../schema/list-lines.ts';
import { parseManifest } from '../../schema/manifest/minimum.ts';
import { isMissing, readIfThere } from '../atomic-file.ts';
import { currentTag, folderOf, previousTag, recordOf, versionsOf, type Versions } from '../install/versions.ts';
import { cachedPackageHash } from '../launch/package-hash-cache.ts';
import { isAppId } from '../../schema/app-id.ts';
import { errorCode } from '../../schema/system-error.ts';

/** Null when it holds no svc-app.json: then it is no package. Throws when there is one that can't be acted on. */
async function read(parent: string, app: string, account: string | null): Promise<ListLine | null> {
  const root = join(parent, app);
  const manifest = readIfThere(join(root, 'svc-app.json'));
  if (manifest === null) return null;
  if (Buffer.byteLength(manifest) > limits.manifestBytesMax) throw new Error('svc-app.json is larger than the limit');
  const { id } = parseManifest(manifest);
  if (id !== app) throw new Error(`it calls itself ${JSON.stringify(id)}`);
  const versions = versionsOf(parent, app);
  const hash = await hashOf(root, join(versions.root, `${app}.hash`));
  const tag = currentTag(versions);
  const record = tag === null ? null : recordOf(versions, tag);
  const delivered = record === null ? hash : record.installedHash === hash ? record.deliveredHash : null;
  return { event: 'package', account, app, hash, delivered, previous: previousVersion(versions), manifest };
}

function previousVersion(versions: Versions): string | null {
  const tag = previousTag(versions);
  if (tag === null) return null;
  const record = recordOf(versions, tag);
  if (record !== null) return record.version;
  // A plain folder that was taken over has no record.
  try {
    return parseManifest(readIfThere(join(folderOf(versions, tag), 'svc-app.json')) ?? '').version;
  } catch {
    return null;
  }
}

/** An unchanged package is not hashed again. A cache that can't be written only costs time. */
async function hashOf(root: string, cache: string): Promise<string> {
  try {
    return await cachedPackageHash(root, cache);
  } catch {
    return await cachedPackageHash(root, null);
  }
}

export async function listPackages(parent: string, account: string | null, emit: (line: ListLine) => void): Promise<void> {
  let names: string[];
  try {
    names = await readdir(parent);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  for (const app of names.filter(isAppId).sort()) {
    try {
      const line = await read(parent, app, account);
      if (line !== null) emit(line);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // The system refuses to say what is there: that is not "gone".
      const unread = errorCode(error) === '' ? {} : { unread: app };
      emit({ event: 'bad', account, folder: join(parent, app), message: message.slice(0, 1_000), ...unread });
    }
  }
}
