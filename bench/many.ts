/**
 * A portal for 20, 100, 1,000 and 10,000 people with ten apps each: how its cost grows, and whether a click waits for background work. The
 * peer is the same portal with fewer people. `npm run bench -- many [--people=1000 --signed-in=1000]`
 */
import { measureMany, type ManyFigures } from './many/measure.ts';
import { countOf, optionOf } from './options.ts';
import { profilingOf } from './profile.ts';
import { median, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

/** The three smaller ones with so many people signed in, each with a supervisor of their own; 1,000 of those take 15 GB. At 10,000 nobody is. */
const signedInMax = 1_000;

interface Target {
  readonly said: string;
  readonly holds: (value: number, before: number) => boolean;
}

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly of: (figures: ManyFigures) => number;
  /** At so many people; `before`: of the one before it. */
  readonly targets: Readonly<Partial<Record<number, Target>>>;
}

const worst = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
const atMost = (max: number, said: string): Target => ({ said, holds: (value) => value <= max });

const figures: readonly Figure[] = [
  { name: 'from the start to the first answer', unit: 's', of: ({ listenS }) => listenS, targets: { 10_000: atMost(10, '≤ 10 s') } },
  {
    name: 'from the start until ten packages are installed',
    unit: 's',
    of: ({ packagesS }) => packagesS,
    targets: { 10_000: { said: '≤ 1.2× that of 1,000', holds: (value, before) => value <= 1.2 * before } },
  },
  { name: 'CPU of the idle portal', unit: '%', of: ({ idlePercent }) => idlePercent, targets: { 10_000: atMost(2, '≤ 2 %') } },
  {
    name: 'PSS of the idle portal',
    unit: 'MiB',
    of: ({ pssMib }) => pssMib,
    // Ten objects a person.
    targets: {
      100: atMost(69, '≤ 69 MiB'),
      1_000: atMost(110, '≤ 110 MiB'),
    },
  },
  { name: '… of that, heap of V8 in use', unit: 'MiB', of: ({ heapMib }) => heapMib, targets: {} },
  { name: '… and memory that V8 holds elsewhere', unit: 'MiB', of: ({ externalMib }) => externalMib, targets: {} },
  { name: 'one person moved to another group, until the portal says so', unit: 'ms', of: ({ editOneMs }) => editOneMs, targets: {} },
  { name: 'everybody moved, until the portal says so of the last', unit: 'ms', of: ({ editAllMs }) => editAllMs, targets: {} },
  { name: 'click → ready, p50', unit: 'ms', of: ({ clickMs }) => median(clickMs), targets: {} },
  { name: 'click → ready, p99', unit: 'ms', of: ({ clickMs }) => worst(clickMs), targets: {} },
  { name: '… while everybody is moved, p50', unit: 'ms', of: ({ clickInEditMs }) => median(clickInEditMs), targets: {} },
  { name: '… while everybody is moved, p99', unit: 'ms', of: ({ clickInEditMs }) => worst(clickInEditMs), targets: {} },
];

function rowsOf(before: ManyFigures | null, now: ManyFigures): readonly Row[] {
  return figures.map(({ name, unit, of, targets }) => {
    const target = targets[now.people] ?? null;
    const [value, peer] = [of(now), before === null ? null : of(before)];
    const show = (one: number): string => `${one.toFixed(one < 10 ? 1 : 0)} ${unit}`;
    return {
      name: `${now.people.toLocaleString('en')} people, ${now.signedIn} signed in: ${name}`,
      ours: show(value),
      peer: peer === null || before === null ? '—' : `${show(peer)} with ${before.people.toLocaleString('en')}`,
      ratio: peer === null ? '—' : `${(value / peer).toFixed(2)}×`,
      target: target?.said ?? '—',
      held: target === null || (before === null && now.people === 10_000) ? null : target.holds(value, peer ?? Number.NaN),
    };
  });
}

export const manyArea: Area = async ({ short }) => {
  const sizes = optionOf('people') === undefined ? (short ? [20, 100] : [20, 100, 1_000, 10_000]) : [countOf('people', 1)];
  const rows: Row[] = [];
  let before: ManyFigures | null = null;
  const profiling = profilingOf();
  for (const people of sizes) {
    const signedIn = people > 1_000 ? 0 : Math.min(people, countOf('signed-in', signedInMax));
    const now = await measureMany({ people, signedIn, idleS: short ? 10 : 60, calmSMax: 180, profiling });
    rows.push(...rowsOf(before, now));
    before = now;
  }
  if (profiling !== null) sayStep(`many: ${profiling.write(`svc portal at rest, ${sizes.join(', ')} people`)}`);
  return rows;
};
