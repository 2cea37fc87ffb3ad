/** What windows were asked to open and no page has confirmed: sent to each page that comes, so that a page that is loading again loses nothing. */

const keptMax = 32;

export interface Opening {
  readonly evento: 'abertura';
  readonly dados: unknown;
  readonly n: number;
}

export interface Openings {
  add(window: string, dados: unknown): Opening;
  of(window: string): readonly Opening[];
  confirm(window: string, n: unknown): void;
  drop(window: string): void;
}

export function createOpenings(): Openings {
  const kept = new Map<string, readonly Opening[]>();
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
    confirm: (window, n) =>
      void (
        kept.has(window) &&
        kept.set(
          window,
          of(window).filter((opening) => opening.n !== n),
        )
      ),
    drop: (window) => void kept.delete(window),
  };
}
