/**
 * Records an object: its status when it changed, an event and a log line when its state or reason changed. An unchanged decision writes
 * nothing at all, so that no status write feeds itself.
 */
import type { Condition, Reason } from '../../schema/backend.ts';
import { readMemory, type KeptMemory, type MemoryShape } from '../../reconcilers/memory.ts';
import type { Clock } from '../../schema/clock.ts';
import { kindOf } from '../../schema/keys.ts';
import { faultPoint } from '../faults.ts';
import { createCount } from './counted.ts';
import type { Store, StoredEvent, StoredStatus } from '../../store/store.ts';

export interface Finding {
  readonly state: string;
  readonly reason: Reason;
  readonly message: string;
  readonly conditions: readonly Condition[];
  readonly nextDeadlineMs: number | null;
  /** The same object when nothing changed: reconcilers promise it. */
  readonly memory: unknown;
}

/** The part of a pino logger that the controller uses. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface Recorded {
  readonly generation: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** Version of the memory's shape. */
  readonly version: number;
}

export interface Recorder {
  /** Null when nothing changed, otherwise what it was before; the writes are under way. */
  record(key: string, finding: Finding, report: Recorded, round: string): Change | null;
  /** An event beside the transitions: a state that came and went between two observations. */
  note(key: string, event: Pick<StoredEvent, 'type' | 'reason' | 'message'>, round: string): void;
  /** The memory of the last decision about it: the very object of this run, or what an earlier one left, if it can be used. */
  memory(key: string, shape: MemoryShape<unknown>): unknown;
  last(key: string): StoredStatus | null;
  all(): readonly StoredStatus[];
  forget(key: string): void;
  /** Resolves when all writes so far are in the store. */
  written(): Promise<void>;
}

export interface Change {
  readonly before: StoredStatus | null;
  readonly now: StoredStatus;
  /** The state or its reason is another one. */
  readonly transition: boolean;
}

/** Reasons that a person should notice. */
const warnings = new Set<string>(['failed', 'backoff', 'unknown', 'missing', 'outdated', 'drifted', 'invalid']);

export async function openRecorder(store: Store, clock: Clock, log: Log): Promise<Recorder> {
  const statuses = new Map((await store.statuses('')).map((status) => [status.key, status]));
  /** Memories of the keys that were asked for in this run. */
  const memories = new Map<string, unknown>();
  const underWay = new Set<Promise<unknown>>();
  const count = createCount(clock);
  const write = (work: Promise<unknown>): void => {
    const written = work
      .catch((error: unknown) => log.error({ err: error }, 'the store refused a status'))
      .finally(() => underWay.delete(written));
    underWay.add(written);
  };
  const recordTransition = (change: Change, round: string): void => {
    const { before, now } = change;
    const { key, reason, message, state: to } = now;
    const from = before?.state ?? null;
    const type = warnings.has(to) ? 'Warning' : 'Normal';
    log[type === 'Warning' ? 'warn' : 'info']({ round, key, ...requestOf(now), from, to, reason, message }, 'transition');
    append({ atMs: now.seenAtMs, key, type, reason, message, round, from, to });
  };
  const append = (event: Omit<StoredEvent, 'seq'>): void => {
    const leftOut = count(event.key, `${event.from} ${event.to} ${event.reason}`);
    if (leftOut === null) return;
    write(store.appendEvent(leftOut === 0 ? event : { ...event, message: `${event.message}${leftOutText(leftOut)}` }));
  };
  return {
    record: (key, finding, { generation, details, version }, round) => {
      const before = statuses.get(key) ?? null;
      if (before && memories.get(key) === finding.memory && sameFinding(before, finding, generation, details)) return null;
      const now: StoredStatus = {
        key,
        kind: kindOf(key),
        ...pick(finding),
        memory: { version, value: finding.memory } satisfies KeptMemory,
        generation,
        seenAtMs: clock.nowMs(),
        details,
      };
      statuses.set(key, now);
      memories.set(key, finding.memory);
      faultPoint('status/before-write');
      const change = { before, now, transition: before?.state !== now.state || before.reason !== now.reason };
      write(store.putStatus(now));
      if (change.transition) recordTransition(change, round);
      faultPoint('status/written');
      return change;
    },
    memory: (key, shape) => {
      if (!memories.has(key)) memories.set(key, readMemory(shape, statuses.get(key)?.memory));
      return memories.get(key) ?? null;
    },
    note: (key, event, round) => {
      log[event.type === 'Warning' ? 'warn' : 'info']({ round, key, reason: event.reason, message: event.message }, 'event');
      append({ ...event, atMs: clock.nowMs(), key, round, from: null, to: null });
    },
    last: (key) => statuses.get(key) ?? null,
    all: () => [...statuses.values()],
    forget: (key) => {
      memories.delete(key);
      if (statuses.delete(key)) write(store.deleteStatus(key));
    },
    written: async () => {
      await Promise.all(underWay);
    },
  };
}

const leftOutText = (count: number): string => ` (${count === 1 ? 'one event' : `${count} events`} of the same before this one left out)`;

/** The request that an object came with, where its kind tells it. */
const requestOf = ({ details }: StoredStatus): { readonly requestId?: string } =>
  typeof details['requestId'] === 'string' ? { requestId: details['requestId'] } : {};

function pick({ state, reason, message, conditions, nextDeadlineMs }: Finding): Omit<Finding, 'memory'> {
  return { state, reason, message, conditions, nextDeadlineMs };
}

function sameFinding(before: StoredStatus, now: Finding, generation: number, details: Readonly<Record<string, unknown>>): boolean {
  return (
    before.state === now.state &&
    before.reason === now.reason &&
    before.message === now.message &&
    before.generation === generation &&
    before.nextDeadlineMs === now.nextDeadlineMs &&
    sameConditions(before.conditions, now.conditions) &&
    JSON.stringify(before.details) === JSON.stringify(details)
  );
}

function sameConditions(before: readonly Condition[], now: readonly Condition[]): boolean {
  return (
    before.length === now.length &&
    before.every((one, index) => {
      const other = now[index];
      return (
        other !== undefined &&
        one.type === other.type &&
        one.status === other.status &&
        one.reason === other.reason &&
        one.message === other.message &&
        one.observedGeneration === other.observedGeneration
      );
    })
  );
}
