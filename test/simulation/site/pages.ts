/**
 * Pages of rooms: the product's connection of a page over a simulated network. People write words that are theirs alone, so that each can be looked
 * for: in the log, in the other pages, and where a role forbids it.
 */
import { WebSocket } from 'ws';
import * as awarenessProtocol from 'y-protocols/awareness';
import * as Y from 'yjs';
import { pause } from '../../../schema/clock.ts';
import { podeEscrever, type Canal, type Papel } from '../../../schema/rooms.ts';
import { createHandle, type Connection } from '../../../sdk/rooms/handle.ts';
import { driveRoom } from '../../../sdk/rooms/drive.ts';
import type { Socket } from '../../../sdk/rooms/socket.ts';
import { violate, type PersonModel } from '../world.ts';
import { wordsIn } from './room-disk.ts';
import { app, callerOf, serving, type Room, type RoomSite } from './rooms.ts';
import { openWire, type Wire } from './wire.ts';

export interface Page {
  readonly person: PersonModel;
  readonly room: Room;
  readonly name: string;
  readonly canal: Canal;
  readonly doc: Y.Doc;
  readonly connection: Connection;
  readonly written: { readonly word: string; readonly atMs: number }[];
  /** Since when it is synchronized without a break; null: it is not. */
  sinceMs: number | null;
  wire: Wire | null;
  socket: Socket | null;
  isOnline: boolean;
  words: number;
  /** Presence that it sends beside its own: the first of its ids, and how much so far. */
  readonly floodId: number;
  flooded: number;
  isOpen: boolean;
  setOnline(isOnline: boolean): void;
}

export function openPage(all: RoomSite, person: PersonModel, room: Room): Page {
  const { site } = all;
  const { clock } = site.world;
  all.pagesMade += 1;
  const name = `p${all.pagesMade}`;
  const canal = site.chance('canals').chance(0.25) ? 'comentarios' : 'documento';
  const handle = createHandle({ Y, canal, awarenessProtocol } as never, () => undefined);
  const listeners = new Set<(isOnline: boolean) => void>();
  const page: Page = {
    person,
    room,
    name,
    canal,
    doc: handle.conexao.doc as unknown as Y.Doc,
    connection: handle.conexao,
    written: [],
    sinceMs: null,
    wire: null,
    socket: null,
    isOnline: true,
    words: 0,
    floodId: 1_000_000 + 100 * all.pagesMade,
    flooded: 0,
    isOpen: true,
    setOnline: (next) => {
      page.isOnline = next;
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
  const presence = handle.conexao.presenca as awarenessProtocol.Awareness | undefined;
  // It renews itself by a clock of its own.
  // oxlint-disable-next-line no-underscore-dangle -- y-protocols has no other way
  clearInterval(presence?._checkInterval);
  presence?.setLocalState({ user: { name } });
  driveRoom(handle, { Y, awarenessProtocol } as never, {
    ticket: () => ticketFor(all, page),
    openSocket: (caminho, bilhete) => {
      const { portal } = site;
      if (!page.isOnline || portal?.serving == null) throw new Error('no network');
      const wire = openWire(site, portal.process, site.chance(`wire ${page.name}`));
      page.wire = wire;
      portal.process.gate(() => portal.serving?.rooms.server.emit('connection', wire.far));
      const options = { createConnection: () => wire.near as never, perMessageDeflate: false };
      page.socket = new WebSocket(`ws://svc${caminho}?bilhete=${bilhete}`, options) as unknown as Socket;
      return page.socket;
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
  if (dice.chance(0.1) && deleteWord(page)) return;
  page.written.push({ word, atMs: all.site.world.clock.monotonicMs() });
  text.insert(all.site.chance(`place ${page.name}`).pick([...places, text.length]), word);
}

/** Deletes a word of theirs that is a while old. A reader's own page shows what they did, and nobody else's: they delete nothing. */
export function deleteWord(page: Page): boolean {
  const text = page.doc.getText('texto');
  const own = page.written.slice(-20, -3).find(({ word }) => text.toJSON().includes(word));
  if (own === undefined || !mayWrite(page)) return false;
  page.room.deleted.add(own.word);
  text.delete(text.toJSON().indexOf(own.word), own.word.length);
  return true;
}

/** More than a frame holds. */
export function writeAtLength(page: Page): void {
  page.doc.getText('texto').insert(0, 'lorem ipsum '.repeat(4_000));
}

/** The product's own rule, for the role that was confirmed last. */
export function mayWrite({ room, person, canal }: Page): boolean {
  const papel = room.roles.get(person.name)?.papel ?? null;
  return papel !== null && podeEscrever(papel, canal);
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
