/**
 * Tickets of rooms: a member of a room gets one for 60 s and opens both channels with it, again and again within bounds (rules 5). A ticket says
 * itself what it is bound to, sealed with a key of the store (AES-256-GCM): any portal of the store reads it, and keeps no more of it than how often
 * it was used there. The role is read when it is used. Decisions: docs/decisions/0096-room-tickets.md, 0300-sealed-tickets.md
 */
import type { RoomStore } from '../../store/rooms.ts';
import type { Clock } from '../../schema/clock.ts';
import type { PersonRecord } from '../../schema/gateway.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { KeyRing } from '../auth/key-rings.ts';
import { seal, unseal } from '../auth/sealed.ts';
import { initials } from '../portal/people.ts';
import { limits } from './limits.ts';
import type { Seat } from './contract.ts';

/** The person, app, room and kind of caller that a ticket is bound to. */
export interface TicketFor {
  readonly usuario: string;
  readonly app: string;
  readonly sala: string;
  readonly por: 'pagina' | 'backend';
  /** Portal session that asked, or for which a server-scope app asked; null for the backend of a person. The ticket ends with it. */
  readonly session: string | null;
  /** Hash of the credential of the backend that asked; null for a page. The ticket ends with it. */
  readonly credential: string | null;
}

/** Result of opening. Only the first lets in. */
export type Admission =
  | { readonly kind: 'seat'; readonly seat: Seat }
  /** A valid ticket of a person who is not in the room any longer: handshake, then 4403. */
  | { readonly kind: 'removed' }
  /** A good ticket of a room that was deleted: handshake, then 4410. */
  | { readonly kind: 'deleted' }
  /** Unknown, expired, of another room, or its session ended: 403 before the handshake. */
  | { readonly kind: 'refused' };

export interface Tickets {
  /** base64url, below limits.sealedCharsMax. */
  give(to: TicketFor): string;
  /** A portal of the store gave it for this room, and its time is not over. Asks nobody: who sends another one costs nothing. */
  isGood(sala: string, bilhete: string): boolean;
  /** Counts one opening with a good ticket; false: it has had them all. */
  use(bilhete: string): boolean;
  /** Never rejects for what a client sent; for a store that can't be read it does. */
  admit(sala: string, bilhete: string): Promise<Admission>;
}

export interface TicketDeps {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The same for all portals of the store. */
  readonly ring: KeyRing;
  readonly rooms: Pick<RoomStore, 'standing' | 'portalToken'>;
  readonly person: (usuario: string) => PersonRecord | null;
  readonly alive: (session: string) => Promise<boolean>;
}

interface Ticket extends TicketFor {
  /** Wall time: two portals read it. */
  readonly untilMs: number;
}

const purpose = 'room ticket';
const refused: Admission = { kind: 'refused' };

export function createTickets({ clock, ring, rooms, person, alive }: TicketDeps): Tickets {
  const read = (sala: string, bilhete: string): Ticket | null => {
    const ticket = unseal(ring, purpose, bilhete) as Ticket | null;
    const leftMs = (ticket?.untilMs ?? 0) - clock.nowMs();
    // A clock that was set back makes no ticket good for longer.
    const isOfNow = leftMs > 0 && leftMs <= sharedLimits.roomTicketMs + sharedLimits.portalsSkewMsMax;
    return isOfNow && ticket?.sala === sala ? ticket : null;
  };
  const used = new Map<string, { times: number; readonly untilMs: number }>();
  const use = (bilhete: string): boolean => {
    for (const [old, { untilMs }] of used) {
      if (untilMs > clock.nowMs()) break;
      used.delete(old);
    }
    const keptMs = sharedLimits.roomTicketMs + sharedLimits.portalsSkewMsMax;
    const one = used.get(bilhete) ?? { times: 0, untilMs: clock.nowMs() + keptMs };
    used.set(bilhete, one);
    one.times += 1;
    return one.times <= limits.roomTicketUsesMax;
  };
  return {
    use,
    isGood: (sala, bilhete) => read(sala, bilhete) !== null,
    give: (to) => seal(ring, purpose, { ...to, untilMs: clock.nowMs() + sharedLimits.roomTicketMs }),
    admit: async (sala, bilhete) => {
      const ticket = read(sala, bilhete);
      if (ticket === null) return refused;
      if (ticket.session !== null && !(await alive(ticket.session))) return refused;
      if (ticket.credential !== null && !(await rooms.portalToken(ticket.credential))) return refused;
      const who = person(ticket.usuario);
      const standing = await rooms.standing(sala, { usuario: ticket.usuario, grupos: who?.grupos ?? [] });
      if (standing === null) return { kind: 'deleted' };
      if (who === null || standing.papel === null) return { kind: 'removed' };
      const { usuario, app, por, session, credential } = ticket;
      return {
        kind: 'seat',
        seat: {
          sala,
          app,
          usuario,
          nome: who.nome,
          iniciais: initials(who),
          papel: standing.papel,
          dona: standing.room.dona,
          por,
          session,
          credential,
        },
      };
    },
  };
}
