/** Folders that are open somewhere, looked at again and again: SFTP tells of no change by itself. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../schema/clock.ts';
import { pathText } from '../../schema/wire/file-path.ts';
import type { WatchLine } from '../../schema/wire/files.ts';
import { isFault } from './file-fault.ts';
import type { FileSystem } from './file-system.ts';
import { limits } from './limits.ts';

/** Null now and then, so that a reader that is gone is noticed. The first look tells nothing. */
export async function* watchFolders(
  fs: FileSystem,
  clock: Clock,
  folders: readonly Buffer[],
  signal: AbortSignal,
): AsyncGenerator<WatchLine | null> {
  const marks = new Map<Buffer, Mark | null>();
  for (const folder of folders) marks.set(folder, await markOf(fs, folder, null));
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

interface Mark {
  readonly text: string;
  /** Too many entries to look at each of them every time. */
  readonly isLarge: boolean;
}

/** Null: it is no folder that the account may read. Of a large folder names that come and go are seen, and not what changes in them. */
async function markOf(fs: FileSystem, folder: Buffer, before: Mark | null): Promise<Mark | null> {
  try {
    const large = async (): Promise<Mark> => ({ text: `large ${(await fs.stat(folder)).modifiedMs}`, isLarge: true });
    if (before?.isLarge === true) {
      const now = await large();
      if (now.text === before.text) return now;
    }
    let sum = 0n;
    let count = 0;
    for await (const entries of fs.list(folder)) {
      for (const { name, bytes, modifiedMs, mode, kind } of entries) {
        // In whatever order they come.
        sum += createHash('sha1').update(name).update(`\0${bytes} ${modifiedMs} ${mode} ${kind}`).digest().readBigUInt64BE();
      }
      count += entries.length;
      if (count > limits.watchEntriesMax) return await large();
    }
    return { text: `${count} ${sum}`, isLarge: false };
  } catch (error) {
    if (isFault(error)) return null;
    throw error;
  }
}

async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.at(clock.monotonicMs() + limits.watchPollMs, resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  cancel();
}
