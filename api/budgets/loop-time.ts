/**
 * For whom the loop of this process works. A turn of the loop is of the person for whom it was entered, or for whom what it follows from was: a file that was
 * read, an answer of the database, a timer, a frame of their socket. Promises are not followed, which would cost more than what is measured: what they do is
 * of the turn in which they are settled. Decision: docs/decisions/0393-turns-of-people.md
 */
import { createHook } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { ownerNow, runAs, type WorkOwner } from '../connections/work-owner.ts';

export interface Worker {
  readonly person: string;
  /** Null: the desktop's own. */
  readonly app: string | null;
}

export interface WorkListener {
  worked(who: Worker, ms: number, isOwed: boolean): void;
  /** Bytes of a body passed through this process. */
  passed(who: Worker, bytes: number): void;
}

const listeners = new Set<WorkListener>();
/** The person of an owner may become known within the turn. */
let turn: { owner: WorkOwner | null; sinceMs: number; idleMs: number } = { owner: null, sinceMs: 0, idleMs: 0 };

const isKnown = (owner: WorkOwner | null): owner is WorkOwner & Worker => owner !== null && owner.person !== null;

/** Ends the turn; the time that the loop waited for the kernel is nobody's. */
function next(owner: WorkOwner | null): void {
  const [nowMs, idleMs] = [performance.now(), performance.nodeTiming.idleTime];
  const workedMs = nowMs - turn.sinceMs - (idleMs - turn.idleMs);
  const ended = turn.owner;
  if (isKnown(ended)) for (const listener of listeners) listener.worked(ended, workedMs, ended.isOwed);
  turn = { owner, sinceMs: nowMs, idleMs };
}

const hook = createHook({ before: () => next(ownerNow() ?? null), trackPromises: false });

/** Answers how to stop. */
export function onWork(listener: WorkListener): () => void {
  if (listeners.size === 0) hook.enable();
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) hook.disable();
  };
}

/** The rest of this turn counts for the owner; so does the time before, if it was nobody's. */
export function claimTurn(owner: WorkOwner): void {
  if (turn.owner === null) turn.owner = owner;
  else if (turn.owner !== owner) next(owner);
}

/** `act`, and what follows from it, is work for `who`. */
export function workFor<Answer>(who: Worker, act: () => Answer): Answer {
  const owner = ownerNow();
  if (owner === undefined) {
    const own: WorkOwner = { what: 'work of the portal', ...who, isOwed: true, end: () => undefined };
    claimTurn(own);
    return runAs(own, act);
  }
  owner.person = who.person;
  owner.app = who.app;
  claimTurn(owner);
  return act();
}

/** Bytes pass in a turn that may have begun in a socket: it is of whom the code follows from that takes them. */
export function workPassed(bytes: number): void {
  const owner = ownerNow() ?? null;
  if (!isKnown(owner)) return;
  turn.owner ??= owner;
  for (const listener of listeners) listener.passed(owner, bytes);
}
