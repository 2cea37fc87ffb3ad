/** Changes one operator, condition, branch or literal of a reconciler at a time and runs the tests of this folder: at least one must fail. */
import { expect, test } from 'vitest';
import { amount } from '../test/support/amount.ts';
import { tellCount } from '../test/support/counts.ts';
import { mutantsOf, type Mutant } from '../test/support/mutants.ts';
import { shareSeed as seed } from '../test/support/share.ts';

/** The rest is listed in test/README.md: it changes nothing that can be seen. A sample of 100 varies by four in a hundred and more. */
const shareMin = process.env['SVC_TEST_LONG'] === '1' ? 0.95 : 0.9;

test(`a change of a reconciler makes its tests fail (seed ${seed})`, { timeout: 1_800_000 }, async () => {
  const mutants = await mutantsOf('reconcilers');
  expect(mutants.length).toBeGreaterThan(3_000);
  const every = Math.floor(mutants.length / amount(100, mutants.length));
  const tried = mutants.filter((_, at) => at % every === seed % every);
  const survivors: Mutant[] = [];
  for (const mutant of tried) if (!(await mutant.isKilled())) survivors.push(mutant);
  const files = [...new Set(tried.map(({ file }) => file))];
  const share = (of: string, killed: number, all: number) => `${of}: ${killed} of ${all} killed, ${((100 * killed) / all).toFixed(1)} %`;
  const lines = files.map((file) => {
    const all = tried.filter((each) => each.file === file);
    return share(file, all.filter((each) => !survivors.includes(each)).length, all.length);
  });
  const total = share('mutants of the reconcilers', tried.length - survivors.length, tried.length);
  tellCount(process.env['SVC_TEST_LONG'] === '1' ? [total, ...lines].join('\n  ') : total);
  const names = survivors.map(({ name }) => name);
  expect(survivors.length / tried.length <= 1 - shareMin ? [] : names).toEqual([]);
});
