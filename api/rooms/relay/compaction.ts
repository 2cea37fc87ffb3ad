/**
 * When a document's log is rewritten as one state: after enough updates, when the room is quiet (or could not wait any longer), one document at a
 * time, in the log's own thread. Decision: docs/decisions/0090-rooms-are-logs.md
 */
import type { CompactedRoom, RoomLog } from '../../../store/room-log.ts';
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { Room } from './room.ts';

export interface Compaction {
  /** Looks whether the room has become due. */
  consider(room: Room): void;
  forget(room: Room): void;
  close(): void;
}

export interface CompactionDeps {
  readonly log: Pick<RoomLog, 'compact'>;
  /** Days for which versions are kept. */
  readonly historyDays: () => number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onCompacted: (room: Room, made: CompactedRoom) => void;
  readonly onFailed: (room: Room, error: unknown) => void;
}

interface Due {
  readonly sinceMs: number;
  /** After a failure, and so that rooms that were busy together are not due together. */
  notBeforeMs: number;
}

const pollMs = 250;

export function isDue({ tail, updates, baseBytes }: Room): boolean {
  if (updates < 2) return false;
  return (
    updates >= Math.max(limits.roomCompactUpdatesMin, baseBytes / 256) ||
    tail.end - tail.start > Math.max(limits.roomCompactBytesMin, baseBytes)
  );
}

export function createCompaction({ log, clock, random, historyDays, onCompacted, onFailed }: CompactionDeps): Compaction {
  const due = new Map<Room, Due>();
  const failed = new WeakMap<Room, number>();
  let running: Room | null = null;
  let cancel: (() => void) | null = null;

  const arm = (): void => {
    if (cancel || running || due.size === 0) return;
    cancel = clock.at(clock.monotonicMs() + pollMs, () => {
      cancel = null;
      poll();
      arm();
    });
  };
  const poll = (): void => {
    const nowMs = clock.monotonicMs();
    for (const [room, entry] of due) {
      const quiet = nowMs - room.changedAtMs >= limits.roomCompactQuietMs;
      const waited = nowMs - entry.sinceMs >= limits.roomCompactWaitMsMax;
      const heavy = room.tail.end - room.tail.start > 2 * Math.max(limits.roomCompactBytesMin, room.baseBytes);
      if (nowMs >= entry.notBeforeMs && (quiet || waited || heavy)) return run(room);
    }
  };
  const run = (room: Room): void => {
    running = room;
    due.delete(room);
    log
      .compact(room.key, { days: historyDays(), nowMs: clock.nowMs() })
      .then((made) => compacted(room, made))
      .catch((error: unknown) => {
        running = null;
        const failures = (failed.get(room) ?? 0) + 1;
        failed.set(room, failures);
        // A room that always takes too long has the thread for a small part of the time.
        enter(room, Math.min(limits.roomCompactRetryMs * 2 ** (failures - 1), limits.roomCompactRetryMsMax));
        onFailed(room, error);
      })
      .finally(arm);
  };
  const compacted = (room: Room, made: CompactedRoom | null): null => {
    running = null;
    failed.delete(room);
    if (made) onCompacted(room, made);
    // A room that was left is not rebased: it would stay due for ever.
    if (room.state !== 'gone' && isDue(room)) enter(room, 0);
    return null;
  };
  const enter = (room: Room, waitMs: number): void => {
    if (room.state === 'gone' && waitMs > 0) return;
    const nowMs = clock.monotonicMs();
    due.set(room, { sinceMs: nowMs, notBeforeMs: nowMs + waitMs + random() * limits.roomCompactQuietMs });
  };

  return {
    consider: (room) => {
      if (due.has(room) || running === room || !isDue(room)) return;
      enter(room, 0);
      arm();
    },
    forget: (room) => due.delete(room),
    close: () => {
      cancel?.();
      due.clear();
    },
  };
}
