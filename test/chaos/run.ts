/**
 * Rounds of seeded faults: several fall at once, each on something of its own, last as long as they last, and then the world has a bounded
 * time to be as the desired state says. Meanwhile no app runs twice, and nothing ends that no fault fell on.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../simulation/random.ts';
import { faultKinds } from './faults.ts';
import type { FaultKind, Heal } from './faults/kind.ts';
import { until } from '../support/portal.ts';
import { complaints, packagesMissing, stacksInLogs, toldWaitMs } from './judge.ts';
import { readTable, watchForTwins } from './processes.ts';
import { apps, createChaosWorld, type App, type ChaosPerson, type ChaosWorld } from './world.ts';
import { startWriters, type Writers } from './writers.ts';

/** Three scans. */
const scansMs = 30_000;
/** Starts take at least so long, and as long as at the beginning: the machine may do much else. */
const startsMsMin = 2_000;
/** A scan with its jitter. */
const quietMs = 11_000;
const faultsARound = 9;
/** Time after all orders were answered and no fault fell: waiting longer would show nothing. */
const answeredMs = 2_000;
/** More than this is not one defect but a world that is broken: the run ends there. */
const wrongMax = 40;

export interface ChaosReport {
  readonly seed: number;
  readonly faults: number;
  readonly kinds: number;
  readonly rounds: number;
  readonly edits: number;
  /** How long after the last fault ended the world was as it should be, ms, one a round. */
  readonly convergedMs: readonly number[];
  /** Everything that was not as promised; [] is what is hoped for. */
  readonly wrong: readonly string[];
}

interface Planned {
  readonly kind: FaultKind;
  readonly person: ChaosPerson;
  readonly app: App;
}

export async function runChaos(options: {
  readonly seed: number;
  readonly faults: number;
  /** How many fall at once; nine unless given. The number of targets bounds it. */
  readonly aRound?: number;
  /** Only kinds whose name holds this. */
  readonly only?: string;
  readonly say: (line: string) => void;
  /** Ends the run after the round that is under way. */
  readonly signal?: AbortSignal;
}): Promise<ChaosReport> {
  const { say, seed } = options;
  const world = await createChaosWorld();
  let writers: Writers | null = null;
  let twins: ReturnType<typeof watchForTwins> | null = null;
  const wrong: string[] = [];
  const end = async (): Promise<void> => {
    twins?.stop();
    await writers?.stop();
    await world.stop();
  };
  let report: ChaosReport;
  try {
    await until('the packages', async () => (await packagesMissing(world)).length === 0, 300_000);
    world.remember();
    const first = await converge(world, 300_000, answeredMs);
    const convergeMsMax = scansMs + Math.max(startsMsMin, first.lastWrongMs);
    wrong.push(...first.left.map((line) => `before the first fault: ${line}`));
    writers = await startWriters(world);
    twins = watchForTwins(world);
    const random = createRandom(seed);
    const convergedMs: number[] = [];
    const played: Planned[] = [];
    for (const round of rounds(world, random, options)) {
      played.push(...round);
      const label = `round ${convergedMs.length + 1} (${played.length}/${options.faults})`;
      convergedMs.push(await playRound({ world, writers, round, random, wrong, twins, label, convergeMsMax }, say));
      if (wrong.length > wrongMax || options.signal?.aborted === true) break;
    }
    wrong.push(...stacksInLogs(world).map((line) => `a stack in the log: ${line}`));
    const kinds = new Set(played.map(({ kind }) => kind.name)).size;
    report = { seed, faults: played.length, kinds, rounds: convergedMs.length, edits: writers.edits(), convergedMs, wrong };
  } catch (error) {
    // The cause of the broken run is reported, and not that its world could not be taken down after that.
    await end().catch((second: unknown) => say(`and the end of the world broke too: ${String(second)}`));
    throw error;
  }
  await end();
  return report;
}

/** Every kind comes about as often as every other; which things they fall on, and beside which others, is the seed's. */
function* rounds(
  world: ChaosWorld,
  random: Random,
  options: { readonly faults: number; readonly aRound?: number; readonly only?: string },
): Generator<readonly Planned[]> {
  const kinds = faultKinds.filter(({ name }) => name.includes(options.only ?? ''));
  let deck: FaultKind[] = [];
  for (let left = options.faults; left > 0;) {
    const round: Planned[] = [];
    const kept: FaultKind[] = [];
    for (let tries = 0; round.length < Math.min(options.aRound ?? faultsARound, left) && tries < 60; tries += 1) {
      if (deck.length === 0) deck = shuffled([...kinds], random);
      const kind = deck.pop()!;
      const place = placeFor(world, random, kind, round);
      if (place !== null) round.push(place);
      else kept.push(kind);
    }
    deck.push(...kept);
    yield round;
    left -= round.length;
  }
}

/** Something that it can fall on beside the others, or null when a few draws found nothing. */
function placeFor(world: ChaosWorld, random: Random, kind: FaultKind, round: readonly Planned[]): Planned | null {
  for (let draws = 0; draws < 6; draws += 1) {
    const person = random.pick(world.people.filter(({ name }) => kind.people?.includes(name) ?? true));
    // A stopped app has neither processes nor files that a fault could fall on.
    const app = random.pick(apps.filter((each) => kind.on !== 'backend' || world.wanted(person.name, each)));
    if (app !== undefined && fits(round, { kind, person, app })) return { kind, person, app };
  }
  return null;
}

function shuffled<Item>(items: Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** No two faults on the same thing: what one breaks the other must not mend, or the judge could not tell. */
function fits(round: readonly Planned[], next: Planned): boolean {
  const { on } = next.kind;
  return round.every((other) => {
    if (['package', 'server', 'portal', 'yaml'].includes(on) && other.kind.on === on) return false;
    const personal = (planned: Planned): boolean => ['backend', 'person', 'yaml'].includes(planned.kind.on);
    if (personal(other) && personal(next) && other.person === next.person) {
      if (on !== 'backend' || other.kind.on !== 'backend' || other.app === next.app) return false;
    }
    const [one, two] = on === 'package' ? [next, other] : [other, next];
    return !(one.kind.on === 'package' && two.kind.on === 'backend' && one.app === two.app);
  });
}

interface Round {
  readonly world: ChaosWorld;
  readonly writers: Writers;
  readonly round: readonly Planned[];
  readonly random: Random;
  readonly wrong: string[];
  readonly twins: ReturnType<typeof watchForTwins>;
  readonly label: string;
  /** Deadline for the world to be as it should be. */
  readonly convergeMsMax: number;
}

async function playRound(
  { world, writers, round, random, wrong, twins, label, convergeMsMax }: Round,
  say: (line: string) => void,
): Promise<number> {
  const named = round.map(({ kind, person, app }) => `${kind.name} [${nameOf(kind, person, app)}]`);
  const blame = (line: string): void => {
    wrong.push(`${label}: ${line} — faults: ${named.join('; ')}`);
    say(`  WRONG ${line}`);
  };
  say(`${label}: ${named.join('; ')}`);
  const before = pidsOf(world);
  const twinsBefore = twins.seen.length;
  const lived = round.map(async (planned) => {
    await sleep(random.int(0, 1_500));
    await play({ ...planned, world, writers, random });
  });
  for (const [n, result] of (await Promise.allSettled(lived)).entries()) {
    if (result.status === 'rejected') blame(`${named[n]}: ${String(result.reason)}`);
  }
  const { left, lastWrongMs: tookMs } = await converge(world, convergeMsMax);
  for (const line of left) blame(line);
  for (const [key, pid] of pidsOf(world)) {
    const old = before.get(key);
    if (old !== undefined && old !== pid && !round.some((planned) => mayEnd(planned, key)))
      blame(`${key} was ended though no fault fell on it`);
  }
  for (const twin of new Set(twins.seen.slice(twinsBefore))) blame(`twice: ${twin}`);
  for (const line of await forgive(world, convergeMsMax).catch((error: unknown) => [String(error)]))
    blame(`after a person's restart: ${line}`);
  const missing = await writers.missing(convergeMsMax);
  if (missing.length > 0) blame(`${missing.length} edits missing, as ${missing.slice(0, 3).join(', ')}`);
  say(`  as it should be after ${(tookMs / 1_000).toFixed(1)} s; ${writers.edits()} edits, ${missing.length} missing`);
  return tookMs;
}

/**
 * Five deaths within ten minutes make an app `failed` (rules 3.3), and an hour of faults has so many for every one of them. An app that
 * died more than once is restarted by order, which clears the count.
 */
async function forgive(world: ChaosWorld, convergeMsMax: number): Promise<readonly string[]> {
  const tired = (await world.objects()).filter(({ kind, details }) => kind === 'Backend' && Number(details['failures'] ?? 0) > 1);
  if (tired.length === 0) return [];
  await Promise.all(tired.map(({ name }) => world.admin('POST', `/api/admin/backends/${name}/restart`)));
  return (await converge(world, convergeMsMax, answeredMs)).left;
}

async function play(context: Planned & { readonly world: ChaosWorld; readonly writers: Writers; readonly random: Random }): Promise<void> {
  const [from, to] = context.kind.holdMs ?? [0, 0];
  const heal: Heal | void = await context.kind.apply(context);
  if (heal === undefined) return;
  await sleep(context.random.int(from, to));
  await heal();
}

const nameOf = ({ on }: FaultKind, person: ChaosPerson, app: string): string => {
  if (on === 'backend' || on === 'yaml') return `${person.name}/${app}`;
  if (on === 'person') return person.name;
  return on === 'package' ? app : 'portal';
};

/** Whether the fault gives the app a reason to end. */
function mayEnd({ kind, person, app }: Planned, key: string): boolean {
  if (kind.spares === true) return false;
  if (kind.on === 'package') return key.endsWith(`/${app}`);
  return kind.on === 'backend' ? key === `${person.name}/${app}` : key.startsWith(`${person.name}/`);
}

function pidsOf(world: ChaosWorld): ReadonlyMap<string, number> {
  const table = readTable(world);
  return new Map(
    world.people.flatMap((person) =>
      apps.flatMap((app) => table.backends(person, app).map((pid) => [`${person.name}/${app}`, pid] as const)),
    ),
  );
}

/**
 * Until nothing has been wrong for a whole scan of the product and a bit: a thing that it has not observed yet only seems right. `left` is
 * what is still wrong after the time, and after the wait that the product itself reports; `lastWrongMs` is how long anything was.
 */
async function converge(
  world: ChaosWorld,
  msMax: number,
  calmMs = quietMs,
): Promise<{ readonly left: readonly string[]; readonly lastWrongMs: number }> {
  const beganMs = performance.now();
  let lastWrongMs = 0;
  let toldMs = 0;
  for (;;) {
    const left = await complaints(world);
    const nowMs = performance.now() - beganMs;
    if (left.length > 0) lastWrongMs = nowMs;
    if (left.length > 0) toldMs = Math.max(toldMs, await toldWaitMs(world));
    if (left.length > 0 && nowMs > msMax + toldMs) return { left, lastWrongMs };
    if (left.length === 0 && nowMs - lastWrongMs > calmMs) return { left, lastWrongMs };
    await sleep(400);
  }
}
