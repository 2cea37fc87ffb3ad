import { expect, test } from 'vitest';
import { choicesOf, durationOf, shownAmount } from './cluster-choices.ts';

const quantity = (padrao: number, min: number, max: number, opcoes: readonly number[] = []) => ({ padrao, min, max, opcoes });

test.for([
  ['cpus', quantity(2, 1, 4), [1, 2, 3, 4]],
  ['cpus', quantity(6, 1, 40), [1, 2, 4, 6, 8, 16, 32, 40]],
  ['gpus', quantity(0, 0, 2, [2, 0]), [0, 2]],
  ['memoriaMb', quantity(3_000, 1_024, 8_192), [1_024, 2_048, 3_000, 4_096, 8_192]],
  ['segundos', quantity(7_200, 3_600, 86_400), [3_600, 7_200, 14_400, 28_800, 43_200, 86_400]],
  ['segundos', quantity(3_600, 3_600, 3_600), [3_600]],
] as const)('%s of %j', ([name, of, choices]) => {
  expect(choicesOf(name, of)).toEqual(choices);
});

test('amounts as people read them', () => {
  expect([25, 60, 5_400, 3_600, 90_000].map(durationOf)).toEqual(['25 s', '1 min', '1 h 30 min', '1 h', '25 h']);
  expect([shownAmount('memoriaMb', 1_536), shownAmount('memoriaMb', 100), shownAmount('cpus', 3)]).toEqual(['1.5 GB', '100 MB', '3']);
});
