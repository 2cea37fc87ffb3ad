/** Writes to the store how people's orders for packages and held rollbacks ended, once they are decided. */
import type { ActionOf } from '../../reconcilers/actions.ts';
import { publishGone } from '../package-news.ts';
import type { ExecutorOptions, Executors } from './guarded.ts';

export function wishExecutors(options: ExecutorOptions): Pick<Executors, 'rollback/end' | 'wish/end' | 'wish/keep'> {
  const { entries, store, bus, onInstalls } = options;
  return {
    'rollback/end': async ({ key, requestId }) => {
      // Another one may have been asked for since.
      if (entries.rollbacks.get(key)?.requestId === requestId) await store.deleteRollback(key);
      await onInstalls();
    },
    'wish/end': async ({ person, app, requestId, outcome }) => {
      await store.deleteInstallWish(person, app, requestId);
      if (outcome !== 'overruled') publishGone(bus, person, app, outcome === 'cancelled');
      await onInstalls();
    },
    'wish/keep': (action) => keepWish(options, action),
  };
}

async function keepWish({ store, onInstalls }: ExecutorOptions, { person, app, requestId, version }: ActionOf<'wish/keep'>): Promise<void> {
  const wish = await store.installWish(person, app);
  // A newer order is not touched.
  if (wish?.requestId === requestId) await store.putInstallWish({ person, app, version, requestId, atMs: wish.atMs });
  await onInstalls();
}
