/** Events of a room connection as tests write them, and how its effects are written. */
import type { RoomEffect, RoomEvent } from '../room-connection.ts';

export const ticket = (attempt: number, bilhete: string | null = 'b'): RoomEvent => ({
  type: 'TICKET',
  attempt,
  bilhete,
  caminho: '/ws/salas/x',
  papel: bilhete === null ? null : 'editar',
});
export const refused = (attempt: number, failure: 'passing' | 'forbidden' | 'unknown', retryAfterMs: number | null = null): RoomEvent => ({
  type: 'TICKET_FAILED',
  attempt,
  failure,
  retryAfterMs,
});
export const opened = (attempt: number): RoomEvent => ({ type: 'OPENED', attempt });
export const synced = (attempt: number): RoomEvent => ({ type: 'SYNCED', attempt });
export const closed = (attempt: number, code: number): RoomEvent => ({ type: 'CLOSED', attempt, code });
export const tick = (heardAtMs = 0): RoomEvent => ({ type: 'TICK', heardAtMs });
export const leave: RoomEvent = { type: 'LEAVE' };
export const online: RoomEvent = { type: 'ONLINE' };
export const offline: RoomEvent = { type: 'OFFLINE' };

export const said = (effect: RoomEffect): string => ('attempt' in effect ? `${effect.kind} ${effect.attempt}` : effect.kind);
