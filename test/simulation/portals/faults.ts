/** Faults of several portals over one database, besides those of one portal (faults-model.ts). */
import { crash, crashRepeatedly, serverVanishes, supervisorDies } from '../faults-model.ts';
import { installAgain } from '../people-model.ts';
import { countFault, type Mischief, type World } from '../world.ts';
import { endTransaction } from './database.ts';
import { drainMachine, leaderOf } from './machines.ts';
import { portalsOf, tell, type Portal, type Simulation } from './simulation.ts';

type Fault = (simulation: Simulation) => void;

const kinds: readonly (readonly [weight: number, fault: Fault])[] = [
  [8, (all) => onPortal(all, 'portal killed', (portal) => all.kill(portal))],
  [12, (all) => onPortal(all, 'portal stood still', (portal) => standStill(all, portal))],
  [6, (all) => onPortal(all, 'portal cut off from the database', (portal) => cutOff(all, portal))],
  [3, (all) => onPortal(all, 'portal restarted in order', (portal) => void drainMachine(all, portal))],
  [4, (all) => onPortal(all, 'portal killed at an effect', dieAtEffect(all))],
  [3, databaseAway],
  [5, (all) => forAWhile(all, 'slow database', (on) => void (all.weather.slowMs = on ? all.world.random.int(20, 200) : 0))],
  [5, (all) => forAWhile(all, 'edges lost', (on) => void (all.weather.lostEdges = on ? 0.6 : 0))],
  [7, (all) => forAWhile(all, 'orders late', (on) => void (all.weather.lateOrdersMs = on ? all.world.random.int(500, 8_000) : 0))],
  [4, commitsUnanswered],
  [4, ({ world }) => crash(world, 'Crashed')],
  [1, ({ world }) => crash(world, 'OutOfMemory')],
  [1, ({ world }) => crashRepeatedly(world)],
  [4, ({ world }) => supervisorDies(world)],
  [1.5, ({ world }) => serverVanishes(world)],
  [1, ({ world }) => installAgain(world, world.random.chance(0.5))],
  [3, (all) => mischief(all, 'lostPushes', 4)],
  [4, (all) => mischief(all, 'latePushes', 4)],
  [3, (all) => mischief(all, 'lostOrders', 2)],
  [3, (all) => mischief(all, 'lostAcks', 2)],
  [2, ({ world }) => void (world.mischief.lostExits += 1)],
];
const total = kinds.reduce((sum, [weight]) => sum + weight, 0);

export function strike(simulation: Simulation): void {
  let dice = simulation.world.random.next() * total;
  for (const [weight, fault] of kinds) {
    dice -= weight;
    if (dice < 0) return fault(simulation);
  }
}

/** The one that leads more often than another one. */
function onPortal(simulation: Simulation, kind: string, act: (portal: Portal) => void): void {
  const { world } = simulation;
  const portals = portalsOf(simulation).filter(({ relay }) => relay !== null);
  if (portals.length === 0) return;
  const leader = leaderOf(simulation);
  const portal = leader !== null && world.random.chance(0.6) ? leader : world.random.pick(portals);
  countFault(world, kind);
  tell(simulation, `${portal.name}: ${kind}`);
  act(portal);
}

function standStill({ world }: Simulation, { clock }: Portal): void {
  clock.pause();
  world.clock.at(world.clock.monotonicMs() + world.random.int(500, 12_000), () => clock.goOn());
}

function cutOff({ world, weather }: Simulation, { slot }: Portal): void {
  weather.cut.add(slot);
  world.clock.at(world.clock.monotonicMs() + world.random.int(500, 15_000), () => {
    weather.cut.delete(slot);
    weather.mended.set(slot, world.clock.monotonicMs());
  });
}

const dieAtEffect =
  ({ world }: Simulation) =>
  ({ terms }: Portal): void => {
    const view = terms?.controller().view;
    if (view !== undefined) view.world.mischief.crashAfterBoundaries = world.random.int(1, 10);
  };

function mischief(simulation: Simulation, kind: keyof Mischief, most: number): void {
  const portals = portalsOf(simulation).flatMap(({ terms }) => (terms === null ? [] : [terms.controller().view.world]));
  if (portals.length > 0) simulation.world.random.pick(portals).mischief[kind] += simulation.world.random.int(1, most);
}

/** The server restarts, fails over, or is gone for a while: what was under way is rolled back. */
function databaseAway(simulation: Simulation): void {
  const { world, weather, database } = simulation;
  if (weather.isAway) return;
  countFault(world, 'database away');
  tell(simulation, 'the database is away');
  weather.isAway = true;
  world.portal = null;
  for (const { line } of portalsOf(simulation)) for (const session of line.sessions) endTransaction(database, session, false);
  world.clock.at(world.clock.monotonicMs() + world.random.pick([300, 1_000, 4_000, 14_000]), () => databaseBack(simulation));
}

export function databaseBack({ world, weather }: Simulation): void {
  weather.isAway = false;
  world.portal = 1;
}

function forAWhile(simulation: Simulation, kind: string, set: (on: boolean) => void): void {
  const { world } = simulation;
  countFault(world, kind);
  tell(simulation, kind);
  set(true);
  world.clock.at(world.clock.monotonicMs() + world.random.int(5_000, 20_000), () => set(false));
}

function commitsUnanswered({ world, weather }: Simulation): void {
  countFault(world, 'commit not answered');
  weather.lostCommits += world.random.int(1, 3);
}

/** Everything is well from now on. */
export function healAll(simulation: Simulation, healGround: (world: World) => void): void {
  const { weather, world } = simulation;
  Object.assign(weather, { slowMs: 0, lostCommits: 0, lostEdges: 0, lateOrdersMs: 0 });
  for (const slot of weather.cut) weather.mended.set(slot, world.clock.monotonicMs());
  weather.cut.clear();
  databaseBack(simulation);
  for (const { clock, terms } of portalsOf(simulation)) {
    clock.goOn();
    const mine = terms?.controller().view.world.mischief;
    if (mine !== undefined) for (const kind of Object.keys(mine) as (keyof Mischief)[]) mine[kind] = 0;
  }
  healGround(world);
}
