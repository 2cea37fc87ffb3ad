/** Brings a version of a document back: an edit by the person who asked for it, which goes to everybody in the room as any other. */
import type { Clock } from '../../../schema/clock.ts';
import { judge, newPart, scanUpdate } from '../../../schema/crdt/update.ts';
import { SvcError } from '../../../schema/errors.ts';
import type { RoomLog } from '../../../store/room-log.ts';
import { noSuchVersion, type RevertAsked } from '../contract.ts';
import { limits } from '../limits.ts';
import { shortages } from './budget.ts';
import type { OpenRooms } from './open-rooms.ts';
import { append, type Desk } from './receiving.ts';
import { bytesOf, type Room } from './room.ts';

export interface RevertDeps {
  readonly rooms: OpenRooms;
  readonly desk: Desk;
  readonly log: Pick<RoomLog, 'revert'>;
  readonly clock: Clock;
}

/**
 * Resolves when it is on the disk. Rejects NOT_FOUND when there is no such version, TOO_LARGE and SPACE_USED when the document would have no space, and
 * STORE_FAILED when the room can't be read or written now.
 */
export async function revertRoom(deps: RevertDeps, asked: RevertAsked): Promise<void> {
  const { rooms } = deps;
  const room = rooms.enter(asked.key, asked);
  const { reverting } = room;
  const turn = reverting.last.then(() => revertOpen(deps, room, asked));
  reverting.count += 1;
  reverting.last = turn.catch(() => undefined);
  try {
    await turn;
  } finally {
    reverting.count -= 1;
    rooms.lingerIfEmpty(room);
  }
}

async function revertOpen({ desk, log, clock }: RevertDeps, room: Room, { key, seq, usuario }: RevertAsked): Promise<void> {
  await room.opening;
  refuseUnlessOpen(room);
  await written(room, clock);
  const whole = await log.revert(key, seq);
  if (whole === null) throw noSuchVersion(seq);
  refuseUnlessOpen(room);
  const scan = scanUpdate(whole, room.known.vector, null, false);
  const verdict = scan && judge(room.known, scan);
  if (verdict?.kind === 'known') return;
  if (!scan || verdict?.kind !== 'new')
    throw new SvcError('INTERNAL', `version ${seq} of room ${key.sala} gives an edit that does not fit`);
  const update = newPart(room.known, whole, scan);
  const most = limits.roomStateBytesMax;
  if (bytesOf(room) + update.length > most)
    throw new SvcError('TOO_LARGE', `the room would have more than ${most} bytes`, { bytesMax: most });
  const shortage = desk.budget.grow(room, update.length);
  if (shortage !== null) throw new SvcError('SPACE_USED', shortages[shortage]);
  append(desk, room, { update, scan, by: null, usuario });
  await written(room, clock);
}

function refuseUnlessOpen({ state }: Room): void {
  if (state !== 'open') throw new SvcError('STORE_FAILED', 'the room is not open now: try again');
}

/** Resolves when everything that the room has is on the disk. */
async function written(room: Room, clock: Clock): Promise<void> {
  if (room.durableTo >= room.tail.end) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const one = { to: room.tail.end, done: resolve };
  room.awaited.push(one);
  const late = (): void => {
    room.awaited.splice(room.awaited.indexOf(one), 1);
    reject(new SvcError('STORE_FAILED', 'the room can not be written now: try again'));
  };
  const cancel = clock.at(clock.monotonicMs() + limits.roomRevertWrittenMsMax, late);
  await promise.finally(cancel);
}

/** More of the room is on the disk. */
export function tellWritten({ awaited, durableTo }: Room): void {
  for (const one of awaited.filter(({ to }) => to <= durableTo)) {
    awaited.splice(awaited.indexOf(one), 1);
    one.done();
  }
}
