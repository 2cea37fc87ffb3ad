/** What `svc why` says, from a status alone. */
import { expect, test } from 'vitest';
import type { StoredStatus } from '../store/store.ts';
import { whyOf } from './why.ts';

const running: StoredStatus = {
  key: 'Backend/ana/notas',
  kind: 'Backend',
  state: 'running',
  reason: 'Healthy',
  message: 'answers its health probe with 200',
  conditions: [],
  nextDeadlineMs: null,
  generation: 1,
  seenAtMs: 0,
  memory: null,
  details: {},
};

test('a running app with a deadline says what the deadline is for', () => {
  expect(whyOf({ status: running, entry: undefined, log: '' })).toMatchObject({ waitsFor: null, nextDeadlineMs: null });
  const closing = whyOf({ status: { ...running, nextDeadlineMs: 120_000 }, entry: undefined, log: '' });
  expect(closing).toMatchObject({ waitsFor: expect.stringContaining('its aoFechar stops it'), nextDeadlineMs: 120_000 });
});
