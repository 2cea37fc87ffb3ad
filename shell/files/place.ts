/** Place that a window of files shows: a folder, the trash, or the results of a search; each with the source of its entries. */
import type { FileItem, TrashItem } from '../../schema/wire/files.ts';
import { listFolder, listTrash, searchFiles, type ListBy } from '../session/files-api.ts';
import { createListing, fixedListing, type Listing } from './listing.ts';
import { watchFolder } from './watching.ts';

/** Watched, once it was read: what changes is read again. */
export function folderListing(path: string, by: ListBy): Listing {
  const listing = createListing(async (page) => await listFolder(path, by, page));
  let end: (() => void) | null = null;
  const stop = listing.state.subscribe(() => {
    const { total, problem } = listing.state.get();
    if (total !== null || problem !== null)
      end ??= watchFolder(
        path,
        () => listing.refresh(),
        () => listing.version(),
      );
  });
  return {
    ...listing,
    // At once where all of it is here: the next key is for what is found. Else the portal knows it.
    find: async (comeca, desde) => {
      if (listing.isWhole()) return await listing.find(comeca, desde);
      const versao = listing.version();
      const answer = await listFolder(path, by, { desde, limite: 1, comeca, ...(versao === null ? {} : { versao }) });
      return answer.itens.length === 0 ? null : answer.desde;
    },
    close: () => {
      stop();
      end?.();
      listing.close();
    },
  };
}

/** Its entries have their names in the trash for paths, and when they were deleted for a date. */
const ofTrash = ({ id, nome, tipo, bytes, apagadoMs }: TrashItem): FileItem => ({
  nome,
  caminho: id,
  tipo,
  bytes,
  modificadoMs: apagadoMs ?? 0,
  modo: 0,
  oculto: false,
  atalho: false,
});

/** The portal has no versions of it: a new one begins with each change from this page, which `changes` counts. */
export const trashListing = (changes: () => number): Listing =>
  createListing(async ({ desde, limite }) => {
    const versao = String(changes());
    const { total, itens } = await listTrash(desde, limite);
    return { total, ocultos: 0, itens: itens.map(ofTrash), versao, cortada: false };
  });

export interface Found {
  readonly listing: Listing;
  readonly isOver: boolean;
  readonly isCut: boolean;
  /** Folders that the account may not read. */
  readonly refused: number;
}

/** Interval at which the results so far are shown. */
const showMs = 200;

/** Calls `show` with what was found so far, until all was looked through. Rejects when it can't be searched. */
export async function search(
  path: string,
  words: string,
  hidden: boolean,
  signal: AbortSignal,
  show: (found: Found) => void,
): Promise<void> {
  const items: FileItem[] = [];
  let shownMs = 0;
  const tell = (isOver: boolean, isCut: boolean, refused: number): void =>
    show({ listing: fixedListing([...items], isCut, () => undefined), isOver, isCut, refused });
  tell(false, false, 0);
  for await (const line of searchFiles(path, words, hidden, signal)) {
    if (line === null) continue;
    if ('fim' in line) return tell(true, line.cortada, line.recusadas);
    items.push(line.item);
    if (performance.now() - shownMs < showMs) continue;
    shownMs = performance.now();
    tell(false, false, 0);
  }
  tell(true, true, 0);
}
