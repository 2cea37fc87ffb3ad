/** The documents in force as the leading portal left them in the store: for the portals that do not lead. */
import type { Store } from '../../store/store.ts';
import { take, thaw, valueName, type DesiredSource, type InForce } from './in-force.ts';
import { readFolder } from './read-folder.ts';

export async function openFollowedSource(_dir: string, store: Store): Promise<DesiredSource> {
  let text = await store.value(valueName);
  let inForce = thaw(text, await store.inForce());
  return {
    current: () => inForce,
    // Errors of the folder, which only the leading portal reads.
    errors: () => [],
    warnings: () => [],
    reread: async () => {
      const now = await store.value(valueName);
      if (now === text) return false;
      inForce = sameObjects(inForce, thaw(now, await store.inForce()));
      text = now;
      return true;
    },
    // Lists that this portal saw serve its own answers only: the leading portal decides who the people are.
    takePeople: async () => false,
    lists: () => new Map(),
    preview: async (from, prune, lists = new Map()) => {
      const answer = await readFolder(from);
      return answer.ok ? { inForce: take(inForce, answer, prune, lists), errors: [] } : { inForce, errors: answer.errors };
    },
    finishLeaving: async () => undefined,
    giveUp: async () => undefined,
  };
}

/** An unchanged document stays the same object: the loop skips what it owns without comparing it again. */
function sameObjects(before: InForce, next: InForce): InForce {
  const kept = (one: InForce['documents'], other: InForce['documents']): InForce['documents'] =>
    new Map(
      [...other].map(([name, placed]) => {
        const known = one.get(name);
        const isSame =
          known?.digest === placed.digest &&
          known.generation === placed.generation &&
          known.isLost === placed.isLost &&
          known.from === placed.from;
        return [name, isSame ? known : placed];
      }),
    );
  return { ...next, documents: kept(before.documents, next.documents), leaving: kept(before.leaving, next.leaving) };
}
