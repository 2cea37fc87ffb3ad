/**
 * Records of whole runs of `npm test` in setup/last-runs.json: the seconds of the files of real tests, by which the next run orders them
 * (longest-first.ts), and the tests that passed only at a later try in the last ten runs. Each whole run rewrites it, so that it is never
 * stale. Pure.
 */
export interface LastRuns {
  /** Wall seconds of a file in a whole run, three at once on two cores; without those of less than `secondsMin`. */
  readonly seconds: Readonly<Record<string, number>>;
  /** The oldest first. */
  readonly runs: readonly { readonly at: string; readonly flaky: readonly string[] }[];
}

export interface Run {
  /** ISO 8601. */
  readonly at: string;
  readonly seconds: Readonly<Record<string, number>>;
  /** As the closing report has them: `file › test: error`. */
  readonly flaky: readonly string[];
  readonly failed: readonly string[];
}

const secondsMin = 5;
const runsMax = 10;
/** In so many of the last runs, and it is mended or removed: the run fails. */
const flakyMax = 3;
/**
 * Seconds of a file, on a machine that is as quick as that of the run before. Twice as long is reported; eight times as long fails the run:
 * files that start many processes take three times as long on some machines of CI as on others, on which a page is as quick.
 */
const secondsMax = 60;
const [toldTimes, failedTimes] = [2, 8];
/** Bounds of the journeys, each a way through all of the shipped product, and of the attacks, which take seconds on purpose. */
const ownSecondsMax: Readonly<Record<string, number>> = {
  'test/journeys/operator.real.test.ts': 240,
  'test/journeys/person.real.test.ts': 300,
  'test/journeys/client.real.test.ts': 120,
  'test/journeys/author.real.test.ts': 120,
  'test/fairness/fairness.real.test.ts': 120,
  'test/browser/cross-app.real.test.ts': 150,
};

export function withRun({ seconds, runs }: LastRuns, run: Run): LastRuns {
  const measured = Object.entries(run.seconds).map(([file, now]): [string, number] => {
    const before = seconds[file];
    // Not another figure for each run.
    return [file, before !== undefined && Math.abs(now - before) <= Math.max(5, before / 4) ? before : Math.round(now)];
  });
  const flaky = [...new Set(run.flaky.map((line) => line.split(': ')[0] ?? ''))].toSorted();
  return {
    seconds: Object.fromEntries(measured.filter(([, value]) => value >= secondsMin).toSorted(([, a], [, b]) => b - a)),
    runs: [...runs, { at: run.at, flaky }].slice(-runsMax),
  };
}

/** How many times as long as in the run before, in the middle of all files; at least 1. */
function slownessOf(before: LastRuns['seconds'], now: Run['seconds']): number {
  const ratios = Object.entries(now).flatMap(([file, value]) => (before[file] === undefined ? [] : [value / before[file]]));
  return Math.max(1, ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 1);
}

export interface Faults {
  /** `FAILED` lines. */
  readonly failed: readonly string[];
  /** `SLOW` lines. */
  readonly slow: readonly string[];
}

/** Faults of a run, which is the last of the second record; `before` is the record without it. */
export function faultsOf(before: LastRuns, { runs }: LastRuns, { seconds, flaky, failed }: Run): Faults {
  const counts = new Map<string, number>();
  for (const name of runs.flatMap(({ flaky }) => flaky)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const now = new Set(runs.at(-1)?.flaky ?? []);
  const often = [...counts].filter(([name, count]) => count >= flakyMax && now.has(name));
  const slowness = slownessOf(before.seconds, seconds);
  // A file that waited for a failure took its time by that.
  const isTold = (file: string): boolean => [...flaky, ...failed].some((line) => line.startsWith(file));
  const boundOf = (file: string): number => slowness * (ownSecondsMax[file] ?? secondsMax);
  const long = Object.entries(seconds).filter(([file, value]) => value > toldTimes * boundOf(file) && !isTold(file));
  const isTooLong = ([file, value]: readonly [string, number]): boolean => value > failedTimes * boundOf(file);
  const line = ([file, value]: readonly [string, number]): string =>
    `${file}: ${Math.round(value)} s, its bound is ${ownSecondsMax[file] ?? secondsMax} s`;
  return {
    failed: [
      ...often.map(([name, count]) => `${name}: flaky in ${count} of the last ${runs.length} runs: mend it or remove it`),
      ...long.filter(isTooLong).map(line),
    ],
    slow: long.filter((one) => !isTooLong(one)).map(line),
  };
}
