import { expect, test } from 'vitest';
import type { Entries } from '../entries.ts';
import type { Kind } from '../kinds/kind.ts';
import { reconcile, type LoopContext } from './reconcile.ts';

/** Makes a kind with a single entry that stands as long as `stands()`; `look` is its observation. */
function one({ stands, look }: { stands: () => boolean; look: () => Promise<boolean> }) {
  const decided: string[] = [];
  const entry = { key: 'Thing/a' };
  const kind = {
    name: 'Thing',
    find: () => (stands() ? entry : undefined),
    observe: look,
    // The first thing that a decision asks for: what follows is not of this test.
    lastInputs: () => {
      decided.push(entry.key);
      return { desired: {}, observed: {}, atMs: 0, nextDeadlineMs: null };
    },
    sameInputs: () => true,
  } as unknown as Kind;
  const context = {
    kinds: new Map([['Thing', kind]]),
    entries: {} as Entries,
    options: { clock: { nowMs: () => 1 } },
  } as unknown as LoopContext;
  return { decided, round: () => reconcile(context, 'Thing/a') };
}

test('an object that is removed while it is observed is not decided on', async () => {
  let isThere = true;
  const { decided, round } = one({
    stands: () => isThere,
    look: async () => {
      isThere = false;
      return true;
    },
  });
  await round();
  expect(decided).toEqual([]);
});

test('an object that stands is decided on after it was observed, one whose observation says no more is not', async () => {
  const standing = one({ stands: () => true, look: async () => true });
  await standing.round();
  expect(standing.decided).toEqual(['Thing/a']);
  const over = one({ stands: () => true, look: async () => false });
  await over.round();
  expect(over.decided).toEqual([]);
});
