/**
 * The durable log of rooms: per document (room and channel) a base, which is one whole state as a Yjs update, and the tail of what came
 * since, as the frames that went to the sockets. Only the relay of the API writes it. Decisions: docs/decisions/0090-rooms-are-logs.md,
 * 0091-commit-window.md
 */
import type { Canal, VersionForm } from '../schema/rooms.ts';
import type { HistoryDays, Version } from './history/spans.ts';

export interface RoomKey {
  readonly sala: string;
  readonly canal: Canal;
}

/** A step of a document's tail. `seq` counts by one, from the `seq` that `load` returned. */
export interface LogRow extends RoomKey {
  readonly seq: number;
  /** Frames of updates (schema/room-frames.ts), one behind the other. Not kept: it may change after the call. */
  readonly frames: Uint8Array;
  /** When it came, in ms since the epoch; absent: not known, as by whom. */
  readonly atMs?: number;
  /** Persons whose updates these are. */
  readonly who?: readonly string[];
}

/** How versions are kept when a document is compacted. */
export interface HistoryRule {
  readonly days: HistoryDays;
  readonly nowMs: number;
  /** No older piece is touched (compactAnyway). */
  readonly isApart?: boolean;
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
  compact(key: RoomKey, rule: HistoryRule): Promise<CompactedRoom | null>;
  /** Versions of a document, the oldest first. */
  versions(key: RoomKey): Promise<readonly Version[]>;
  /** The document as it was in a version; null: there is no such version. Off this thread. */
  version(key: RoomKey, seq: number, form: VersionForm): Promise<Uint8Array | null>;
  /** An update after which the document on the disk says what it said in that version; null: there is no such version. Off this thread. */
  revert(key: RoomKey, seq: number): Promise<Uint8Array | null>;
  /** Null takes the name away. `gone`: there is no such version; `full`: a document has `roomVersionNamesMax` names. */
  nameVersion(key: RoomKey, seq: number, name: string | null): Promise<'named' | 'gone' | 'full'>;
  /** Takes a person out of what is known of who wrote. */
  forgetWriter(person: string): Promise<void>;
  /** Neither document of the room is open here any more: another portal may have it. */
  release(sala: string): Promise<void>;
  /** Both documents of the room, for good; no later `append` brings them back. */
  deleteRoom(sala: string): Promise<void>;
  /** Bytes of both documents of these rooms, with their history. */
  sizeOf(...salas: readonly string[]): Promise<number>;
  /** Everything in both documents, and in their versions, that looks like the address of an attachment. */
  attachmentsIn(sala: string): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}
