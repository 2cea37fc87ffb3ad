/**
 * When an act may be tried again. Each action of each key has a wait that doubles with each try, whatever its outcome and whoever asks; it
 * is forgotten after a time without a try. A change of the key's desired state (a new document, a click) lifts the wait a few times a
 * minute. All acts of one key together are bounded as well, so that actions which differ each time cannot pass by the waits.
 * Decision: docs/decisions/0316-no-act-again-without-a-wait.md
 */
import type { Action } from '../../reconcilers/actions.ts';
import { doubledMs } from '../../schema/backoff.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';

/** A shorter longest wait of an action than the common one. */
export type Paces = { readonly [Kind in Action['kind']]?: number };

export interface Divided {
  readonly due: readonly Action[];
  /** Wall time at which the first of those that are left out may be tried; null when none is left out. The same at each question. */
  readonly untilMs: number | null;
}

export interface Tries {
  /**
   * Divides the actions into those that may be done now, which count as tried, and the rest. `wish`: the desired state of the key, as text;
   * `atMs`: wall time.
   */
  divide(key: string, actions: readonly Action[], wish: () => string, atMs: number, paces: Paces | undefined): Divided;
}

interface Try {
  count: number;
  notBeforeMs: number;
  /** The same as wall time. */
  untilMs: number;
  wish: string;
}

/** Full at first; so many are there again after each `refillMs`. */
interface Purse {
  spent: number;
  sinceMs: number;
}

interface Tried {
  readonly acts: Map<string, Try>;
  readonly rounds: Purse;
  readonly wishes: Purse;
}

export function createTries(clock: Clock): Tries {
  const keys = new Map<string, Tried>();
  let sweepAtMs = 0;
  return {
    divide: (key, actions, wish, atMs, paces) => {
      const now: Now = { ms: clock.monotonicMs(), atMs, wish: wish() };
      if (now.ms >= sweepAtMs) {
        sweepAtMs = now.ms + limits.actForgottenMs;
        for (const [one, tried] of keys) if (isOver(tried, now.ms)) keys.delete(one);
      }
      const tried = keys.get(key) ?? { acts: new Map(), rounds: { spent: 0, sinceMs: now.ms }, wishes: { spent: 0, sinceMs: now.ms } };
      keys.set(key, tried);
      const roomMs = roomIn(tried.rounds, limits.actRoundsAtOnce, limits.actRoundRefillMs, now.ms);
      if (roomMs > 0) return { due: [], untilMs: roundedUp(atMs + roomMs) };
      const due: Action[] = [];
      let untilMs: number | null = null;
      for (const action of actions) {
        const waits = tryNow(tried, action, now, paces?.[action.kind] ?? limits.actWaitMsMax);
        if (waits === null) due.push(action);
        else untilMs = Math.min(untilMs ?? Infinity, waits);
      }
      if (due.length > 0) tried.rounds.spent += 1;
      return { due, untilMs };
    },
  };
}

interface Now {
  readonly ms: number;
  readonly atMs: number;
  readonly wish: string;
}

/** Null: it may be tried, and counts as tried; otherwise the wall time at which it may. */
function tryNow({ acts, wishes }: Tried, action: Action, now: Now, mostMs: number): number | null {
  const name = JSON.stringify(action);
  const known = acts.get(name);
  const before = known !== undefined && now.ms - known.notBeforeMs < limits.actForgottenMs ? known : undefined;
  const isAnew = before !== undefined && before.wish !== now.wish;
  if (before !== undefined && now.ms < before.notBeforeMs) {
    const isLifted = isAnew && roomIn(wishes, limits.actWishesAtOnce, limits.actWishRefillMs, now.ms) === 0;
    // A wall clock that was set forward says that the time is over, and it is not.
    if (!isLifted) return before.untilMs > now.atMs ? before.untilMs : roundedUp(now.atMs + before.notBeforeMs - now.ms);
    wishes.spent += 1;
  }
  const count = isAnew ? 1 : (before?.count ?? 0) + 1;
  const waitMs = doubledMs(limits.actWaitMs, count, Math.max(mostMs, limits.actWaitMs));
  acts.delete(name);
  acts.set(name, { count, notBeforeMs: now.ms + waitMs, untilMs: now.atMs + waitMs, wish: now.wish });
  // The oldest go: a key that asks for other things each time is held by its passes.
  for (const oldest of acts.keys()) {
    if (acts.size <= limits.actsPerKeyMax) break;
    acts.delete(oldest);
  }
  return null;
}

const roundedUp = (ms: number): number => Math.ceil(ms / limits.actWaitMs) * limits.actWaitMs;

/** Milliseconds until there is room; 0: there is. */
function roomIn(purse: Purse, atOnce: number, refillMs: number, nowMs: number): number {
  const refilled = Math.floor((nowMs - purse.sinceMs) / refillMs);
  purse.spent = Math.max(0, purse.spent - refilled);
  purse.sinceMs += refilled * refillMs;
  return purse.spent < atOnce ? 0 : purse.sinceMs + refillMs - nowMs;
}

function isOver({ acts }: Tried, nowMs: number): boolean {
  for (const [name, { notBeforeMs }] of acts) if (nowMs - notBeforeMs >= limits.actForgottenMs) acts.delete(name);
  return acts.size === 0;
}
