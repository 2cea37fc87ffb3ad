/** Where attachments of rooms and files of jobs lie: in folders of the state folder, or in the database that portals share. */
import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { ClientBase, Pool } from 'pg';
import type { Logger } from 'pino';
import { markAttachments } from '../../store/attachments-mark.ts';
import { removedAfterBackups } from '../../store/backup/held-files.ts';
import type { Bytes } from '../../store/bytes.ts';
import { copyBytes } from '../../store/bytes-move.ts';
import { createFolderBytes } from '../../store/folder-bytes.ts';
import { bytesInTransaction, createPostgresBytes } from '../../store/postgres-bytes.ts';
import { alone } from '../../store/postgres-alone.ts';
import { inTransaction, storeError } from '../../store/postgres-patience.ts';
import { faultPoint } from '../../controller/faults.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';

export interface StoredBytes {
  readonly attachments: Bytes;
  /** Inputs, logs and outputs of jobs. */
  readonly jobFiles: Bytes;
  /** Why the attachments are not taken for the store's own, so that nothing of them is collected; null: they are. */
  readonly attachmentsTrouble: string | null;
}

const names = ['anexos', 'fila'] as const;

/** By their names in a database. */
export const byteFolders = (stateDir: string): Readonly<Record<(typeof names)[number], string>> => ({
  anexos: path.join(stateDir, 'anexos'),
  fila: path.join(stateDir, 'fila'),
});

export interface StoredBytesOptions {
  readonly stateDir: string;
  readonly store: Store;
  /** Null: the store is a file. */
  readonly pool: Pool | null;
  readonly clock: Clock;
  readonly log: Logger;
}

export async function openStoredBytes({ stateDir, store, pool, clock, log }: StoredBytesOptions): Promise<StoredBytes> {
  const folders = byteFolders(stateDir);
  if (pool === null) {
    return {
      attachments: removedAfterBackups(createFolderBytes(folders.anexos), stateDir, clock),
      jobFiles: removedAfterBackups(createFolderBytes(folders.fila), stateDir, clock),
      attachmentsTrouble: await markAttachments(folders.anexos, store),
    };
  }
  if (names.some((name) => existsSync(folders[name]))) {
    // Portals that begin at once, each with a folder of its own: what one of them moved the next one finds.
    await alone(pool, clock, async (client) => {
      for (const name of names) await moveFolder({ name, folder: folders[name], store, client, clock, log });
    });
  }
  return {
    attachments: createPostgresBytes(pool, clock, 'anexos'),
    jobFiles: createPostgresBytes(pool, clock, 'fila'),
    attachmentsTrouble: null,
  };
}

/** Moves the files that an earlier portal kept in a folder although its store was the database already. */
async function moveFolder(
  options: Pick<StoredBytesOptions, 'store' | 'clock' | 'log'> & {
    readonly name: (typeof names)[number];
    readonly folder: string;
    readonly client: ClientBase;
  },
): Promise<void> {
  const { name, folder, store, client, clock, log } = options;
  if (!existsSync(folder)) return;
  const trouble = name === 'anexos' ? await markAttachments(folder, store) : null;
  if (trouble !== null) return log.error({ trouble }, 'they stay in the folder, and nobody sees them');
  try {
    const moved = await inTransaction(client, async () => {
      const copied = await copyBytes(folder, bytesInTransaction(client, name));
      faultPoint(`up/${name}-copied`);
      return copied;
    });
    const kept = `${folder}.moved-${clock.nowMs()}`;
    renameSync(folder, kept);
    if (moved.files > 0) log.warn({ ...moved, kept }, 'the files were moved into the database');
  } catch (error) {
    throw storeError(error);
  }
}
