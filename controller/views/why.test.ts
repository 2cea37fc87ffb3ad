/** What `svc why` says, from a status alone. */
import { expect, test } from 'vitest';
import type { StoredStatus } from '../store/store.ts';
import type { BackendEntry } from '../world.ts';
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

test('since is when the state began, not when the app was last ready', () => {
  const waiting: StoredStatus = {
    ...running,
    state: 'starting',
    reason: 'SettingUp',
    conditions: [
      { type: 'Ready', status: 'False', reason: 'SettingUp', message: '', sinceMs: 1_000 },
    ] as unknown as StoredStatus['conditions'],
  };
  const entry = {
    app: 'notas',
    person: { name: 'ana', link: { snapshot: () => null } },
    memory: { context: { sinceMs: 600_000 } },
  } as unknown as BackendEntry;
  expect(whyOf({ status: waiting, entry, log: '' }).sentence).toContain('is starting since 1970-01-01T00:10:00.000Z');
});
