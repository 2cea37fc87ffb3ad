/**
 * Acts of people and faults of the world, each drawn from a number of its own: an act that is left out changes nothing of the others, so that a
 * history which fails can be made shorter.
 */
import { keys } from '../../../schema/keys.ts';
import { createRandom, type Random } from '../random.ts';
import { end, killSupervisor, notice, watchIdle } from '../server-model.ts';
import type { AppModel, PersonModel, ServerModel } from '../world.ts';
import { writeFolder } from './folder.ts';
import { endLinesOf } from './lines.ts';
import { killPortal } from './portal.ts';
import { closePage, makeRoom, openPage, sessionHash, setRole, write, type Page, type Room } from './rooms.ts';
import { count, type Site } from './site.ts';

type Do = (site: Site, random: Random) => void;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const anyApp = ({ world }: Site, random: Random): AppModel => random.pick(world.apps);
/** While everything rests nobody does anything: it is put off. */
function later(site: Site, ms: number, act: () => void): void {
  const { clock } = site.world;
  clock.at(clock.monotonicMs() + ms, () => {
    if (site.isResting) later(site, 2 * minuteMs, act);
    else act();
  });
}

export function signIn(site: Site, person: PersonModel): void {
  if (person.document !== 'written' || site.portal?.serving == null) return;
  const nowMs = site.world.clock.nowMs();
  const tokenHash = sessionHash(person);
  const session = { tokenHash, person: person.name, admin: false, audience: 'portal', method: 'link', address: '', agent: '' } as const;
  // The api answers once it is stored.
  void site.store
    .putSession({ ...session, createdAtMs: nowMs, expiresAtMs: nowMs + 100 * 24 * hourMs, seenAtMs: nowMs })
    .then(() => site.portal?.bus.enqueue(keys.person(person.name), false));
  person.session = nowMs;
  site.portal.serving.windows.pageOpened(person.name, person.name);
}

function signOut(site: Site, person: PersonModel): void {
  if (person.session === null || site.portal?.serving == null) return;
  person.session = null;
  void site.store.deleteSession(sessionHash(person)).then(() => site.portal?.bus.enqueue(keys.person(person.name), false));
  for (const page of site.rooms!.pages) if (page.person === person) closePage(site.rooms!, page);
  site.portal.serving.rooms.relay.endSession(sessionHash(person));
  for (const app of person.apps) app.windows = { open: 0, zeroSinceMs: site.world.clock.nowMs() };
  void site.portal.serving.windows.pageClosed(person.name).catch(() => undefined);
}

/** The first day: everybody signs in, two rooms are made, and pages opened. */
export function beginPeople(site: Site): void {
  const { people } = site.world;
  const rooms = site.rooms!;
  for (const person of people) signIn(site, person);
  for (const [at, owner] of people.slice(0, 2).entries())
    later(site, 1_000 + at * 500, () => {
      const begin = async (): Promise<void> => {
        await makeRoom(rooms, owner);
        const room = rooms.all.at(-1)!;
        for (const person of people) if (person !== owner) await setRole(rooms, room, person, person === people[2] && at === 0 ? 'ver' : 'editar');
        for (const person of people) keepWriting(site, openPage(rooms, person, room));
      };
      void begin().catch(() => undefined);
    });
}

function keepWriting(site: Site, page: Page): void {
  later(site, site.chance(`writes ${page.name}`).int(300, 8_000), () => {
    if (!page.isOpen) return;
    write(site.rooms!, page);
    keepWriting(site, page);
  });
}

const anyPage = (site: Site, random: Random): Page | null => {
  const pages = [...site.rooms!.pages];
  return pages.length === 0 ? null : random.pick(pages);
};

const anyRoom = (site: Site, random: Random): Room | null => (site.rooms!.all.length === 0 ? null : random.pick(site.rooms!.all));

function setWindows(site: Site, app: AppModel, open: number): void {
  const { person } = app;
  app.windows = { open, zeroSinceMs: open === 0 ? site.world.clock.nowMs() : null };
  if (open === 0) watchIdle(site.world, app);
  void site.portal?.serving?.windows.count(person.name, person.name, app.id, open).catch(() => undefined);
}

/** As the routes of the api do it, which answer once the order is in the store. */
function ask(site: Site, app: AppModel, wish: 'start' | 'stop' | 'restart', by: 'person' | 'navigation'): void {
  const starts = site.portal?.serving?.starts;
  const { name } = app.person;
  if (starts === undefined) return;
  count(site, `asked to ${wish}`);
  const options = { by, deadlineMs: 20_000 } as const;
  const answer = wish === 'start' ? starts.startAndWait(name, app.id, options) : wish === 'stop' ? starts.stopAndWait(name, app.id, options) : starts.restartAndWait(name, app.id, options);
  answer.then(
    ({ status }) => count(site, `answered ${status}`),
    () => count(site, 'refused'),
  );
}

function openWindow(site: Site, app: AppModel): void {
  if (app.person.document !== 'written') return;
  if (app.person.session === null) signIn(site, app.person);
  setWindows(site, app, app.windows.open + 1);
  ask(site, app, 'start', 'navigation');
}

function closeWindow(site: Site, app: AppModel): void {
  if (app.windows.open > 0) setWindows(site, app, app.windows.open - 1);
}

function pin(site: Site, app: AppModel, document: AppModel['document']): void {
  if (document !== null && (app.person.document !== 'written' || app.installed.document !== 'written')) return;
  app.document = document;
  writeFolder(site);
}

function leave(site: Site, owner: PersonModel | AppModel['installed'], backMs: number): void {
  if (owner.document !== 'written' || owner.server.document !== 'written') return;
  owner.document = 'leaving';
  const apps = owner.kind === 'person' ? owner.apps : owner.server.people.flatMap(({ apps: all }) => all.filter(({ installed }) => installed === owner));
  for (const app of apps) app.document = null;
  if (owner.kind === 'person') for (const app of apps) app.windows = { open: 0, zeroSinceMs: null };
  writeFolder(site);
  later(site, backMs, () => {
    owner.document = 'written';
    writeFolder(site);
  });
}

function vanish(site: Site, server: ServerModel, ms: number): void {
  if (!server.reachable) return;
  server.reachable = false;
  // Connections are missed after a while, by either side.
  later(site, site.chance(`missed ${server.name}`).int(1_000, 20_000), () => {
    if (server.reachable) return;
    endLinesOf(site, ({ person }) => person.server === server);
    for (const tell of site.doubts.get(server) ?? []) tell();
  });
  later(site, ms, () => {
    server.reachable = true;
  });
}

function goOn(site: Site): void {
  site.portal?.process.goOn();
  site.rooms!.troubleAtMs = site.world.clock.monotonicMs() + 1_000;
}

function crash(site: Site, reason: 'Crashed' | 'OutOfMemory', app: AppModel): void {
  const [process] = app.processes;
  if (process !== undefined) end(site.world, app, process, reason);
}

const living = (site: Site, random: Random): AppModel => {
  const alive = site.world.apps.filter(({ processes }) => processes.length > 0);
  return alive.length === 0 ? anyApp(site, random) : random.pick(alive);
};

/** By name, with how often it comes. What a name does stays as it is: histories are kept by it. */
export const acts: Readonly<Record<string, readonly [weight: number, act: Do]>> = {
  'window opened': [
    30,
    (site, random) => {
      const app = anyApp(site, random);
      openWindow(site, app);
      later(site, random.int(5_000, 30 * minuteMs), () => closeWindow(site, app));
    },
  ],
  'window for a moment': [
    8,
    (site, random) => {
      const app = anyApp(site, random);
      openWindow(site, app);
      later(site, random.int(1, 3_000), () => closeWindow(site, app));
      later(site, random.int(100_000, 140_000), () => openWindow(site, app));
      later(site, random.int(150_000, 400_000), () => closeWindow(site, app));
    },
  ],
  stop: [8, (site, random) => ask(site, living(site, random), 'stop', 'person')],
  restart: [6, (site, random) => ask(site, living(site, random), 'restart', 'person')],
  'start and stop': [
    5,
    (site, random) => {
      const app = anyApp(site, random);
      ask(site, app, 'start', 'person');
      later(site, random.int(0, 400), () => ask(site, app, 'stop', 'person'));
    },
  ],
  'stop and start': [
    5,
    (site, random) => {
      const app = living(site, random);
      ask(site, app, 'stop', 'person');
      later(site, random.int(0, 400), () => ask(site, app, 'start', 'person'));
    },
  ],
  'sign out': [3, (site, random) => signOut(site, random.pick(site.world.people))],
  pin: [5, (site, random) => pin(site, anyApp(site, random), random.pick(['ligado', 'desligado', null, null] as const))],
  'person leaves': [
    2,
    (site, random) => leave(site, random.pick(site.world.people), random.chance(0.3) ? random.int(10, 3_000) : random.int(3_000, 15 * minuteMs)),
  ],
  'package leaves': [
    2,
    (site, random) => leave(site, random.pick(site.world.packages), random.chance(0.3) ? random.int(10, 3_000) : random.int(3_000, 15 * minuteMs)),
  ],
  'code changed': [
    2,
    (site, random) => {
      const installed = random.pick(site.world.packages);
      if (!installed.present) return;
      installed.hash = `hash-${site.world.clock.monotonicMs()}`;
      for (const app of site.world.apps) if (app.installed === installed) notice(site.world, app);
    },
  ],
  crash: [14, (site, random) => crash(site, 'Crashed', living(site, random))],
  'out of memory': [2, (site, random) => crash(site, 'OutOfMemory', living(site, random))],
  'crash again and again': [
    2,
    (site, random) => {
      const app = living(site, random);
      for (let n = 0; n < 12; n += 1) later(site, n * 3_000 + random.int(0, 2_000), () => crash(site, 'Crashed', app));
    },
  ],
  'supervisor killed': [
    6,
    (site, random) => {
      const up = site.world.people.filter(({ supervisor }) => supervisor !== null);
      if (up.length === 0) return;
      const person = random.pick(up);
      killSupervisor(site.world, person);
      later(site, random.int(1, 20), () => endLinesOf(site, (line) => line.person === person && line.life !== person.supervisor));
    },
  ],
  'server away': [2, (site, random) => vanish(site, random.pick(site.world.servers), random.int(1_000, 3 * minuteMs))],
  'portal killed': [3, (site) => killPortal(site)],
  'portal killed at a call': [6, (site, random) => void (site.weather.diesAtCall = random.int(1, 60))],
  'portal stands still': [
    2,
    (site, random) => {
      const { portal } = site;
      portal?.process.pause();
      site.rooms!.troubleAtMs = Infinity;
      later(site, random.chance(0.2) ? random.int(minuteMs, hourMs) : random.int(100, 20_000), () => goOn(site));
    },
  ],
  'replies lost': [4, (site, random) => void (site.weather.lostReplies += random.int(1, 2))],
  'replies late': [4, (site, random) => void (site.weather.lateReplies += random.int(1, 2))],
  'reply cut': [3, (site, random) => void (site.weather.cutReplies += random.int(1, 2))],
  'edges lost': [4, (site, random) => void (site.weather.lostEdges += random.int(1, 4))],
  'supervisor fails': [3, (site, random) => void (site.weather.failingStarts += random.int(1, 3))],
  'supervisor hangs': [2, (site) => void (site.weather.hangingStarts += 1)],
  'look fails': [2, (site, random) => void (site.weather.failingLooks += random.int(1, 3))],
  'installation fails': [2, (site, random) => void (site.weather.failingInstalls += random.int(1, 3))],
  'store refuses': [2, (site, random) => void (site.weather.storeRefusesUntilMs = site.world.clock.monotonicMs() + random.int(10, 20_000))],
  'store slow': [
    1,
    (site, random) => {
      site.weather.storeSlowMs = random.int(20, 400);
      later(site, random.int(1_000, minuteMs), () => (site.weather.storeSlowMs = 0));
    },
  ],
  'page opened': [
    8,
    (site, random) => {
      const [person, room] = [random.pick(site.world.people), anyRoom(site, random)];
      if (room === null || person.session === null || site.rooms!.pages.size >= 3 * site.world.people.length) return;
      keepWriting(site, openPage(site.rooms!, person, room));
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
      for (let n = random.int(2, 60); page !== null && n > 0; n -= 1)
        later(site, random.int(0, 300), () => {
          if (page.isOpen) write(site.rooms!, page);
        });
    },
  ],
  'role given': [
    6,
    (site, random) => {
      const [person, room] = [random.pick(site.world.people), anyRoom(site, random)];
      if (room !== null && room.owner !== person) void setRole(site.rooms!, room, person, random.pick(['ver', 'comentar', 'editar', 'editar'] as const)).catch(() => undefined);
    },
  ],
  'role taken': [
    3,
    (site, random) => {
      const [person, room] = [random.pick(site.world.people), anyRoom(site, random)];
      if (room !== null && room.owner !== person) void setRole(site.rooms!, room, person, null).catch(() => undefined);
    },
  ],
  'log refuses': [
    2,
    (site, random) => {
      site.rooms!.refusesUntilMs = site.world.clock.monotonicMs() + random.int(10, 20_000);
      site.rooms!.troubleAtMs = site.rooms!.refusesUntilMs;
    },
  ],
  'portal ends as it is told': [
    3,
    (site) => {
      const { portal, rooms } = site;
      if (portal?.serving == null) return;
      const { relay } = portal.serving.rooms;
      const { controller } = portal.serving;
      const end = async (): Promise<void> => {
        await relay.close();
        await controller.stop();
        if (site.portal === portal) killPortal(site);
      };
      rooms!.troubleAtMs = site.world.clock.monotonicMs();
      void end().catch(() => killPortal(site));
      // As systemd does.
      const { clock } = site.world;
      clock.at(clock.monotonicMs() + 20_000, () => {
        if (site.portal === portal) killPortal(site);
      });
    },
  ],
  'clock set': [
    1,
    (site, random) => site.world.clock.shiftWall(random.pick([random.int(-24 * hourMs, 24 * hourMs), random.int(-minuteMs, minuteMs)])),
  ],
};

/** `[atMs, name, dice]` */
export type Act = readonly [atMs: number, name: string, dice: number];

export function drawActs(seed: number, untilMs: number, everyMs: number): readonly Act[] {
  const random = createRandom(seed ^ 0x5f_37_59_df);
  const names = Object.entries(acts);
  const total = names.reduce((sum, [, [weight]]) => sum + weight, 0);
  const drawn: Act[] = [];
  for (let atMs = 15_000; atMs < untilMs; atMs += Math.max(1, Math.round(-Math.log(1 - random.next()) * everyMs))) {
    let dice = random.next() * total;
    const [name] = names.find(([, [weight]]) => (dice -= weight) < 0) ?? names[0]!;
    drawn.push([atMs, name, random.int(1, 2 ** 31 - 1)]);
  }
  return drawn;
}

export function carryOut(site: Site, [, name, dice]: Act): void {
  const found = acts[name];
  if (found === undefined) throw new Error(`no act ${name}`);
  count(site, name);
  found[1](site, createRandom(dice));
}
