/** Folders that are open somewhere, read again and again: SFTP reports no change by itself. */
import type { Clock } from '../../schema/clock.ts';
import { pathText } from '../../schema/wire/file-path.ts';
import type { WatchLine } from '../../schema/wire/files.ts';
import { isFault } from './file-fault.ts';
import type { FileSystem } from './file-system.ts';
import { createFolderMark, largeMark, type FolderMark } from './folder-mark.ts';
import { limits } from './limits.ts';

interface Watched {
  readonly folder: Buffer;
  /** The mark at the listing; null: the first read sets it and reports nothing. */
  readonly mark: FolderMark | null;
}

/** Null at once, and now and then, so that a reader that is gone is noticed. */
export async function* watchFolders(
  fs: FileSystem,
  clock: Clock,
  watched: readonly Watched[],
  signal: AbortSignal,
): AsyncGenerator<WatchLine | null> {
  const marks = new Map<Buffer, FolderMark | null>();
  for (const { folder, mark } of watched) marks.set(folder, mark ?? (await markOf(fs, folder, null)));
  yield null;
  while (!signal.aborted) {
    await pause(clock, signal);
    for (const [folder, before] of marks) {
      if (signal.aborted) return;
      const now = await markOf(fs, folder, before);
      marks.set(folder, now);
      if (now?.text === before?.text) continue;
      yield { caminho: pathText(folder), evento: now === null ? 'sumiu' : 'mudou' };
    }
    yield null;
  }
}

/** Null: it is no folder that the account may read. A large folder is not read again while its time is the same. */
async function markOf(fs: FileSystem, folder: Buffer, before: FolderMark | null): Promise<FolderMark | null> {
  try {
    const { modifiedMs } = await fs.stat(folder);
    if (before?.isLarge === true && largeMark(modifiedMs).text === before.text) return before;
    const reading = createFolderMark(modifiedMs);
    for await (const entries of fs.list(folder)) {
      reading.add(entries);
      if (reading.isLarge()) break;
    }
    return reading.mark();
  } catch (error) {
    if (isFault(error)) return null;
    throw error;
  }
}

async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.at(clock.monotonicMs() + limits.watchPollMs, resolve);
  const end = (): void => resolve();
  signal.addEventListener('abort', end, { once: true });
  await promise;
  signal.removeEventListener('abort', end);
  cancel();
}
