import { array, assert, boolean, constantFrom, integer, property, tuple, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdPeople, prunePlan } from './prune.ts';

const names = (kind: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${kind}/${kind}-${n}`);

describe('the prune guard', () => {
  it.for([
    ['a fifth goes', [...names('Backend', 8), ...names('Person', 2)], [...names('Backend', 6), ...names('Person', 2)], 2, 0],
    ['more than a fifth is held', [...names('Backend', 8), ...names('Person', 2)], [...names('Backend', 5), ...names('Person', 2)], 0, 3],
    ['the only one of a kind is held', [...names('Backend', 20), ...names('Person', 1)], names('Backend', 20), 0, 1],
    ['half of the documents is held', names('Backend', 10), names('Backend', 5), 0, 5],
    ['an empty folder is held', names('Backend', 10), [], 0, 10],
    ['additions alone remove nothing', names('Backend', 2), names('Backend', 20), 0, 0],
    ['the first apply removes nothing', [], names('Backend', 20), 0, 0],
  ] as const)('%s', ([, applied, next, removed, held]) => {
    const plan = prunePlan(applied, next);
    expect([plan.removed.length, plan.held.length]).toEqual([removed, held]);
    expect(plan.why === null).toBe(held === 0);
  });

  it('lets everything go with --prune', () => {
    expect(prunePlan(names('Backend', 10), [], true)).toEqual({ held: [], removed: names('Backend', 10), why: null });
  });

  it('never holds or removes what is still wanted, and never both holds and removes', () => {
    const name = tuple(constantFrom('Person', 'Backend', 'Package'), integer({ min: 0, max: 9 })).map(([kind, n]) => `${kind}/${n}`);
    assert(
      property(uniqueArray(name), array(name), boolean(), (applied, next, prune) => {
        const { held, removed } = prunePlan(applied, next, prune);
        const gone = applied.filter((one) => !next.includes(one));
        expect([...held, ...removed].sort()).toEqual([...gone].sort());
        expect(held.length === 0 || removed.length === 0).toBe(true);
        expect(!prune && removed.length * 5 > applied.length).toBe(false);
      }),
    );
  });
});

it('says why names are held: how many of how many, or which kind', () => {
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, at) => `${kind}/${at}`);
  const many = names('Backend', 10);
  expect(prunePlan(many, many.slice(3)).why).toBe('removes 3 of 10 objects, more than 20 %');
  expect(prunePlan([...many, ...names('Grant', 2)], many).why).toBe('removes every Grant (2)');
  expect(prunePlan([...many, ...names('Grant', 2)], [...many, 'Grant/0'])).toEqual({ held: [], removed: ['Grant/1'], why: null });
  expect(prunePlan([], [])).toEqual({ held: [], removed: [], why: null });
  expect(prunePlan(many, many)).toEqual({ held: [], removed: [], why: null });
});

describe('the guard of people', () => {
  it.for([
    [40, 0, false, null],
    [0, 0, false, null],
    [40, 1, false, null],
    [2, 1, false, null],
    [40, 8, false, null],
    [40, 9, false, 'removes 9 of 40 people of People/a, more than 20 %'],
    [5, 2, true, 'removes 2 of 5 people of People/a, more than 20 %'],
    [40, 40, false, 'removes all people of People/a (40)'],
    [40, 40, true, 'removes all people of People/a (40)'],
    [1, 1, false, 'removes all people of People/a (1)'],
    [1, 1, true, null],
  ] as const)('of %i people %i gone, told one by one: %s: %s', ([before, gone, mayEmpty, why]) =>
    expect(holdPeople('People/a', before, gone, mayEmpty)).toBe(why),
  );
});
