/** Acts of people at their apps, of administrators, and faults of servers, store and portal. */
import type { Random } from '../random.ts';
import { end, killSupervisor, notice } from '../server-model.ts';
import type { AppModel, ServerModel } from '../world.ts';
import type { Do } from './acts.ts';
import { checkAway, checkClosed, checkGone } from './checks.ts';
import { moveServer } from './folder.ts';
import { endLinesOf } from './lines.ts';
import { allWindowsClosed, ask, closeWindow, leave, openWindow, pin, renamed, serverLeaves, signOut } from './people.ts';
import { killPortal } from './portal.ts';
import { later, servedMs, type Site } from './site.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const anyApp = ({ world }: Site, random: Random): AppModel => random.pick(world.apps);

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
  for (const afterMs of [minuteMs, 2 * minuteMs])
    later(site, afterMs, () => {
      if (isAway && !server.reachable && servedMs(site) > 30_000) checkAway(site, server);
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

function slowStore(site: Site, random: Random): void {
  site.weather.storeSlowMs = random.int(20, 400);
  later(site, random.int(1_000, minuteMs), () => (site.weather.storeSlowMs = 0));
}

function setClock(site: Site, byMs: number): void {
  site.clockSetAtMs = site.world.clock.monotonicMs();
  site.world.clock.shiftWall(byMs);
}

/** Requests that a fault of replies meets; null: whichever comes next. */
const requests = [null, 'start', 'stop', 'token', 'token', 'snapshot', 'subscribe', 'pin', 'quit'] as const;

/** By name, with how often it comes. */
export const appActs: Readonly<Record<string, readonly [weight: number, act: Do]>> = {
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
      later(site, random.int(0, random.pick([50, 400])), () => ask(site, app, 'stop', 'person'));
    },
  ],
  'stop and start': [
    5,
    (site, random) => {
      const app = living(site, random);
      ask(site, app, 'stop', 'person');
      later(site, random.int(0, random.pick([50, 400])), () => ask(site, app, 'start', 'person'));
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
  'server away, and the portal begins anew': [
    2,
    (site, random) => {
      vanish(site, random.pick(site.world.servers), random.int(minuteMs, 4 * minuteMs));
      later(site, random.int(0, 25_000), () => killPortal(site));
    },
  ],
  'portal killed': [3, (site) => killPortal(site)],
  'portal killed, and pages are closed meanwhile': [
    2,
    (site, random) => {
      killPortal(site);
      for (const app of site.world.apps) if (random.chance(0.5)) allWindowsClosed(site, app);
    },
  ],
  'account closed': [
    3,
    (site, random) => {
      const person = random.pick(site.world.people);
      if (person.document !== 'written' || site.closedAccounts.has(person.name)) return;
      site.closedAccounts.set(person.name, random.pick(['locked', 'expired'] as const));
      const { portal } = site;
      later(site, 45_000, () => {
        const isSteady = site.portal === portal && servedMs(site) > 0 && person.server.reachable;
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
  'replies lost': [
    4,
    (site, random) => {
      site.weather.hits = random.pick(requests);
      site.weather.lostReplies += random.int(1, 2);
    },
  ],
  'replies late': [
    4,
    (site, random) => {
      site.weather.hits = random.pick(requests);
      site.weather.lateReplies += random.int(1, 2);
    },
  ],
  'pushes late': [6, (site, random) => void (site.weather.latePushes += random.int(1, 6))],
  'started, and leaves at once': [
    2,
    (site, random) => {
      const app = anyApp(site, random);
      site.weather.latePushes += random.int(2, 12);
      ask(site, app, 'start', 'person');
      later(site, random.int(1, 400), () => leave(site, app.person, random.int(20_000, 10 * minuteMs)));
    },
  ],
  'signed in, and opened at once': [
    4,
    (site, random) => {
      const app = anyApp(site, random);
      signOut(site, app.person);
      later(site, random.int(1_000, 180_000), () => {
        if (app.person.session === null) openWindow(site, app);
      });
    },
  ],
  'reply cut': [
    3,
    (site, random) => {
      site.weather.hits = random.pick(requests);
      site.weather.cutReplies += random.int(1, 2);
    },
  ],
  'edges lost': [4, (site, random) => void (site.weather.lostEdges += random.int(1, 4))],
  'supervisor fails': [3, (site, random) => void (site.weather.failingStarts += random.int(1, 3))],
  'supervisor hangs': [2, (site) => void (site.weather.hangingStarts += 1)],
  'look fails': [2, (site, random) => void (site.weather.failingLooks += random.int(1, 3))],
  'look slow': [3, (site, random) => void (site.weather.slowLooks += random.int(1, 4))],
  'installation fails': [2, (site, random) => void (site.weather.failingInstalls += random.int(1, 3))],
  'store refuses': [2, (site, random) => void (site.weather.storeRefusesUntilMs = site.world.clock.monotonicMs() + random.int(10, 20_000))],
  'store slow': [1, slowStore],
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
      rooms!.troubleAtMs = Math.max(rooms!.troubleAtMs, site.world.clock.monotonicMs());
      void end().catch(() => killPortal(site));
      // As systemd does.
      const { clock } = site.world;
      clock.at(clock.monotonicMs() + 20_000, () => {
        if (site.portal === portal) killPortal(site);
      });
    },
  ],
  'clock set': [3, (site, random) => setClock(site, random.pick([random.int(-24 * hourMs, 24 * hourMs), random.int(-minuteMs, minuteMs)]))],
  'impatient clicks': [
    4,
    (site, random) => {
      const app = anyApp(site, random);
      if (random.chance(0.5)) slowStore(site, random);
      for (let n = random.int(3, 9); n > 0; n -= 1) {
        const wish = random.pick(['start', 'start', 'stop', 'restart'] as const);
        later(site, random.int(0, 3_000), () => ask(site, app, wish, 'person', 0.6));
      }
    },
  ],
  'folder edited on a full disk': [
    3,
    (site, random) => {
      const nowMs = site.world.clock.monotonicMs();
      site.weather.storeRefusesUntilMs = nowMs + random.int(10, 15_000);
      const app = anyApp(site, random);
      pin(site, app, app.document === 'ligado' ? 'desligado' : 'ligado');
    },
  ],
  'installed while nobody gets a look': [
    6,
    (site, random) => {
      const installed = random.pick(site.world.packages);
      const backMs = random.int(2_000, 20_000);
      leave(site, installed, backMs);
      later(site, backMs - 1_000, () => (site.weather.slowLooks += random.int(1, 4)));
    },
  ],
  'server refuses a package until it is reached otherwise': [
    2,
    (site, random) => {
      const installed = random.pick(site.world.packages);
      site.refusing.add(installed.server);
      leave(site, installed, random.int(1_000, 20_000));
      later(site, random.int(minuteMs, 8 * minuteMs), () => moveServer(site, installed.server));
    },
  ],
  'person renamed for a while': [
    2,
    (site, random) => {
      const person = random.pick(site.world.people);
      if (person.document !== 'written' || person.server.document !== 'written' || site.doubles.has(person)) return;
      renamed(site, person, 'written');
      later(site, random.int(5_000, 4 * minuteMs), () => {
        if (site.doubles.get(person) === 'written') renamed(site, person, 'leaving');
      });
    },
  ],
  'server leaves': [
    1,
    (site, random) => {
      serverLeaves(site, random.pick(site.world.servers), random.chance(0.3) ? random.int(10, 3_000) : random.int(3_000, 5 * minuteMs));
    },
  ],
  'portal killed while apps come up, and their tokens are not to be had': [
    2,
    (site, random) => {
      for (const app of site.world.apps) if (random.chance(0.7)) ask(site, app, 'start', 'person', 0);
      later(site, random.int(30, 1_500), () => {
        killPortal(site);
        site.weather.hits = 'token';
        site.weather[random.pick(['lostReplies', 'cutReplies'] as const)] += random.int(2, 12);
      });
    },
  ],
  'windows opened while the portal is away': [
    3,
    (site, random) => {
      killPortal(site);
      for (let n = random.int(1, 3); n > 0; n -= 1) later(site, random.int(10, 300), () => openWindow(site, anyApp(site, random)));
    },
  ],
  'asked for as its package goes': [
    3,
    (site, random) => {
      const app = living(site, random);
      if (random.chance(0.5)) site.weather.lostReplies += random.int(1, 3);
      leave(site, app.installed, random.int(3, 12) * minuteMs);
      later(site, 100_000, () => void checkGone(site, app.installed));
      for (let n = random.int(1, 4); n > 0; n -= 1)
        later(site, random.int(0, 4_000), () => ask(site, app, random.pick(['start', 'stop', 'restart'] as const), 'person'));
    },
  ],
  'clock set while a supervisor fails': [
    1,
    (site, random) => {
      const person = random.pick(site.world.people);
      site.weather.failingStarts += random.int(1, 4);
      killSupervisor(site.world, person);
      later(site, random.int(1, 20), () => endLinesOf(site, (line) => line.person === person && line.life !== person.supervisor));
      later(site, random.int(100, 20_000), () => setClock(site, -random.int(1, 24) * hourMs));
    },
  ],
};
