/** Watches the folder of an app and tells bursts of changed files, without what editors and tools leave there. */
import path from 'node:path';
import { type ChokidarOptions, type FSWatcher, watch } from 'chokidar';
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
  /** The kernel has no watches left for this account: from now on files are looked at every now and then. */
  readonly onPolling: (code: string) => void;
}

/** Makes a watch; tests bring their own. */
type Begin = (folder: string, options: ChokidarOptions) => FSWatcher;

export function watchApp({ folder, clock, ignored, onChange, onError, onPolling }: WatchOptions, beginWatch: Begin = watch): FolderWatch {
  let files = new Map<string, 'add' | 'change' | 'unlink'>();
  let sinceMs = 0;
  let cancel = (): void => {};
  const tell = (): void => {
    const changed = [...files.keys()].sort();
    files = new Map();
    if (changed.length > 0) onChange(changed, sinceMs);
  };
  const relativeOf = (file: string): string => path.relative(folder, file).split(path.sep).join('/');
  const options: ChokidarOptions = {
    ignoreInitial: true,
    // A link out of the folder may lead to a whole disk.
    followSymlinks: false,
    ignored: (file, stats) => {
      const relative = relativeOf(file);
      if (relative === '') return false;
      // Asked once without and once with what it is: a folder's own rules count from the second on.
      return ignored(stats?.isDirectory() === true ? `${relative}/` : relative);
    },
  };
  const onEvent = (event: string, file: string): void => {
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
  };
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  let isClosed = false;
  let watcher: FSWatcher | null = null;
  const begin = (more: ChokidarOptions): void => {
    const made = beginWatch(folder, { ...options, ...more });
    watcher = made;
    made.on('all', onEvent);
    made.on('ready', () => watcher === made && resolve());
    made.on('error', (error) => watcher === made && failed(error instanceof Error ? error : new Error(String(error)), more));
  };
  const failed = (error: NodeJS.ErrnoException, { usePolling }: ChokidarOptions): void => {
    const { code = '' } = error;
    if (usePolling === true || !noWatchesLeft.has(code)) return onError(error);
    void watcher?.close();
    if (isClosed) return;
    onPolling(code);
    begin({ usePolling: true, interval: limits.pollMs, binaryInterval: limits.pollMs });
  };
  begin({});
  return {
    ready,
    close: async () => {
      cancel();
      isClosed = true;
      await watcher?.close();
    },
  };
}

/** inotify instances and watches of the account. Each has a setting of the kernel. */
const noWatchesLeft: ReadonlyMap<string, string> = new Map([
  ['EMFILE', 'sudo sysctl fs.inotify.max_user_instances=1024'],
  ['ENOSPC', 'sudo sysctl fs.inotify.max_user_watches=524288'],
]);

export const watchesLine = (code: string): string => noWatchesLeft.get(code) ?? '';
