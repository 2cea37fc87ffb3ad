/**
 * Worlds of several portals over one database: the loop, the machines and the reconcilers of one portal, with the product's own lease, terms,
 * fences, owners of rooms and logs between them. `node test/simulation/portals/simulate.ts [seed] [steps] [left out]` prints the report.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { checkConverged } from '../invariants.ts';
import { heal } from '../faults-model.ts';
import { ask, closeWindow, openWindow, signIn, writeDocument } from '../people-model.ts';
import { createWorld, violate, type AppModel, type World } from '../world.ts';
import { createClients, keepWriting, type Client } from './clients.ts';
import { createDatabase } from './database.ts';
import { healAll, strike } from './faults.ts';
import { killMachine, leaderOf, startMachine } from './machines.ts';
import { knowActs } from './term.ts';
import { createSeveral } from './several.ts';
import { portalsOf, tell, type LeftOut, type SeveralTally, type Simulation, type Slot } from './simulation.ts';

export interface SeveralOptions {
  readonly seed: number;
  /** It ends after the rest in which so many were taken. */
  readonly steps: number;
  readonly leavesOut?: LeftOut;
  /** Ends at the first violation. */
  readonly isHunt?: boolean;
}

export interface SeveralReport extends SeveralTally {
  readonly seed: number;
  readonly portals: number;
  readonly steps: number;
  readonly simulatedS: number;
  readonly decisions: number;
  readonly launches: number;
  readonly rests: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
  /** Events before the first violation. */
  readonly story: readonly string[];
}

const stormMs = 100_000;
const restMs = 125_000;
/** A question that was asked while packets were dropped is answered, or given up, by then. */
const mendedMs = 12_000;
/** Issue 17: another one leads five seconds after a leader is gone. */
const takeoverMsMax = 5_000;

export async function simulateSeveral({ seed, steps, leavesOut = 'nothing', isHunt = false }: SeveralOptions): Promise<SeveralReport> {
  const simulation = create(seed, leavesOut);
  const { world, tally } = simulation;
  const { random } = Math;
  // Random numbers of the product (pauses before another try) are the world's too.
  Math.random = world.random.next;
  try {
    const mood = { calm: false, rests: 0, isOver: false };
    live(simulation, mood);
    let taken = 0;
    while (!mood.isOver && world.tally.violations.length < (isHunt ? 1 : 20)) {
      if (!world.clock.step()) break;
      // The product's code waits for answers by promises.
      await turn();
      taken += 1;
      if (taken >= steps && !mood.calm && mood.rests > 0) mood.isOver = true;
    }
    return {
      ...tally,
      seed,
      portals: simulation.slots.length,
      steps: taken,
      simulatedS: Math.round(world.clock.monotonicMs() / 1_000),
      decisions: world.tally.decisions,
      launches: world.tally.launches,
      rests: mood.rests,
      faults: world.tally.faults,
      violations: world.tally.violations,
      story: world.tally.violations.length > 0 ? simulation.story : [],
    };
  } finally {
    Math.random = random;
  }
}

interface Mood {
  calm: boolean;
  rests: number;
  isOver: boolean;
}

function create(seed: number, leavesOut: LeftOut): Simulation {
  const ground = createWorld({ seed, people: 2, appsPerPerson: 2, servers: 1 });
  const { random } = ground;
  const slots: Slot[] = Array.from({ length: random.int(2, 4) }, (_unused, index) => ({
    index,
    offMs: random.int(-5_000, 5_000),
    drift: (random.next() - 0.5) / 1_000,
    portal: null,
  }));
  const world: World = Object.assign(ground, { several: createSeveral(() => simulation), portal: 1 });
  const simulation: Simulation = {
    world,
    database: createDatabase(world.clock),
    weather: { isAway: false, cut: new Set(), mended: new Map(), slowMs: 0, lostCommits: 0, lostEdges: 0, lateOrdersMs: 0 },
    slots,
    leavesOut,
    fences: new Map(),
    tally: {
      takeovers: 0,
      takeoverMs: [],
      refusedOrders: 0,
      refusedWrites: 0,
      refusedAppends: 0,
      writes: 0,
      appends: 0,
      edits: 0,
      acknowledged: 0,
      lostEdges: 0,
    },
    acknowledged: new Map(),
    clients: [],
    kill: (portal) => killMachine(simulation, portal),
    socketsOf: (portal) =>
      simulation.clients.flatMap(({ socket }) => (socket !== null && (socket.at === portal || socket.door === portal) ? [socket] : [])),
    story: [],
  };
  return simulation;
}

function live(simulation: Simulation, mood: Mood): void {
  const { world, database, tally } = simulation;
  knowActs(simulation);
  database.onAppend = (session, sala) => {
    tally.appends += 1;
    const writer = portalsOf(simulation).find(({ line }) => line.sessions.has(session));
    const owner = database.owners.get(sala);
    if (writer !== undefined && writer.member?.id !== owner?.portal)
      violate(world, `${writer.name} wrote to ${sala}, which is another portal's (${owner?.number})`);
  };
  // A person's page is one of the portals'.
  for (const app of world.apps) Object.defineProperty(app, 'shown', { get: () => shownSomewhere(simulation, app) });
  for (const slot of simulation.slots) startMachine(simulation, slot);
  simulation.clients = createClients(simulation, 5, 2);
  for (const client of simulation.clients) keepWriting(simulation, client, mood);
  for (const person of world.people) signIn(world, person, { calm: true });
  every(
    world,
    () => world.random.int(300, 4_000),
    () => !mood.calm && deed(world, world.random.pick(world.apps)),
  );
  every(
    world,
    () => world.random.int(500, 8_000),
    () => !mood.calm && strike(simulation),
  );
  watchLeader(simulation);
  const rest = (): void => {
    mood.calm = true;
    tell(simulation, 'everything is well');
    healAll(simulation, heal);
    const { clock } = world;
    const begin = clock.monotonicMs();
    clock.at(begin + 40_000, () => checkRooms(simulation));
    for (const afterMs of [45_000, 120_000]) clock.at(begin + afterMs, () => checkApps(simulation, afterMs));
    clock.at(begin + restMs, () => {
      mood.rests += 1;
      mood.calm = false;
      clock.at(clock.monotonicMs() + stormMs, rest);
    });
  };
  world.clock.at(stormMs, rest);
}

function every(world: World, ms: () => number, act: () => unknown): void {
  world.clock.at(world.clock.monotonicMs() + ms(), () => {
    act();
    every(world, ms, act);
  });
}

function shownSomewhere(simulation: Simulation, app: AppModel): AppModel['shown'] {
  for (const { terms } of portalsOf(simulation)) {
    const view = terms?.controller().view.apps.get(app);
    if (view !== undefined && view.shown !== null) return view.shown;
  }
  return null;
}

function deed(world: World, app: AppModel): void {
  const { random } = world;
  const dice = random.next();
  if (dice < 0.35) openWindow(world, app);
  else if (dice < 0.6) closeWindow(world, app);
  else if (dice < 0.75) ask(world, app, 'stop', 'person');
  else if (dice < 0.85) ask(world, app, 'start', 'person');
  else if (dice < 0.95) ask(world, app, 'restart', 'person');
  else writeDocument(world, app, random.pick(['ligado', 'desligado', null, null] as const));
}

/** Somebody leads soon after the leader is gone, as long as somebody can; and never does a number come back. */
function watchLeader(simulation: Simulation): void {
  const { world, database, weather, tally, slots } = simulation;
  let gone: number | null = 0;
  let goneFirst = 0;
  let number = 0;
  every(
    world,
    () => 50,
    () => {
      const nowMs = world.clock.monotonicMs();
      const leads = database.lease?.number ?? 0;
      if (leads < number) violate(world, `the number of the lease went from ${number} to ${leads}`);
      if (leads > number && number > 0) tally.takeovers += 1;
      // The portal that took it over may be struck in turn.
      if (leads > number && gone !== null) gone = nowMs;
      number = leads;
      const isWell = (slot: Slot): boolean =>
        slot.portal?.relay != null &&
        slot.portal.clock.state() === 'runs' &&
        !weather.cut.has(slot) &&
        nowMs - (weather.mended.get(slot) ?? -Infinity) > mendedMs;
      const leader = leaderOf(simulation);
      if (leader?.clock.state() === 'runs' && !weather.isAway) {
        if (gone !== null && goneFirst > 0) tally.takeoverMs.push(nowMs - goneFirst);
        gone = null;
        return;
      }
      // Nobody can take over: its time begins anew.
      if (weather.isAway || weather.slowMs > 0 || !slots.some(isWell)) goneFirst = gone = nowMs;
      if (gone === null) goneFirst = gone = nowMs;
      if (nowMs - gone <= takeoverMsMax) return;
      violate(world, `nobody leads ${nowMs - gone} ms after the leader was gone`);
      gone = nowMs;
    },
  );
}

function checkApps(simulation: Simulation, afterMs: number): void {
  const { world } = simulation;
  const leaders = portalsOf(simulation).filter(({ terms }) => terms?.leads() === true);
  if (leaders.length !== 1) violate(world, `${leaders.length} portals lead ${afterMs / 1_000} s after the last fault`);
  for (const { terms } of portalsOf(simulation)) {
    for (const app of terms?.controller().view.apps.values() ?? []) checkConverged(world, app, afterMs);
  }
}

/** Everybody in a room sees the same, and it is all that was ever written. */
function checkRooms({ world, clients, acknowledged }: Simulation): void {
  const written = (sala: string): readonly Client[] => clients.filter((client) => client.sala === sala);
  for (const client of clients) {
    const all = new Set(written(client.sala).flatMap((one) => Array.from({ length: one.written }, (_unused, n) => `${one.name}-${n + 1}`)));
    const missing = [...all].filter((edit) => !client.edits.has(edit));
    if (missing.length > 0) violate(world, `${client.name} does not see ${missing.length} edits of ${client.sala} (${missing[0]})`);
    const unacknowledged = [...all].filter((edit) => acknowledged.get(client.sala)?.has(edit) !== true);
    if (unacknowledged.length > 0) violate(world, `${client.sala}: ${unacknowledged.length} edits were never acknowledged`);
  }
}

if (import.meta.main) {
  const [seed = '1', steps = '30000', leavesOut = 'nothing'] = process.argv.slice(2);
  const report = await simulateSeveral({ seed: Number(seed), steps: Number(steps), leavesOut: leavesOut as LeftOut, isHunt: true });
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}
