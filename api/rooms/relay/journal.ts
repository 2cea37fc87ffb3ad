/**
 * Group commit: what arrives within a short window, in all rooms, becomes one transaction of the log. A failed commit is retried with the
 * same rows until it succeeds; meanwhile joins are refused. Decision: docs/decisions/0091-commit-window.md
 */
import { SvcError } from '../../../schema/errors.ts';
import { doubledMs } from '../../../schema/backoff.ts';
import type { LogRow, RoomLog } from '../../../store/room-log.ts';
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { Room } from './room.ts';
import { slicesOf } from './tail.ts';

export interface Journal {
  /** The tail of the room grew by so many bytes. */
  note(room: Room, bytes: number): void;
  forget(room: Room): void;
  /** False from the first failed commit to the next good one. */
  healthy(): boolean;
  /** Longest time from arrival to the disk in the last commit. */
  commitMsLast(): number;
  pendingBytes(): number;
  /** Writes what is pending; resolves false when that did not work out in time. */
  drain(msMax: number): Promise<boolean>;
}

export interface JournalDeps {
  readonly log: Pick<RoomLog, 'append'>;
  readonly clock: Clock;
  /** More of the room is on the disk. */
  readonly onDurable: (room: Room) => void;
  /** Once, at the first of a row of failed commits. */
  readonly onTrouble: (error: unknown) => void;
  readonly onRecovered: () => void;
  /** Other portals have these rooms now: nothing of them was written, nor will be. */
  readonly onTaken: (salas: ReadonlySet<string>) => void;
}

interface Batch {
  readonly rows: readonly LogRow[];
  readonly rooms: readonly { readonly room: Room; readonly to: number }[];
  readonly bytes: number;
  readonly sinceMs: number;
}

export function createJournal({ log, clock, onDurable, onTrouble, onRecovered, onTaken }: JournalDeps): Journal {
  const dirty = new Set<Room>();
  const { arm, isArmed } = createAlarm(clock);
  let flying: Batch | null = null;
  let failures = 0;
  let pending = 0;
  let firstMs = 0;
  let lastMs = 0;
  let drained: (() => void) | null = null;
  let draining = false;

  const begin = (): void => {
    if (flying || dirty.size === 0) return;
    const batch = batchOf(dirty, { sinceMs: firstMs, atMs: clock.nowMs() });
    dirty.clear();
    write(batch);
  };
  const write = (batch: Batch): void => {
    flying = batch;
    log.append(batch.rows).then(committed(batch), failed(batch));
  };
  const committed = (batch: Batch) => (): void => {
    flying = null;
    pending -= batch.bytes;
    lastMs = clock.monotonicMs() - batch.sinceMs;
    if (failures > 0) onRecovered();
    failures = 0;
    for (const { room, to } of batch.rooms) {
      room.durableTo = to;
      onDurable(room);
    }
    if (dirty.size > 0) arm(draining ? 0 : Math.max(0, firstMs + limits.roomCommitGatherMs - clock.monotonicMs()), begin);
    else drained?.();
  };
  const failed =
    (batch: Batch) =>
    (error: unknown): void => {
      const taken = takenOf(error);
      const left = without(batch, ({ key }) => taken.has(key.sala));
      if (left.rows.length < batch.rows.length) {
        onTaken(taken);
        return write(left);
      }
      failures += 1;
      if (failures === 1) onTrouble(error);
      arm(doubledMs(limits.roomCommitRetryMs, failures, limits.roomCommitRetryMsMax), () =>
        write(without(batch, ({ state }) => state === 'gone')),
      );
    };

  return {
    note: (room, bytes) => {
      pending += bytes;
      if (dirty.has(room)) return;
      if (dirty.size === 0) firstMs = clock.monotonicMs();
      dirty.add(room);
      if (!flying && !isArmed()) arm(limits.roomCommitGatherMs, begin);
    },
    forget: (room) => {
      if (dirty.delete(room)) pending -= room.tail.end - room.loggedTo;
    },
    healthy: () => failures === 0,
    commitMsLast: () => lastMs,
    pendingBytes: () => pending,
    drain: async (msMax) => {
      if (!flying && dirty.size === 0) return true;
      draining = true;
      if (!flying) arm(0, begin);
      return await within(clock, msMax, (done) => void (drained = done));
    },
  };
}

/** A delayed action, at most one at a time. */
function createAlarm(clock: Clock): { readonly arm: (ms: number, then: () => void) => void; readonly isArmed: () => boolean } {
  let cancel: (() => void) | null = null;
  return {
    arm: (ms, then) => {
      cancel?.();
      cancel = clock.at(clock.monotonicMs() + ms, () => {
        cancel = null;
        then();
      });
    },
    isArmed: () => cancel !== null,
  };
}

/** The rooms that were refused because other portals have them; none: it is another error. */
export function takenOf(error: unknown): ReadonlySet<string> {
  if (!(error instanceof SvcError) || error.code !== 'ROOM_ELSEWHERE') return new Set();
  return new Set(error.details['salas'] as readonly string[]);
}

function batchOf(dirty: ReadonlySet<Room>, { sinceMs, atMs }: { readonly sinceMs: number; readonly atMs: number }): Batch {
  const rows: LogRow[] = [];
  const rooms: { room: Room; to: number }[] = [];
  let bytes = 0;
  for (const room of dirty) {
    const to = room.tail.end;
    const slices = slicesOf(room.tail, room.loggedTo, to);
    room.seq += 1;
    const frames = slices.length === 1 ? slices[0]! : Buffer.concat(slices);
    rows.push({ ...room.key, seq: room.seq, frames, atMs, who: [...room.writers].toSorted() });
    room.writers.clear();
    rooms.push({ room, to });
    bytes += to - room.loggedTo;
    room.marks.push({ seq: room.seq, to });
    room.loggedTo = to;
  }
  return { rows, rooms, bytes, sinceMs };
}

/** A room that was let go, and perhaps opened again, is not written to by what it was before. */
function without(batch: Batch, isGone: (room: Room) => boolean): Batch {
  const kept = batch.rooms.map(({ room }) => !isGone(room));
  return { ...batch, rows: batch.rows.filter((_, at) => kept[at]), rooms: batch.rooms.filter((_, at) => kept[at]) };
}

/** Whether what is begun is done in time. */
function within(clock: Clock, msMax: number, begin: (done: () => void) => void): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.at(clock.monotonicMs() + msMax, () => resolve(false));
  begin(() => {
    cancel();
    resolve(true);
  });
  return promise;
}
