/** Drives machines/start.ts for one living process: takes answers in, sends what is due. Source: spec 3.2. */
import { transition } from 'xstate';
import { startMachine, freshStart, type StartContext, type StartEvent } from '../machines/start.ts';
import type { AppSnapshot } from '../schema/backend.ts';
import type { BackendMemory, BackendObserved } from './backend-types.ts';
import { limits } from '../schema/limits.ts';

type Start = NonNullable<BackendMemory['start']>;

export interface ProbeStep {
  readonly start: Start | null;
  /** Number of the probe to send now; null for none. */
  readonly probe: number | null;
}

/** Steps before the process image is the app: nobody can answer yet, and no attempt is spent. Source: spec 3.1 steps 4 to 6. */
const setUpSteps = new Set(['package', 'install', 'gpu']);

export function settingUp(snapshot: AppSnapshot): boolean {
  return snapshot.step !== null && setUpSteps.has(snapshot.step.name);
}

export function followProbes(previous: Start | null, observed: BackendObserved, nowMs: number): ProbeStep {
  const { snapshot } = observed;
  const process = snapshot?.process ?? null;
  // A dead pid ends probing at once. Source: design 3 rule 7, fail fast.
  if (snapshot === null || process === null || snapshot.state === 'stopping' || settingUp(snapshot)) return { start: null, probe: null };
  const known = previous !== null && previous.context.pid === process.pid && previous.context.startTicks === process.startTicks;
  let start: Start =
    known && (previous.value === 'ready' || inTime(previous.context, nowMs))
      ? previous
      : { value: 'probing', context: freshStart(process, nowMs) };
  if (start.value === 'ready') return { start, probe: null };

  if ((snapshot.socket === 'listening') !== start.context.listening) {
    start = step(start, snapshot.socket === 'listening' ? { type: 'listening', nowMs } : { type: 'deaf' }).start;
  }
  const { probe } = observed;
  if (probe !== null && isNews(probe, start.context)) {
    start = step(start, { type: 'answered', attempt: probe.attempt, code: probe.code, nowMs }).start;
    if (start.value === 'ready') return { start, probe: null };
  }
  if (observed.probing || nowMs < start.context.nextAtMs) return { start, probe: null };
  return step(start, { type: 'tick', nowMs, inFlight: observed.probing });
}

/** False after the clock was set back: the schedule would wait for years, and every answer would be older than the start. */
function inTime({ sinceMs, nextAtMs }: StartContext, nowMs: number): boolean {
  return sinceMs <= nowMs && nextAtMs - nowMs <= limits.probeSlowIntervalMsMax;
}

function isNews(probe: NonNullable<BackendObserved['probe']>, context: StartContext): boolean {
  return (
    probe.pid === context.pid && probe.atMs >= context.sinceMs && probe.attempt > context.answered && probe.attempt <= context.attempts
  );
}

function step(start: Start, event: StartEvent): { readonly start: Start; readonly probe: number | null } {
  const before = startMachine.resolveState({ value: start.value, context: start.context });
  const [after, effects] = transition(startMachine, before, event);
  const sends = effects.some((effect) => effect.type === 'probe');
  return { start: { value: after.value, context: after.context }, probe: sends ? after.context.attempts : null };
}
