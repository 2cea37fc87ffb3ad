/** The work on a key of any kind: observe, decide purely, keep the memory, record the status, publish, act. */
import { createHash } from 'node:crypto';
import { kindOf } from '../../schema/keys.ts';
import { execute } from '../execute/executors.ts';
import { isOthersToStop } from '../execute/watching.ts';
import { sameFields, type Kind, type Round } from '../kinds/kind.ts';
import { limits } from '../limits.ts';
import type { Entries } from '../entries.ts';
import type { Context } from '../context.ts';
import { nextRound } from './rounds.ts';

/** The context with the kinds, which they don't see themselves. */
export interface LoopContext extends Context {
  /** By name, in the order in which a resync asks for them. */
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly end: () => void;
}

type AnyRound = Round<unknown, unknown, ReturnType<Kind['decide']>>;

/** Resolves when the key needs no more for now. Infrastructure that fails is recorded, not thrown. */
export function reconcile(context: LoopContext, key: string): Promise<void> | undefined {
  const kind = context.kinds.get(kindOf(key));
  if (kind === undefined) return undefined;
  const entry = entryOf(kind, context.entries, key);
  if (entry === undefined) return undefined;
  const observing = kind.observe?.(context, entry);
  if (observing === undefined) return decide(context, kind, entry);
  return observing.then((isStill) => {
    // Removed while it was observed: a decision about it would write the status of an object that no longer exists.
    if (!isStill || entryOf(kind, context.entries, key) === undefined) return undefined;
    return decide(context, kind, entry);
  });
}

export function entryOf(kind: Kind, entries: Entries, key: string): unknown {
  return kind.find(entries, key.slice(kind.name.length + 1), key);
}

/** Whether the entry is to be decided again: its inputs changed, a deadline passed, or its kind is decided at every resync. */
export function isDue(context: Context, kind: Kind, entry: unknown, nowMs: number): boolean {
  const inputs = kind.lastInputs?.(entry) ?? null;
  const deadlineMs = inputs?.nextDeadlineMs ?? kind.last?.(entry)?.nextDeadlineMs ?? null;
  if (inputs === null || (deadlineMs !== null && deadlineMs <= nowMs)) return true;
  // The wall clock was set back: the deadlines of the decision lie too far ahead, and `decide` knows what to do about it.
  if (nowMs < inputs.atMs) return true;
  if (kind.sameInputs !== undefined) return !kind.sameInputs(context, entry, inputs);
  return !sameFields(inputs.desired, kind.desired(context, entry)) || !sameFields(inputs.observed, kind.observed(context, entry));
}

function decide(context: Context, kind: Kind, entry: unknown): Promise<void> | undefined {
  const atMs = context.options.clock.nowMs();
  if (!isDue(context, kind, entry, atMs)) return undefined;
  const { recorder, queue } = context;
  const key = kind.keyOf(entry);
  const before = kind.last?.(entry) ?? null;
  const desired = kind.desired(context, entry);
  const observed = kind.observed(context, entry);
  const made = paced(context, kind, key, {
    desired,
    observed,
    atMs,
    decision: kind.decide(desired, observed, recorder.memory(key, kind.memory), atMs),
  });
  const { leads = true } = context.options;
  if (!leads && before !== null && isOthersToStop(made.actions)) return undefined;
  const decision = kind.keep?.(entry, { desired, observed, atMs, decision: made }) ?? made;
  const round: AnyRound = { desired, observed, atMs, decision };
  queue.wake(key, ahead(decision.nextDeadlineMs, atMs));
  const { generation, details } = kind.report(context, entry, round);
  const name = nextRound();
  const change = recorder.record(key, decision, { generation, details, version: kind.memory.version }, name);
  context.alarm(key, { decision, isRecorded: change !== null, from: () => traceOf(kind, round) });
  kind.notify?.(context, entry, round, { before, change, round: name });
  if (decision.actions.length === 0) return leads ? kind.finish?.(context, entry, round) : undefined;
  return act(context, kind, entry, round);
}

/** A deadline that is over already must not make a loop of it. */
function ahead(deadlineMs: number | null, atMs: number): number | null {
  return deadlineMs === null || deadlineMs > atMs ? deadlineMs : atMs + limits.decisionGapMs;
}

/**
 * The decision with those of its actions that may be tried now. When none may, its memory stays what it was: what was not ordered must not be
 * remembered as ordered.
 */
function paced({ tries, recorder }: Context, kind: Kind, key: string, { desired, atMs, decision }: AnyRound): AnyRound['decision'] {
  if (decision.actions.length === 0) return decision;
  const { due, untilMs } = tries.divide(key, decision.actions, () => JSON.stringify(desired), atMs, kind.paces);
  if (untilMs === null) return decision;
  const memory = due.length > 0 ? decision.memory : (recorder.memory(key, kind.memory) ?? decision.memory);
  return { ...decision, actions: due, nextDeadlineMs: Math.min(untilMs, decision.nextDeadlineMs ?? Infinity), memory };
}

/** For the alarm: values that are compared by reference anyway, text for objects that are made each time. */
function traceOf(kind: Kind, { desired, observed }: AnyRound): readonly unknown[] {
  if (kind.lastInputs !== undefined) return [...Object.values(desired as object), ...Object.values(observed as object)];
  return [
    createHash('sha256')
      .update(JSON.stringify([desired, observed]))
      .digest('hex'),
  ];
}

async function act(context: Context, kind: Kind, entry: unknown, round: AnyRound): Promise<void> {
  for (const action of round.decision.actions) await execute(context.executors, action);
  if (context.options.leads ?? true) await kind.finish?.(context, entry, round);
}
