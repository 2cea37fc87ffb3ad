/**
 * Tickets of rooms: a member of a room gets one for 60 s and opens both channels with it, any number of times (spec 5.4). Kept in memory by
 * their hash: a restart closes every socket anyway, and a reconnect takes a new ticket. The role is read when it is used.
 * Decision: docs/decisions/0096-room-tickets.md
 */
import type { RoomStore } from '../../store/rooms.ts';
import type { Clock } from '../../schema/clock.ts';
import type { PersonRecord } from '../../schema/gateway.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { isSecretShape, newSecret, secretHash } from '../auth/secrets.ts';
import { initials } from '../people.ts';
import type { Seat } from './contract.ts';

/** What a ticket is bound to. */
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

/** What opening says. Only the first lets in. */
export type Admission =
  | { readonly kind: 'seat'; readonly seat: Seat }
  /** A valid ticket of a person who is not in the room any longer: handshake, then 4403. */
  | { readonly kind: 'removed' }
  /** A good ticket of a room that was deleted: handshake, then 4410. */
  | { readonly kind: 'deleted' }
  /** Unknown, expired, of another room, or its session ended: 403 before the handshake. */
  | { readonly kind: 'refused' };

export interface Tickets {
  give(to: TicketFor): string;
  /** Never rejects for what a client sent; for a store that can't be read it does. */
  admit(sala: string, bilhete: string): Promise<Admission>;
  /** Tickets that are still good, for tests and figures. */
  count(): number;
}

export interface TicketDeps {
  readonly clock: Clock;
  readonly rooms: Pick<RoomStore, 'standing' | 'portalToken'>;
  readonly person: (usuario: string) => PersonRecord | null;
  readonly alive: (session: string) => Promise<boolean>;
}

interface Ticket extends TicketFor {
  readonly untilMonotonicMs: number;
}

const refused: Admission = { kind: 'refused' };

export function createTickets({ clock, rooms, person, alive }: TicketDeps): Tickets {
  /** In the order in which they were given: the oldest are first. */
  const tickets = new Map<string, Ticket>();
  const byPerson = new Map<string, Set<string>>();

  const drop = (hash: string): void => {
    const ticket = tickets.get(hash);
    tickets.delete(hash);
    const own = byPerson.get(ticket?.usuario ?? '');
    own?.delete(hash);
    if (ticket && own?.size === 0) byPerson.delete(ticket.usuario);
  };
  /** All live equally long: the old ones stand in front. */
  const dropExpired = (): void => {
    const nowMs = clock.monotonicMs();
    for (const [hash, { untilMonotonicMs }] of tickets) {
      if (untilMonotonicMs > nowMs) return;
      drop(hash);
    }
  };

  return {
    give: (to) => {
      dropExpired();
      const secret = newSecret();
      const hash = secretHash(secret);
      const own = byPerson.get(to.usuario) ?? new Set<string>();
      const [oldest] = own;
      if (oldest !== undefined && own.size >= limits.roomTicketsPerPersonMax) drop(oldest);
      byPerson.set(to.usuario, own.add(hash));
      tickets.set(hash, { ...to, untilMonotonicMs: clock.monotonicMs() + sharedLimits.roomTicketMs });
      return secret;
    },
    admit: async (sala, bilhete) => {
      // Hashed in any case, and looked up by the hash: the time reveals nothing about existing tickets.
      const ticket = tickets.get(secretHash(bilhete));
      if (!isSecretShape(bilhete) || !ticket || ticket.untilMonotonicMs <= clock.monotonicMs() || ticket.sala !== sala) return refused;
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
    count: () => {
      dropExpired();
      return tickets.size;
    },
  };
}
