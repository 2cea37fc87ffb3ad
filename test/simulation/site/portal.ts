/**
 * A life of the portal over a simulated site: the product's controller, gateway, starts and windows. Whatever it asks of the store or of a server goes there
 * and comes back in time of its own, and it can die at either end of each call.
 */
import { createGateway } from '../../../controller/views/gateway.ts';
import { allKinds } from '../../../controller/kinds/all.ts';
import type { Kind } from '../../../controller/kinds/kind.ts';
import { createController, type Controller } from '../../../controller/loop/loop.ts';
import type { Log } from '../../../controller/work/record.ts';
import { createStarts, type Starts } from '../../../api/portal/starts.ts';
import { openWindows, type Windows } from '../../../api/events/windows.ts';
import { SvcError } from '../../../schema/errors.ts';
import type { Gateway } from '../../../schema/gateway.ts';
import { createBus, type Bus } from '../../../store/bus.ts';
import type { LogRow, RoomLog } from '../../../store/room-log.ts';
import { createProcessClock, type ProcessClock } from '../portals/process.ts';
import { violate, type ServerModel } from '../world.ts';
import { hostOf } from './host.ts';
import { endLinesOf } from './lines.ts';
import { ask, tellWindows } from './people.ts';
import { watched } from './room-disk.ts';
import { beginRooms, type RoomPortal } from './rooms.ts';
import { count, type Site } from './site.ts';

export interface Portal {
  readonly process: ProcessClock;
  readonly bus: Bus;
  /** Null until it serves people. */
  serving: {
    readonly controller: Controller;
    readonly gateway: Gateway;
    readonly starts: Starts;
    readonly windows: Windows;
    readonly rooms: RoomPortal;
  } | null;
}

/** Kinds without a watch of real files: the folder is taken when the simulation says so. */
const kinds = allKinds.map(unwatched);

function unwatched(kind: Kind): Kind {
  const bare: { -readonly [Name in keyof Kind]: Kind[Name] } = { ...kind };
  delete bare.watch;
  return bare;
}

export function beginPortal(site: Site): void {
  const process = createProcessClock(site.world.clock, { offMs: 0, drift: 0 });
  const bus = lossyBus(site);
  const portal: Portal = { process, bus, serving: null };
  site.portal = portal;
  count(site, 'lives of the portal');
  serve(site, portal).catch((error: unknown) => {
    if (process.state() === 'ended') return;
    // As its unit does: it ends, and is started again.
    count(site, 'starts of the portal that failed');
    if (!(error instanceof SvcError)) violate(site.world, `the portal did not start: ${String(error)}`);
    killPortal(site);
  });
}

async function serve(site: Site, portal: Portal): Promise<void> {
  const { process, bus } = portal;
  const store = reached(site, process, site.store, (name) => whenStoreAnswers(site, name));
  const controller = await createController({
    dir: site.dir,
    store,
    bus,
    clock: process,
    log: logOf(site, process),
    shellVersion: '1.0.0',
    kinds,
    createHost: ({ metadata: { name } }) => {
      const server = site.world.servers.find((one) => one.name === name) as ServerModel;
      return reached(site, process, hostOf(site, server, process), () => null);
    },
  });
  await controller.prepare();
  controller.hear();
  const gateway = createGateway(controller.context);
  const starts = createStarts({ store, bus, apps: gateway.apps, clock: process });
  const windows = await openWindows(store, bus, process);
  const rooms = beginRooms(site.rooms!, { store, bus, gateway, process, log: logOfRooms(site, process) });
  await controller.start();
  if (process.state() === 'ended') return;
  site.servesSinceMs = site.world.clock.monotonicMs();
  portal.serving = { controller, gateway, starts, windows, rooms };
  for (const person of site.world.people) pagesComeAgain(site, portal, person.name);
}

/** Pages of people who are there connect again and say what they have open. */
function pagesComeAgain(site: Site, portal: Portal, name: string): void {
  const { clock } = site.world;
  const random = site.chance(`again ${name}`);
  clock.at(clock.monotonicMs() + random.pick([random.int(0, 30), random.int(100, 4_000)]), () => {
    const person = site.world.people.find((one) => one.name === name)!;
    const { serving } = portal;
    if (site.portal !== portal || serving === null || person.session === null) return;
    portal.process.gate(() => {
      serving.windows.pageOpened(name, name);
      for (const app of person.apps) {
        if (app.windows.open === 0) continue;
        tellWindows(site, portal, app, app.windows.open);
        // The frame in it is loaded again.
        ask(site, app, 'start', 'navigation', 0);
      }
    });
  });
}

export function killPortal(site: Site): void {
  const { portal, world } = site;
  if (portal === null) return;
  site.portal = null;
  site.faultAtMs = world.clock.monotonicMs();
  site.servesSinceMs = Infinity;
  site.weather.diesAtCall = 0;
  portal.process.kill();
  // Its sockets close with it.
  endLinesOf(site, ({ process }) => process === portal.process);
  site.doubts.clear();
  for (const { wire } of site.rooms?.pages ?? []) wire?.end();
  if (site.rooms !== null) site.rooms.troubleAtMs = world.clock.monotonicMs();
  world.clock.at(world.clock.monotonicMs() + site.chance('restarts').int(300, 5_000), () => {
    if (site.portal === null) beginPortal(site);
  });
}

function logOfRooms(site: Site, process: ProcessClock): RoomLog {
  const all = site.rooms!;
  const refusal = (name: string | symbol): Error | null => {
    if (name === 'close' || all.refusesUntilMs <= site.world.clock.monotonicMs()) return null;
    count(site, 'calls that the log of rooms refuses');
    return new SvcError('STORE_FAILED', 'no space left on the device');
  };
  const log = reached(site, process, watched(all), refusal, () => all.slowMs);
  return {
    ...Object.fromEntries(Object.keys(all.log).map((name) => [name, log[name as keyof RoomLog]])),
    // Frames may change after the call.
    append: (rows: readonly LogRow[]) => log.append(rows.map((row) => ({ ...row, frames: Uint8Array.from(row.frames) }))),
  } as RoomLog;
}

/** Members that answer at once. */
const sync = new Set<string | symbol>(['giveUp', 'directSocketPath', 'onDoubt', 'server']);

function whenStoreAnswers(site: Site, name: string | symbol): Error | null {
  if (name === 'close' || site.weather.storeRefusesUntilMs <= site.world.clock.monotonicMs()) return null;
  count(site, 'calls that the store refuses');
  return new SvcError('STORE_FAILED', 'no space left on the device');
}

/** The object as that portal reaches it: both ways take time, and nothing comes back to a portal that died. */
function reached<Asked extends object>(
  site: Site,
  process: ProcessClock,
  asked: Asked,
  refusal: (name: string | symbol) => Error | null,
  slowMs: () => number = () => site.weather.storeSlowMs,
  order = { lastMs: 0 },
): Asked {
  const { world } = site;
  const later = (ms: number, act: () => void): void => void world.clock.at(world.clock.monotonicMs() + ms, act);
  /** A store takes what it is asked in order. */
  const arrive = (ms: number, act: () => void): void => {
    order.lastMs = Math.max(order.lastMs, world.clock.monotonicMs() + ms);
    world.clock.at(order.lastMs, act);
  };
  const call = (name: string | symbol, work: () => unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const back = (act: () => void): void =>
        // Answers over several connections come in any order.
        later(site.chance(`back ${String(name)}`).int(0, 2 + slowMs()), () => {
          if (diesHere(site, process)) return;
          process.gate(() => {
            site.activity += 1;
            act();
          });
        });
      arrive(site.chance(`there ${String(name)}`).int(0, 2) + slowMs(), () => {
        if (process.state() === 'ended' || diesHere(site, process)) return;
        const refused = refusal(name);
        if (refused !== null) return back(() => reject(refused));
        site.activity += 1;
        Promise.resolve()
          .then(work)
          .then(
            (value) => back(() => resolve(value)),
            (error: Error) => back(() => reject(error)),
          );
      });
    });
  return new Proxy(asked, {
    get: (of, name) => {
      const found: unknown = Reflect.get(of, name, of);
      if (typeof found === 'object' && found !== null) return reached(site, process, found, refusal, slowMs, order);
      if (typeof found !== 'function' || sync.has(name)) return found;
      return (...args: readonly unknown[]): unknown => {
        site.activity += 1;
        return process.state() === 'ended' ? new Promise(() => undefined) : call(name, () => Reflect.apply(found, of, args));
      };
    },
  });
}

function diesHere(site: Site, process: ProcessClock): boolean {
  site.activity += 1;
  if (process !== site.portal?.process) return true;
  site.calls += 1;
  const { weather } = site;
  if (weather.diesAtCall === 0) return false;
  weather.diesAtCall -= 1;
  if (weather.diesAtCall > 0) return false;
  count(site, 'portal killed at a call');
  killPortal(site);
  return true;
}

function lossyBus(site: Site): Bus {
  const bus = createBus();
  return {
    ...bus,
    enqueue: (key, urgent) => {
      if (site.weather.lostEdges > 0) {
        site.weather.lostEdges -= 1;
        return count(site, 'edges lost');
      }
      bus.enqueue(key, urgent);
    },
  };
}

function logOf(site: Site, process: ProcessClock): Log {
  const line = (fields: object): void => {
    if (process.state() === 'ended') return;
    const { err } = fields as { readonly err?: unknown };
    site.loggedMs.push(site.world.clock.monotonicMs());
    // A defect of the code, not of the world.
    if (err instanceof TypeError || err instanceof RangeError || err instanceof ReferenceError)
      violate(site.world, `the log has ${err.stack ?? err.message}`);
  };
  return { info: line, warn: line, error: line, debug: () => undefined };
}
