/**
 * For whom the loop of this process works. A turn of the loop is of the person for whom it was entered, or for whom what it follows from was: a file that was
 * read, an answer of the database, a timer. Promises are not followed, which would cost more than what is measured: what they do is of the turn in which
 * they are settled. Decision: docs/decisions/0393-turns-of-people.md
 */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';

export interface Worker {
  readonly person: string;
  /** Null: the desktop's own. */
  readonly app: string | null;
}

export interface WorkListener {
  worked(who: Worker, ms: number): void;
  /** Bytes of a body passed through this process. */
  passed(who: Worker, bytes: number): void;
}

const followed = new AsyncLocalStorage<Worker>();
const listeners = new Set<WorkListener>();
let turn: { who: Worker | null; sinceMs: number; idleMs: number } = { who: null, sinceMs: 0, idleMs: 0 };

/** Ends the turn; the time that the loop waited for the kernel is nobody's. */
function next(who: Worker | null): void {
  const [nowMs, idleMs] = [performance.now(), performance.nodeTiming.idleTime];
  const workedMs = nowMs - turn.sinceMs - (idleMs - turn.idleMs);
  if (turn.who !== null) for (const listener of listeners) listener.worked(turn.who, workedMs);
  turn = { who, sinceMs: nowMs, idleMs };
}

const hook = createHook({ before: () => next(followed.getStore() ?? null), trackPromises: false });

/** Answers how to stop. */
export function onWork(listener: WorkListener): () => void {
  if (listeners.size === 0) hook.enable();
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) hook.disable();
  };
}

/** `act`, and what follows from it, is work for `who`; so is what this turn did so far, if it was nobody's. */
export function workFor<Answer>(who: Worker, act: () => Answer): Answer {
  if (turn.who === null) turn.who = who;
  else if (turn.who !== who) next(who);
  return followed.run(who, act);
}

/** Bytes pass in a turn that may have begun in a socket: it is of whom the code follows from that takes them. */
export function workPassed(bytes: number): void {
  const who = followed.getStore();
  if (who === undefined) return;
  turn.who ??= who;
  for (const listener of listeners) listener.passed(who, bytes);
}
