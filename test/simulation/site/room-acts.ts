/** Acts of people in rooms, and faults of their lines and of the log. */
import type { Random } from '../random.ts';
import type { PersonModel } from '../world.ts';
import type { Do } from './acts.ts';
import { answerWithWords, flooded } from './hostile-pages.ts';
import { closePage, mayWrite, openPage, write, writeAtLength, type Page } from './pages.ts';
import { keepWriting, signOut } from './people.ts';
import { setRole, type Room } from './rooms.ts';
import { later, type Site } from './site.ts';

const minuteMs = 60_000;

const anyRoom = (site: Site, random: Random): Room | null => (site.rooms!.all.length === 0 ? null : random.pick(site.rooms!.all));

const anyPage = (site: Site, random: Random): Page | null => {
  const pages = [...site.rooms!.pages];
  return pages.length === 0 ? null : random.pick(pages);
};

function enter(site: Site, person: PersonModel, room: Room): void {
  if (person.session !== null) keepWriting(site, openPage(site.rooms!, person, room));
}

function slowLog(site: Site, random: Random): void {
  site.rooms!.slowMs = random.int(100, 5_000);
  later(site, random.int(1_000, minuteMs), () => (site.rooms!.slowMs = 0));
}

/** By name, with how often it comes. */
export const roomActs: Readonly<Record<string, readonly [weight: number, act: Do]>> = {
  'page opened': [
    8,
    (site, random) => {
      const [person, room] = [random.pick(site.world.people), anyRoom(site, random)];
      if (room !== null && site.rooms!.pages.size < 4 * site.world.people.length) enter(site, person, room);
    },
  ],
  'page closed': [
    6,
    (site, random) => {
      const page = anyPage(site, random);
      if (page !== null) closePage(site.rooms!, page);
    },
  ],
  'page without network': [
    4,
    (site, random) => {
      const page = anyPage(site, random);
      page?.wire?.stall();
      page?.setOnline(false);
      later(site, random.int(100, 3 * minuteMs), () => page?.setOnline(true));
    },
  ],
  'line of a page cut': [4, (site, random) => anyPage(site, random)?.wire?.end()],
  'line of a page stands still': [3, (site, random) => anyPage(site, random)?.wire?.stall()],
  'words at once': [
    6,
    (site, random) => {
      const page = anyPage(site, random);
      if (page === null) return;
      for (let n = random.int(2, 60); n > 0; n -= 1)
        later(site, random.int(0, 300), () => {
          if (page.isOpen) write(site.rooms!, page);
        });
    },
  ],
  'role given': [
    6,
    (site, random) => {
      const [person, room] = [random.pick(site.world.people), anyRoom(site, random)];
      if (room !== null && room.owner !== person)
        void setRole(site.rooms!, room, person, random.pick(['ver', 'comentar', 'editar', 'editar'] as const)).catch(() => undefined);
    },
  ],
  'role taken': [
    3,
    (site, random) => {
      const [person, room] = [random.pick(site.world.people), anyRoom(site, random)];
      if (room !== null && room.owner !== person) void setRole(site.rooms!, room, person, null).catch(() => undefined);
    },
  ],
  'log slow': [2, slowLog],
  'written at length without network': [
    0.5,
    (site, random) => {
      const page = anyPage(site, random);
      if (page === null) return;
      page.wire?.stall();
      page.setOnline(false);
      for (let n = random.int(1, 40); n > 0; n -= 1) writeAtLength(page);
      later(site, random.int(100, minuteMs), () => page.setOnline(true));
    },
  ],
  'log refuses': [
    2,
    (site, random) => {
      site.rooms!.refusesUntilMs = site.world.clock.monotonicMs() + random.int(10, 20_000);
      site.rooms!.troubleAtMs = Math.max(site.rooms!.troubleAtMs, site.rooms!.refusesUntilMs);
    },
  ],
  'everybody leaves a room': [
    2,
    (site, random) => {
      const rooms = site.rooms!;
      const room = anyRoom(site, random);
      if (random.chance(0.7)) slowLog(site, random);
      for (const page of rooms.pages) if (page.room === room) write(rooms, page);
      later(site, random.int(30, 4_000), () => {
        for (const page of rooms.pages) if (page.room === room) closePage(rooms, page);
      });
      later(site, random.int(4_000, 90_000), () => {
        for (const person of site.world.people) if (room !== null) enter(site, person, room);
      });
    },
  ],
  'signs out while a page comes in': [
    3,
    (site, random) => {
      const [person, room] = [random.pick(site.world.people), anyRoom(site, random)];
      if (room === null) return;
      enter(site, person, room);
      later(site, random.int(1, 90), () => signOut(site, person));
    },
  ],
  'taken out while a page comes in': [
    3,
    (site, random) => {
      const [person, room] = [random.pick(site.world.people), anyRoom(site, random)];
      if (room === null || room.owner === person) return;
      enter(site, person, room);
      later(site, random.int(1, 90), () => {
        void setRole(site.rooms!, room, person, random.pick([null, 'ver'] as const)).catch(() => undefined);
      });
    },
  ],
  'a reader answers with words': [
    3,
    (site, random) => {
      const readers = [...site.rooms!.pages].filter((page) => !mayWrite(page));
      if (readers.length > 0) answerWithWords(site.rooms!, random.pick(readers), random);
    },
  ],
  'presence without end': [
    1,
    (site, random) => {
      const room = anyRoom(site, random);
      const pages = [...site.rooms!.pages].filter((page) => page.room === room);
      if (pages.length === 0) return;
      const { person } = random.pick(pages);
      const flood = (): void => {
        for (const page of site.rooms!.pages) if (page.room === room && page.person === person) flooded(page, random);
      };
      for (let n = random.int(1, 10); n > 0; n -= 1) if (room !== null) enter(site, person, room);
      for (let n = random.int(5, 20); n > 0; n -= 1) later(site, random.int(200, 20_000), flood);
    },
  ],
  'deleted while somebody is away': [
    3,
    (site, random) => {
      const page = anyPage(site, random);
      if (page === null) return;
      for (let n = random.int(1, 3); n > 0; n -= 1) later(site, random.int(0, 20_000), () => page.wire?.end());
      for (let n = random.int(5, 40); n > 0; n -= 1)
        later(site, random.int(0, 20_000), () => {
          for (const other of site.rooms!.pages) if (other.room === page.room && other !== page) write(site.rooms!, other);
        });
    },
  ],
};
