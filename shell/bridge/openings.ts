/**
 * Openings that windows were asked for. Each one that no page has confirmed is sent to every new page of the window, so that a page that is
 * loading again loses nothing.
 */

const keptMax = 32;

type Fields = Readonly<Record<string, unknown>>;

export interface Opening {
  readonly evento: 'abertura';
  readonly dados: Fields;
  readonly n: number;
}

export interface Openings {
  add(window: string, dados: Fields): Opening;
  of(window: string): readonly Opening[];
  confirm(window: string, n: unknown): void;
  /** For the window that takes its place after a reload of the desktop. Decision: docs/decisions/0256-a-reload-opens-the-file-again.md */
  again(window: string): readonly Fields[];
  drop(window: string): void;
}

/** An entry of a context menu is an act, and a route the page may have left: neither is done twice. */
const isDocument = ({ caminho, item }: Fields): boolean => typeof caminho === 'string' && item === undefined;

export function createOpenings(): Openings {
  const kept = new Map<string, readonly Opening[]>();
  /** The last file or folder that a page confirmed. */
  const shown = new Map<string, Opening>();
  const of = (window: string): readonly Opening[] => kept.get(window) ?? [];
  let last = 0;
  return {
    add: (window, dados) => {
      last += 1;
      const opening = { evento: 'abertura', dados, n: last } as const;
      kept.set(window, [...of(window), opening].slice(-keptMax));
      return opening;
    },
    of,
    confirm: (window, n) => {
      const confirmed = of(window).find((opening) => opening.n === n);
      if (confirmed === undefined) return;
      kept.set(
        window,
        of(window).filter((opening) => opening !== confirmed),
      );
      if (isDocument(confirmed.dados)) shown.set(window, confirmed);
    },
    again: (window) => {
      const waiting = of(window).map(({ dados }) => dados);
      const before = shown.get(window);
      return before === undefined || waiting.some(isDocument) ? waiting : [{ ...before.dados, deNovo: true }, ...waiting];
    },
    drop: (window) => {
      kept.delete(window);
      shown.delete(window);
    },
  };
}
