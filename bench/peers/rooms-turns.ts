/**
 * The servers of a scenario take turns of a second or two, so that what drifts on the machine hits all alike: a load says what it is about to
 * measure and waits until it is its turn (bench/rooms.ts gives it).
 */
import { once } from 'node:events';
import { median } from '../rows.ts';

export const sliceSeconds = 1.2;

/** Resolves when this load may go on; the others rest meanwhile. */
export type Turn = (slice: string) => Promise<void>;

export const turnLine = (slice: string): string => `turn ${slice}`;

export const ourTurn: Turn = async (slice) => {
  console.log(turnLine(slice));
  await once(process.stdin, 'data');
};

type Figures = Readonly<Record<string, number>>;

export interface Slice {
  readonly name: string;
  readonly measure: () => Promise<Figures>;
}

/** Each of these so many times, in turn; the median of each figure. */
export async function inSlices(turn: Turn, count: number, slices: readonly Slice[]): Promise<Figures> {
  const all: Figures[] = [];
  for (let n = 0; n < count; n += 1) {
    for (const { name, measure } of slices) {
      await turn(name);
      all.push(await measure());
    }
  }
  const names = new Set(all.flatMap((figures) => Object.keys(figures)));
  return Object.fromEntries([...names].map((name) => [name, median(all.flatMap((figures) => figures[name] ?? []))]));
}
