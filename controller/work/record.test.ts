/** The recorder keeps the last status of each object, and nothing of the writes that are over. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { systemClock } from '../clock/system.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { openRecorder } from './record.ts';
import { silentLog } from '../loop/testing/silent-log.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('nothing is kept of what a write resolved with once it is over', async () => {
  const store = await openSqliteStore(':memory:');
  const results: WeakRef<object>[] = [];
  const marked = async (work: Promise<unknown>): Promise<void> => {
    await work;
    const result = {};
    results.push(new WeakRef(result));
    return result as unknown as void;
  };
  const recorder = await openRecorder({ ...store, putStatus: (status) => marked(store.putStatus(status)) }, systemClock, silentLog);
  for (let n = 0; n < 50; n += 1) {
    const finding = {
      state: n % 2 === 0 ? 'running' : 'stopped',
      reason: 'Healthy',
      message: '',
      conditions: [],
      nextDeadlineMs: null,
    } as const;
    recorder.record('Backend/ana/notas', { ...finding, memory: { n } }, { generation: 1, details: {}, version: 1 }, 'r');
    await recorder.written();
  }
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(results).toHaveLength(50);
  // The last one may still lie on the stack.
  expect(results.filter((result) => result.deref() !== undefined).length).toBeLessThanOrEqual(1);
  expect((await store.statuses('')).map(({ key, state }) => [key, state])).toEqual([['Backend/ana/notas', 'stopped']]);
  await store.close();
});

test('a write that is refused is logged, and the ones behind it are waited for', async () => {
  const store = await openSqliteStore(':memory:');
  const errors: string[] = [];
  const log = { ...silentLog, error: (_fields: object, message: string) => void errors.push(message) };
  let isRefused = true;
  const putStatus: typeof store.putStatus = async (status) => {
    if (isRefused) throw new Error('the disk is full');
    await store.putStatus(status);
  };
  const recorder = await openRecorder({ ...store, putStatus }, systemClock, log);
  const write = (state: string, memory: object): void =>
    void recorder.record(
      'Backend/ana/notas',
      { state, reason: 'StoppedByPerson', message: '', conditions: [], nextDeadlineMs: null, memory },
      { generation: 1, details: {}, version: 1 },
      'r',
    );
  write('starting', {});
  isRefused = false;
  write('running', {});
  await recorder.written();
  expect(errors).toEqual(['the store refused a status']);
  expect((await store.statuses('')).map(({ state }) => state)).toEqual(['running']);
  await store.close();
});
