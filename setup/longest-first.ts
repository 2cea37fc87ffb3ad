/**
 * The order of test files: by size, as vitest has it where it knows no times (a fresh clone), but what runs longest by far begins first. Begun last it
 * would go on alone when everything else is through.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const longest: readonly string[] = ['test/chaos/chaos.real.test.ts'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification): boolean => longest.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(isLongest(b)) - Number(isLongest(a)));
  }
}
