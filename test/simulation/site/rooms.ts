/**
 * Rooms of a simulated site: the product's relay, tickets, entrance and roles in the portal, its connection in the pages, and its log on the disk.
 * People write words that are theirs alone, so that each can be looked for: in the log, in the other pages, and where a role forbids it.
 */
import { createServer, type Server } from 'node:http';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { createEntrance } from '../../../api/rooms/entrance.ts';
import { followRoles } from '../../../api/rooms/follow-roles.ts';
import { createRoomNews } from '../../../api/rooms/news.ts';
import { createRelay } from '../../../api/rooms/relay/relay.ts';
import { createRooms, type Rooms } from '../../../api/rooms/rooms.ts';
import { createTickets, type Tickets } from '../../../api/rooms/tickets.ts';
import type { RoomCaller } from '../../../api/rooms/callers.ts';
import type { Relay } from '../../../api/rooms/contract.ts';
import { fixedRing } from '../../../api/auth/key-rings.ts';
import { pause } from '../../../schema/clock.ts';
import type { Gateway } from '../../../schema/gateway.ts';
import { podeEscrever, type Papel } from '../../../schema/rooms.ts';
import { createHandle, type Connection } from '../../../sdk/rooms/handle.ts';
import { driveRoom } from '../../../sdk/rooms/drive.ts';
import type { Socket } from '../../../sdk/rooms/socket.ts';
import type { Bus } from '../../../store/bus.ts';
import type { RoomLog } from '../../../store/room-log.ts';
import type { Store } from '../../../store/store.ts';
import { openSqliteRoomLog } from '../../../store/sqlite-room-log.ts';
import { violate, type PersonModel } from '../world.ts';
import type { ProcessClock } from '../portals/process.ts';
import { count, type Site } from './site.ts';
import { openWire, type Wire } from './wire.ts';

export interface Room {
  readonly id: string;
  readonly owner: PersonModel;
  /** By name: the role that the api confirmed last, and when. */
  readonly roles: Map<string, { readonly papel: Papel | null; readonly atMs: number }>;
  /** Words that are on the disk, those that nobody may lose, and those that somebody took away. */
  readonly durable: Set<string>;
  readonly promised: Set<string>;
  readonly deleted: Set<string>;
}

export interface Page {
  readonly person: PersonModel;
  readonly room: Room;
  readonly name: string;
  readonly doc: Y.Doc;
  readonly connection: Connection;
  readonly written: { readonly word: string; readonly atMs: number }[];
  /** Since when it is synchronized without a break; null: it is not. */
  sinceMs: number | null;
  wire: Wire | null;
  words: number;
  isOpen: boolean;
  setOnline(isOnline: boolean): void;
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
    slowMs: 0,
    sessions: new Map(),
  };
}

/** Notes what is on the disk. */
export function watched(all: RoomSite): RoomLog {
  return {
    ...all.log,
    append: async (rows) => {
      const written = rows.map(({ sala, frames }) => [sala, wordsIn(frames)] as const);
      await all.log.append(rows);
      for (const [sala, words] of written) for (const word of words) all.all.find(({ id }) => id === sala)?.durable.add(word);
    },
  };
}

export const wordsIn = (bytes: Uint8Array): readonly string[] => Buffer.from(bytes).toString('latin1').match(/<\w+>/g) ?? [];

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

const callerOf = (all: RoomSite, person: PersonModel): RoomCaller => ({
  usuario: person.name,
  grupos: [],
  app,
  por: 'pagina',
  session: sessionHash(all, person),
  credential: null,
});

const app = 'app0';

/** The portal that serves, or a refusal as a page has it while none does. */
function serving({ site }: RoomSite): RoomPortal {
  const rooms = site.portal?.serving?.rooms;
  if (rooms === undefined) throw new Error('no network');
  return rooms;
}

export async function makeRoom(all: RoomSite, owner: PersonModel): Promise<void> {
  const { id } = await serving(all).rooms.create(callerOf(all, owner), `sala ${all.all.length}`);
  const roles = new Map([[owner.name, { papel: 'dona' as Papel, atMs: all.site.world.clock.monotonicMs() }]]);
  all.all.push({ id, owner, roles, durable: new Set(), promised: new Set(), deleted: new Set() });
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

export function openPage(all: RoomSite, person: PersonModel, room: Room): Page {
  const { site } = all;
  const { clock } = site.world;
  all.pagesMade += 1;
  const handle = createHandle({ Y, canal: 'documento' } as never, () => undefined);
  const listeners = new Set<(isOnline: boolean) => void>();
  let isOnline = true;
  const page: Page = {
    person,
    room,
    name: `p${all.pagesMade}`,
    doc: handle.conexao.doc as unknown as Y.Doc,
    connection: handle.conexao,
    written: [],
    sinceMs: null,
    wire: null,
    words: 0,
    isOpen: true,
    setOnline: (next) => {
      isOnline = next;
      for (const listener of listeners) listener(next);
    },
  };
  all.pages.add(page);
  handle.conexao.aoMudar(({ estado }) => {
    page.sinceMs = estado === 'sincronizado' ? clock.monotonicMs() : null;
  });
  page.doc.on('update', (update: Uint8Array, origin: unknown) => {
    if (typeof origin === 'object' && origin !== null) checkReceived(all, page, update);
  });
  driveRoom(handle, { Y } as never, {
    ticket: () => ticketFor(all, page),
    openSocket: (caminho, bilhete) => {
      const { portal } = site;
      if (!isOnline || portal?.serving == null) throw new Error('no network');
      const wire = openWire(site, portal.process, site.chance(`wire ${page.name}`));
      page.wire = wire;
      portal.process.gate(() => portal.serving?.rooms.server.emit('connection', wire.far));
      const options = { createConnection: () => wire.near as never, perMessageDeflate: false };
      return new WebSocket(`ws://svc${caminho}?bilhete=${bilhete}`, options) as unknown as Socket;
    },
    nowMs: () => clock.monotonicMs(),
    random: () => site.chance(`page ${page.name}`).next(),
    later: (ms, run) =>
      clock.at(clock.monotonicMs() + ms, () => {
        site.activity += 1;
        run();
      }),
    watchNetwork: (change) => {
      listeners.add(change);
      return () => void listeners.delete(change);
    },
    watchRole: () => () => undefined,
    copy: null,
    user: null,
  });
  return page;
}

/** As `POST /api/salas/:id/bilhete`, over a network of its own. */
async function ticketFor(
  all: RoomSite,
  { person, room, name }: Page,
): Promise<{ readonly bilhete: string | null; readonly caminho: string; readonly papel: Papel | null }> {
  const { site } = all;
  const { clock } = site.world;
  const random = site.chance(`ticket ${name}`);
  const wait = (): Promise<void> => pause(clock, random.int(1, 20));
  await wait();
  const { rooms, tickets } = serving(all);
  if (person.session === null) throw Object.assign(new Error('signed out'), { status: 401 });
  const caller = callerOf(all, person);
  let standing;
  try {
    standing = await rooms.standing(caller, room.id);
  } catch (error) {
    throw Object.assign(new Error('refused'), { status: (error as { readonly code?: string }).code === 'NOT_FOUND' ? 404 : 503 });
  }
  await wait();
  site.activity += 1;
  const { papel } = standing;
  const { usuario, por, session, credential } = caller;
  const bilhete = papel === null ? null : tickets.give({ usuario, app, sala: room.id, por, session, credential });
  return { bilhete, caminho: `/ws/salas/${room.id}`, papel };
}

export function write(all: RoomSite, page: Page): void {
  page.words += 1;
  const word = `<${page.name}w${page.words}>`;
  const text = page.doc.getText('texto');
  // Between words: each stays whole.
  const places = [...text.toJSON().matchAll(/</g)].map(({ index }) => index);
  const dice = all.site.chance(`deletes ${page.name}`);
  const [own] = page.written.slice(-20, -10);
  const at = own === undefined ? -1 : text.toJSON().indexOf(own.word);
  // A reader's own page shows what they did, and nobody else's.
  if (dice.chance(0.1) && at >= 0 && own !== undefined && mayWrite(page)) {
    page.room.deleted.add(own.word);
    text.delete(at, own.word.length);
    return;
  }
  page.written.push({ word, atMs: all.site.world.clock.monotonicMs() });
  text.insert(all.site.chance(`place ${page.name}`).pick([...places, text.length]), word);
}

/** More than a frame holds. */
export function writeAtLength(page: Page): void {
  page.doc.getText('texto').insert(0, 'lorem ipsum '.repeat(4_000));
}

/** The product's own rule, for the role that was confirmed last. */
export function mayWrite({ room, person }: Page): boolean {
  const papel = room.roles.get(person.name)?.papel ?? null;
  return papel !== null && podeEscrever(papel, 'documento');
}

/** How long an edit may take to the disk while nothing is wrong. */
const writtenMs = 3_000;

/** An edit that is a while old when its page is closed, with everything in order, may not be lost. */
export function closePage(all: RoomSite, page: Page): void {
  const nowMs = all.site.world.clock.monotonicMs();
  const role = page.room.roles.get(page.person.name);
  const writes = mayWrite(page);
  const settled: string[] = [];
  for (const { word, atMs } of page.written) {
    const isSettled =
      page.wire?.isStalled() === false &&
      page.sinceMs !== null &&
      page.sinceMs < atMs &&
      nowMs - atMs > writtenMs &&
      all.troubleAtMs < atMs;
    if (isSettled && writes && role !== undefined && role.atMs < atMs) settled.push(word);
  }
  // A disk that is slow has them by then; a portal that was killed meanwhile need not.
  all.site.world.clock.at(nowMs + 20_000, () => {
    if (all.troubleAtMs < nowMs - writtenMs) for (const word of settled) page.room.promised.add(word);
  });
  leave(all, page);
}

function leave(all: RoomSite, page: Page): void {
  page.isOpen = false;
  all.pages.delete(page);
  void page.connection.sair();
}

/** How long messages may be on their way when a role changes. */
export const wayMs = 2_000;

/** Nobody gets what was written after they were taken out. */
function checkReceived({ site, pages }: RoomSite, page: Page, update: Uint8Array): void {
  const role = page.room.roles.get(page.person.name);
  if (role === undefined || role.papel !== null) return;
  const fresh = wordsIn(update).filter((word) => {
    const from = [...pages].find(({ name }) => word.startsWith(`<${name}w`));
    const atMs = from?.written.find((one) => one.word === word)?.atMs ?? -Infinity;
    return atMs > role.atMs + wayMs;
  });
  if (fresh.length > 0) violate(site.world, `${page.person.name} was taken out of ${page.room.id} and gets ${fresh[0]}`);
}
