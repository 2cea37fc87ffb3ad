/**
 * The hash of an installed package without reading it all at every start: the names, sizes, times and inodes of its files are
 * listed, and only another listing makes the bytes be read again. ctime is in the listing, so no tool can hide a change.
 */
import { createHash } from 'node:crypto';
import { constants, lstatSync, readdirSync } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../../schema/limits.ts';
import { limits as kitLimits } from '../limits.ts';
import { packageHash, type PackageEntry } from '../../schema/package-hash.ts';
import { readEvidence, writeFileAtomic } from '../atomic-file.ts';
import { LaunchRefused } from './refusal.ts';

interface Listed {
  readonly path: string;
  readonly executable: boolean;
  readonly stamp: string;
}

/**
 * Regular files only: links and folders carry no bytes. The first ones are listed at once, since each wait for another thread is a wait for a
 * processor, too: most packages are small, and who waits is a person in front of a start.
 */
async function list(root: string): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  let seen = 0;
  const isFew = (): boolean => seen < kitLimits.packageListedAtOnceMax;
  const walk = async (folder: string): Promise<void> => {
    const from = join(root, folder);
    for (const entry of isFew() ? readdirSync(from, { withFileTypes: true }) : await readdir(from, { withFileTypes: true })) {
      seen += 1;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await walk(path);
      if (!entry.isFile()) continue;
      if (found.length >= limits.packageEntriesMax)
        throw new LaunchRefused('InvalidManifest', 'the package holds more files than the limit');
      const stat = isFew() ? lstatSync(join(root, path), { bigint: true }) : await lstat(join(root, path), { bigint: true });
      const executable = (stat.mode & 0o100n) !== 0n;
      found.push({ path, executable, stamp: `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${executable ? 'x' : '-'}` });
    }
  };
  await walk('');
  return found;
}

/** Hashes one package at a time, through one buffer: two hundred at once would cost memory and win nothing. */
const buffer = Buffer.allocUnsafeSlow(128 * 1_024);
let reading: Promise<unknown> = Promise.resolve();

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

async function hashFiles(dir: string, files: readonly Listed[]): Promise<string> {
  const entries: PackageEntry[] = [];
  for (const file of files) {
    entries.push({ path: file.path, executable: file.executable, sha256: await hashFile(join(dir, file.path)) });
  }
  return packageHash(entries);
}

const inMemory = new Map<string, { readonly listing: string; readonly hash: string }>();

/** Hex hash of the package at `dir`. `cacheFile` (or null) keeps it for the next process. */
export async function cachedPackageHash(dir: string, cacheFile: string | null): Promise<string> {
  const files = await list(dir);
  const listingHash = createHash('sha256').update(dir);
  for (const file of files.map((file) => `\n${file.path}\0${file.stamp}`).sort()) listingHash.update(file);
  const listing = listingHash.digest('hex');
  const known = inMemory.get(dir) ?? (cacheFile === null ? null : readCache(cacheFile));
  if (known?.listing === listing) {
    inMemory.set(dir, known);
    keepCache(cacheFile, listing, known.hash);
    return known.hash;
  }
  const turn = reading.then(() => hashFiles(dir, files));
  reading = turn.catch(() => undefined);
  const hash = await turn;
  inMemory.set(dir, { listing, hash });
  keepCache(cacheFile, listing, hash);
  return hash;
}

/** Also when the hash was known to this process: the next one starts with an empty memory. */
function keepCache(path: string | null, listing: string, hash: string): void {
  if (path !== null && readCache(path)?.listing !== listing) writeFileAtomic(path, `${listing} ${hash}\n`);
}

function readCache(path: string): { readonly listing: string; readonly hash: string } | null {
  const match = /^([0-9a-f]{64}) ([0-9a-f]{64})\n$/.exec(readEvidence(path) ?? '');
  return match?.[1] === undefined || match[2] === undefined ? null : { listing: match[1], hash: match[2] };
}
