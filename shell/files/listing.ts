/**
 * What is shown of one folder, page by page: only pages that were looked at are read, and all of them are of one version of the folder. A folder that
 * changed is read anew where it is looked at; what was there stays in sight until then.
 */
import type { FileItem } from '../../schema/wire/files.ts';
import { isPassing } from '../session/api.ts';
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
  /** Undefined: not read yet. */
  at(index: number): FileItem | undefined;
  /** Among what was read; -1: not there. */
  indexOf(caminho: string): number;
  /** Reads what is missing of it. `to` is behind the last one. */
  ensure(from: number, to: number): void;
  /** All entries from `from` on and before `to`. */
  range(from: number, to: number): Promise<readonly FileItem[]>;
  /** Reads anew, beginning with what was looked at last. */
  refresh(): void;
  close(): void;
}

export const pageItems = 200;
/** Of one answer, where all entries are wanted. */
const wholePageItems = 5_000;

const unread: ListingState = { total: null, hidden: 0, isCut: false, problem: null };

export function createListing(read: ReadPage): Listing {
  let pages = new Map<number, readonly FileItem[]>();
  let asked = new Set<number>();
  let version: string | undefined;
  let [generation, seen]: [number, readonly [number, number]] = [0, [0, pageItems]];
  /** The first page is being read, for the first time or anew; `again`: it was asked for meanwhile. A large folder takes seconds, and is shown before it is read once more. */
  let [isReading, again, isClosed] = [false, false, false];
  const state = createSignal(unread);
  const alone = async (work: Promise<void>): Promise<void> => {
    isReading = true;
    await work;
    isReading = false;
    if (again && !isClosed) refresh();
  };
  const take = (first: number, { itens, total, ocultos, versao, cortada }: Page): void => {
    // Of another version nothing fits any more.
    if (version !== versao) [pages, asked, version] = [new Map(), new Set([first]), versao];
    for (const [at, page] of wholePages(itens, total - first * pageItems).entries()) pages.set(first + at, page);
    state.set({ total, hidden: ocultos, isCut: cortada, problem: null });
    ensure(...seen);
  };
  const load = async (page: number, anew: boolean): Promise<void> => {
    const mine = generation;
    asked.add(page);
    const from = page * pageItems;
    try {
      const answer = await read({ desde: from, limite: pageItems, ...(anew || version === undefined ? {} : { versao: version }) });
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
      if (!isPassing(error)) pages = new Map();
      state.set({ ...(isPassing(error) ? state.get() : unread), problem: error });
    }
  };
  function ensure(from: number, to: number): void {
    seen = [from, to];
    const { total, problem } = state.get();
    if (total === null && asked.size > 0) return;
    const end = total === null ? pageItems : Math.min(to, total);
    for (let page = Math.floor(Math.max(0, from) / pageItems); page * pageItems < end; page += 1) {
      if (pages.has(page) || asked.has(page) || problem !== null) continue;
      if (total === null) void alone(load(page, false));
      else void load(page, false);
    }
  }
  function refresh(): void {
    again = isReading;
    if (isReading) return;
    generation += 1;
    asked = new Set();
    state.set({ ...state.get(), problem: null });
    void alone(load(Math.floor(Math.max(0, seen[0]) / pageItems), true));
  }
  const at = (index: number): FileItem | undefined => pages.get(Math.floor(index / pageItems))?.[index % pageItems];
  return {
    state,
    at,
    ensure,
    indexOf: (caminho) => indexIn(pages, caminho),
    range: async (from, to) => {
      const mine = generation;
      for (let page = Math.floor(from / pageItems); page * pageItems < Math.min(to, state.get().total ?? 0); page += 1) {
        if (pages.has(page)) continue;
        const limite = Math.min(wholePageItems, Math.ceil((to - page * pageItems) / pageItems) * pageItems);
        const answer = await read({ desde: page * pageItems, limite, ...(version === undefined ? {} : { versao: version }) });
        if (mine !== generation) return [];
        take(page, answer);
        if (answer.itens.length === 0) break;
      }
      return Array.from({ length: Math.max(0, to - from) }, (_, step) => at(from + step)).filter((item) => item !== undefined);
    },
    refresh,
    close: () => {
      generation += 1;
      isClosed = true;
    },
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

function indexIn(pages: ReadonlyMap<number, readonly FileItem[]>, caminho: string): number {
  for (const [page, items] of pages) {
    const index = items.findIndex((item) => item.caminho === caminho);
    if (index !== -1) return page * pageItems + index;
  }
  return -1;
}

/** Of what is known already: results of a search. */
export function fixedListing(items: readonly FileItem[], isCut: boolean, refresh: () => void): Listing {
  return {
    state: createSignal<ListingState>({ total: items.length, hidden: 0, isCut, problem: null }),
    at: (index) => items[index],
    indexOf: (caminho) => items.findIndex((item) => item.caminho === caminho),
    ensure: () => undefined,
    range: async (from, to) => Promise.resolve(items.slice(from, to)),
    refresh,
    close: () => undefined,
  };
}
