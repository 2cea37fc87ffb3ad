import { beforeEach, describe, expect, test } from 'vitest';
import { createBus, type Bus } from '../../store/bus.ts';
import type { Store } from '../../store/store.ts';
import type { StartAnswer } from '../../schema/wire/http.ts';
import { createStarts, type Starts } from './starts.ts';
import { createTestWorld, type TestBackend } from '../testing/backends.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { createMemoryStore } from '../testing/memory-store.ts';

let clock: ManualClock;
let bus: Bus;
let store: Store;
let starts: Starts;
let notas: TestBackend;
let enqueued: string[];

beforeEach(() => {
  clock = createManualClock();
  bus = createBus();
  store = createMemoryStore();
  enqueued = [];
  bus.onEnqueue((key, urgent) => enqueued.push(`${key} ${urgent}`));
  const world = createTestWorld('/nowhere', bus, ['notas']);
  notas = world.backend('ana', 'notas');
  starts = createStarts({ store, bus, apps: world.gateway.apps, clock });
});

const start = (by: 'person' | 'navigation' = 'person', signal?: AbortSignal): Promise<StartAnswer> =>
  starts.startAndWait('ana', 'notas', { by, deadlineMs: 20_000, ...(signal ? { signal } : {}) });
const intent = () => store.intent('ana', 'notas');
/** The supervisor took the wish, as the controller writes it down. */
async function taken(): Promise<void> {
  await expect.poll(intent).not.toBeNull();
  await store.finishIntent('ana', 'notas', (await intent())?.requestId ?? '');
}

describe('start and wait', () => {
  test('near the end of the portal only stops are taken: a page that loads itself again does not bring back what is being ended', async () => {
    notas.become('running', 'Healthy', { ready: true });
    starts.onlyStops();
    const stopped = starts.stopAndWait('ana', 'notas', { by: 'admin', deadlineMs: 20_000 });
    await taken();
    notas.become('stopping', 'StoppedByAdmin');
    await expect(start('navigation')).rejects.toMatchObject({ code: 'APP_NOT_RUNNING' });
    expect(await intent()).toMatchObject({ wish: 'stop', done: true });
    notas.become('stopped', 'StoppedByAdmin');
    expect(await stopped).toMatchObject({ status: 'stopped' });
  });

  test('writes one urgent wish and answers when the app is ready', async () => {
    const answer = start();
    await taken();
    expect(await intent()).toMatchObject({ wish: 'start', by: 'person' });
    expect(enqueued).toEqual(['Backend/ana/notas true']);
    notas.become('starting', 'Probing');
    notas.become('running', 'Healthy', { ready: true });
    expect(await answer).toEqual({ ready: true, status: 'running', reason: 'Healthy', message: 'notas is running' });
  });

  test('a failure of before is not the answer to a new start', async () => {
    notas.become('failed', 'TooManyFailures');
    const answer = start();
    await expect.poll(intent).not.toBeNull();
    clock.advance(1_000);
    await store.finishIntent('ana', 'notas', (await intent())?.requestId ?? '');
    notas.become('starting', 'Probing');
    notas.become('running', 'Healthy', { ready: true });
    expect(await answer).toMatchObject({ ready: true });
  });

  test('a failure is answered at once, with the reason and when to ask again', async () => {
    const answer = start();
    await taken();
    notas.become('backoff', 'ExitedAtOnce', { nextAttemptAtMs: clock.nowMs() + 4_000 });
    expect(await answer).toMatchObject({ ready: false, status: 'backoff', reason: 'ExitedAtOnce', retryAfterMs: 4_000 });
  });

  test('a relaunch that follows at once is waited for', async () => {
    const answer = start();
    await taken();
    notas.become('backoff', 'Crashed', { nextAttemptAtMs: clock.nowMs() });
    notas.become('running', 'Healthy', { ready: true });
    expect(await answer).toMatchObject({ ready: true });
  });

  test.for(['SlowStart', 'NeverBound', 'BoundTcp', 'AnswersError', 'RefusesToken'] as const)(
    '15 probes without a ready code (%s) are no failure: ready false, status starting, at once',
    async (reason) => {
      const answer = start();
      await taken();
      notas.become('starting', reason);
      expect(await answer).toEqual({ ready: false, status: 'starting', reason, message: 'notas is starting', retryAfterMs: 5_000 });
    },
  );

  test('a missed event is made up for by the poll', async () => {
    const answer = start();
    await taken();
    notas.view = { ...notas.view, status: 'running', ready: true };
    clock.advance(250);
    expect(await answer).toMatchObject({ ready: true });
  });

  test('nobody took the wish: the deadline answers with the state of things', async () => {
    const answer = start();
    await expect.poll(intent).not.toBeNull();
    clock.advance(20_000);
    expect(await answer).toMatchObject({ ready: false, status: 'stopped', retryAfterMs: 5_000 });
  });

  test('an unreachable server is said at once', async () => {
    notas.become('unknown', 'ServerUnreachable');
    expect(await start()).toMatchObject({ ready: false, status: 'unknown', reason: 'ServerUnreachable' });
  });

  test('fifty waiters share one wish', async () => {
    const posted: string[] = [];
    const putIntent = store.putIntent.bind(store);
    store.putIntent = async (each) => {
      posted.push(each.requestId);
      await putIntent(each);
    };
    const answers = Array.from({ length: 50 }, (_, index) => start(index % 2 === 0 ? 'navigation' : 'person'));
    await taken();
    notas.become('running', 'Healthy', { ready: true });
    expect((await Promise.all(answers)).every(({ ready }) => ready)).toBe(true);
    expect(posted).toHaveLength(1);
  });

  test('a caller that goes away stops waiting; the wish stands and others go on', async () => {
    const controller = new AbortController();
    const gone = start('navigation', controller.signal);
    const stays = start('navigation');
    await expect.poll(intent).not.toBeNull();
    controller.abort();
    await expect(gone).rejects.toMatchObject({ code: 'TIMEOUT' });
    await taken();
    notas.become('running', 'Healthy', { ready: true });
    expect(await stays).toMatchObject({ ready: true });
  });

  test('after the last one went away the next caller begins anew', async () => {
    const controller = new AbortController();
    const gone = start('person', controller.signal);
    await expect.poll(intent).not.toBeNull();
    const first = (await intent())?.requestId;
    controller.abort();
    await expect(gone).rejects.toMatchObject({ code: 'TIMEOUT' });
    const next = start();
    await expect.poll(async () => (await intent())?.requestId).not.toBe(first);
    await taken();
    notas.become('running', 'Healthy', { ready: true });
    expect(await next).toMatchObject({ ready: true });
  });

  test('a start after a stop is given, though somebody waits for an earlier one', async () => {
    start('navigation').catch(() => undefined);
    await taken();
    const stop = starts.stopAndWait('ana', 'notas', { by: 'person', deadlineMs: 20_000 });
    await expect.poll(async () => (await intent())?.wish).toBe('stop');
    const again = start();
    await expect.poll(async () => (await intent())?.wish).toBe('start');
    await taken();
    notas.become('running', 'Healthy', { ready: true });
    expect(await again).toMatchObject({ ready: true });
    // Whoever asked for the stop does not wait for what will not come.
    expect(await stop).toMatchObject({ status: 'running' });
  });

  test('an app that is not installed is not found', async () => {
    await expect(starts.startAndWait('ana', 'outra', { by: 'person', deadlineMs: 1_000 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a navigation', () => {
  test.for([
    ['running', 'Healthy', { ready: true }],
    ['failed', 'TooManyFailures', {}],
    ['stopped', 'PinnedStopped', {}],
    ['starting', 'SlowStart', {}],
    ['unknown', 'ServerUnreachable', {}],
  ] as const)('to an app that is %s (%s) gets its answer at once and writes no wish', async ([status, reason, more]) => {
    notas.become(status, reason, more);
    expect(await start('navigation')).toMatchObject({ status, reason });
    expect(await intent()).toBeNull();
  });

  test('to an app that is starting waits without another wish', async () => {
    notas.become('starting', 'Probing');
    const answer = start('navigation');
    notas.become('running', 'Healthy', { ready: true });
    expect(await answer).toMatchObject({ ready: true });
    expect(await intent()).toBeNull();
  });

  test('to an app that nobody has looked at yet starts it once it turns out to be stopped', async () => {
    notas.become('unknown', 'SessionEnded');
    const answer = start('navigation');
    expect(await intent()).toBeNull();
    notas.become('stopped', 'NeverStarted');
    await taken();
    expect(await intent()).toMatchObject({ wish: 'start', by: 'navigation' });
    notas.become('running', 'Healthy', { ready: true });
    expect(await answer).toMatchObject({ ready: true });
  });

  test('to an app that nobody has looked at yet leaves a failed or pinned one alone', async () => {
    notas.become('unknown', 'SessionEnded');
    const failed = start('navigation');
    notas.become('failed', 'TooManyFailures');
    expect(await failed).toMatchObject({ ready: false, status: 'failed' });
    notas.become('unknown', 'SessionEnded');
    const pinned = start('navigation');
    notas.become('stopped', 'PinnedStopped');
    expect(await pinned).toMatchObject({ ready: false, status: 'stopped', reason: 'PinnedStopped' });
    expect(await intent()).toBeNull();
  });

  test('to a stopped app starts it', async () => {
    const answer = start('navigation');
    await taken();
    expect(await intent()).toMatchObject({ wish: 'start', by: 'navigation' });
    notas.become('running', 'Healthy', { ready: true });
    expect(await answer).toMatchObject({ ready: true });
  });
});

describe('stop', () => {
  test('waits until it is stopped', async () => {
    notas.become('running', 'Healthy', { ready: true });
    const answer = starts.stopAndWait('ana', 'notas', { by: 'person', deadlineMs: 18_000 });
    await taken();
    notas.become('stopping', 'StoppedByPerson');
    notas.become('stopped', 'StoppedByPerson');
    // No retryAfterMs: the request is fulfilled.
    expect(await answer).toEqual({ ready: false, status: 'stopped', reason: 'StoppedByPerson', message: 'notas is stopped' });
  });

  test('a Backend document is not overruled by a click', async () => {
    notas.become('running', 'PinnedRunning', { ready: true, pinned: true });
    await expect(starts.stopAndWait('ana', 'notas', { by: 'person', deadlineMs: 1 })).rejects.toMatchObject({ code: 'PINNED' });
    notas.become('stopped', 'PinnedStopped');
    await expect(start()).rejects.toMatchObject({ code: 'PINNED' });
    expect(await intent()).toBeNull();
  });
});
