/** How BackendMemory is read back. A field that is added there needs a reader here, and a new version if older memories would be misread. */
import { backendStates } from '../schema/backend.ts';
import { reasons } from '../schema/reasons/derived.ts';
import type { SentOrder } from '../machines/backend-order.ts';
import type { StartContext } from '../machines/backend-start.ts';
import type { BackendMemory, Bound } from './backend-types.ts';
import { among, fields, flag, number, oneOf, orNull, since, text, type MemoryShape } from './memory.ts';

type Context = BackendMemory['context'];
type Start = NonNullable<BackendMemory['start']>;

const reason = among(reasons);
const context = fields<Context>({
  reason,
  sinceMs: number,
  last: orNull(
    fields<NonNullable<Context['last']>>({
      state: oneOf({ stopped: true, starting: true, running: true, stopping: true, backoff: true, failed: true }),
      reason,
    }),
  ),
  saw: orNull(
    oneOf({
      sawStopped: true,
      sawComing: true,
      sawLiving: true,
      sawEnding: true,
      sawBackoff: true,
      sawFailed: true,
      sawNothing: true,
      sightLost: true,
      supervisorEnded: true,
    }),
  ),
});
const start = fields<Start>({
  value: oneOf({ probing: true, slow: true, ready: true }),
  context: fields<StartContext>({
    pid: number,
    startTicks: number,
    sinceMs: number,
    attempts: number,
    answered: number,
    code: orNull(number),
    nextAtMs: number,
    listening: flag,
  }),
});
const sent = fields<SentOrder>({
  op: oneOf({ start: true, stop: true, pin: true }),
  cause: oneOf({
    intent: true,
    ligado: true,
    desligado: true,
    service: true,
    windows: true,
    uninstalled: true,
    shut: true,
    drained: true,
    maximo: true,
    mended: true,
    rewritten: true,
  }),
  requestId: text,
  atMs: number,
});

const bound = fields<Bound>({ pid: number, startTicks: number, msMax: number, endAtMs: number });

const first: Parameters<typeof fields<Omit<BackendMemory, 'bound'>>>[0] = {
  state: among(backendStates),
  context,
  start: orNull(start),
  sent: orNull(sent),
  autostartedFor: orNull(number),
  startedAtMs: orNull(number),
  failedHash: orNull(text),
  since,
};
const readFirst = fields<Omit<BackendMemory, 'bound'>>(first);

export const backendMemory: MemoryShape<BackendMemory> = {
  version: 2,
  read: fields<BackendMemory>({ ...first, bound: orNull(bound) }),
  older: { 1: (value) => ({ ...readFirst(value), bound: null }) },
};

/** Whether nothing but "never started" is remembered: whoever forgets it decides the same. */
export function neverStarted(memory: BackendMemory | null): boolean {
  if (memory === null) return true;
  const { state, context, start: life, sent: order, autostartedFor, startedAtMs, failedHash } = memory;
  const isQuiet = life === null && order === null && autostartedFor === null && startedAtMs === null && failedHash === null;
  if (state === 'unknown') return isQuiet && (context.last === null || context.last.reason === 'NeverStarted');
  return isQuiet && state === 'stopped' && context.reason === 'NeverStarted';
}
