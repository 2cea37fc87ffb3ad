/**
 * Members of a room, and the relay's interface for the rest of the portal. The routes (roles, tickets, deletion) decide; the relay carries frames,
 * and enforces the role that it was given last.
 */
import type { Duplex } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { SvcError } from '../../schema/errors.ts';
import type { Canal, Papel, VersionForm } from '../../schema/rooms.ts';
import type { Version } from '../../store/history/spans.ts';
import type { RoomKey } from '../../store/room-log.ts';

/** Whom a ticket let in: fixed for the life of a socket, but for the role. */
export interface Seat {
  readonly sala: string;
  readonly app: string;
  readonly usuario: string;
  /** Presence of this person (`user.name`, `user.iniciais`, `user.color`): set by the relay over the client's values. */
  readonly nome: string;
  readonly iniciais: string;
  readonly papel: Papel;
  /** Owner of the room, for whom it counts; '' when it has none. */
  readonly dona?: string;
  /** 'pagina' or 'backend': a backend's presence keeps the name that it gives itself, below the person's. */
  readonly por: 'pagina' | 'backend';
  /** Portal session of the page that it was opened from, or of the person for whom a server-scope app asked: the seat ends with it. */
  readonly session?: string | null;
  /** Hash of the credential of the backend: likewise. */
  readonly credential?: string | null;
}

export interface Relay {
  /** Takes over an HTTP upgrade that was let in; the WebSocket handshake is the relay's. Never throws. */
  join(req: IncomingMessage, socket: Duplex, head: Buffer, seat: Seat, canal: Canal): void;
  /** Finishes the handshake and closes: 4403 to who was removed meanwhile, 4410 when the room was deleted. A refused ticket gets no handshake. */
  turnAway(req: IncomingMessage, socket: Duplex, head: Buffer, why: 'semAcesso' | 'apagada'): void;
  /** At once, on every open socket of that person in the room. Null: closes them with 4403. */
  setRole(sala: string, usuario: string, papel: Papel | null): void;
  /** By session or credential: the person signed out there, or the backend stopped: its sockets close with 1013, and a reconnect needs a ticket. */
  endSession(session: string): void;
  /** Each open socket, for a check of its right to be there. Counts as a change: sockets that are coming in at this moment are checked again, too. */
  seated(): readonly { readonly sala: string; readonly usuario: string; readonly credential: string | null }[];
  /** Portal sessions that pages have sockets open with: they end with them. */
  carried(): readonly { readonly person: string; readonly session: string }[];
  /** Number of changes of role, ends and deletions so far: a caller that read a role and finds another number reads it again. */
  changes(): number;
  /** Closes every socket with 4410. */
  endRoom(sala: string): void;
  /** As `endRoom`, and forgets the room's log. Resolves once that is durable. */
  deleteRoom(sala: string): Promise<void>;
  /**
   * Another portal has these rooms now: their sockets close with 1013, and their unwritten updates never are written. The other portal lets the
   * clients in that come again.
   */
  letGo(salas: readonly string[]): void;
  /** Bytes that the room holds on disk, both channels. */
  sizeOf(sala: string): Promise<number>;
  /** The text of both documents of the room, searched for attachment addresses; for the garbage collection. Off the hot path. */
  attachmentsIn(sala: string): Promise<ReadonlySet<string>>;
  readonly history: RoomHistory;
  /** Open sockets, rooms in memory, frames and bytes in and out, dropped readers; for `/metrics`. */
  figures(): RelayFigures;
  /** Closes all sockets with 1013 and writes down what is pending. */
  close(): Promise<void>;
}

export interface RevertAsked {
  readonly key: RoomKey;
  /** Number of the version. */
  readonly seq: number;
  readonly usuario: string;
  readonly app: string;
  readonly dona: string;
}

/** Versions of documents. Off the hot path, as everything that builds a document. */
export interface RoomHistory {
  /** The oldest first. */
  versions(key: RoomKey): Promise<readonly Version[]>;
  /** Null: there is no such version. */
  version(key: RoomKey, seq: number, form: VersionForm): Promise<Uint8Array | null>;
  name(key: RoomKey, seq: number, name: string | null): Promise<'named' | 'gone' | 'full'>;
  /** As an edit of that person; resolves when it is on the disk. Rejects as relay/reverting.ts says. */
  revert(asked: RevertAsked): Promise<void>;
}

export interface RelayFigures {
  readonly sockets: number;
  readonly rooms: number;
  readonly framesIn: number;
  readonly framesOut: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly discarded: number;
  readonly slowReadersDropped: number;
  /** From the arrival of an update to the disk, the longest in the last commit. */
  readonly commitMsLast: number;
  /** The log can't be written now: joins are refused. */
  readonly commitsFailing: boolean;
}

export const noSuchVersion = (seq: number): SvcError =>
  new SvcError('NOT_FOUND', `there is no version ${seq} of this room: read the list again`);
