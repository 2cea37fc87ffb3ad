/** The parts of the rooms API, put together: what portal.ts registers, and the tickets that the upgrade path asks. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Bus } from '../../store/bus.ts';
import type { Bytes } from '../../store/bytes.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import type { AppsView, PeopleView } from '../../schema/gateway.ts';
import type { KeyRing } from '../auth/key-rings.ts';
import type { Sessions } from '../auth/sessions.ts';
import { addAttachmentRoutes } from '../routes/attachments.ts';
import { addNoticeRoutes } from '../routes/notices.ts';
import { addPeopleRoutes } from '../routes/people.ts';
import { addRoomRoutes } from '../routes/rooms.ts';
import { createBin } from './bin.ts';
import type { Relay } from './contract.ts';
import { createAttachmentFiles } from './attachment-files.ts';
import { createAttachments } from './attachments.ts';
import type { CollectionReport } from './collection.ts';
import { followRoles } from './follow-roles.ts';
import { createHistory, type HistoryDeps } from './history.ts';
import { createRoomNews } from './news.ts';
import { createNotices } from './notices.ts';
import { createRates } from './rates.ts';
import { createRooms } from './rooms.ts';
import { createTickets, type Tickets } from './tickets.ts';

export interface RoomParts {
  readonly tickets: Tickets;
  register(app: FastifyInstance): void;
  close(): void;
}

export interface RoomPartsDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly people: PeopleView;
  readonly apps: AppsView;
  readonly clock: Clock;
  readonly relay: Relay;
  /** Keys of the store: any portal reads the texts that they seal. */
  readonly seal: KeyRing;
  readonly sessions: Pick<Sessions, 'alive'>;
  readonly attachments: Bytes;
  /** Why nothing is taken out of the folder that this store does not know; null: the folder is its own. */
  readonly attachmentsTrouble?: string | null;
  readonly diskOf?: (dona: string) => Promise<number>;
  /** Where versions are brought back of rooms that another portal has. */
  readonly elsewhere: HistoryDeps['elsewhere'];
  readonly log: Logger;
  readonly onError: (error: unknown) => void;
}

export function createRoomParts(deps: RoomPartsDeps): RoomParts {
  const { diskOf = async () => 0 } = deps;
  const { store, bus, people, apps, clock, relay, sessions, onError } = deps;
  const files = createAttachmentFiles(deps.attachments);
  const news = createRoomNews({ rooms: store.rooms, people, relay, bus });
  const rooms = createRooms({ rooms: store.rooms, people, apps, relay, news, clock, diskOf });
  const bin = createBin({ rooms: store.rooms, news, relay, files, clock });
  const history = createHistory({ rooms, relay, people, elsewhere: deps.elsewhere });
  const notices = createNotices({ store: store.rooms, rooms, people, apps, news, clock });
  const tickets = createTickets({
    clock,
    ring: deps.seal,
    rooms: store.rooms,
    person: (usuario) => people.find(usuario),
    alive: (root) => sessions.alive(root),
  });
  const attachments = createAttachments({
    store: store.rooms,
    values: store,
    rooms,
    diskOf,
    relay,
    files,
    clock,
    isOurs: (deps.attachmentsTrouble ?? null) === null,
    report: collectionReport(deps.log),
    onError,
  });
  const unfollow = followRoles({ rooms: store.rooms, people, news, relay, bus, onError });
  const endBackends = bus.onCredentialEnded((tokenHash) => relay.endSession(tokenHash));
  const rates = createRates(clock);
  return {
    tickets,
    close: () => {
      attachments.close();
      unfollow();
      endBackends();
    },
    register: (app) => {
      addRoomRoutes(app, { people, rooms, bin, history, tickets, rates });
      addAttachmentRoutes(app, { people, attachments, rates, clock });
      addNoticeRoutes(app, { people, notices, rates });
      addPeopleRoutes(app, { people, rates });
    },
  };
}

function collectionReport(log: Logger): CollectionReport {
  return {
    unknown: (count, example) =>
      log.warn({ count, example }, 'attachments that the store does not know: kept; svc doctor says for how long'),
    dropped: (name) => log.warn({ name }, 'attachments that the store did not know for a month were removed'),
  };
}
