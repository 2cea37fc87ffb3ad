import { expect, test } from 'vitest';
import { SvcError } from '../schema/errors.ts';
import { createErrorCount } from './counted-errors.ts';
import { openSqliteStore } from './sqlite.ts';

test('what the store could not do is counted, in groups of it too, and what it refuses for its caller is not', async () => {
  const own = await openSqliteStore(':memory:');
  let cause: Error = new SvcError('STORE_FAILED', 'no room');
  const failing = {
    ...own,
    value: () => Promise.reject(cause),
    rooms: { ...own.rooms, keepPortalTokens: () => Promise.reject(cause) },
  };
  const errors = createErrorCount();
  const store = errors.of(failing);
  await store.putValue('a', 'b');
  await expect(store.value('a')).rejects.toBe(cause);
  await expect(store.rooms.keepPortalTokens('ana', 'notas', 'x')).rejects.toBe(cause);
  cause = new SvcError('NOT_FOUND', 'nobody');
  await expect(store.value('a')).rejects.toBe(cause);
  expect(errors.soFar()).toBe(2);
  await store.close();
});
