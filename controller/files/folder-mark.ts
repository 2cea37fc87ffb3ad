/**
 * The mark that shows that a folder changed: for up to some thousands of entries the facts of each, in whatever order they come; for a
 * larger folder its modification time, which shows names that come and go. A listing carries it in its version, so that a watch of the
 * folder begins where the listing was.
 */
import { createHash } from 'node:crypto';
import type { FileEntry } from './file-system.ts';
import { limits } from './limits.ts';

export interface FolderMark {
  readonly text: string;
  /** Only its time says whether it is to be read. */
  readonly isLarge: boolean;
}

/** `modifiedMs`: of the folder, from before its entries were read. */
export function createFolderMark(modifiedMs: number) {
  let sum = 0n;
  let count = 0;
  return {
    add: (entries: readonly FileEntry[]): void => {
      count += entries.length;
      if (count > limits.watchEntriesMax) return;
      for (const { name, bytes, modifiedMs: changedMs, mode, kind } of entries)
        sum += createHash('sha1').update(name).update(`\0${bytes} ${changedMs} ${mode} ${kind}`).digest().readBigUInt64BE();
    },
    isLarge: (): boolean => count > limits.watchEntriesMax,
    mark: (): FolderMark =>
      count > limits.watchEntriesMax ? largeMark(modifiedMs) : { text: `${count}-${sum.toString(16)}`, isLarge: false },
  };
}

export const largeMark = (modifiedMs: number): FolderMark => ({ text: `m${modifiedMs}`, isLarge: true });

export const versionWith = (id: string, { text }: FolderMark): string => `${id}.${text}`;

/** Null: no version of a listing. Its form is that of schema/wire/files.ts. */
export function markIn(version: string | null): FolderMark | null {
  const [, text] = /^[0-9a-f]{32}\.(.+)$/.exec(version ?? '') ?? [];
  return text === undefined ? null : { text, isLarge: text.startsWith('m') };
}
