/** Conditions with memory: `sinceMs` moves exactly when `status` does, so that unchanged observations write nothing. */
import type { Condition, Reason } from '../schema/backend.ts';

export interface ConditionDraft {
  readonly type: Condition['type'];
  readonly status: Condition['status'];
  readonly reason: Reason;
  readonly message: string;
}

/** Per condition type, what its status was and since when. */
export type ConditionMemory = Readonly<Partial<Record<Condition['type'], readonly [Condition['status'], number]>>>;

export interface StampedConditions {
  readonly conditions: readonly Condition[];
  /** The very same object when nothing changed. */
  readonly memory: ConditionMemory;
}

export function stampConditions(
  drafts: readonly ConditionDraft[],
  previous: ConditionMemory | undefined,
  generation: number,
  nowMs: number,
): StampedConditions {
  let changed = false;
  const next: Partial<Record<Condition['type'], readonly [Condition['status'], number]>> = {};
  const conditions: Condition[] = [];
  for (const { type, status, reason, message } of drafts) {
    const before = previous?.[type];
    const same = before !== undefined && before[0] === status;
    const mark = same ? before : ([status, nowMs] as const);
    if (!same) changed = true;
    next[type] = mark;
    conditions.push({ type, status, reason, message, observedGeneration: generation, sinceMs: mark[1] });
  }
  return { conditions, memory: changed || previous === undefined ? next : previous };
}

/** Earliest of the times that still lie ahead; null when none does. A past time would make the loop spin. */
export function earliest(nowMs: number, times: readonly (number | null | undefined)[]): number | null {
  const ahead = times.filter((time): time is number => typeof time === 'number' && time > nowMs);
  return ahead.length === 0 ? null : Math.min(...ahead);
}
