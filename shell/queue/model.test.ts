import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JobView } from '../../schema/wire/jobs.ts';
import { changedJobs, createQueueModel, pageJobs, pauseMs, type JobsOf, type JobsPage } from './model.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const job = (n: number, fields: Partial<JobView> = {}): JobView =>
  ({ id: `j${String(n).padStart(5, '0')}`, criadoEm: n, estado: 'terminado', terminadoEm: 1, ...fields }) as JobView;
const alive = { estado: 'a-correr', terminadoEm: null } as const;
const event = { type: 'trabalhos' } as const;

/** A portal with these jobs, the newest first, which says what it was asked. */
function portalWith(jobs: JobView[]) {
  const asked: string[] = [];
  const changes: (readonly string[])[] = [];
  const read = async (of: JobsOf, before: string | null): Promise<JobsPage> => {
    asked.push(`${of === null ? 'mine' : (of.cluster ?? 'all')} ${before ?? ''}`.trim());
    const from = before === null ? 0 : jobs.findIndex(({ id }) => id === before) + 1;
    const more = from + pageJobs < jobs.length;
    return await Promise.resolve({ jobs: jobs.slice(from, from + pageJobs), more, clusters: [], off: null, space: null });
  };
  const readOne = async (_: JobsOf, id: string): Promise<JobView | null> => {
    asked.push(`one ${id}`);
    return await Promise.resolve(jobs.find((each) => each.id === id) ?? null);
  };
  return { asked, changes, model: createQueueModel(read, readOne, (changed) => changes.push(changed.map(({ id }) => id))) };
}
const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const newestFirst = (count: number, fields: Partial<JobView> = {}): JobView[] =>
  Array.from({ length: count }, (_, index) => job(count - index, fields));

test('nothing is read while no window shows it', async () => {
  const { asked, model } = portalWith([job(1)]);
  model.apply(event);
  model.refresh();
  await settle(60_000);
  expect(asked).toEqual([]);
  const end = model.watch();
  await settle();
  expect(model.state.get()).toMatchObject({ loaded: true, more: false, jobs: [{ id: 'j00001' }] });
  end();
  model.apply(event);
  await settle(60_000);
  expect(asked).toHaveLength(1);
});

test('a burst of events is one more reading, after a pause', async () => {
  const jobs = [job(1, alive)];
  const { asked, changes, model } = portalWith(jobs);
  model.watch();
  await settle();
  jobs[0] = job(1);
  for (let n = 0; n < 50; n++) model.apply(event);
  await settle(pauseMs - 1);
  expect(asked).toHaveLength(1);
  await settle(60_000);
  expect(asked).toHaveLength(2);
  expect(changes.flat()).toEqual(['j00001']);
});

test('older pages come when they are asked for; those that are over are not read again', async () => {
  const jobs = newestFirst(1_000);
  jobs[0] = job(1_000, alive);
  const { asked, model } = portalWith(jobs);
  model.watch();
  await settle();
  for (let page = 0; page < 4; page++) {
    model.showMore();
    await settle(pauseMs);
  }
  expect(model.state.get().jobs.map(({ id }) => id)).toEqual(jobs.map(({ id }) => id));
  asked.length = 0;
  model.apply(event);
  await settle(pauseMs);
  expect(asked).toEqual(['mine']);
  expect(model.state.get().jobs).toHaveLength(1_000);
});

test('jobs under way in older pages are read again', async () => {
  const jobs = newestFirst(450, alive);
  const { model } = portalWith(jobs);
  model.watch();
  await settle();
  model.showMore();
  await settle(pauseMs);
  model.showMore();
  await settle(pauseMs);
  jobs[449] = job(1);
  model.apply(event);
  await settle(pauseMs);
  expect(model.state.get().jobs.at(-1)).toMatchObject({ id: 'j00001', estado: 'terminado' });
});

test('what was read for another choice is not shown', async () => {
  const { asked, model } = portalWith([job(1)]);
  model.watch();
  model.show({ cluster: 'grande', usuario: null });
  await settle(pauseMs);
  expect(asked).toEqual(['mine', 'grande']);
  expect(model.state.get()).toMatchObject({ loaded: true, of: { cluster: 'grande' } });
});

test('a reading that fails keeps what is shown, says so and is made again', async () => {
  let fails = 0;
  const model = createQueueModel(
    async () => {
      if (fails-- > 0) throw new Error('away');
      return await Promise.resolve({ jobs: [job(1)], more: false, clusters: [], off: null, space: null });
    },
    async () => await Promise.resolve(null),
    () => undefined,
  );
  model.watch();
  await settle(pauseMs);
  fails = 1;
  model.apply(event);
  await settle();
  expect(model.state.get()).toMatchObject({ problem: 'away', jobs: [{ id: 'j00001' }] });
  await settle(60_000);
  expect(model.state.get().problem).toBeNull();
});

test('a job that is new has not changed', () => {
  expect(changedJobs([job(1)], [job(2), job(1)])).toEqual([]);
});

test('a chosen job that no page has is read by itself until it is over, and one that is gone is said so', async () => {
  const jobs = newestFirst(500);
  jobs[450] = job(50, alive);
  const { asked, model } = portalWith(jobs);
  model.watch();
  await settle();
  model.chosen.set('j00050');
  await settle();
  expect(model.state.get().beyond).toMatchObject({ id: 'j00050', estado: 'a-correr' });
  jobs[450] = job(50);
  model.apply(event);
  await settle(60_000);
  expect(model.state.get().beyond).toMatchObject({ id: 'j00050', estado: 'terminado' });
  model.apply(event);
  await settle(60_000);
  expect(asked.filter((each) => each === 'one j00050')).toHaveLength(2);
  model.chosen.set('j00500');
  model.apply(event);
  await settle(60_000);
  expect(model.state.get().beyond).toBeNull();
  model.chosen.set('j99999');
  await settle(60_000);
  expect(model.state.get().beyond).toBe('gone');
});
