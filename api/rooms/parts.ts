/** The parts of the rooms API, put together: what portal.ts registers, and the tickets that the upgrade path asks. */
import type { FastifyInstance } from 'fastify';
import type { Bus } from '../../controller/events/bus.ts';
import type { Store } from '../../controller/store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { createCredentials, type Credentials } from '../auth/credentials.ts';
import type { Sessions } from '../auth/sessions.ts';
import { addAttachmentRoutes } from '../routes/attachments.ts';
import { addNoticeRoutes } from '../routes/notices.ts';
import { addPeopleRoutes } from '../routes/people.ts';
import { addRoomRoutes } from '../routes/rooms.ts';
import type { Relay } from './contract.ts';
import { createAttachmentFiles } from './attachment-files.ts';
import { createAttachments } from './attachments.ts';
import { followRoles } from './follow-roles.ts';
import { createRoomNews } from './news.ts';
import { createNotices } from './notices.ts';
import { createRates } from './rates.ts';
import { createRooms } from './rooms.ts';
import { createTickets, type Tickets } from './tickets.ts';

export interface RoomParts {
  readonly tickets: Tickets;
  readonly credentials: Credentials;
  register(app: FastifyInstance): void;
  close(): void;
}

export interface RoomPartsDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly relay: Relay;
  readonly sessions: Pick<Sessions, 'alive'>;
  /** Made when the first attachment comes. */
  readonly attachmentsDir: string;
  readonly onError: (error: unknown) => void;
}

export function createRoomParts({ store, bus, gateway, clock, relay, sessions, attachmentsDir, onError }: RoomPartsDeps): RoomParts {
  const files = createAttachmentFiles(attachmentsDir);
  const news = createRoomNews({ rooms: store.rooms, gateway, relay, bus });
  const rooms = createRooms({ rooms: store.rooms, gateway, relay, files, news, clock });
  const notices = createNotices({ store: store.rooms, rooms, gateway, news, clock });
  const tickets = createTickets({
    clock,
    rooms: store.rooms,
    person: (usuario) => gateway.person(usuario),
    alive: (root) => sessions.alive(root),
  });
  const attachments = createAttachments({ store: store.rooms, rooms, relay, files, clock, onError });
  const unfollow = followRoles({ rooms: store.rooms, gateway, news, relay, bus, onError });
  const endBackends = bus.onCredentialEnded((tokenHash) => relay.endSession(tokenHash));
  const rates = createRates(clock);
  return {
    tickets,
    credentials: createCredentials(store.rooms, gateway),
    close: () => {
      attachments.close();
      unfollow();
      endBackends();
    },
    register: (app) => {
      addRoomRoutes(app, { gateway, rooms, tickets, rates });
      addAttachmentRoutes(app, { gateway, attachments, rates, clock });
      addNoticeRoutes(app, { gateway, notices, rates });
      addPeopleRoutes(app, { gateway, rates });
    },
  };
}
