/** Measures what the rooms of one person hold on the disk. */
import { statfs } from 'node:fs/promises';
import type { RoomLog } from '../../store/room-log.ts';
import type { RoomStore } from '../../store/rooms.ts';
import { limits } from '../limits.ts';

export interface RoomSpaceDeps {
  /** Folder whose disk they are on; null: the database's, which is not ours to measure. */
  readonly stateDir: string | null;
  readonly rooms: Pick<RoomStore, 'ownedRooms' | 'attachmentBytesOf'>;
  readonly log: Pick<RoomLog, 'sizeOf'>;
  /** Free bytes of the disk that the folder is on. */
  readonly freeBytes?: (dir: string) => Promise<number>;
}

/**
 * Documents and attachments. Infinity while the disk of the state folder has less free space than that plus what the portal needs: then the
 * owner with the most is refused first, so that one can't fill it for all. Decision: docs/decisions/0165-shares-of-the-room-budget.md
 */
export function roomSpace({ stateDir, rooms, log, freeBytes = freeOn }: RoomSpaceDeps): (dona: string) => Promise<number> {
  return async (dona) => {
    const left = stateDir === null ? Infinity : (await freeBytes(stateDir)) - limits.stateFreeBytesMin;
    if (left < 0) return Infinity;
    // While the room log is shut nothing is written to it.
    const documents = await log.sizeOf(...(await rooms.ownedRooms(dona))).catch(() => 0);
    const held = documents + (await rooms.attachmentBytesOf(dona));
    return held > left ? Infinity : held;
  };
}

async function freeOn(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}
