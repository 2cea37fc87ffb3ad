/** Reports on rooms: logged once, without a stack where the fault is none of the code. */
import { expect, test } from 'vitest';
import type { Logger } from 'pino';
import { SvcError } from '../../schema/errors.ts';
import { limits as roomLimits } from '../../api/rooms/limits.ts';
import { limits } from '../limits.ts';
import { attachmentsCheck, databasesCheck, relayReport } from './room-report.ts';

test('a damaged rooms.db is one line an hour, however many people knock at however many rooms, and no stack', () => {
  const lines: object[] = [];
  let nowMs = 0;
  const report = relayReport({ error: (line: object) => lines.push(line) } as unknown as Logger, () => nowMs);
  const damaged = (): SvcError => new SvcError('STORE_FAILED', 'the documents of rooms, rooms.db, are damaged');
  for (let knock = 0; knock < 100; knock += 1) report.loadFailed(`s${knock % 7}`, damaged());
  expect(lines).toEqual([{ sala: 's0', why: 'the documents of rooms, rooms.db, are damaged' }]);
  report.loadFailed('s1', new SvcError('STORE_FAILED', 'another cause'));
  expect(lines).toHaveLength(2);
  nowMs = limits.roomTroubleLogMs;
  report.loadFailed('s1', damaged());
  expect(lines).toHaveLength(3);
});

test('a fault of the code keeps its stack', () => {
  const lines: { readonly why: string }[] = [];
  const report = relayReport({ error: (line: { why: string }) => lines.push(line) } as unknown as Logger, () => 0);
  report.loadFailed('s0', new TypeError('a bug'));
  expect(lines[0]?.why).toContain('room-report.test');
});

test('the doctor says what is unknown, whose the folder is, and what was lost', async () => {
  const store = { value: async () => JSON.stringify({ atMs: 0, unknown: { s1: 0 } }) };
  const month = roomLimits.attachmentUnknownMs;
  expect(await attachmentsCheck({ value: async () => null }, null, 0)).toMatchObject({ ok: true, warning: false });
  expect(await attachmentsCheck(store, null, month / 2)).toMatchObject({
    ok: true,
    warning: true,
    detail: { en: expect.stringContaining('in 15 days') },
  });
  expect(await attachmentsCheck(store, 'not ours', 0)).toMatchObject({
    ok: false,
    fix: { en: expect.stringContaining('rm STATE/anexos/.store') },
  });
  expect(databasesCheck([])).toMatchObject({ ok: true });
  expect(databasesCheck(['svc.db was deleted'])).toMatchObject({ ok: false });
  expect(databasesCheck([], { name: 'postgres://svc@db/svc', away: null })).toMatchObject({ ok: true });
  expect(databasesCheck([], { name: 'postgres://svc@db/svc', away: 'connect ECONNREFUSED' })).toMatchObject({
    ok: false,
    detail: { en: 'postgres://svc@db/svc does not answer: connect ECONNREFUSED' },
  });
});
