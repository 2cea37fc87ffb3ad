/** Follows a start that the portal ordered through its steps (schema/figures.ts), for `/metrics`. Decides nothing. */
import type { BackendDecision } from '../reconcilers/backend-types.ts';
import type { BackendEntry } from './entries.ts';
import type { Figures } from './figures.ts';

interface Start {
  /** The event that the start waits for. */
  step: 'process' | 'socket' | 'answer';
  sinceMs: number;
  /** The process that was there when the start was ordered: it is not what was started. */
  readonly before: number | null;
}

const starts = new WeakMap<BackendEntry, Start>();

/** Called when the order is about to be sent; the answer is called when the supervisor took it: order and process may be others by then. */
export function noteOrder(figures: Figures, entry: BackendEntry): (nowMs: number) => void {
  const { app, intent, person } = entry;
  const before = person.link.snapshot(app)?.process?.pid ?? null;
  return (nowMs) => {
    if (intent !== null && intent.wish !== 'stop') figures.step(app, 'order', nowMs - intent.atMs);
    starts.set(entry, { step: 'process', sinceMs: nowMs, before });
  };
}

/** At each decision. */
export function noteSeen(figures: Figures, entry: BackendEntry, { state, ready }: BackendDecision, nowMs: number): void {
  const start = starts.get(entry);
  if (start === undefined) return;
  const snapshot = entry.person.link.snapshot(entry.app);
  const pid = snapshot?.process?.pid ?? null;
  const reached = (next: Start['step']): void => {
    figures.step(entry.app, start.step, nowMs - start.sinceMs);
    Object.assign(start, { step: next, sinceMs: nowMs });
  };
  if (start.step === 'process' && pid !== null && pid !== start.before) reached('socket');
  if (start.step === 'socket' && snapshot?.socket === 'listening') reached('answer');
  const isReady = start.step === 'answer' && ready;
  if (isReady) reached('answer');
  // Another start is ordered, or it is over.
  if (isReady || state === 'failed' || state === 'backoff' || (state === 'stopped' && snapshot?.wanted !== true)) starts.delete(entry);
}
