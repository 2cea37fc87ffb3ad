/** Orders of people and the rollbacks that are held, as the api left them in the store. */
import type { HeldRollback, InstallWish } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { syncPackages } from '../package-entries.ts';

/** Reads both levels and makes the entries follow. */
export async function refreshInstalls({ entries, options, queue, recorder }: Context): Promise<void> {
  const { store } = options;
  const [wishes, rollbacks] = await Promise.all([store.installWishes(), store.rollbacks()]);
  const byName = new Map(wishes.map((wish) => [`${wish.person}/${wish.app}`, wish]));
  const byKey = new Map(rollbacks.map((rollback) => [rollback.key, rollback]));
  if (sameWishes(entries.wishes, byName) && sameRollbacks(entries.rollbacks, byKey)) return;
  const before = new Map(entries.packages);
  entries.wishes = byName;
  entries.rollbacks = byKey;
  syncPackages(entries);
  for (const [name, { key }] of before) if (!entries.packages.has(name)) recorder.forget(key);
  for (const entry of entries.packages.values()) queue.add(entry.key, entry.wanted.by === 'wish');
}

function sameWishes(a: ReadonlyMap<string, InstallWish>, b: ReadonlyMap<string, InstallWish>): boolean {
  if (a.size !== b.size) return false;
  return [...b].every(([name, { requestId, version }]) => a.get(name)?.requestId === requestId && a.get(name)?.version === version);
}

function sameRollbacks(a: ReadonlyMap<string, HeldRollback>, b: ReadonlyMap<string, HeldRollback>): boolean {
  if (a.size !== b.size) return false;
  return [...b].every(([key, { requestId }]) => a.get(key)?.requestId === requestId);
}
