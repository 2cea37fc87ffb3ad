/**
 * A snapshot is one file that names its objects. Its name holds the SHA-256 of its text, so that one that was cut or changed is not read.
 * Decision: docs/decisions/0405-objects-and-manifests.md
 */
import { createHash } from 'node:crypto';
import { SvcError } from '../../schema/errors.ts';

/** `state`, `desired`: below that folder. `secret`: an absolute path outside of both. `repository`: below the first folder of them, or an absolute path in another. `rows`: of a database of PostgreSQL. */
export type EntryRoot = 'state' | 'desired' | 'secret' | 'repository' | 'rows';

export interface Entry {
  readonly root: EntryRoot;
  readonly path: string;
  readonly bytes: number;
  readonly mode: number;
  readonly modifiedMs: number;
  /** Facts of its file: while they are the same, it is not read again. Absent: it is always read. */
  readonly stamp?: string;
  /** Its objects are pages of SQLite. */
  readonly isDatabase?: true;
  /** Names of its objects, one behind the other. */
  readonly chunks: readonly string[];
}

export interface Manifest {
  readonly format: 1;
  readonly atMs: number;
  /** Version of svc that made it. */
  readonly svc: string;
  readonly host: string;
  /** Account that the state folder belongs to. */
  readonly owner: string;
  readonly state: string;
  /** Null: it was not known. */
  readonly desired: string | null;
  readonly repository: string | null;
  /** As `Portal.spec.store` names it. */
  readonly store: string;
  readonly entries: readonly Entry[];
  /** Version of the PostgreSQL tables whose rows it has; absent: the store is a file. */
  readonly schema?: number;
  /** Parts that could not be taken, in words. */
  readonly left: readonly string[];
  /** Whether all objects were read and hashed after it was made, or only the new ones. */
  readonly verified: 'all' | 'new';
}

export interface Snapshot {
  /** Name of its file without the end. */
  readonly id: string;
  readonly atMs: number;
}

const namePattern = /^(\d{8}T\d{6}\.\d{3}Z)-([0-9a-f]{16})\.json$/;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

export function manifestFile(manifest: Manifest): { readonly id: string; readonly text: string } {
  const text = JSON.stringify(manifest);
  const time = new Date(manifest.atMs).toISOString().replaceAll(/[-:]/g, '');
  return { id: `${time}-${hashOf(text)}`, text };
}

/** Null: no snapshot has such a name. */
export function snapshotOf(fileName: string): Snapshot | null {
  const [, time, hash] = namePattern.exec(fileName) ?? [];
  if (time === undefined || hash === undefined) return null;
  const [, date = '', clock = ''] = /^(\d{8})T([\d.]+)Z$/.exec(time) ?? [];
  const iso = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${clock.slice(0, 2)}:${clock.slice(2, 4)}:${clock.slice(4)}Z`;
  return { id: `${time}-${hash}`, atMs: Date.parse(iso) };
}

/** Throws DIGEST_MISMATCH for a text that is not the one of this name, BAD_REQUEST for one of a newer svc. */
export function readManifest(id: string, text: string): Manifest {
  if (hashOf(text) !== id.slice(-16))
    throw new SvcError('DIGEST_MISMATCH', `the snapshot ${id} is damaged: its text is not the one of its name`);
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== 1)
    throw new SvcError('BAD_REQUEST', `the snapshot ${id} has format ${String(manifest.format)}, this svc knows 1: run the newer svc`);
  return manifest;
}
