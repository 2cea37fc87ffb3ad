/** Invariants of rooms once nothing goes wrong any more. */
import * as Y from 'yjs';
import { canais, type Canal } from '../../../schema/rooms.ts';
import { updatesIn } from '../../../schema/room-frames.ts';
import { violate, type PersonModel } from '../world.ts';
import { mayWrite, wayMs, type Page } from './pages.ts';
import { wordsIn } from './room-disk.ts';
import { sessionHash, type Room, type RoomSite } from './rooms.ts';
import type { Wire } from './wire.ts';

function textOf(doc: Y.Doc): string {
  return doc.getText('texto').toJSON();
}

async function wordsOnDisk({ log }: RoomSite, { id }: Room, canal: Canal): Promise<ReadonlySet<string>> {
  const { base, tail } = await log.load({ sala: id, canal });
  const doc = new Y.Doc();
  doc.transact(() => {
    if (base !== null) Y.applyUpdate(doc, base);
    for (const update of updatesIn(tail)) Y.applyUpdate(doc, update);
  });
  return new Set(wordsIn(Buffer.from(textOf(doc))));
}

/** Once nothing goes wrong any more. */
export async function checkRooms(all: RoomSite, afterMs: number): Promise<void> {
  const { world } = all.site;
  for (const room of all.all)
    await checkRoom(all, room, afterMs, (what) => violate(world, `${room.id} ${afterMs / 1_000} s after the last fault: ${what}`));
}

async function checkRoom(all: RoomSite, room: Room, afterMs: number, say: (what: string) => void): Promise<void> {
  const written = {
    documento: await wordsOnDisk(all, room, 'documento'),
    comentarios: await wordsOnDisk(all, room, 'comentarios'),
  };
  const isThere = (word: string): boolean => written.documento.has(word) || written.comentarios.has(word);
  const lost = (words: Iterable<string>): readonly string[] => [...words].filter((word) => !isThere(word) && !room.deleted.has(word));
  const [gone] = lost(room.durable);
  if (gone !== undefined) say(`${gone} was on the disk and is lost`);
  const [promised] = lost(room.promised);
  if (promised !== undefined) say(`${promised} was written with everything in order and is lost`);
  const texts = new Map<string, [Canal, string]>();
  for (const page of all.pages) {
    if (page.room !== room || !page.isOpen || page.person.session === null || page.person.document !== 'written') continue;
    const role = room.roles.get(page.person.name);
    if (role === undefined) continue;
    const { estado } = page.connection;
    if (role.papel === null) {
      if (estado !== 'sem-acesso' && estado !== 'fora') say(`${page.name} of ${page.person.name}, who is not in it, is ${estado}`);
      continue;
    }
    if (estado === 'sem-acesso') continue;
    if (estado !== 'sincronizado') {
      // Whoever said too much of themselves has to wait, in all their pages.
      const isLoud = [...all.pages].some((one) => one.person === page.person && one.room === room && one.flooded > 0);
      if (isLoud && afterMs < 100_000) continue;
      say(`${page.name} of ${page.person.name} is ${estado}`);
      continue;
    }
    const onDisk = written[page.canal];
    const isWriter = mayWrite(page);
    const words = wordsIn(Buffer.from(textOf(page.doc)));
    const own = new Set(page.written.map(({ word }) => word));
    // Deletions of a reader are on their own page only, as their words are.
    const isOwnDeletion = (word: string): boolean => !isWriter && own.has(word) && room.deleted.has(word);
    const missing = [...onDisk].find((word) => !words.includes(word) && !isOwnDeletion(word));
    if (missing !== undefined) say(`${page.name} lacks ${missing}`);
    const unsaved = words.find((word) => (isWriter || !own.has(word)) && !onDisk.has(word));
    if (unsaved !== undefined) say(`${page.name} shows ${unsaved}, which is not on the disk`);
    if (isWriter) texts.set(page.name, [page.canal, textOf(page.doc)]);
    checkPresence(page, say);
  }
  for (const canal of canais) {
    const same = [...texts].filter(([, [of]]) => of === canal);
    if (new Set(same.map(([, [, text]]) => text)).size > 1) say(`pages differ: ${same.map(([name]) => name).join(', ')}`);
  }
}

/** Presence of one person in a room, as another page has it. Literal, not the code's constant. */
const presenceBytesMax = 400 * 1_024;

/** Looks at the pages of a room while somebody says too much of themselves. */
export function checkPresenceOf(all: RoomSite, room: Room | null): void {
  for (const page of all.pages) if (page.room === room) checkPresence(page, (what) => violate(all.site.world, what));
}

function checkPresence(page: Page, say: (what: string) => void): void {
  const sizes = new Map<string, number>();
  for (const [, state] of page.connection.presenca?.getStates() ?? []) {
    const who = JSON.stringify(state['user']);
    sizes.set(who, (sizes.get(who) ?? 0) + JSON.stringify(state).length);
  }
  for (const [who, bytes] of sizes) if (bytes > presenceBytesMax) say(`${page.name} has ${bytes} bytes of presence of ${who}`);
}

/** Words of who may only look are nowhere but in their own page. */
export function checkForbidden(all: RoomSite): void {
  for (const page of all.pages) {
    const role = page.room.roles.get(page.person.name);
    if (role === undefined || mayWrite(page)) continue;
    for (const { word, atMs } of page.written)
      if (atMs > role.atMs + wayMs && page.room.durable.has(word))
        violate(all.site.world, `${word} of ${page.person.name}, who is ${role.papel ?? 'not'} in ${page.room.id}, was written down`);
  }
}

/** On a line on which nothing comes a page does not go on saying that it is in sync. */
export function checkStalled(all: RoomSite, page: Page, wire: Wire): void {
  if (page.isOpen && page.wire === wire && page.connection.estado === 'sincronizado')
    violate(all.site.world, `${page.name} is in sync on a line that has stood still for a minute and a half`);
}

/** Whoever was taken out of a room, and was not given a role since, is in it with no page. */
export function checkTakenOut({ site, pages }: RoomSite, room: Room, person: PersonModel): void {
  const role = room.roles.get(person.name);
  const nowMs = site.world.clock.monotonicMs();
  if (role?.papel !== null || nowMs - role.atMs < 5_000 || nowMs - site.servesSinceMs < 10_000) return;
  for (const page of pages) {
    const isIn =
      page.room === room && page.person === person && page.connection.estado === 'sincronizado' && page.wire?.isStalled() !== true;
    if (isIn) violate(site.world, `${page.name} of ${person.name}, who was taken out of ${room.id}, is in it`);
  }
}

/** Pages of a session that ended are out of their rooms. */
export function checkSignedOut(all: RoomSite, person: PersonModel, session: string): void {
  if (sessionHash(all, person) !== session || person.session !== null || all.site.portal?.serving == null) return;
  const seated = all.site.portal.serving.rooms.relay.carried().some((one) => one.session === session);
  if (seated) violate(all.site.world, `${person.name} signed out and is still in a room`);
}
