/**
 * Tabs of a window, which the desktop draws where the manifest says `window.richChrome`. The page says which there are; what the person does with
 * them comes as event `abas`. Source: rules 2.1 `richChrome`. Decision: docs/decisions/0207-tabs-of-a-window.md
 */
import { flag, line, matching, optional, type Check } from './check.ts';
import { limits } from './limits.ts';
import { askedOrNull } from './verb.ts';

export interface Tab {
  /** The page's own name for it. */
  readonly id: string;
  readonly titulo: string;
  /** False: the person can't close it. */
  readonly fechavel?: boolean;
}

/** A tab that was open when its window closed, in the body of `POST <base>close-tabs`: `{ abas }`. */
export interface ClosedTab {
  readonly id: string;
  readonly titulo: string;
  readonly ativa: boolean;
  /** Tabs of one window have the same number. */
  readonly janela: number;
}

const idPattern = /^[A-Za-z0-9._:-]{1,64}$/;
const title = line(limits.tabTitleCharsMax);
const isTab = (value: unknown): value is Tab => {
  const { id, titulo, fechavel } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && idPattern.test(id) && title.accepts(titulo) && (fechavel === undefined || typeof fechavel === 'boolean');
};
const isListOf = <Item>(value: unknown, accepts: (item: unknown) => item is Item, idOf: (item: Item) => string): boolean =>
  Array.isArray(value) && value.length <= limits.tabsMax && value.every(accepts) && new Set(value.map(idOf)).size === value.length;

const isId = (value: unknown): value is string => typeof value === 'string' && idPattern.test(value);
const id = matching(idPattern);
const tabs: Check = {
  type: 'readonly SvcAba[]',
  accepts: (value) => isListOf(value, isTab, (tab) => tab.id),
  why: () =>
    `expected at most ${limits.tabsMax} tabs { id, titulo, fechavel? }, each with an id of its own and a titulo of one line of 1 to ${limits.tabTitleCharsMax} characters`,
};
const ids: Check = { type: 'readonly string[]', accepts: (value) => isListOf(value, isId, (each) => each) };

export const tabVerbs = {
  /**
   * Says which tabs this window has, in their order; an empty list takes the bar away. `nova` puts a button for a new one beside them. A page that is loaded again begins without tabs.
   */
  'abas.definir': askedOrNull<{ readonly abas: readonly Tab[]; readonly ativa?: string; readonly nova?: boolean }, null>('null', {
    args: { abas: tabs },
    options: { ativa: optional(id), nova: optional(flag) },
  }),
  /** Shows one of them as the active one. */
  'abas.selecionar': askedOrNull<{ readonly id: string }, null>('null', { args: { id } }),
  /** Takes one away; answers the id of the active one, its neighbour where it was that one, or null when none is left. */
  'abas.fechar': askedOrNull<{ readonly id: string }, string | null>('string | null', { args: { id } }),
  /** Puts them in another order: all of their ids, each once. */
  'abas.ordenar': askedOrNull<{ readonly ids: readonly string[] }, null>('null', { args: { ids } }),
};
