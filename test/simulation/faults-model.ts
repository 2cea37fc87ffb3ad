/** Seeded faults: each kind is one thing that really happens to such systems. */
import { removeDocument, writeDocumentAgain, type Owner } from './leaving-model.ts';
import { killPortal, noticeServer, setLink } from './portal-model.ts';
import { end, killSupervisor } from './server-model.ts';
import { after, afterInPortal, countFault, type AppModel, type World } from './world.ts';
import { installAgain, type Calm } from './people-model.ts';

const kinds: readonly (readonly [weight: number, inject: (world: World) => void])[] = [
  [30, (world) => crash(world, 'Crashed')],
  [5, (world) => crash(world, 'OutOfMemory')],
  [4, crashRepeatedly],
  [8, supervisorDies],
  [0.5, serverVanishes],
  [8, (world) => void (world.mischief.lostPushes += world.random.int(1, 4))],
  [8, (world) => void (world.mischief.latePushes += world.random.int(1, 4))],
  [6, (world) => void (world.mischief.lostOrders += world.random.int(1, 2))],
  [6, (world) => void (world.mischief.lostAcks += world.random.int(1, 2))],
  [6, (world) => void (world.mischief.lostExits += world.random.int(1, 3))],
  [3, (world) => void (world.mischief.failingEnsures += world.random.int(1, 2))],
  [1, (world) => installAgain(world, world.random.chance(0.5))],
  [4, (world) => leaveForAWhile(world, world.random.pick(world.people))],
  [2, (world) => leaveForAWhile(world, world.random.pick(world.packages))],
  [0.2, (world) => leaveForAWhile(world, world.random.pick(world.servers))],
];
const total = kinds.reduce((sum, [weight]) => sum + weight, 0);

export function injectFault(world: World): void {
  let dice = world.random.next() * total;
  for (const [weight, inject] of kinds) {
    dice -= weight;
    if (dice < 0) {
      inject(world);
      return;
    }
  }
}

/** Often back before everything was gone, often after. */
function leaveForAWhile(world: World, owner: Owner): void {
  if (owner.document !== 'written') return;
  removeDocument(world, owner);
  comeBack(world, owner, world.random.chance(0.3) ? world.random.int(10, 3_000) : world.random.int(3_000, 20 * 60_000));
}

function comeBack(world: World, owner: Owner, ms: number): void {
  after(world, ms, () => {
    if (world.resting) comeBack(world, owner, 120_000);
    else writeDocumentAgain(world, owner);
  });
}

/** The portal dies between two effects, or at any moment. */
export function killPortalSomewhere(world: World): void {
  if (world.random.chance(0.7)) world.mischief.crashAfterBoundaries = world.random.int(1, 30);
  else if (world.portal !== null) killPortal(world);
}

/** Deadlines that were written down as wall times are now far ahead or long past. */
export function jumpClock(world: World): void {
  countFault(world, 'wall clock moved');
  const day = 24 * 3_600_000;
  world.clockMoved = true;
  world.clock.shiftWall(world.random.pick([world.random.int(-day, day), world.random.int(-60_000, 60_000), day, -day]));
}

/** Faults for as long as the mood isn't calm, `perHour` on average. */
export function keepInjecting(world: World, perHour: number, mood: Calm, inject: (world: World) => void): void {
  after(world, Math.max(1, Math.round((-Math.log(1 - world.random.next()) * 3_600_000) / perHour)), () => {
    if (!mood.calm) inject(world);
    keepInjecting(world, perHour, mood, inject);
  });
}

/** Ends what is still waiting to go wrong. */
export function heal(world: World): void {
  Object.assign(world.mischief, {
    lostPushes: 0,
    latePushes: 0,
    lostOrders: 0,
    lostAcks: 0,
    lostExits: 0,
    failingEnsures: 0,
    crashAfterBoundaries: 0,
  });
  for (const server of world.servers) {
    if (server.reachable) continue;
    server.reachable = true;
    noticeServer(world, server);
  }
}

function anyAlive(world: World): AppModel | null {
  for (let tries = 0; tries < 50; tries += 1) {
    const app = world.random.pick(world.apps);
    if (app.processes.length > 0) return app;
  }
  return null;
}

export function crash(world: World, reason: 'Crashed' | 'OutOfMemory'): void {
  const app = anyAlive(world);
  const process = app?.processes[0];
  if (app === null || process === undefined) return;
  countFault(world, reason === 'Crashed' ? 'backend killed' : 'backend out of memory');
  end(world, app, process, reason);
}

/** Lets an app die again and again: walks the whole backoff into `failed`. */
export function crashRepeatedly(world: World): void {
  const app = anyAlive(world);
  if (app === null) return;
  countFault(world, 'backend keeps crashing');
  for (let n = 0; n < 12; n += 1) {
    after(world, n * 3_000 + world.random.int(0, 2_000), () => {
      const [process] = app.processes;
      if (process !== undefined && app.env !== null) end(world, app, process, 'Crashed');
    });
  }
}

export function supervisorDies(world: World): void {
  for (let tries = 0; tries < 50; tries += 1) {
    const person = world.random.pick(world.people);
    if (person.supervisor === null) continue;
    countFault(world, 'supervisor killed');
    killSupervisor(world, person);
    // The closed connection is an edge, and edges get lost; the resync finds out.
    if (world.random.chance(0.8)) {
      afterInPortal(world, world.random.int(1, 20), () => {
        if (person.supervisor === null && person.server.reachable) setLink(world, person, 'down');
      });
    }
    return;
  }
}

export function serverVanishes(world: World): void {
  const server = world.random.pick(world.servers);
  if (!server.reachable) return;
  countFault(world, 'server unreachable');
  server.reachable = false;
  noticeServer(world, server);
  after(world, world.random.int(1_000, 180_000), () => {
    if (server.reachable) return;
    server.reachable = true;
    noticeServer(world, server);
  });
}
