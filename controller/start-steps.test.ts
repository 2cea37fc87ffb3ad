/** The steps of a start, each from the end of the one before; what was there before the order is no start. */
import { expect, test } from 'vitest';
import type { BackendDecision } from '../reconcilers/backend-types.ts';
import type { BackendEntry } from './entries.ts';
import { createFigures } from './figures.ts';
import { noteOrder, noteSeen } from './start-steps.ts';

interface Seen {
  readonly pid: number | null;
  readonly socket?: 'absent' | 'listening';
  readonly wanted?: boolean;
}

function world(first: Seen) {
  let seen = first;
  const figures = createFigures(
    () => 0,
    () => 0,
  );
  const snapshot = () => ({
    process: seen.pid === null ? null : { pid: seen.pid },
    socket: seen.socket ?? 'absent',
    wanted: seen.wanted ?? true,
  });
  const entry = { app: 'notas', intent: { wish: 'start', atMs: 100 }, person: { link: { snapshot } } } as unknown as BackendEntry;
  return {
    figures,
    entry,
    at: (nowMs: number, now: Seen, state = 'starting', ready = false) => {
      seen = now;
      noteSeen(figures, entry, { state, ready } as BackendDecision, nowMs);
    },
    steps: () =>
      Object.fromEntries(Array.from(figures.seen.starts.get('notas') ?? [], ([step, { soma }]) => [step, Math.round(soma * 1_000)])),
  };
}

test('each step counts from the end of the one before', () => {
  const { figures, entry, at, steps } = world({ pid: null });
  noteOrder(figures, entry)(150);
  at(160, { pid: null });
  at(190, { pid: 7 });
  at(250, { pid: 7, socket: 'listening' });
  at(400, { pid: 7, socket: 'listening' }, 'running', true);
  at(900, { pid: 7, socket: 'listening' }, 'running', true);
  expect(steps()).toEqual({ order: 50, process: 40, socket: 60, answer: 150 });
});

test('a process that was there before the order is not what was started; one that came before the reply is', () => {
  const restarted = world({ pid: 7, socket: 'listening' });
  noteOrder(restarted.figures, restarted.entry)(150);
  restarted.at(160, { pid: 7, socket: 'listening' }, 'running', true);
  expect(restarted.steps()).toEqual({ order: 50 });
  restarted.at(200, { pid: 8, socket: 'listening' }, 'running', true);
  expect(restarted.steps()).toEqual({ order: 50, process: 50, socket: 0, answer: 0 });

  const fast = world({ pid: null });
  const taken = noteOrder(fast.figures, fast.entry);
  fast.at(120, { pid: 9, socket: 'listening' });
  taken(150);
  fast.at(170, { pid: 9, socket: 'listening' }, 'running', true);
  expect(fast.steps()).toEqual({ order: 50, process: 20, socket: 0, answer: 0 });
});

test('a start that failed or was stopped ends there; what runs without an order is no start', () => {
  for (const [state, wanted] of [
    ['failed', true],
    ['backoff', true],
    ['stopped', false],
  ] as const) {
    const { figures, entry, at, steps } = world({ pid: null });
    noteOrder(figures, entry)(150);
    at(160, { pid: null, wanted }, state);
    at(170, { pid: 7, socket: 'listening' }, 'running', true);
    expect(steps()).toEqual({ order: 50 });
  }
  const adopted = world({ pid: null });
  adopted.at(10, { pid: 7, socket: 'listening' }, 'running', true);
  expect(adopted.steps()).toEqual({});
});
