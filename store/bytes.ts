/**
 * Bytes that belong to what the store knows, and are too many for its rows: attachments of rooms; inputs, logs and outputs of jobs. They lie in
 * folders of the state folder (folder-bytes.ts), or in the database that several portals share (postgres-bytes.ts).
 * Decision: docs/decisions/0302-bytes-of-the-store.md
 */
import type { Readable } from 'node:stream';

export interface OpenBytes {
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Both ends belong to it; without them all that was there when it was opened. */
  read(part?: { readonly start?: number; readonly end?: number }): Readable;
  /** Again it does nothing. */
  close(): Promise<void>;
}

/** A file to whose end is written; only one at a time is. */
export interface Growing {
  /** Bytes that are there, with those that were written and are not on the disk yet. */
  size(): number;
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when all written bytes are on the disk. */
  close(): Promise<void>;
}

/** `folder`: a path of names, made by who calls. Rejects DISK_FULL, and STORE_FAILED where the database does not answer. */
export interface Bytes {
  /** Null: it is not there. The caller closes it. */
  open(folder: string, name: string): Promise<OpenBytes | null>;
  /** Makes it when it is not there. The caller closes it. */
  grow(folder: string, name: string): Promise<Growing>;
  /** Takes the place of what has that name; so on the disk when it resolves. Rejects NOT_FOUND when it went meanwhile. */
  rename(folder: string, from: string, to: string): Promise<void>;
  remove(folder: string, name: string): Promise<void>;
  /** With everything in it. */
  removeFolder(folder: string): Promise<void>;
  list(folder: string): Promise<readonly { readonly name: string; readonly modifiedMs: number }[]>;
  /** Folders of the first level. */
  folders(): Promise<readonly string[]>;
  /** Free bytes of the disk; Infinity where they can't be known. */
  freeBytes(): Promise<number>;
}
