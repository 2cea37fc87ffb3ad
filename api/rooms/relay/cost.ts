/**
 * Bounds what the updates of a room cost the pages of the others. A struct that follows the one before it is placed at once; any other may make
 * Yjs look at every struct of the document. So steps are counted, and what goes over the bound waits until a thread has measured it with Yjs
 * itself. Decision: docs/decisions/0378-what-an-update-costs.md
 */
import type { Cost, CostRequest } from '../../../store/room-cost.ts';
import { createCompactor } from '../../../store/room-threads.ts';
import { updatesIn } from '../../../schema/room-frames.ts';
import type { Scan } from '../../../schema/crdt/update.ts';
import { limits } from '../limits.ts';
import type { Connection, Room } from './room.ts';
import { slicesOf } from './tail.ts';

export interface CostWatch {
  /**
   * `take`: it may be taken now. `wait`: it is being measured; `then` is called with whether it may be taken. `barred`: the person wrote what was too
   * costly a while ago. `busy`: too much waits already, or the last one of the person could not be measured.
   */
  judge(connection: Connection, update: Uint8Array, scan: Scan, then: (verdict: Measured) => void): 'take' | 'wait' | 'barred' | 'busy';
  close(): Promise<void>;
}

/** `again`: it could not be measured in time, which a busy machine explains, too. */
export type Measured = 'take' | 'costly' | 'again';

/** Updates of one room that were not measured yet. */
interface Unmeasured {
  steps: number;
  /** By person. */
  readonly by: Map<string, number>;
  /** Offset of the tail. */
  from: number;
  readonly excess: Excess;
}

/** Until when nothing more is measured of a person. */
interface Bar {
  readonly why: 'barred' | 'busy';
  /** Monotonic. */
  readonly untilMs: number;
  readonly forgottenMs: number;
}

/** Measured cost beyond the allowance of its bytes, less the part that time has taken off again. */
interface Excess {
  ms: number;
  /** Monotonic. */
  atMs: number;
}

export interface CostDeps {
  readonly nowMs: () => number;
  readonly end: (connection: Connection) => void;
}

/** Structs that do not follow their own predecessor each may pass over all of the document. */
export const stepsOf = (room: Room, scan: Scan): number => scan.wide * (room.structs + scan.structs);

export function createCostWatch({ nowMs, end }: CostDeps): CostWatch {
  const measurer = createCompactor(null, { deadlineMs: limits.roomMeasureMsMax });
  const measure = async (of: CostRequest): Promise<Cost> => (await measurer.ask({ kind: 'cost', of })) as Cost;
  const unmeasured = new WeakMap<Room, Unmeasured>();
  const barred = new Map<string, Bar>();
  let waitingBytes = 0;
  const barOf = (usuario: string): Bar | null => {
    const bar = barred.get(usuario);
    if (bar && bar.forgottenMs <= nowMs()) barred.delete(usuario);
    return bar && bar.untilMs > nowMs() ? bar : null;
  };
  const setBar = (usuario: string, why: Bar['why']): void => {
    // A second update in a row that could not be measured is no accident of a busy machine.
    const isShort = why === 'busy' && !barred.has(usuario);
    const untilMs = nowMs() + (isShort ? limits.roomUnmeasuredBarMs : limits.roomCostlyBarMs);
    barred.set(usuario, { why, untilMs, forgottenMs: nowMs() + limits.roomCostlyBarMs });
  };
  const sendAway = (room: Room, usuario: string): void => {
    setBar(usuario, 'barred');
    for (const connection of room.sockets) if (connection.seat.usuario === usuario) end(connection);
  };
  return {
    judge: (connection, update, scan, then) => {
      const { room } = connection;
      const { usuario } = connection.seat;
      const steps = stepsOf(room, scan);
      const open = unmeasured.get(room) ?? {
        steps: 0,
        by: new Map<string, number>(),
        from: room.tail.start,
        excess: { ms: 0, atMs: nowMs() },
      };
      unmeasured.set(room, open);
      if (open.steps + steps <= limits.roomUnmeasuredStepsMax) {
        open.steps += steps;
        open.by.set(usuario, (open.by.get(usuario) ?? 0) + steps);
        return 'take';
      }
      const bar = barOf(usuario);
      if (bar !== null) return bar.why;
      if (waitingBytes + update.length > limits.roomMeasuredBytesMax) return 'busy';
      // Updates that come during the measurement are counted anew.
      unmeasured.set(room, { steps: 0, by: new Map(), from: room.tail.end, excess: open.excess });
      waitingBytes += update.length;
      const own = new Uint8Array(update);
      const request = requestOf(room, open.from, own);
      measure(request)
        .then(
          (cost): Measured => {
            if (isCostly(open.excess, cost.sinceMs, request.since.length, nowMs())) sendAway(room, mostOf(open.by) ?? usuario);
            if (connection.gone) return 'again';
            return isCostly(open.excess, cost.updateMs, own.length, nowMs()) || cost.depth > limits.roomTypeDepthMax ? 'costly' : 'take';
          },
          // It took too long, or Yjs threw at it.
          (): Measured => 'again',
        )
        .then((verdict) => {
          waitingBytes -= own.length;
          if (verdict !== 'take' && !connection.gone) setBar(usuario, verdict === 'costly' ? 'barred' : 'busy');
          return then(verdict);
        })
        .catch(() => {});
      return 'wait';
    },
    close: () => measurer.end(),
  };
}

function isCostly(excess: Excess, ms: number, bytes: number, nowMs: number): boolean {
  excess.ms = Math.max(0, excess.ms - ((nowMs - excess.atMs) / 1_000) * limits.roomCostMsPerSecond);
  excess.atMs = nowMs;
  const more = Math.max(0, ms - (bytes * limits.roomCostMicrosPerByteMax) / 1_000);
  if (excess.ms + more > limits.roomCostFreeMs) return true;
  excess.ms += more;
  return false;
}

const mostOf = (by: ReadonlyMap<string, number>): string | null =>
  [...by].reduce<readonly [string | null, number]>((one, other) => (other[1] > one[1] ? other : one), [null, 0])[0];

function requestOf({ baseFrame, tail }: Room, from: number, update: Uint8Array): CostRequest {
  const start = Math.max(from, tail.start);
  const copy = (slices: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(slices));
  const base = baseFrame === null ? null : (updatesIn(baseFrame)[0] ?? null);
  return {
    base: base && new Uint8Array(base),
    before: copy(slicesOf(tail, tail.start, start)),
    since: copy(slicesOf(tail, start, tail.end)),
    update,
  };
}
