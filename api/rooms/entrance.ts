/**
 * `/ws/salas/<room id>/(documento|comentarios)?bilhete=…`: the ticket decides who sits where, before the handshake; the relay takes it from there.
 * Source: rules 5, 7. Decision: docs/decisions/0096-room-tickets.md
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { limits } from '../limits.ts';
import { canais, roomIdPattern, type Canal } from '../../schema/rooms.ts';
import { refuseUpgrade } from '../http/refuse-upgrade.ts';
import { classifyHost, type Site } from '../http/hosts.ts';
import type { Relay } from './contract.ts';
import type { Tickets } from './tickets.ts';

/** `isCarried`: another portal found that the room is here, and carried it over. */
export type RoomEntrance = (req: IncomingMessage, socket: Duplex, head: Buffer, isCarried?: boolean) => Promise<void>;

export interface EntranceDeps {
  readonly site: Site;
  readonly tickets: Pick<Tickets, 'isGood' | 'use' | 'admit'>;
  readonly relay: Relay;
  /** Takes it to the portal that has the room; null: that is this one. Absent: there are no others. */
  readonly elsewhere?: (sala: string) => Promise<Carry | null>;
}

export type Carry = (req: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

export const roomsPath = '/ws/salas/';

/** Rejects when the store can't be read. */
export function createEntrance({ site, tickets, relay, elsewhere }: EntranceDeps): RoomEntrance {
  return async (req, socket, head, isCarried = false) => {
    if (!isOurOrigin(site, req.headers.origin)) return refuseUpgrade(socket, 403, 'Forbidden');
    const place = placeOf(req.url ?? '');
    if (!place) return refuseUpgrade(socket, 404, 'Not Found');
    const { sala, canal, bilhete } = place;
    // Before anybody is asked whose the room is, who would take it.
    if (!tickets.isGood(sala, bilhete)) return refuseUpgrade(socket, 403, 'Forbidden');
    if (!isCarried && !tickets.use(bilhete)) return refuseUpgrade(socket, 429, 'Too Many Requests');
    // Once only: where a room changes hands meanwhile, the relay sends the client away, and it comes again.
    const carry = isCarried ? null : ((await elsewhere?.(sala)) ?? null);
    if (socket.destroyed) return;
    if (carry !== null) return await carry(req, socket, head);
    const before = relay.changes();
    const admission = await tickets.admit(sala, bilhete);
    if (socket.destroyed) return;
    switch (admission.kind) {
      case 'refused':
        return refuseUpgrade(socket, 403, 'Forbidden');
      case 'removed':
        return relay.turnAway(req, socket, head, 'semAcesso');
      case 'deleted':
        return relay.turnAway(req, socket, head, 'apagada');
      case 'seat':
        relay.join(req, socket, head, admission.seat, canal);
    }
    if (relay.changes() === before) return;
    // A role or a session that changed while the ticket was read missed the socket, which was not there yet.
    const after = await tickets.admit(sala, bilhete);
    const { usuario, papel, session, credential } = admission.seat;
    if (after.kind === 'refused') {
      for (const carrier of [session, credential]) if (carrier) relay.endSession(carrier);
      return;
    }
    // Its documents are removed by who deleted it, never for a row that is missing here.
    if (after.kind === 'deleted') return relay.endRoom(sala);
    const now = after.kind === 'seat' ? after.seat.papel : null;
    if (now !== papel) relay.setRole(sala, usuario, now);
  };
}

interface Place {
  readonly sala: string;
  readonly canal: Canal;
  readonly bilhete: string;
}

/** Null when it is not one. The path is compared as received: percent-encoded ones don't match. */
export function placeOf(url: string): Place | null {
  const query = url.indexOf('?');
  if (!url.startsWith(roomsPath) || query < 0 || url.length > limits.headerBytesMax) return null;
  const [sala = '', name = '', ...more] = url.slice(roomsPath.length, query).split('/');
  const canal = canais.find((one) => one === name);
  const bilhete = new URLSearchParams(url.slice(query + 1)).get('bilhete');
  return roomIdPattern.test(sala) && canal && more.length === 0 && bilhete !== null ? { sala, canal, bilhete } : null;
}

/** Programs send none; a page's must be the portal's or one of its apps'. */
export function isOurOrigin(site: Site, origin: string | undefined): boolean {
  if (origin === undefined || origin === site.origin) return true;
  const scheme = `${site.scheme}://`;
  return origin.startsWith(scheme) && origin === origin.toLowerCase() && classifyHost(origin.slice(scheme.length), site).kind === 'app';
}
