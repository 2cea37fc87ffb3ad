import { expect, test } from 'vitest';
import { createClosedAccounts } from './closed-accounts.ts';

test('an account whose directory can not be asked stays as it was, also when others are asked for between', () => {
  const closed = createClosedAccounts();
  const all = ['ana', 'bia'] as const;
  expect([...closed(all, new Map([['ana', 'locked']]))]).toEqual([['ana', 'locked']]);
  expect([...closed(['bia'], new Map())]).toEqual([]);
  const unknown = new Map([
    ['ana', 'unknown'],
    ['bia', 'unknown'],
  ] as const);
  expect([...closed(all, unknown)]).toEqual([['ana', 'locked']]);
  expect([...closed(all, new Map())]).toEqual([]);
  expect([...closed(all, unknown)]).toEqual([]);
});
