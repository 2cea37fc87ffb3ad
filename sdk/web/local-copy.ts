/**
 * The local copy of a room in the browser, so that text written without a network survives a reload (rules 2.4, 8): updates as they came,
 * put together once they are many. There is one database per origin; every row carries person, app, room and channel, and is only ever
 * looked up by all four. The copy keeps only what the portal sent and what the page wrote with a role that writes; when a role that may not
 * write finds on connecting that the page holds what the room doesn't, the rows are removed: after a reload the page shows the room. The
 * copy is removed at 4403, 4410 and a null ticket, the portal's own word that this person has no business there. It stays at a 404 and 403,
 * which a portal restored from an old backup also sends, and goes when the room was not opened for 90 days. A full or blocked database
 * costs the copy, not the room: one warning in the console. In path mode all apps share one origin and could read each other's copies: that
 * mode is for trusted apps.
 */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { Papel } from '../../schema/rooms.ts';
import type { Copy } from '../rooms/drive.ts';
import type { Yjs } from '../rooms/libraries.ts';

interface CopyRecord {
  readonly papel: Papel | null;
  /** When it was opened last. */
  readonly vistaEm: number;
}

interface Rooms extends DBSchema {
  copias: { key: string; value: CopyRecord };
  updates: { key: number; value: { readonly copia: string; readonly update: Uint8Array }; indexes: { copia: string } };
}

export interface CopyName {
  readonly usuario: string;
  readonly app: string;
  readonly sala: string;
  readonly canal: string;
}

const databaseName = 'svc-salas';
/** So many updates are put together into one when the room is opened next, or while it is open. */
const updatesMax = 400;
/** Time that leaving a room waits for a browser whose storage does not answer; the pending writes go on. */
const flushWaitMs = 3_000;
/** A copy that was not opened for so long is deleted: its room may be gone without a message to this browser. */
const unusedMs = 90 * 24 * 60 * 60_000;

let opening: Promise<IDBPDatabase<Rooms>> | null = null;

const database = (): Promise<IDBPDatabase<Rooms>> => {
  opening ??= openDB<Rooms>(databaseName, 1, {
    upgrade: (db) => {
      db.createObjectStore('copias');
      db.createObjectStore('updates', { autoIncrement: true }).createIndex('copia', 'copia');
    },
    // Another version of the SDK in another window wants to change it: this one lets go and does without.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
    terminated: () => (opening = null),
  }).catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
};

const nameOf = ({ usuario, app, sala, canal }: CopyName): string => JSON.stringify([usuario, app, sala, canal]);

/** Rejects when the browser keeps nothing (storage blocked or full). */
export async function openCopy(name: CopyName, Y: Yjs, nowMs: number, say: (error: unknown) => void): Promise<Copy> {
  const db = await database();
  const copia = nameOf(name);
  const record = await db.get('copias', copia);
  await db.put('copias', { papel: record?.papel ?? null, vistaEm: nowMs }, copia);
  void forgetUnused(db, nowMs).catch(say);
  const { update, count } = await compact(db, copia, Y);
  return { papel: record?.papel ?? null, update, ...writer(db, copia, count, Y, say) };
}

function writer(
  db: IDBPDatabase<Rooms>,
  copia: string,
  held: number,
  Y: Yjs,
  say: (error: unknown) => void,
): Omit<Copy, 'papel' | 'update'> {
  let count = held;
  let removed = false;
  let failed = false;
  let tail: Promise<unknown> = Promise.resolve();
  /** Runs writes in order; after a failure (the disk is full) nothing more is written, and the next opening has what was before. */
  const queue = (work: () => Promise<unknown>): void => {
    tail = tail.then(work).catch((error: unknown) => {
      if (!failed) say(error);
      failed = true;
    });
  };
  const write = (work: () => Promise<unknown>): void => {
    if (!removed) queue(async () => (failed ? undefined : await work()));
  };
  /** Updates that arrive during a write go together in one transaction. */
  let batch: Uint8Array[] | null = null;
  const put = async (updates: readonly Uint8Array[]): Promise<void> => {
    const transaction = db.transaction('updates', 'readwrite');
    await Promise.all([...updates.map((update) => transaction.store.add({ copia, update })), transaction.done]);
    count += updates.length;
    if (count >= updatesMax) ({ count } = await compact(db, copia, Y));
  };
  return {
    append: (update) => {
      if (removed || failed) return;
      batch?.push(update);
      if (batch !== null) return;
      const mine = [update];
      batch = mine;
      write(async () => {
        if (batch === mine) batch = null;
        await put(mine);
      });
    },
    remember: (papel) => write(async () => await db.put('copias', { papel, vistaEm: Date.now() }, copia)),
    clear: () => {
      batch = null;
      write(async () => await removeUpdates(db, copia));
    },
    remove: () => {
      removed = true;
      queue(async () => {
        await removeUpdates(db, copia);
        await db.delete('copias', copia);
      });
    },
    flushed: async () => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, flushWaitMs)));
      await Promise.race([tail, late]);
      clearTimeout(timer);
    },
  };
}

/** All updates of the copy as one, in one transaction: what another window of the same person added meanwhile is in it too. */
async function compact(
  db: IDBPDatabase<Rooms>,
  copia: string,
  Y: Yjs,
): Promise<{ readonly update: Uint8Array | null; readonly count: number }> {
  const transaction = db.transaction('updates', 'readwrite');
  const index = transaction.store.index('copia');
  const rows = await index.getAll(copia);
  if (rows.length <= 1) {
    await transaction.done;
    return { update: rows[0]?.update ?? null, count: rows.length };
  }
  // A separate document: merging updates without one keeps deleted content.
  const whole = new Y.Doc();
  for (const { update } of rows) Y.applyUpdate(whole, update);
  const update = Y.encodeStateAsUpdate(whole);
  for (const key of await index.getAllKeys(copia)) await transaction.store.delete(key);
  await transaction.store.add({ copia, update });
  await transaction.done;
  return { update, count: 1 };
}

async function removeUpdates(db: IDBPDatabase<Rooms>, copia: string): Promise<void> {
  const transaction = db.transaction('updates', 'readwrite');
  for (const key of await transaction.store.index('copia').getAllKeys(copia)) await transaction.store.delete(key);
  await transaction.done;
}

async function forgetUnused(db: IDBPDatabase<Rooms>, nowMs: number): Promise<void> {
  for (const copia of await db.getAllKeys('copias')) {
    const record = await db.get('copias', copia);
    if (record === undefined || nowMs - record.vistaEm < unusedMs) continue;
    await removeUpdates(db, copia);
    await db.delete('copias', copia);
  }
}
