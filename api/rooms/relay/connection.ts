/** A socket of one document of a room, and its rights there. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limits } from '../limits.ts';
import { type Canal, corDe, podeEscrever, roomCloseCodes } from '../../../schema/rooms.ts';
import type { Seat } from '../contract.ts';
import { fullAllowance } from './allowance.ts';
import type { Connection, Room } from './room.ts';

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
    waiting: null,
    bufferedBytesMax: limits.roomSocketBufferedBytesMax,
    allowance: fullAllowance(nowMs),
    heard: true,
    gone: false,
  };
}

export const mayWrite = ({ papel, canal }: Connection): boolean => podeEscrever(papel, canal);

export type Ending = keyof typeof roomCloseCodes;

/** A text for developers of clients; a person never sees it. */
const reasons: Readonly<Record<Ending, string>> = {
  semAcesso: 'no longer in this room',
  apagada: 'the room was deleted',
  malformed: 'not a message of this protocol',
  tooBig: 'the room is as large as it may get',
  semEspaco: 'the space for rooms is used up',
  tryAgain: 'come back',
  unavailable: 'the room can not be read or written now',
};

export function sayEnd(ws: WebSocket, ending: Ending, why = reasons[ending]): void {
  if (ws.readyState !== ws.OPEN) return;
  ws.close(roomCloseCodes[ending], why);
  // A socket that waits for its room is not being read: its own goodbye has to be.
  ws.resume();
}
