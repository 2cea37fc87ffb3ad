/** `Portal/<name>`: the folder of desired state as a whole: in force, broken (the last good state stays), or waiting for `--prune`. */
import { portalMemory, decidePortal, type PortalDesired, type PortalMemory, type PortalObserved } from '../../reconcilers/portal.ts';
import { keys } from '../../schema/keys.ts';
import { watchFolder } from '../desired/watch.ts';
import { rereadFolder } from '../loop/apply.ts';
import type { World } from '../world.ts';
import type { Kind } from './kind.ts';

export const portalKind: Kind<World, PortalDesired, PortalObserved, PortalMemory> = {
  name: 'Portal',
  entries: (world) => [world],
  // There is one, whatever its document is called.
  find: (world) => world,
  keyOf,
  lane: () => '',
  observe: async (context) => {
    await rereadFolder(context, false);
    return true;
  },
  desired: (_context, { portal }) => ({ generation: portal?.generation ?? 0 }),
  observed: ({ source }) => {
    const { held, why } = source.current();
    return { errors: source.errors(), held, why };
  },
  decide: decidePortal,
  memory: portalMemory,
  report: ({ source }, { portal }, { observed }) => ({
    generation: portal?.generation ?? 0,
    details: {
      objects: source.current().documents.size,
      errors: observed.errors,
      warnings: source.warnings(),
      pendingPrune: observed.held,
    },
  }),
  watch: ({ options, queue, world }) => {
    const watcher = watchFolder(options.dir, options.clock, () => queue.add(keyOf(world), false));
    return () => watcher.close();
  },
  remembers: () => true,
};

function keyOf({ portal }: World): string {
  return keys.portal(portal?.document.metadata.name ?? 'portal');
}
