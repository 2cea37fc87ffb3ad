/** One socket of one document of a room, and what it may do there. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limits } from '../../../schema/limits.ts';
import { type Canal, corDe, type Papel, podeEscrever, roomCloseCodes } from '../../../schema/rooms.ts';
import type { Seat } from '../contract.ts';
import { fullAllowance, type Allowance } from './allowance.ts';
import type { Outlet } from './frame-writer.ts';
import type { Owner } from './presence.ts';
import type { Room } from './room.ts';

/** An update that stands on `clock` of `client`, which isn't here yet. */
export interface Held {
  readonly update: Uint8Array;
  readonly client: number;
  readonly clock: number;
}

export interface Connection extends Outlet, Owner {
  readonly canal: Canal;
  readonly room: Room;
  papel: Papel;
  /** It asked for the state and got it: from then on it gets every update. */
  live: boolean;
  /** It asked again while the last answer still waits to be read: the state vector of its last question. */
  asked: Uint8Array | null;
  held: Held[];
  readonly allowance: Allowance;
  /** Something came from it since the last look. */
  heard: boolean;
  /** Closing: what it still sends counts for nothing. */
  gone: boolean;
  /** Time slot of its heartbeat. */
  readonly beat: number;
}

export interface NewConnection {
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly seat: Seat;
  readonly canal: Canal;
  readonly room: Room;
  readonly beat: number;
  readonly nowMs: number;
}

export function createConnection({ ws, socket, seat, canal, room, beat, nowMs }: NewConnection): Connection {
  return {
    ws,
    socket,
    seat,
    canal,
    room,
    beat,
    color: corDe(seat.usuario),
    ids: new Set(),
    papel: seat.papel,
    live: false,
    asked: null,
    held: [],
    bufferedBytesMax: limits.roomSocketBufferedBytesMax,
    allowance: fullAllowance(nowMs),
    heard: true,
    gone: false,
  };
}

export const mayWrite = ({ papel, canal }: Connection): boolean => podeEscrever(papel, canal);

export type Ending = keyof typeof roomCloseCodes;

/** Said to whoever debugs a client; a person never sees it. */
const reasons: Readonly<Record<Ending, string>> = {
  semAcesso: 'no longer in this room',
  apagada: 'the room was deleted',
  malformed: 'not a message of this protocol',
  tooBig: 'the room is as large as it may get',
  tryAgain: 'come back',
  unavailable: 'the room can not be read or written now',
};

export function sayEnd(ws: WebSocket, ending: Ending): void {
  if (ws.readyState !== ws.OPEN) return;
  ws.close(roomCloseCodes[ending], reasons[ending]);
  // One that waits for its room is not being read: its own goodbye has to be.
  ws.resume();
}
