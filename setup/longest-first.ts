/**
 * The order of the files of the project `real`: long files begin early, so that no worker is left alone with one at the end. Files with a
 * browser, which work, and files that mostly wait for a pass or a back-off are mixed: together they fill the processors. Unit tests go by
 * size, as vitest has it where it knows no times (a fresh clone), those that start programs before the others.
 */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import type { LastRuns } from './last-runs.ts';

const root = resolve(import.meta.dirname, '..');

/** Seconds of each file in the last whole run. */
export const fileSeconds = (JSON.parse(readFileSync(join(import.meta.dirname, 'last-runs.json'), 'utf8')) as LastRuns).seconds;

/** Seconds of a file; an assumed value where the table has none. */
const secondsOf = (name: string): number => fileSeconds[name] ?? 8;
const works = (name: string): boolean => /^(test\/browser|sdk|examples|api\/rooms)\//.test(name);

/** The longest first, of those that work and those that wait in turns: as much of the time of both has begun at any moment. */
export function inOrder(names: readonly string[]): readonly string[] {
  const longestFirst = names.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  const kinds = [longestFirst.filter(works), longestFirst.filter((name) => !works(name))].map((files) => ({
    left: files,
    all: files.reduce((sum, name) => sum + secondsOf(name), 0),
    begun: 0,
  }));
  return names.map(() => {
    const [kind] = kinds.filter(({ left }) => left.length > 0).toSorted((a, b) => a.begun / a.all - b.begun / b.all);
    const name = kind!.left.shift()!;
    kind!.begun += secondsOf(name);
    return name;
  });
}

/**
 * Whether unit tests of a file start programs. A worker that ran hundreds of files has a gigabyte of memory, whose pages the system notes down for each
 * program: 40 ms of a processor instead of 5.
 */
const startsPrograms = (name: string): boolean =>
  /^(?:kit|bin|sdk)\/|^controller\/(?:observe|servers|execute|hosts|views\/gateway|kinds\/job)|^api\/site\/|^schema\/account-lookup/.test(
    name,
  );

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const real = new Map(sorted.filter(({ project }) => project.name === 'real').map((file) => [relative(root, file.moduleId), file]));
    const others = sorted.filter(({ project }) => project.name !== 'real');
    const isEarly = ({ moduleId }: TestSpecification): boolean => startsPrograms(relative(root, moduleId));
    return [
      ...inOrder([...real.keys()]).map((name) => real.get(name)!),
      ...others.filter(isEarly),
      ...others.filter((file) => !isEarly(file)),
    ];
  }
}
