/**
 * Entries of one folder, page by page: only pages that were scrolled to are read, and all of them are from one version of the folder. A
 * folder that changed is read anew where it is shown; the old entries stay in sight until then. A folder with a page that could not be read
 * is read again by itself.
 */
import type { FileItem } from '../../schema/wire/files.ts';
import { isPassing } from '../session/api.ts';
import { createRetry } from '../state/retry.ts';
import { createSignal, type Signal } from '../state/signal.ts';

export interface Page {
  readonly total: number;
  /** Entries that are not shown because they are hidden. */
  readonly ocultos: number;
  readonly itens: readonly FileItem[];
  readonly versao: string;
  readonly cortada: boolean;
}

export type ReadPage = (page: { readonly desde: number; readonly limite: number; readonly versao?: string }) => Promise<Page>;

export interface ListingState {
  /** Null until the first page is there. */
  readonly total: number | null;
  readonly hidden: number;
  readonly isCut: boolean;
  readonly problem: unknown;
}

export interface Listing {
  /** Set anew whenever something of it changed. */
  readonly state: Signal<ListingState>;
  /** Version of the shown entries; null: nothing was read. */
  version(): string | null;
  /** Undefined: not read yet. */
  at(index: number): FileItem | undefined;
  /** Among what was read; -1: not there. */
  indexOf(caminho: string): number;
  /** Reads what is missing of it. `to` is behind the last one. */
  ensure(from: number, to: number): void;
  /** All entries from `from` on and before `to`. */
  range(from: number, to: number): Promise<readonly FileItem[]>;
  /** All entries were read. */
  isWhole(): boolean;
  /** The first entry from there on, and then from the first of all, whose name begins so, without case and accents; null: none. */
  find(prefix: string, from: number): Promise<number | null>;
  /** Reads anew, beginning with what was looked at last. */
  refresh(): void;
  close(): void;
}

export const pageItems = 200;
/** Entries of one answer, where all entries are wanted. */
const wholePageItems = 5_000;

const unread: ListingState = { total: null, hidden: 0, isCut: false, problem: null };

export function createListing(read: ReadPage): Listing {
  const pages = createPages();
  let [asked, generation, seen]: [Set<number>, number, readonly [number, number]] = [new Set(), 0, [0, pageItems]];
  const state = createSignal(unread);
  const turns = createTurns(() => reread(null));
  const retry = createRetry(() => reread(state.get().problem));
  const take = (first: number, page: Page): void => {
    if (pages.put(first, page)) asked = new Set([first]);
    retry.succeeded();
    state.set({ total: page.total, hidden: page.ocultos, isCut: page.cortada, problem: null });
    ensure(...seen);
  };
  const load = async (page: number, anew: boolean): Promise<void> => {
    const mine = generation;
    asked.add(page);
    const from = page * pageItems;
    try {
      const answer = await read({ desde: from, limite: pageItems, ...(anew ? {} : pages.inVersion()) });
      if (mine !== generation) return;
      // The folder became shorter than what is looked at.
      if (answer.itens.length === 0 && answer.total > 0 && from >= answer.total) {
        asked = new Set();
        return await load(Math.floor((answer.total - 1) / pageItems), true);
      }
      take(page, answer);
    } catch (error) {
      if (mine !== generation) return;
      asked.delete(page);
      // Where the portal is away, what was there stays in sight; what it says is not there, or not to be read, does not.
      if (isPassing(error)) retry.failed(error);
      else pages.clear();
      state.set({ ...(isPassing(error) ? state.get() : unread), problem: error });
    }
  };
  function ensure(from: number, to: number): void {
    seen = [from, to];
    const { total, problem } = state.get();
    const end = total === null ? pageItems : Math.min(to, total);
    if (problem !== null || (total === null && asked.size > 0)) return;
    for (let page = Math.floor(Math.max(0, from) / pageItems); page * pageItems < end; page += 1) {
      if (!pages.has(page) && !asked.has(page)) void (total === null ? turns.take(load(page, false)) : load(page, false));
    }
  }
  /** `problem` is said until it is read. */
  function reread(problem: unknown): void {
    if (turns.areTaken()) return;
    [generation, asked] = [generation + 1, new Set()];
    state.set({ ...state.get(), problem });
    void turns.take(load(Math.floor(Math.max(0, seen[0]) / pageItems), true));
  }
  return {
    state,
    ...pages.read,
    ensure,
    isWhole: () => pages.areAll(state.get().total),
    find: (prefix, from) => findIn(pages.read.at, state.get().total ?? 0, prefix, from),
    range: async (from, to) => {
      const mine = generation;
      for (let page = Math.floor(from / pageItems); page * pageItems < Math.min(to, state.get().total ?? 0); page += 1) {
        if (pages.has(page)) continue;
        const limite = Math.ceil((to - page * pageItems) / pageItems) * pageItems;
        const answer = await read({ desde: page * pageItems, limite: Math.min(wholePageItems, limite), ...pages.inVersion() });
        if (mine !== generation) return [];
        take(page, answer);
        if (answer.itens.length === 0) break;
      }
      return Array.from({ length: Math.max(0, to - from) }, (_, step) => pages.read.at(from + step)).filter((item) => item !== undefined);
    },
    refresh: () => reread(null),
    close: () => ((generation += 1), retry.succeeded(), turns.close()),
  };
}

/**
 * Runs a single reading of the whole folder at a time; requests that arrive meanwhile lead to one more reading after it. A large folder
 * takes seconds: it is shown as it was read, before it is read again.
 */
function createTurns(next: () => void) {
  let [isTaken, isAsked, isClosed] = [false, false, false];
  return {
    /** Then `next` is called after the one under way. */
    areTaken: (): boolean => {
      isAsked = isTaken;
      return isTaken;
    },
    take: async (work: Promise<void>): Promise<void> => {
      isTaken = true;
      await work;
      isTaken = false;
      if (isAsked && !isClosed) next();
    },
    close: () => void (isClosed = true),
  };
}

/** Pages that were read, all from one version. */
function createPages() {
  let pages = new Map<number, readonly FileItem[]>();
  let version: string | undefined;
  const at = (index: number): FileItem | undefined => pages.get(Math.floor(index / pageItems))?.[index % pageItems];
  const indexOf = (caminho: string): number => {
    for (const [page, items] of pages) {
      const index = items.findIndex((item) => item.caminho === caminho);
      if (index !== -1) return page * pageItems + index;
    }
    return -1;
  };
  return {
    /** For who shows it. */
    read: { version: (): string | null => version ?? null, at, indexOf },
    inVersion: () => (version === undefined ? {} : { versao: version }),
    has: (page: number): boolean => pages.has(page),
    areAll: (total: number | null): boolean => total !== null && Math.ceil(total / pageItems) === pages.size,
    /** True: it is of another version, and nothing before it fits any more. */
    put: (first: number, { itens, total, versao }: Page): boolean => {
      const isOther = version !== versao;
      if (isOther) [pages, version] = [new Map(), versao];
      for (const [at, page] of wholePages(itens, total - first * pageItems).entries()) pages.set(first + at, page);
      return isOther;
    },
    clear: () => void (pages = new Map()),
  };
}

/** An answer that a limit of the portal cut short ends inside a page: that one is read when it is wanted. `left`: entries from the first of these on. */
function wholePages(itens: readonly FileItem[], left: number): readonly (readonly FileItem[])[] {
  const pages: (readonly FileItem[])[] = [];
  for (let at = 0; at === 0 || at < itens.length; at += pageItems) {
    const page = itens.slice(at, at + pageItems);
    if (page.length === pageItems || at + page.length >= left) pages.push(page);
  }
  return pages;
}

const folded = (name: string): string => name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Among what was read. */
async function findIn(at: (index: number) => FileItem | undefined, total: number, prefix: string, from: number): Promise<number | null> {
  const wanted = folded(prefix);
  for (let offset = 0; offset < total; offset += 1) {
    const index = (from + offset) % total;
    if (folded(at(index)?.nome ?? '').startsWith(wanted)) return await Promise.resolve(index);
  }
  return null;
}

/** Listing of items that are already known: results of a search. */
export function fixedListing(items: readonly FileItem[], isCut: boolean, refresh: () => void): Listing {
  return {
    state: createSignal<ListingState>({ total: items.length, hidden: 0, isCut, problem: null }),
    version: () => null,
    at: (index) => items[index],
    indexOf: (caminho) => items.findIndex((item) => item.caminho === caminho),
    ensure: () => undefined,
    isWhole: () => true,
    range: async (from, to) => Promise.resolve(items.slice(from, to)),
    find: (prefix, from) => findIn((index) => items[index], items.length, prefix, from),
    refresh,
    close: () => undefined,
  };
}
