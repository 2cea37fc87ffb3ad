/** Rows of servers that were under the same load, by the names of their figures. */
import type { Row } from './rows.ts';

/** Median of a figure over the rounds. */
export type FiguresOf<Name extends string> = (server: Name, figure: string) => number;

/** A line of the table: `load` names the figure with the load's own share of a CPU, `delays` those of p50 and p99. */
interface Comparison<Name extends string> {
  readonly what: string;
  readonly figure: string;
  /** Owner of the row; absent: the usual one. */
  readonly of?: Name;
  readonly against: Name;
  readonly show: (value: number) => string;
  readonly load?: string;
  readonly delays?: readonly [string, string];
}

export const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
export const seconds = (value: number): string => `${value.toFixed(2)} s`;
export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;

type Bounded<Name extends string> = (figures: FiguresOf<Name>, bound: number, comparison: Comparison<Name>) => Row;

export interface RowsAgainst<Name extends string> {
  readonly atLeast: Bounded<Name>;
  readonly atMost: Bounded<Name>;
  /** Bounds in ms of the delays that a person notices, beside the peer. */
  readonly within: Bounded<Name>;
  readonly told: (figures: FiguresOf<Name>, comparison: Comparison<Name>) => Row;
}

export function rowsAgainst<Name extends string>(usual: Name): RowsAgainst<Name> {
  const compared = (figures: FiguresOf<Name>, { what, figure, of = usual, against, show, load, delays }: Comparison<Name>) => {
    const [ours, peer] = [figures(of, figure), figures(against, figure)];
    const value = ours / peer;
    const both = (name: string, shown: (value: number) => string): string =>
      `${shown(figures(of, name))} · ${shown(figures(against, name))}`;
    const late = delays === undefined ? '' : `; p50 ${both(delays[0], ms)}, p99 ${both(delays[1], ms)}`;
    const own = load === undefined ? '' : ` (load ${both(load, percent)}${late})`;
    const row = { name: `${what}, against ${against}${own}`, ours: show(ours), peer: show(peer), ratio: `${value.toFixed(2)}×` };
    return { value, ours, row };
  };
  return {
    atLeast: (figures, bound, comparison) => {
      const { value, row } = compared(figures, comparison);
      return { ...row, target: `≥ ${bound}×`, held: value >= bound };
    },
    atMost: (figures, bound, comparison) => {
      const { value, row } = compared(figures, comparison);
      return { ...row, target: `≤ ${bound}×`, held: value <= bound };
    },
    within: (figures, bound, comparison) => {
      const { ours, row } = compared(figures, comparison);
      return { ...row, target: `≤ ${bound} ms`, held: ours <= bound };
    },
    told: (figures, comparison) => ({ ...compared(figures, comparison).row, target: 'none: told beside the others', held: null }),
  };
}
