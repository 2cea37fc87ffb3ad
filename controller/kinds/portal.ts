/** `Portal/<name>`: the folder of desired state as a whole: in force, broken (the last good state stays), or waiting for `--prune` or a restart. */
import { portalMemory, decidePortal, type PortalDesired, type PortalMemory, type PortalObserved } from '../../reconcilers/portal.ts';
import type { BackupStanding } from '../../schema/backups.ts';
import { keys } from '../../schema/keys.ts';
import { waitingForRestart } from '../desired/restart.ts';
import { watchFolder } from '../desired/watch.ts';
import { rereadFolder } from '../apply.ts';
import type { Entries } from '../entries.ts';
import type { Kind } from './kind.ts';

export const portalKind: Kind<Entries, PortalDesired, PortalObserved, PortalMemory> = {
  name: 'Portal',
  entries: (entries) => [entries],
  // There is exactly one, under any document name.
  find: (entries) => entries,
  keyOf,
  lane: () => '',
  observe: async (context) => {
    const { options, entries } = context;
    // The list stays as it was while the database does not answer.
    entries.portals = (await options.portals?.().catch(() => null)) ?? entries.portals;
    await rereadFolder(context, false);
    return true;
  },
  desired: (_context, { portal }) => ({ generation: portal?.generation ?? 0 }),
  observed: ({ source, options }, { portal }) => {
    const { held, why: ofFolder, people } = source.current();
    const why = [ofFolder, ...(people?.waiting.values() ?? [])].filter((each) => each !== null).join('; ') || null;
    const waiting = waitingForRestart(options.startedWith?.() ?? null, portal?.document.spec ?? {});
    return { errors: source.errors(), held, why, waiting };
  },
  decide: decidePortal,
  memory: portalMemory,
  report: ({ source, options }, { portal, portals }, { observed }) => ({
    generation: portal?.generation ?? 0,
    details: {
      objects: source.current().documents.size,
      errors: observed.errors,
      warnings: source.warnings(),
      pendingPrune: observed.held,
      ...(portals.length === 0 ? {} : { portals }),
      ...backupsOf(options.backups?.() ?? null),
    },
  }),
  watch: ({ options, queue, entries }) => {
    const watcher = watchFolder(options.dir, options.clock, () => queue.add(keyOf(entries), false));
    return () => watcher.close();
  },
  remembers: () => true,
};

/** The part of the key that changes when a backup was made or failed, and not with time. */
const backupsOf = (backup: BackupStanding | null): { readonly backup?: BackupStanding } => (backup === null ? {} : { backup });

function keyOf({ portal }: Entries): string {
  return keys.portal(portal?.document.metadata.name ?? 'portal');
}
