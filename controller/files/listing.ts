/** Folders page by page: what was read once serves the pages after the first, in any order. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../schema/clock.ts';
import type { ListOptions } from '../../schema/files.ts';
import { pathText, shownName } from '../../schema/wire/file-path.ts';
import type { FileItem, ListAnswer } from '../../schema/wire/files.ts';
import { joined, type FileEntry, type FileFacts, type FileSystem } from './file-system.ts';
import { createFolderMark, versionWith, type FolderMark } from './folder-mark.ts';
import { itemOf, targetOf } from './items.ts';
import { isOnItsWay } from './leftovers.ts';
import { createLargeFolders, type LargeFolder } from './large-folders.ts';
import { limits } from './limits.ts';
import { compareNames, foldedName } from './name-order.ts';
import { createSlices, ownTurn, sortInSlices } from './slices.ts';

interface Row {
  readonly entry: FileEntry;
  readonly shown: string;
  /** Facts of a link's target; undefined: not read yet. */
  target?: FileFacts | null;
}

interface Listing {
  readonly owner: string;
  readonly folder: Buffer;
  readonly rows: readonly Row[];
  /** So many of the rows are hidden ones. */
  readonly hidden: number;
  readonly cut: boolean;
  /** Memory that it takes, about. */
  readonly bytes: number;
  readonly untilMs: number;
  sorted: { readonly by: string; readonly rows: readonly Row[] } | null;
}

interface Asked {
  readonly owner: string;
  readonly fs: FileSystem;
  readonly folder: Buffer;
  readonly options: ListOptions;
  readonly seen: ((entries: readonly FileEntry[]) => void) | undefined;
  readonly large: LargeFolder;
}

export interface Listings {
  /** `owner`: whose files these are; nobody else gets a page of it. `seen` gets what is read from the server, in pieces. */
  page(
    owner: string,
    fs: FileSystem,
    folder: Buffer,
    options: ListOptions,
    seen?: (entries: readonly FileEntry[]) => void,
  ): Promise<ListAnswer>;
}

export function createListings(clock: Clock): Listings {
  const kept = new Map<string, Listing>();
  const forget = (): void => {
    const nowMs = clock.monotonicMs();
    const own = new Map<string, { listings: number; bytes: number }>();
    let all = 0;
    for (const [version, { owner, bytes, untilMs }] of [...kept].toReversed()) {
      const theirs = own.get(owner) ?? { listings: 0, bytes: 0 };
      const isOverOwn =
        theirs.listings >= limits.listingsKeptMax || (theirs.listings > 0 && theirs.bytes + bytes > limits.listingBytesOfPersonMax);
      if (untilMs < nowMs || isOverOwn || all + bytes > limits.listingBytesKeptMax) {
        kept.delete(version);
        continue;
      }
      all += bytes;
      own.set(owner, { listings: theirs.listings + 1, bytes: theirs.bytes + bytes });
    }
  };
  let willForget = false;
  /** A listing that is over does not wait in memory for the next question. */
  const forgetInTime = (): void => {
    if (willForget || kept.size === 0) return;
    willForget = true;
    clock.at(clock.monotonicMs() + limits.listingKeptMs + 1, () => {
      willForget = false;
      forget();
      forgetInTime();
    });
  };
  const pageOf = async (asked: Asked): Promise<ListAnswer> => {
    forget();
    const { owner, fs, folder, options } = asked;
    const known = options.version === null ? undefined : kept.get(options.version);
    const isKnown = known !== undefined && known.owner === owner && known.folder.equals(folder);
    const read = isKnown ? null : await readRows(asked);
    const version = read === null ? (options.version as string) : versionWith(randomBytes(16).toString('hex'), read.mark);
    const listing = isKnown ? known : { owner, folder, ...read!, untilMs: clock.monotonicMs() + limits.listingKeptMs, sorted: null };
    // The last asked for goes last.
    kept.delete(version);
    kept.set(version, listing);
    forget();
    forgetInTime();
    const rows = await ordered(listing, options);
    const from = await beginning(rows, options);
    const page = rows.slice(from, from + Math.min(options.limit, limits.listPageMax));
    await lookAtLinks(fs, folder, page);
    const itens = await itemsOf(folder, page);
    // Whoever sends them turns all of them into text at once.
    if (itens.length > limits.itemsAtOnceMax) await ownTurn();
    return {
      caminho: pathText(folder),
      total: rows.length,
      ocultos: listing.hidden,
      desde: from,
      itens,
      versao: version,
      cortada: listing.cut,
    };
  };
  const largeFolder = createLargeFolders(clock);
  return {
    page: async (owner, fs, folder, options, seen) => {
      const large = largeFolder(owner);
      try {
        return await pageOf({ owner, fs, folder, options, seen, large });
      } finally {
        large.leave();
      }
    },
  };
}

async function itemsOf(folder: Buffer, rows: readonly Row[]): Promise<readonly FileItem[]> {
  const items: FileItem[] = [];
  const step = createSlices();
  for (const { entry, target = null } of rows) {
    items.push(itemOf(joined(folder, entry.name), entry, target));
    const wait = step();
    if (wait !== null) await wait;
  }
  return items;
}

/** Behind the last one: none begins so. */
async function beginning(rows: readonly Row[], { from, prefix }: ListOptions): Promise<number> {
  const start = Math.min(from, rows.length);
  if (prefix === null) return start;
  const wanted = foldedName(prefix);
  const step = createSlices();
  for (let offset = 0; offset < rows.length; offset += 1) {
    const at = (start + offset) % rows.length;
    if (foldedName(rows[at]?.shown ?? '').startsWith(wanted)) return at;
    const wait = step();
    if (wait !== null) await wait;
  }
  return rows.length;
}

const isHidden = ({ name }: FileEntry): boolean => name[0] === 0x2e;

async function readRows({
  fs,
  folder,
  seen,
  large,
}: Asked): Promise<Pick<Listing, 'rows' | 'hidden' | 'cut' | 'bytes'> & { readonly mark: FolderMark }> {
  const rows: Row[] = [];
  let hidden = 0;
  let nameBytes = 0;
  const step = createSlices();
  const reading = createFolderMark((await fs.stat(folder)).modifiedMs);
  for await (const entries of fs.list(folder)) {
    const wasLarge = rows.length >= limits.largeFolderEntries;
    seen?.(entries);
    reading.add(entries);
    for (const entry of entries) {
      if (rows.length >= limits.listEntriesMax || nameBytes > limits.listingNameBytesMax)
        return { rows, hidden, cut: true, bytes: memoryOf(rows, nameBytes), mark: reading.mark() };
      if (!isOnItsWay(entry.name)) {
        nameBytes += entry.name.length;
        rows.push({ entry, shown: shownName(entry.name) });
        if (isHidden(entry)) hidden += 1;
      }
      const wait = step();
      if (wait !== null) await wait;
    }
    if (!wasLarge && rows.length >= limits.largeFolderEntries) await large.enter();
  }
  const links = rows.filter(({ entry }) => entry.kind === 'link');
  if (links.length <= limits.listLinksMax) await lookAtLinks(fs, folder, links);
  return { rows, hidden, cut: false, bytes: memoryOf(rows, nameBytes), mark: reading.mark() };
}

/** A name is there as bytes and as text, which may take two bytes for each. */
const memoryOf = (rows: readonly Row[], nameBytes: number): number => rows.length * limits.listingEntryBytes + 3 * nameBytes;

const linksAtOnce = 64;

async function lookAtLinks(fs: FileSystem, folder: Buffer, rows: readonly Row[]): Promise<void> {
  const links = rows.filter(({ entry, target }) => entry.kind === 'link' && target === undefined);
  for (let at = 0; at < links.length; at += linksAtOnce) {
    await Promise.all(
      links.slice(at, at + linksAtOnce).map(async (row) => {
        row.target = await targetOf(fs, joined(folder, row.entry.name));
      }),
    );
  }
}

const byName = (left: Row, right: Row): number =>
  compareNames(left.shown, right.shown) || Buffer.compare(left.entry.name, right.entry.name);
const factsOf = ({ entry, target }: Row): FileFacts => target ?? entry;
const extensionOf = ({ shown }: Row): string => /.\.([^.]+)$/.exec(shown)?.[1]?.toLowerCase() ?? '';
const comparisons = {
  nome: byName,
  tamanho: (left: Row, right: Row) => factsOf(left).bytes - factsOf(right).bytes || byName(left, right),
  data: (left: Row, right: Row) => factsOf(left).modifiedMs - factsOf(right).modifiedMs || byName(left, right),
  tipo: (left: Row, right: Row) => compareNames(extensionOf(left), extensionOf(right)) || byName(left, right),
} as const;

async function ordered(listing: Listing, { order, reverse, hidden, mixed }: ListOptions): Promise<readonly Row[]> {
  const by = JSON.stringify([order, reverse, hidden, mixed]);
  if (listing.sorted?.by === by) return listing.sorted.rows;
  const compare = comparisons[order];
  const sign = reverse ? -1 : 1;
  const shown = hidden ? listing.rows : listing.rows.filter(({ entry }) => !isHidden(entry));
  const group = (row: Row): number => (mixed || factsOf(row).kind === 'folder' ? 0 : 1);
  const rows = await sortInSlices(shown, (left, right) => group(left) - group(right) || sign * compare(left, right));
  listing.sorted = { by, rows };
  return rows;
}
