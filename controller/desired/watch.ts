/** Watches the desired-state folder and reports that something changed; the folder is then read whole. */
import { watch } from 'chokidar';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';

/** Calls `onEdge` once things have been quiet for a moment: editors write a file in several steps. */
export function watchFolder(dir: string, clock: Clock, onEdge: () => void): { close(): Promise<void> } {
  let cancel: (() => void) | null = null;
  const watcher = watch(dir, { depth: 0, ignoreInitial: true });
  watcher.on('all', () => {
    cancel?.();
    cancel = clock.at(clock.monotonicMs() + limits.folderQuietMs, onEdge);
  });
  // A folder that can't be watched is still read at each resync.
  watcher.on('error', () => undefined);
  return {
    close: async () => {
      cancel?.();
      await watcher.close();
    },
  };
}
