/**
 * A run of the model world: people live, faults strike, and every now and then both rest so that convergence can be checked.
 * `node test/simulation/simulate.ts [seed] [people] [apps] [hours]` prints the report.
 */
import { checkConverged, checkLeft } from './invariants.ts';
import { heal, injectFault, jumpClock, keepInjecting, killPortalSomewhere } from './faults-model.ts';
import { liveDay, writeDocument, type Calm } from './people-model.ts';
import { startPortal } from './portal-model.ts';
import { after, createWorld, type World } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly people: number;
  readonly appsPerPerson: number;
  readonly servers: number;
  readonly hours: number;
  readonly faultsPerHour: number;
  readonly portalDeathsPerHour: number;
  /** The wall clock is set forward or back by up to a day, as an administrator or NTP does. */
  readonly clockJumpsPerHour?: number;
  /** Time between two rests. */
  readonly restEveryMs: number;
}

export interface SimulationReport {
  readonly seed: number;
  readonly simulatedHours: number;
  readonly objects: number;
  readonly decisions: number;
  readonly transitions: number;
  readonly launches: number;
  readonly intents: number;
  readonly faultsInjected: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly rests: number;
  readonly violations: readonly string[];
  readonly wallMs: number;
}

/** How long everything may take to come to rest: two scans for orders; set-up, boot and the grace of a stop for processes. */
const restMs = 120_000;

export function simulate(options: SimulationOptions): SimulationReport {
  const started = performance.now();
  const world = createWorld(options);
  const mood: Calm = { calm: false };
  const untilMs = options.hours * 3_600_000;
  let rests = 0;
  startPortal(world);
  for (const app of world.apps) if (world.random.chance(0.05)) writeDocument(world, app, world.random.pick(['ligado', 'desligado']));
  for (const person of world.people) liveDay(world, person, mood);
  keepInjecting(world, options.faultsPerHour, mood, injectFault);
  keepInjecting(world, options.portalDeathsPerHour, mood, killPortalSomewhere);
  if (options.clockJumpsPerHour !== undefined) keepInjecting(world, options.clockJumpsPerHour, mood, jumpClock);
  const rest = (): void => {
    mood.calm = true;
    world.resting = true;
    rests += 1;
    heal(world);
    checkRest(world);
    after(world, restMs, () => {
      mood.calm = false;
      world.resting = false;
    });
    after(world, options.restEveryMs, rest);
  };
  after(world, options.restEveryMs, rest);
  while ((world.clock.nextAtMs() ?? untilMs) < untilMs && world.tally.violations.length < 20) world.clock.step();
  const { tally } = world;
  return {
    seed: options.seed,
    simulatedHours: Math.round((world.clock.monotonicMs() / 3_600_000) * 100) / 100,
    objects: world.apps.length,
    decisions: tally.decisions,
    transitions: tally.transitions,
    launches: tally.launches,
    intents: tally.intents,
    faultsInjected: Object.values(tally.faults).reduce((sum, count) => sum + count, 0),
    faults: tally.faults,
    rests,
    violations: tally.violations,
    wallMs: Math.round(performance.now() - started),
  };
}

/** Two scans and what is under way in them: orders are through after 25 s, processes and what is shown after 110 s. */
function checkRest(world: World): void {
  for (const afterMs of [25_000, 110_000]) {
    after(world, afterMs, () => {
      for (const app of world.apps)
        if (app.person.document === 'written' && app.installed.document === 'written') checkConverged(world, app, afterMs);
      if (afterMs > 100_000) checkLeft(world, afterMs);
    });
  }
}

export function dayOf(seed: number, people: number, appsPerPerson: number, hours: number): SimulationOptions {
  const servers = Math.max(1, Math.ceil(people / 100));
  return { seed, people, appsPerPerson, servers, hours, faultsPerHour: people / 2, portalDeathsPerHour: 1.5, restEveryMs: 30 * 60_000 };
}

if (import.meta.main) {
  const [seed = 1, people = 1_000, apps = 10, hours = 24] = process.argv.slice(2).map(Number);
  process.stdout.write(`${JSON.stringify(simulate(dayOf(seed, people, apps, hours)), null, 2)}\n`);
}
