/**
 * A Portal document that names another store than the one of the last start, which holds everybody's sessions, rooms and roles: when the new one is empty,
 * somebody forgot `svc store copy`, and a portal that began anew would fill it. Decision: docs/decisions/0334-an-empty-store-beside-a-full-one.md
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../../schema/errors.ts';
import type { Store } from '../../store/store.ts';
import { rememberedPlace, storeFile, type StorePlace } from './remembered-store.ts';

export interface FreshStoreOptions {
  readonly stateDir: string;
  /** `svc up --fresh`: an empty store is what is wanted. */
  readonly fresh: boolean;
}

/** To be asked before anything is written to it. Rejects CONFLICT. */
export async function refuseForgotten(
  store: Pick<Store, 'events' | 'inForce'>,
  place: StorePlace,
  { stateDir, fresh }: FreshStoreOptions,
): Promise<void> {
  if (fresh) return;
  const before = await rememberedPlace(stateDir, []);
  if (before.store === place.store || !(await isUnused(store))) return;
  const [file, isFile] = [storeFile(before, stateDir), storeFile(place, stateDir) !== null];
  if (file !== null && !isFilled(file)) return;
  const was = file ?? before.store;
  const bring = file === null || isFile ? 'name that one again' : `svc store copy DIR --from ${file} brings it over`;
  throw new SvcError(
    'CONFLICT',
    `Portal.spec.store ${place.store} is empty, and what this portal knew is in ${was}: ${bring}; svc up --fresh begins with nothing`,
  );
}

/** A portal writes both in its first second. */
const isUnused = async (store: Pick<Store, 'events' | 'inForce'>): Promise<boolean> =>
  (await store.events({ limit: 1 })).length === 0 && (await store.inForce()).length === 0;

/** True also for a file that can't be read: it may hold anything. */
function isFilled(file: string): boolean {
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return false;
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      const { filled } = database.prepare('SELECT EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM in_force) AS filled').get() ?? {};
      return filled !== 0;
    } finally {
      database.close();
    }
  } catch {
    return true;
  }
}
