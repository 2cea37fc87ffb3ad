/** Watches the desired-state folder and reports that something changed; the folder is then read whole. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { watch } from 'chokidar';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';

/**
 * Calls `onEdge` once things have been quiet for a moment: editors write a file in several steps. A folder that goes is looked for again from time to
 * time: chokidar would watch the folder above meanwhile, each entry of it at each change, and not see the files of the one that comes.
 */
export function watchFolder(dir: string, clock: Clock, onEdge: () => void): { close(): Promise<void> } {
  let cancelEdge = (): void => {};
  let cancelLook = (): void => {};
  let isClosed = false;
  let end = async (): Promise<void> => {};
  const edge = (): void => {
    if (isClosed) return;
    cancelEdge();
    cancelEdge = clock.at(clock.monotonicMs() + limits.folderQuietMs, onEdge);
  };
  const lookLater = (): void => {
    cancelLook = clock.at(clock.monotonicMs() + limits.folderLookMs, () => void begin(edge));
  };
  const begin = async (found: () => void): Promise<void> => {
    const isThere = await stat(dir).then(
      (facts) => facts.isDirectory(),
      () => false,
    );
    if (isClosed) return;
    if (!isThere) return lookLater();
    found();
    const watcher = watch(dir, { depth: 0, ignoreInitial: true });
    end = async () => await watcher.close();
    watcher.on('all', (event, path) => {
      edge();
      if (event !== 'unlinkDir' || resolve(path) !== resolve(dir) || isClosed) return;
      void watcher.close();
      lookLater();
    });
    // A folder that can't be watched is still read at each resync.
    watcher.on('error', () => undefined);
  };
  void begin(() => undefined);
  return {
    close: async () => {
      isClosed = true;
      cancelEdge();
      cancelLook();
      await end();
    },
  };
}
