/** The databases of this browser. Decision: docs/decisions/0341-what-a-browser-may-refuse.md */
import { deleteDB, openDB, type IDBPDatabase } from 'idb';
import { inTime } from './in-time.ts';

/** A disk that wakes up takes a second or two. */
const databaseMsMax = 3_000;

/** Runs a single act on a database that `upgrade` creates. Rejects where the browser keeps nothing, or does not answer. */
export async function inDatabase<Shelf, T>(
  name: string,
  upgrade: (fresh: IDBPDatabase<Shelf>) => void,
  act: (db: IDBPDatabase<Shelf>) => Promise<T>,
): Promise<T> {
  const done = async (): Promise<T> => {
    const db = await openDB<Shelf>(name, 1, { upgrade });
    try {
      return await act(db);
    } finally {
      db.close();
    }
  };
  return await inTime(done(), databaseMsMax, name);
}

export async function dropDatabase(name: string): Promise<void> {
  await inTime(deleteDB(name), databaseMsMax, name);
}

/** Whether there is one; true where the browser does not say. */
export async function hasDatabase(name: string): Promise<boolean> {
  if (!('databases' in indexedDB)) return true;
  return (await inTime(indexedDB.databases(), databaseMsMax, name)).some((each) => each.name === name);
}
