/**
 * The use of the portal by a person or an app of theirs: one table, whose rows `svc top --portal` shows. A part that holds things of people adds a
 * row; its bounds stand in that part. This file shares the loop itself. Decision: docs/decisions/0393-turns-of-people.md
 */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PortalUseRow } from '../../schema/wire/http.ts';
import { limits } from './limits.ts';
import { onWork, type Worker } from './loop-time.ts';
import { createWindowed } from './windowed.ts';

export interface Budgets {
  /** Null: it is this person's turn. Else it is when the promise resolves. RATE_LIMITED, a moment later, when they would wait too long, or wait too often. */
  turn(person: string): Promise<void> | null;
  /** A request was answered. */
  answered(who: Worker, status: number): void;
  /** A row for what is held now, by person. */
  addHeld(name: 'abertas' | 'terminais', held: (person: string) => number): void;
  /** Uses within the last minute, the busiest first. */
  usage(): readonly PortalUseRow[];
  close(): void;
}

interface Owed {
  ms: number;
  atMs: number;
  /** Each lets in one that waits for their turn, the first one first. */
  readonly waiting: (() => void)[];
  /** Whether the time is set at which the first is let in. */
  isArmed: boolean;
  refused: number;
}

/** The loop's time is measured in the time of this process, whatever clock the portal lives by. */
const loopClock: LoopClock = {
  monotonicMs: () => performance.now(),
  at: (atMs, fn) => {
    const timer = setTimeout(fn, Math.max(0, atMs - performance.now()));
    return () => clearTimeout(timer);
  },
};

type LoopClock = Pick<Clock, 'monotonicMs' | 'at'>;

export function createBudgets(clock: Clock, loop: LoopClock = loopClock): Budgets {
  const counts = {
    cpuMs: createWindowed(clock),
    pedidos: createWindowed(clock),
    recusados: createWindowed(clock),
    bytes: createWindowed(clock),
  };
  const held = new Map<string, (person: string) => number>();
  const fair = createFairTurns(loop);
  const keyOf = ({ person, app }: Worker): string => `${person} ${app ?? ''}`;
  const stop = onWork({
    worked: (who, ms, isOwed) => {
      counts.cpuMs.add(keyOf(who), ms);
      if (isOwed) fair.worked(who.person, ms);
    },
    passed: (who, bytes) => counts.bytes.add(keyOf(who), bytes),
  });
  const heldBy = (name: string, person: string, app: string): number => (app === '' ? (held.get(name)?.(person) ?? 0) : 0);
  return {
    turn: fair.turn,
    answered: (who, status) => {
      counts.pedidos.add(keyOf(who), 1);
      if (status === 429) counts.recusados.add(keyOf(who), 1);
    },
    addHeld: (name, count) => void held.set(name, count),
    usage: () =>
      [...new Set(Object.values(counts).flatMap((each) => each.keys()))]
        .map((key) => {
          const [person = '', app = ''] = key.split(' ');
          const [cpuMs, pedidos, recusados, bytes] = [counts.cpuMs, counts.pedidos, counts.recusados, counts.bytes].map((each) =>
            each.sum(key),
          );
          return {
            person,
            app: app === '' ? null : app,
            cpuMs: Math.round(cpuMs ?? 0),
            pedidos: pedidos ?? 0,
            recusados: recusados ?? 0,
            bytes: bytes ?? 0,
            abertas: heldBy('abertas', person, app),
            terminais: heldBy('terminais', person, app),
          };
        })
        .toSorted((left, right) => right.cpuMs - left.cpuMs),
    close: stop,
  };
}

const tooMuch = (waitMs: number): SvcError =>
  new SvcError('RATE_LIMITED', 'the portal works for others as well: wait a little', {
    retryAfterMs: Math.max(limits.loopRefusalMs, Math.ceil(waitMs)),
  });

/** Work is owed, and paid back with `loopShareOfPerson` of the time that passes: who owes too much waits, while others are there. */
export function createFairTurns(clock: LoopClock) {
  const people = new Map<string, Owed>();
  const owedBy = (person: string): Owed => {
    const nowMs = clock.monotonicMs();
    const own = people.get(person) ?? { ms: 0, atMs: nowMs, waiting: [], isArmed: false, refused: 0 };
    people.set(person, own);
    own.ms = Math.max(0, own.ms - (nowMs - own.atMs) * limits.loopShareOfPerson);
    own.atMs = nowMs;
    return own;
  };
  const hasOthers = (person: string): boolean => {
    const sinceMs = clock.monotonicMs() - limits.loopOthersMs;
    for (const [name, { atMs, waiting, isArmed, refused }] of people) {
      if (name !== person && atMs >= sinceMs) return true;
      if (atMs < sinceMs - limits.budgetWindowMs && waiting.length + refused === 0 && !isArmed) people.delete(name);
    }
    return false;
  };
  const waitMsOf = (person: string): number => {
    const { ms } = owedBy(person);
    return hasOthers(person) ? Math.max(0, (ms - limits.loopOwedMsMax) / limits.loopShareOfPerson) : 0;
  };
  /** Each alone, as their work is known only after it: all that wait at once would take the loop together. */
  const letIn = (person: string, inMs: number): void => {
    const own = owedBy(person);
    if (own.isArmed) return;
    own.isArmed = true;
    clock.at(clock.monotonicMs() + inMs, () => {
      own.isArmed = false;
      const waitMs = waitMsOf(person);
      if (waitMs === 0) own.waiting.shift()?.();
      if (own.waiting.length > 0) letIn(person, Math.max(waitMs, limits.loopTurnGapMs));
    });
  };
  const refuse = (own: Owed, waitMs: number): Promise<void> => {
    const error = tooMuch(waitMs);
    if (own.refused >= limits.loopRefusalsMax) return Promise.reject(error);
    own.refused += 1;
    return new Promise((_, reject) => {
      clock.at(clock.monotonicMs() + limits.loopRefusalMs, () => {
        own.refused -= 1;
        reject(error);
      });
    });
  };
  return {
    worked: (person: string, ms: number): void => {
      const own = owedBy(person);
      own.ms = Math.min(own.ms + ms, limits.loopDebtMsMax);
    },
    turn: (person: string): Promise<void> | null => {
      const waitMs = waitMsOf(person);
      const { waiting } = owedBy(person);
      if (waitMs === 0 && waiting.length === 0) return null;
      if (waitMs > limits.loopWaitMsMax || waiting.length >= limits.loopWaitersMax) return refuse(owedBy(person), waitMs);
      return new Promise((resolve, reject) => {
        // Waiters before it may take longer than what was owed when it came.
        const cancel = clock.at(clock.monotonicMs() + limits.loopWaitMsMax + limits.loopRefusalMs, () => {
          waiting.splice(waiting.indexOf(go), 1);
          reject(tooMuch(waitMs));
        });
        const go = (): void => {
          cancel();
          resolve();
        };
        waiting.push(go);
        letIn(person, waitMs);
      });
    },
  };
}
