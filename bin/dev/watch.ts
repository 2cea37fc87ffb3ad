/** Watches the folder of an app and tells bursts of changed files, without what editors and tools leave there. */
import path from 'node:path';
import { watch } from 'chokidar';
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';

export interface FolderWatch {
  /** Resolves when every change from then on is seen. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export interface WatchOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Below the folder, with '/'; a folder ends in '/'. */
  readonly ignored: (relative: string) => boolean;
  readonly onChange: (files: readonly string[], sinceMs: number) => void;
  readonly onError: (error: Error) => void;
}

export function watchApp({ folder, clock, ignored, onChange, onError }: WatchOptions): FolderWatch {
  let files = new Map<string, 'add' | 'change' | 'unlink'>();
  let sinceMs = 0;
  let cancel = (): void => {};
  const tell = (): void => {
    const changed = [...files.keys()].sort();
    files = new Map();
    if (changed.length > 0) onChange(changed, sinceMs);
  };
  const relativeOf = (file: string): string => path.relative(folder, file).split(path.sep).join('/');
  const watcher = watch(folder, {
    ignoreInitial: true,
    // A link out of the folder may lead to a whole disk.
    followSymlinks: false,
    ignored: (file, stats) => {
      const relative = relativeOf(file);
      if (relative === '') return false;
      // Asked once without and once with what it is: a folder's own rules count from the second on.
      return ignored(stats?.isDirectory() === true ? `${relative}/` : relative);
    },
  });
  watcher.on('all', (event, file) => {
    // Folders come and go with what is in them.
    if (event !== 'add' && event !== 'change' && event !== 'unlink') return;
    const nowMs = clock.monotonicMs();
    if (files.size === 0) sinceMs = nowMs;
    const relative = relativeOf(file);
    // Came and went: a temporary file of an editor whose name says nothing.
    if (event === 'unlink' && files.get(relative) === 'add') files.delete(relative);
    else if (!files.has(relative) || event !== 'change') files.set(relative, event);
    cancel();
    cancel = clock.at(Math.min(nowMs + limits.quietMs, sinceMs + limits.burstMsMax), tell);
  });
  watcher.on('error', (error) => onError(error instanceof Error ? error : new Error(String(error))));
  return {
    ready: new Promise((resolve) => watcher.once('ready', () => resolve())),
    close: async () => {
      cancel();
      await watcher.close();
    },
  };
}
