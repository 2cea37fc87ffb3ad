/**
 * Acts of people and faults of the world, each drawn from a number of its own: an act that is left out changes nothing of the others, so that a
 * history which fails can be made shorter.
 */
import { createRandom, type Random } from '../random.ts';
import { end, killSupervisor, notice } from '../server-model.ts';
import type { AppModel, ServerModel } from '../world.ts';
import { checkAway, checkClosed } from './checks.ts';
import { endLinesOf } from './lines.ts';
import { allWindowsClosed, ask, closeWindow, keepWriting, leave, openWindow, pin, signOut } from './people.ts';
import { killPortal } from './portal.ts';
import { closePage, openPage, setRole, write, writeAtLength, type Page, type Room } from './rooms.ts';
import { count, later, type Site } from './site.ts';

type Do = (site: Site, random: Random) => void;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const anyApp = ({ world }: Site, random: Random): AppModel => random.pick(world.apps);

const anyRoom = (site: Site, random: Random): Room | null => (site.rooms!.all.length === 0 ? null : random.pick(site.rooms!.all));

const anyPage = (site: Site, random: Random): Page | null => {
  const pages = [...site.rooms!.pages];
  return pages.length === 0 ? null : random.pick(pages);
};

function vanish(site: Site, server: ServerModel, ms: number): void {
  if (!server.reachable) return;
  server.reachable = false;
  // Connections are missed after a while, by either side.
  later(site, site.chance(`missed ${server.name}`).int(1_000, 20_000), () => {
    if (server.reachable) return;
    endLinesOf(site, ({ person }) => person.server === server);
    for (const tell of site.doubts.get(server) ?? []) tell();
  });
  let isAway = true;
  const { portal } = site;
  later(site, minuteMs, () => {
    const isSteady = site.portal === portal && portal?.serving != null && portal.process.state() === 'runs';
    if (isAway && !server.reachable && isSteady) checkAway(site, server);
  });
  later(site, ms, () => {
    isAway = false;
    server.reachable = true;
  });
}

export function goOn(site: Site): void {
  if (site.portal?.process.state() !== 'paused') return;
  site.portal.process.goOn();
  site.servesSinceMs = site.world.clock.monotonicMs();
  site.rooms!.troubleAtMs = site.world.clock.monotonicMs() + 1_000;
  site.faultAtMs = site.world.clock.monotonicMs();
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
  start: [12, (site, random) => ask(site, anyApp(site, random), 'start', 'person')],
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
    (site, random) =>
      leave(site, random.pick(site.world.people), random.chance(0.3) ? random.int(10, 3_000) : random.int(3_000, 15 * minuteMs)),
  ],
  'package leaves': [
    2,
    (site, random) =>
      leave(site, random.pick(site.world.packages), random.chance(0.3) ? random.int(10, 3_000) : random.int(3_000, 15 * minuteMs)),
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
  'portal killed, and pages are closed meanwhile': [
    2,
    (site, random) => {
      killPortal(site);
      for (const app of site.world.apps) if (random.chance(0.5)) allWindowsClosed(site, app);
    },
  ],
  'account closed': [
    1,
    (site, random) => {
      const person = random.pick(site.world.people);
      if (person.document !== 'written' || site.closedAccounts.has(person.name)) return;
      site.closedAccounts.set(person.name, random.pick(['locked', 'expired'] as const));
      const { portal } = site;
      later(site, 45_000, () => {
        const isSteady = site.portal === portal && portal?.serving != null && portal.process.state() === 'runs' && person.server.reachable;
        if (isSteady && site.closedAccounts.has(person.name)) void checkClosed(site, person);
      });
      later(site, random.int(minuteMs, 5 * minuteMs), () => site.closedAccounts.delete(person.name));
    },
  ],
  'portal killed at a call': [6, (site, random) => void (site.weather.diesAtCall = random.int(1, 60))],
  'portal stands still': [
    2,
    (site, random) => {
      const { portal } = site;
      if (portal?.process.state() !== 'runs') return;
      portal.process.pause();
      site.rooms!.troubleAtMs = Infinity;
      site.servesSinceMs = Infinity;
      later(site, random.chance(0.2) ? random.int(minuteMs, hourMs) : random.int(100, 20_000), () => goOn(site));
    },
  ],
  'replies lost': [4, (site, random) => void (site.weather.lostReplies += random.int(1, 2))],
  'replies late': [4, (site, random) => void (site.weather.lateReplies += random.int(1, 2))],
  'pushes late': [6, (site, random) => void (site.weather.latePushes += random.int(1, 6))],
  'started, and leaves at once': [
    2,
    (site, random) => {
      const app = anyApp(site, random);
      site.weather.latePushes += random.int(0, 3);
      ask(site, app, 'start', 'person');
      later(site, random.int(1, 400), () => leave(site, app.person, random.int(20_000, 10 * minuteMs)));
    },
  ],
  'signed in, and opened at once': [
    4,
    (site, random) => {
      const app = anyApp(site, random);
      signOut(site, app.person);
      later(site, random.int(1_000, 90_000), () => {
        if (app.person.session === null) openWindow(site, app);
      });
    },
  ],
  'reply cut': [3, (site, random) => void (site.weather.cutReplies += random.int(1, 2))],
  'edges lost': [4, (site, random) => void (site.weather.lostEdges += random.int(1, 4))],
  'supervisor fails': [3, (site, random) => void (site.weather.failingStarts += random.int(1, 3))],
  'supervisor hangs': [2, (site) => void (site.weather.hangingStarts += 1)],
  'look fails': [2, (site, random) => void (site.weather.failingLooks += random.int(1, 3))],
  'look slow': [3, (site, random) => void (site.weather.slowLooks += random.int(1, 4))],
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
  'log slow': [
    2,
    (site, random) => {
      site.rooms!.slowMs = random.int(100, 5_000);
      later(site, random.int(1_000, minuteMs), () => (site.rooms!.slowMs = 0));
    },
  ],
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
    3,
    (site, random) => {
      site.clockSetAtMs = site.world.clock.monotonicMs();
      site.world.clock.shiftWall(random.pick([random.int(-24 * hourMs, 24 * hourMs), random.int(-minuteMs, minuteMs)]));
    },
  ],
};

/** Acts of people who only use what is there. */
const everyday = new Set([
  'window opened',
  'window for a moment',
  'start',
  'stop',
  'restart',
  'start and stop',
  'stop and start',
  'page opened',
  'page closed',
  'words at once',
  'role given',
]);

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
  if (!everyday.has(name)) site.faultAtMs = site.world.clock.monotonicMs();
  found[1](site, createRandom(dice));
}
