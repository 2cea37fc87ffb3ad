/** Names in a folder and all below it, the nearest first. */
import type { Clock } from '../../schema/clock.ts';
import { nameText } from '../../schema/wire/file-path.ts';
import type { SearchLine } from '../../schema/wire/files.ts';
import { isFault } from './file-fault.ts';
import { joined, type FileEntry, type FileSystem } from './file-system.ts';
import { itemOf, targetOf } from './items.ts';
import { limits } from './limits.ts';
import { foldedName } from './name-order.ts';
import { createSlices } from './slices.ts';

export interface SearchOrder {
  readonly folder: Buffer;
  readonly text: string;
  readonly hidden: boolean;
  readonly signal: AbortSignal;
}

export async function* search(fs: FileSystem, clock: Clock, { folder, text, hidden, signal }: SearchOrder): AsyncGenerator<SearchLine> {
  const wanted = foldedName(text);
  const untilMs = clock.monotonicMs() + limits.searchMsMax;
  const step = createSlices();
  const folders = [folder];
  let [seen, found, refused] = [0, 0, 0];
  const isOver = (): boolean =>
    found >= limits.searchResultsMax || seen >= limits.searchEntriesMax || clock.monotonicMs() > untilMs || signal.aborted;
  for (let next = folders.shift(); next !== undefined && !isOver(); next = folders.shift()) {
    const at = next;
    try {
      for await (const entries of fs.list(at)) {
        for (const entry of entries) {
          seen += 1;
          if (!hidden && entry.name[0] === 0x2e) continue;
          if (entry.kind === 'folder') folders.push(joined(at, entry.name));
          const wait = step();
          if (wait !== null) await wait;
          if (!foldedName(nameText(entry.name)).includes(wanted)) continue;
          found += 1;
          yield { item: await itemAt(fs, at, entry) };
          if (isOver()) break;
        }
        if (isOver()) break;
      }
    } catch (error) {
      if (!isFault(error) || at === folder) throw error;
      refused += 1;
    }
  }
  yield { fim: true, vistos: seen, recusadas: refused, cortada: isOver() };
}

async function itemAt(fs: FileSystem, folder: Buffer, entry: FileEntry) {
  const path = joined(folder, entry.name);
  return itemOf(path, entry, entry.kind === 'link' ? await targetOf(fs, path) : null);
}
