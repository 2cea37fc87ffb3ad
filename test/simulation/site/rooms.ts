/** Rooms of a simulated site: the product's relay, tickets, entrance and roles in the portal, and its log on the disk. */
import { createServer, type Server } from 'node:http';
import { createEntrance } from '../../../api/rooms/entrance.ts';
import { followRoles } from '../../../api/rooms/follow-roles.ts';
import { createRoomNews } from '../../../api/rooms/news.ts';
import { createRelay } from '../../../api/rooms/relay/relay.ts';
import { createRooms, type Rooms } from '../../../api/rooms/rooms.ts';
import { createTickets, type Tickets } from '../../../api/rooms/tickets.ts';
import type { RoomCaller } from '../../../api/rooms/callers.ts';
import type { Relay } from '../../../api/rooms/contract.ts';
import { fixedRing } from '../../../api/auth/key-rings.ts';
import type { Gateway } from '../../../schema/gateway.ts';
import type { Papel } from '../../../schema/rooms.ts';
import type { Bus } from '../../../store/bus.ts';
import type { RoomLog } from '../../../store/room-log.ts';
import type { Store } from '../../../store/store.ts';
import { openSqliteRoomLog } from '../../../store/sqlite-room-log.ts';
import type { PersonModel } from '../world.ts';
import type { ProcessClock } from '../portals/process.ts';
import type { Page } from './pages.ts';
import { count, type Site } from './site.ts';

export interface Room {
  readonly id: string;
  readonly owner: PersonModel;
  /** By name: the role that the api confirmed last, and when. */
  readonly roles: Map<string, { readonly papel: Papel | null; readonly atMs: number }>;
  /** Words that are on the disk, those that nobody may lose, and those that somebody took away. */
  readonly durable: Set<string>;
  readonly promised: Set<string>;
  readonly deleted: Set<string>;
  /** Nobody writes until then. */
  quietUntilMs: number;
}

export interface RoomPortal {
  readonly relay: Relay;
  readonly rooms: Rooms;
  readonly tickets: Tickets;
  readonly server: Server;
}

/** State of all rooms, beside a site. */
export interface RoomSite {
  readonly site: Site;
  readonly log: RoomLog;
  readonly all: Room[];
  readonly pages: Set<Page>;
  pagesMade: number;
  refusesUntilMs: number;
  troubleAtMs: number;
  /** Compactions that wait for rows to come. */
  readonly compactions: (() => void)[];
  /** Extra time of each call of the log. */
  slowMs: number;
  /** Session of each person. */
  readonly sessions: Map<PersonModel, string>;
}

export async function openRooms(site: Site, file: string): Promise<RoomSite> {
  return {
    site,
    log: await openSqliteRoomLog(file),
    all: [],
    pages: new Set(),
    pagesMade: 0,
    refusesUntilMs: 0,
    troubleAtMs: -Infinity,
    compactions: [],
    slowMs: 0,
    sessions: new Map(),
  };
}

export function beginRooms(
  { site }: RoomSite,
  {
    store,
    bus,
    gateway,
    process,
    log,
  }: { readonly store: Store; readonly bus: Bus; readonly gateway: Gateway; readonly process: ProcessClock; readonly log: RoomLog },
): RoomPortal {
  const report = (what: string) => (): void => count(site, `relay: ${what}`);
  const { people, apps } = gateway;
  const relay = createRelay({
    log,
    clock: process,
    random: () => site.chance('relay').next(),
    report: {
      loadFailed: report('load failed'),
      commitFailed: report('commit failed'),
      commitRecovered: report('commit recovered'),
      compactionFailed: report('compaction failed'),
      updatesDropped: report('updates dropped'),
      lost: report('lost at its end'),
    },
  });
  const news = createRoomNews({ rooms: store.rooms, people, relay, bus });
  const rooms = createRooms({ rooms: store.rooms, people, apps, relay, news, clock: process, diskOf: async () => 0 });
  const tickets = createTickets({
    clock: process,
    ring: fixedRing(Buffer.alloc(32, 7)),
    rooms: store.rooms,
    person: (usuario) => people.find(usuario),
    alive: async (session) => (await store.session(session, process.nowMs())) !== null,
  });
  followRoles({ rooms: store.rooms, people, news, relay, bus, onError: () => count(site, 'roles that could not be followed') });
  const entrance = createEntrance({
    site: { scheme: 'http', host: 'svc', hostname: 'svc', origins: 'subdomain', origin: 'http://svc' },
    tickets,
    relay,
  });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    entrance(request, socket, head).catch(() => socket.destroy());
  });
  return { relay, rooms, tickets, server };
}

export const sessionHash = ({ sessions }: RoomSite, person: PersonModel): string => sessions.get(person) ?? '';

export function newSession({ sessions }: RoomSite, person: PersonModel): string {
  const [number = '0'] = /^\d+/.exec(sessions.get(person) ?? '') ?? [];
  const hash = `${String(Number(number) + 1)}-${person.name}`.padEnd(64, '-');
  sessions.set(person, hash);
  return hash;
}

export const callerOf = (all: RoomSite, person: PersonModel): RoomCaller => ({
  usuario: person.name,
  grupos: [],
  app,
  por: 'pagina',
  session: sessionHash(all, person),
  credential: null,
});

export const app = 'app0';

/** The portal that serves, or a refusal as a page has it while none does. */
export function serving({ site }: RoomSite): RoomPortal {
  const rooms = site.portal?.serving?.rooms;
  if (rooms === undefined) throw new Error('no network');
  return rooms;
}

export async function makeRoom(all: RoomSite, owner: PersonModel): Promise<void> {
  const { id } = await serving(all).rooms.create(callerOf(all, owner), `sala ${all.all.length}`);
  const roles = new Map([[owner.name, { papel: 'dona' as Papel, atMs: all.site.world.clock.monotonicMs() }]]);
  all.all.push({ id, owner, roles, durable: new Set(), promised: new Set(), deleted: new Set(), quietUntilMs: 0 });
}

/** Null: the person is taken out. Confirmed once the api answers. */
export async function setRole(all: RoomSite, room: Room, person: PersonModel, papel: 'ver' | 'comentar' | 'editar' | null): Promise<void> {
  const { rooms } = serving(all);
  const { clock } = all.site.world;
  // From here on it may be either.
  room.roles.delete(person.name);
  try {
    if (papel === null) await rooms.takePerson(callerOf(all, room.owner), room.id, person.name);
    else await rooms.givePerson(callerOf(all, room.owner), room.id, person.name, papel);
    room.roles.set(person.name, { papel, atMs: clock.monotonicMs() });
  } catch {
    // Not confirmed: it stays open which one it is.
  }
}
