/** Makes one backup of a site, from the lock of its folder to the removal of old snapshots. */
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { faultPoint } from '../../controller/faults.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { ChunkSink, Written } from '../../store/backup/chunks.ts';
import { openBackupFolder, type BackupFolder } from '../../store/backup/folder.ts';
import type { Manifest } from '../../store/backup/manifest.ts';
import { surplus, type Keep } from '../../store/backup/retention.ts';
import type { TakenRows } from '../../store/backup/postgres-rows.ts';
import { damagedObjects, takeSnapshot, type Taken } from '../../store/backup/take.ts';
import { buildName } from '../up/build-name.ts';
import { storeFile } from '../up/remembered-store.ts';
import { accountName } from './account-name.ts';
import { isWithin, siteOf, type Site } from './site.ts';

export interface MakeOptions {
  readonly stateDir: string;
  readonly to: string;
  /** Null: the one of the last start. */
  readonly desired: string | null;
  readonly keep: Keep;
  /** Every object of the snapshot is read and hashed again, not only new ones. */
  readonly check: boolean;
  readonly clock: Clock;
}

export interface Made {
  readonly id: string;
  readonly atMs: number;
  readonly files: number;
  readonly bytes: number;
  readonly written: Written;
  readonly removed: Written & { readonly snapshots: number };
  readonly verified: Manifest['verified'];
  readonly heldMs: number;
  readonly removalsHeldMs: number;
  readonly tookMs: number;
  readonly left: readonly string[];
}

/** Rejects with a coded error; the snapshots before are whole then. */
export async function makeBackup({ stateDir, to, desired, keep, check, clock }: MakeOptions): Promise<Made> {
  const fromMs = clock.monotonicMs();
  if (isWithin(stateDir, to))
    throw new SvcError('BAD_REQUEST', `${to} is in the state folder, and would be lost with it: name another place`);
  const site = await siteOf(stateDir, desired);
  const folder = await openBackupFolder(to, { makes: true });
  try {
    const before = await lastManifest(folder);
    faultPoint('backup/begun');
    const taken = await take(site, folder, { before, clock });
    const manifest = manifestOf(site, taken, check ? 'all' : 'new');
    if (check) await refuseDamaged(manifest, folder);
    faultPoint('backup/before-manifest');
    const { id } = await folder.add(manifest);
    faultPoint('backup/manifest-written');
    const gone = surplus(await folder.snapshots(), keep);
    const removed = gone.length === 0 ? { objects: 0, bytes: 0 } : await folder.remove(gone);
    faultPoint('backup/pruned');
    const { atMs, written, heldMs, removalsHeldMs } = taken;
    return {
      id,
      atMs,
      files: manifest.entries.length,
      bytes: manifest.entries.reduce((sum, { bytes }) => sum + bytes, 0),
      written,
      removed: { ...removed, snapshots: gone.length },
      verified: manifest.verified,
      heldMs,
      removalsHeldMs,
      tookMs: clock.monotonicMs() - fromMs,
      left: site.left,
    };
  } finally {
    folder.close();
  }
}

export async function take(
  site: Site,
  sink: ChunkSink,
  { before, clock }: { readonly before: Manifest | null; readonly clock: Clock },
): Promise<Taken> {
  const { stateDir, databases, list, place } = site;
  const isFile = storeFile(place, stateDir) !== null;
  // Stamps of another machine or folder say nothing.
  const isSame = before?.state === stateDir && before.host === hostname();
  return await takeSnapshot({
    stateDir,
    databases,
    rows: isFile ? null : async () => await rowsOf(site, sink, clock),
    list,
    sink,
    before: isSame ? before.entries : [],
    clock,
    step: (name) => faultPoint(`backup/${name}`),
  });
}

/** Loaded here: a backup of files would spend more time on the client of PostgreSQL than on files that did not change. */
async function rowsOf({ stateDir, place }: Site, sink: ChunkSink, clock: Clock): Promise<TakenRows> {
  const { takeRows } = await import('../../store/backup/postgres-rows.ts');
  const { postgresPlace } = await import('../up/store-place.ts');
  return await takeRows(await postgresPlace(place, stateDir), sink, clock);
}

export function manifestOf(site: Site, { atMs, entries, schema }: Taken, verified: Manifest['verified']): Manifest {
  const { stateDir, desired, repositories, place, left } = site;
  return {
    format: 1,
    atMs,
    svc: buildName(),
    host: hostname(),
    owner: accountName(statSync(stateDir).uid),
    state: stateDir,
    desired: desired === null ? null : path.resolve(desired),
    repository: repositories[0] ?? null,
    store: place.store ?? '',
    entries,
    ...(schema === undefined ? {} : { schema }),
    left,
    verified,
  };
}

/** Returns the newest manifest; null when there is none or it can't be read: everything is read again then. */
async function lastManifest(folder: BackupFolder): Promise<Manifest | null> {
  const last = (await folder.snapshots()).at(-1);
  return last === undefined ? null : await folder.manifest(last.id).catch(() => null);
}

async function refuseDamaged(manifest: Manifest, folder: BackupFolder): Promise<void> {
  const damaged = await damagedObjects(manifest, (sha) => folder.object(sha));
  for (const sha of damaged) await folder.setAside(sha);
  if (damaged.length > 0)
    throw new SvcError(
      'DIGEST_MISMATCH',
      `${damaged.length} objects of the backup were damaged and are set aside (${damaged[0]}…): make it again, which writes them anew; snapshots that name them can't be restored whole`,
    );
}
