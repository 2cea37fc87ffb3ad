/**
 * The keyed work queue. A key is queued at most once; one worker at a time works on a key; a key enqueued during its work runs again
 * afterwards. Clicks go before resyncs, and each lane (a server) runs a bounded number of keys at once, so that a slow server delays no
 * other. Work that exceeds its deadline is reported; its key stays taken until it really ended, because two workers on one key are never
 * safe.
 */
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';
import { createAlarms } from '../clock/alarms.ts';

export interface QueueOptions {
  readonly clock: Clock;
  /** Keys of one lane share `parallelMax` workers. */
  readonly laneOf: (key: string) => string;
  readonly parallelMax: number;
  readonly workDeadlineMs: number;
  /** Must not reject; what it throws goes to `onError`. */
  readonly work: (key: string) => Promise<void> | void;
  readonly onError: (key: string, error: unknown) => void;
  readonly onLate: (key: string) => void;
}

export interface WorkQueue {
  add(key: string, urgent: boolean): void;
  /** Adds the key at a wall time, unless an earlier time is set already. null clears it. */
  wake(key: string, atMs: number | null): void;
  /** The queue is made holding everything back, so that nothing is decided before the first observation; this lets it go. */
  open(): void;
  /** Resolves when nothing waits and nothing runs (waking times don't count). */
  idle(): Promise<void>;
  size(): number;
  /** Takes no more, forgets what waits, and resolves when what runs has ended. */
  close(): Promise<void>;
}

interface Lane {
  readonly urgent: Set<string>;
  readonly normal: Set<string>;
  running: number;
}

interface QueueState {
  readonly options: QueueOptions;
  readonly lanes: Map<string, Lane>;
  readonly running: Set<string>;
  /** Asked for while being worked on: key -> urgent. */
  readonly again: Map<string, boolean>;
  waiters: (() => void)[];
  closed: boolean;
  pumping: boolean;
}

export function createWorkQueue(options: QueueOptions): WorkQueue {
  const state: QueueState = {
    options,
    lanes: new Map(),
    running: new Set(),
    again: new Map(),
    waiters: [],
    closed: false,
    pumping: true,
  };
  const alarms = createAlarms(options.clock, (key) => add(state, key, false));
  const idle = (): Promise<void> => {
    return size(state) === 0 ? Promise.resolve() : new Promise((resolve) => state.waiters.push(resolve));
  };
  return {
    add: (key, urgent) => add(state, key, urgent),
    wake: (key, atMs) => alarms.set(key, atMs),
    open: () => {
      state.pumping = false;
      pump(state);
    },
    idle,
    size: () => size(state),
    close: () => {
      state.closed = true;
      alarms.clear();
      state.again.clear();
      for (const lane of state.lanes.values()) {
        lane.urgent.clear();
        lane.normal.clear();
      }
      state.pumping = false;
      return idle();
    },
  };
}

function laneFor(state: QueueState, key: string): Lane {
  const name = state.options.laneOf(key);
  const found = state.lanes.get(name);
  if (found) return found;
  const made: Lane = { urgent: new Set(), normal: new Set(), running: 0 };
  state.lanes.set(name, made);
  return made;
}

function size(state: QueueState): number {
  let waiting = state.running.size;
  for (const lane of state.lanes.values()) waiting += lane.urgent.size + lane.normal.size;
  return waiting;
}

function add(state: QueueState, key: string, urgent: boolean): void {
  if (state.closed) return;
  if (state.running.has(key)) {
    state.again.set(key, urgent || state.again.get(key) === true);
    return;
  }
  const lane = laneFor(state, key);
  if (urgent) {
    lane.normal.delete(key);
    lane.urgent.add(key);
  } else if (!lane.urgent.has(key)) lane.normal.add(key);
  pump(state);
}

/** Synchronous works finish inside `start`; the flag turns that recursion into this loop, which gives way to the proxy. */
function pump(state: QueueState): void {
  if (state.pumping) return;
  state.pumping = true;
  const { clock } = state.options;
  const untilMs = clock.monotonicMs() + limits.queueSliceMs;
  while (startRound(state)) {
    if (clock.monotonicMs() < untilMs) continue;
    setImmediate(() => {
      state.pumping = false;
      pump(state);
    });
    return;
  }
  state.pumping = false;
  if (size(state) === 0) for (const resolve of state.waiters.splice(0)) resolve();
}

/** Starts one key of every lane that has room; false when none could start. */
function startRound(state: QueueState): boolean {
  let moved = false;
  for (const lane of state.lanes.values()) {
    const key = nextOf(lane);
    if (key === undefined || lane.running >= state.options.parallelMax) continue;
    lane.urgent.delete(key);
    lane.normal.delete(key);
    start(state, key, lane);
    moved = true;
  }
  return moved;
}

function nextOf(lane: Lane): string | undefined {
  for (const key of lane.urgent) return key;
  for (const key of lane.normal) return key;
  return undefined;
}

function start(state: QueueState, key: string, lane: Lane): void {
  const { options } = state;
  state.running.add(key);
  lane.running += 1;
  let result: Promise<void> | undefined;
  try {
    result = options.work(key) ?? undefined;
  } catch (error) {
    options.onError(key, error);
  }
  if (!result) {
    finish(state, key, lane);
    return;
  }
  const cancel = options.clock.at(options.clock.monotonicMs() + options.workDeadlineMs, () => options.onLate(key));
  result
    .catch((error: unknown) => options.onError(key, error))
    .finally(() => {
      cancel();
      finish(state, key, lane);
    });
}

function finish(state: QueueState, key: string, lane: Lane): void {
  state.running.delete(key);
  lane.running -= 1;
  const urgent = state.again.get(key);
  if (state.again.delete(key)) add(state, key, urgent === true);
  pump(state);
}
