/**
 * The durable log of rooms: per document (room and channel) a base, which is one whole state as a Yjs update, and the tail of what came
 * since, as the frames that went to the sockets. Only the relay of the API writes it. Decisions: docs/decisions/0090-rooms-are-logs.md,
 * 0091-commit-window.md
 */
import type { Canal } from '../schema/rooms.ts';

export interface RoomKey {
  readonly sala: string;
  readonly canal: Canal;
}

/** A step of a document's tail. `seq` counts by one, from the `seq` that `load` returned. */
export interface LogRow extends RoomKey {
  readonly seq: number;
  /** Frames of updates (schema/room-frames.ts), one behind the other. Not kept: it may change after the call. */
  readonly frames: Uint8Array;
}

/** Summary of the base alone, ready for a relay that never builds a document. */
export interface LoggedBase {
  /** The base as an update; null: nothing was compacted yet. */
  readonly base: Uint8Array | null;
  /** State vector of the base, and an update of nothing but its deletions. */
  readonly vector: Uint8Array;
  readonly deletes: Uint8Array;
  /** How many structs it has; absent where that is not stored. */
  readonly structs?: number;
}

export interface LoggedRoom extends LoggedBase {
  readonly tail: Uint8Array;
  /** Number of the last row. */
  readonly seq: number;
}

export interface CompactedRoom extends LoggedBase {
  readonly base: Uint8Array;
  /** The base holds every row up to this one. */
  readonly seq: number;
  /** Updates that no document could take; they are no longer in the log. */
  readonly dropped: number;
}

/** Every promise rejects with STORE_FAILED when the file can't be read or written; nothing is half done then. */
export interface RoomLog {
  /** Loads a document; one never written to has an empty tail and seq 0. Rejects, never returns less than there is. */
  load(key: RoomKey): Promise<LoggedRoom>;
  /** All or none, in one transaction; resolves when it is on the disk (fsync). Rows of a deleted room are left out. */
  append(rows: readonly LogRow[]): Promise<void>;
  /** Makes one base of the base and all rows that are on the disk, off this thread. Null when there is no row, or the room is gone. */
  compact(key: RoomKey): Promise<CompactedRoom | null>;
  /** Neither document of the room is open here any more: another portal may have it. */
  release(sala: string): Promise<void>;
  /** Both documents of the room, for good; no later `append` brings them back. */
  deleteRoom(sala: string): Promise<void>;
  /** Bytes of both documents of these rooms. */
  sizeOf(...salas: readonly string[]): Promise<number>;
  /** Everything in both documents that looks like the address of an attachment. */
  attachmentsIn(sala: string): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}
