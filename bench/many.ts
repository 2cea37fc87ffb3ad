/**
 * One portal for 20, 100, 1,000 and 10,000 people with ten apps each: how what it costs grows, and whether who clicks waits for work that nobody
 * waits for. The peer is the same portal with fewer people. Source: issue 16. `npm run bench -- many [--people=1000]`
 */
import { measureMany, type ManyFigures } from './many/measure.ts';
import { optionOf } from './options.ts';
import { median, type Area, type Row } from './rows.ts';

/** The three smaller ones with so many people signed in, each with a supervisor of their own; what 1,000 of those need is more than this machine has. */
const signedInMax = 100;

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly of: (figures: ManyFigures) => number;
  /** At the largest; `before`: of the one before it. */
  readonly target: { readonly said: string; readonly holds: (value: number, before: number) => boolean } | null;
}

const worst = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
const atMost = (max: number, said: string): Figure['target'] => ({ said, holds: (value) => value <= max });

const figures: readonly Figure[] = [
  { name: 'from the start to the first answer', unit: 's', of: ({ listenS }) => listenS, target: atMost(10, '≤ 10 s') },
  {
    name: 'from the start until ten packages are installed',
    unit: 's',
    of: ({ packagesS }) => packagesS,
    target: { said: '≤ 1.2× that of 1,000', holds: (value, before) => value <= 1.2 * before },
  },
  { name: 'CPU of the idle portal', unit: '%', of: ({ idlePercent }) => idlePercent, target: atMost(2, '≤ 2 %') },
  { name: 'PSS of the idle portal', unit: 'MiB', of: ({ pssMib }) => pssMib, target: null },
  { name: '… of that, heap of V8 in use', unit: 'MiB', of: ({ heapMib }) => heapMib, target: null },
  { name: '… and memory that V8 holds elsewhere', unit: 'MiB', of: ({ externalMib }) => externalMib, target: null },
  { name: 'one person moved to another group, until the portal says so', unit: 'ms', of: ({ editOneMs }) => editOneMs, target: null },
  { name: 'everybody moved, until the portal says so of the last', unit: 'ms', of: ({ editAllMs }) => editAllMs, target: null },
  { name: 'click → ready, p50', unit: 'ms', of: ({ clickMs }) => median(clickMs), target: null },
  { name: 'click → ready, p99', unit: 'ms', of: ({ clickMs }) => worst(clickMs), target: null },
  { name: '… while everybody is moved, p50', unit: 'ms', of: ({ clickInEditMs }) => median(clickInEditMs), target: null },
  { name: '… while everybody is moved, p99', unit: 'ms', of: ({ clickInEditMs }) => worst(clickInEditMs), target: null },
];

function rowsOf(before: ManyFigures | null, now: ManyFigures, isLargest: boolean): readonly Row[] {
  return figures.map(({ name, unit, of, target }) => {
    const [value, peer] = [of(now), before === null ? null : of(before)];
    const show = (one: number): string => `${one.toFixed(one < 10 ? 1 : 0)} ${unit}`;
    return {
      name: `${now.people.toLocaleString('en')} people, ${now.signedIn} signed in: ${name}`,
      ours: show(value),
      peer: peer === null || before === null ? '—' : `${show(peer)} with ${before.people.toLocaleString('en')}`,
      ratio: peer === null ? '—' : `${(value / peer).toFixed(2)}×`,
      target: isLargest && target !== null ? target.said : '—',
      held: !isLargest || target === null || target.holds(value, peer ?? Number.NaN),
    };
  });
}

export const manyArea: Area = async ({ short }) => {
  const only = optionOf('people');
  const sizes = only === undefined ? (short ? [20, 100] : [20, 100, 1_000, 10_000]) : [Number(only)];
  const rows: Row[] = [];
  let before: ManyFigures | null = null;
  for (const people of sizes) {
    const signedIn = people > 1_000 ? 0 : Math.min(people, signedInMax);
    const now = await measureMany({ people, signedIn, idleS: short ? 10 : 60, calmSMax: 180 });
    rows.push(...rowsOf(before, now, people === 10_000));
    before = now;
  }
  return rows;
};
