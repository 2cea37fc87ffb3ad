/** Acts of people in rooms, and faults of their lines and of the log. */
import type { Random } from '../random.ts';
import type { PersonModel } from '../world.ts';
import type { Do } from './acts.ts';
import { answerWithWords, flooded } from './hostile-pages.ts';
import { closePage, deleteWord, mayWrite, openPage, write, writeAtLength, type Page } from './pages.ts';
import { keepWriting, signOut } from './people.ts';
import { checkPresenceOf, checkStalled, checkTakenOut } from './room-checks.ts';
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

function takeOut(site: Site, person: PersonModel, room: Room): void {
  const taken = setRole(site.rooms!, room, person, null).then(() => later(site, 6_000, () => checkTakenOut(site.rooms!, room, person)));
  void taken.catch(() => undefined);
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
  'line of a page stands still': [
    3,
    (site, random) => {
      const page = anyPage(site, random);
      const wire = page?.wire;
      if (page == null || wire == null) return;
      wire.stall();
      later(site, 90_000, () => checkStalled(site.rooms!, page, wire));
    },
  ],
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
      if (room !== null && room.owner !== person) takeOut(site, person, room);
    },
  ],
  'log slow': [2, slowLog],
  'written at length without network': [
    1.5,
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
      // Writing down takes as long as they stay: the next words wait for it.
      if (random.chance(0.7)) rooms.slowMs = random.int(4_000, 9_000);
      later(site, 15_000, () => (rooms.slowMs = 0));
      for (const ms of [1, 300, 700])
        later(site, ms, () => {
          for (const page of rooms.pages) if (page.room === room) write(rooms, page);
        });
      later(site, random.int(3_800, 5_000), () => {
        for (const page of rooms.pages) if (page.room === room) closePage(rooms, page);
      });
      later(site, random.int(6_000, 90_000), () => {
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
      const isSlow = random.chance(0.7);
      const ms = random.int(1, isSlow ? 700 : 90);
      const comeAndGo = (): void => {
        if (isSlow) site.weather.storeSlowMs = random.int(10, 100);
        later(site, 1_500, () => (site.weather.storeSlowMs = 0));
        enter(site, person, room);
        later(site, ms, () => takeOut(site, person, room));
      };
      // Whoever is not in it has no ticket that could be overtaken.
      void setRole(site.rooms!, room, person, 'editar').then(comeAndGo, () => undefined);
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
        for (const page of site.rooms!.pages) if (page.room === room && page.person === person) flooded(page);
        later(site, 400, () => checkPresenceOf(site.rooms!, room));
      };
      for (let n = random.int(1, 12); n > 0; n -= 1) if (room !== null) enter(site, person, room);
      for (let n = random.int(1, 8); n > 0; n -= 1) later(site, random.int(1_000, 20_000), flood);
    },
  ],
  'deleted between two who come back': [
    3,
    (site, random) => {
      const page = anyPage(site, random);
      const others = [...site.rooms!.pages].filter(({ room, canal }) => room === page?.room && canal === page.canal);
      const [deletes, first, second] = others.toSorted(() => random.next() - 0.5);
      if (deletes === undefined || first === undefined || second === undefined) return;
      // A page that comes back lacks no word: only a deletion can be missed.
      deletes.room.quietUntilMs = site.world.clock.monotonicMs() + 12_000;
      later(site, 2_000, () => {
        for (const one of [first, second]) {
          one.wire?.stall();
          one.setOnline(false);
        }
      });
      const ms = random.int(2_050, 3_000);
      later(site, ms, () => first.setOnline(true));
      later(site, ms + 3_000, () => deleteWord(deletes));
      later(site, ms + 3_500, () => second.setOnline(true));
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
