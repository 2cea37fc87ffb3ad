/**
 * The product's controller, reconcilers, store, supervisor lines and api of starts over simulated servers and people: a seed makes a history.
 * `node test/simulation/site/simulate.ts [seed] [hours] [people] [apps]` prints the report, and the shortest history that fails.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteStore } from '../../../store/sqlite.ts';
import type { Store } from '../../../store/store.ts';
import { createRandom } from '../random.ts';
import { createWorld, violate, type AppModel } from '../world.ts';
import { carryOut, drawActs, kindsOf, type Act } from './acts.ts';
import { checkCarriedOut, checkFinished } from './checks.ts';
import { putFolder, putRepository } from './folder.ts';
import { pushChange } from './lines.ts';
import { beginPeople } from './people.ts';
import { beginPortal, killPortal } from './portal.ts';
import { rest } from './rests.ts';
import { openRooms } from './rooms.ts';
import { calm, chances, settle, type Site } from './site.ts';

export interface History {
  readonly seed: number;
  readonly people?: number;
  readonly apps?: number;
  readonly servers?: number;
  readonly hours?: number;
  /** Between two acts, on average. */
  readonly everyMs?: number;
  /** Absent: drawn from the seed. */
  readonly acts?: readonly Act[];
  readonly restEveryMs?: number;
  /** It ends when so many things were wrong. */
  readonly violationsMax?: number;
  /** The portal dies at this call, which is counted from the beginning of the history; 0 for none. */
  readonly diesAtCall?: number;
}

export interface Report {
  readonly seed: number;
  readonly steps: number;
  readonly acts: number;
  readonly violations: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly logLinesAMinute: number;
  /** Calls of the portal until the first rest, both ends of each. */
  readonly calls: number;
  readonly wallMs: number;
}

/** Nothing of it outlives the run: memory will do. */
const fast = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const minuteMs = 60_000;
const restEveryMsUsual = 6 * minuteMs;
const logLinesAMinuteMax = 400;

// oxlint-disable-next-line max-lines-per-function -- the parts of one site
async function openSite({
  seed,
  people = 3,
  apps = 3,
  servers = 2,
}: History): Promise<{ readonly site: Site; readonly close: () => Promise<void> }> {
  const world = createWorld({ seed, people, appsPerPerson: apps, servers });
  const home = mkdtempSync(path.join(fast, 'svc-site-'));
  const [dir, repository] = [path.join(home, 'desired'), path.join(home, 'apps')];
  mkdirSync(dir);
  const site: Site = {
    world,
    store: await openSqliteStore(':memory:'),
    dir,
    repository,
    lines: new Set(),
    weather: calm(),
    tokens: new Map(),
    doubts: new Map(),
    wishes: new Map(),
    orders: new Map(),
    loggedMs: [],
    counts: {},
    closedAtMs: new Map(),
    windowsTold: new Set(),
    closedAccounts: new Map(),
    doubles: new Map(),
    refusing: new Set(),
    places: new Map(),
    installing: new Map(),
    actsOf: kindsOf(seed),
    folderChangedAtMs: -Infinity,
    isApplyDue: false,
    faultAtMs: 0,
    servesSinceMs: Infinity,
    clockSetAtMs: -Infinity,
    chance: chances(seed),
    portal: null,
    rooms: null,
    isResting: false,
    restsUntilMs: 0,
    activity: 0,
    calls: 0,
    callsAtRest: 0,
  };
  const nothing = (): void => undefined;
  Object.assign(world, {
    several: {
      changed: nothing,
      personChanged: nothing,
      serverChanged: nothing,
      lineEnded: nothing,
      pushed: (app: Parameters<typeof pushChange>[1]) => pushChange(site, app),
      seen: nothing,
      accepts: () => true,
      lateMs: () => 0,
    },
  });
  watchOrders(site);
  site.rooms = await openRooms(site, path.join(home, 'rooms.db'));
  putRepository(world, repository);
  putFolder(site);
  return {
    site,
    close: async () => {
      killPortal(site);
      site.portal = null;
      for (const page of site.rooms!.pages) void page.connection.sair();
      await site.rooms!.log.close();
      await site.store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Notes which orders the api acknowledged, and which count as carried out. */
function watchOrders(site: Site): void {
  const { world, store } = site;
  const inStore = { ...store };
  const appOf = (name: string, id: string): AppModel | undefined => world.apps.find((app) => app.id === id && app.person.name === name);
  Object.assign(store, {
    putIntent: async (intent: Parameters<Store['putIntent']>[0]) => {
      await inStore.putIntent(intent);
      const { wish, by, requestId } = intent;
      const app = appOf(intent.person, intent.app);
      if (app === undefined) return;
      const nowMs = world.clock.monotonicMs();
      site.wishes.set(requestId, { app, wish, by, atMs: nowMs });
      world.clock.at(nowMs + 30_000, () => checkCarriedOut(site, app, requestId));
    },
    finishIntent: async (person: string, id: string, requestId: string) => {
      const before = await store.intent(person, id);
      await inStore.finishIntent(person, id, requestId);
      const after = await store.intent(person, id);
      const app = appOf(person, id);
      if (app !== undefined) checkFinished(site, app, requestId, before, after);
    },
  });
}

function noisiestMinute(site: Site): number {
  let [most, from] = [0, 0];
  for (const [at, atMs] of site.loggedMs.entries()) {
    while (site.loggedMs[from]! < atMs - minuteMs) from += 1;
    most = Math.max(most, at - from + 1);
  }
  return most;
}

const actsOf = ({ seed, hours = 2, everyMs = 10_000, acts }: History): readonly Act[] =>
  acts ?? drawActs(seed, hours * 60 * minuteMs, everyMs);

export async function simulateSite(history: History): Promise<Report> {
  const startMs = performance.now();
  const { seed, hours = 2, restEveryMs = restEveryMsUsual } = history;
  const { site, close } = await openSite(history);
  const { world } = site;
  const { clock } = world;
  const untilMs = hours * 60 * minuteMs;
  const acts = actsOf(history);
  const [random, now] = [Math.random, performance.now.bind(performance)];
  Math.random = createRandom(seed).next;
  // Work takes no time there: what paces itself by it does so alike each time.
  performance.now = () => clock.monotonicMs();
  let steps = 0;
  try {
    site.weather.diesAtCall = history.diesAtCall ?? 0;
    beginPortal(site);
    clock.at(10_000, () => beginPeople(site));
    for (const act of acts)
      clock.at(act[0], () => {
        if (!site.isResting) carryOut(site, act);
      });
    const restAfter = (ms: number): void =>
      void clock.at(clock.monotonicMs() + ms, () => {
        if (clock.monotonicMs() < untilMs) restAfter(rest(site) + restEveryMs);
      });
    restAfter(restEveryMs);
    await settle(site);
    while (
      clock.monotonicMs() < untilMs + 10 * minuteMs &&
      (site.isResting || clock.monotonicMs() < untilMs) &&
      world.tally.violations.length < (history.violationsMax ?? 20) &&
      clock.step()
    ) {
      steps += 1;
      await settle(site);
    }
    const logLinesAMinute = noisiestMinute(site);
    if (logLinesAMinute > logLinesAMinuteMax) violate(world, `${logLinesAMinute} lines of log in a minute`);
    return {
      seed,
      steps,
      acts: acts.length,
      violations: world.tally.violations,
      counts: site.counts,
      logLinesAMinute,
      calls: site.callsAtRest,
      wallMs: Math.round(now() - startMs),
    };
  } finally {
    Math.random = random;
    performance.now = now;
    await close();
  }
}

/** The same history with as few acts as still fail. */
export async function shortest(history: History, report: Report): Promise<readonly Act[]> {
  const fails = async (acts: readonly Act[]): Promise<boolean> =>
    (await simulateSite({ ...history, acts, violationsMax: 1 })).violations.length > 0;
  const last = Math.max(...report.violations.map((text) => Number(/, (\d+) s:/.exec(text)?.[1] ?? Infinity))) * 1_000;
  let left = actsOf(history).filter(([atMs]) => atMs <= last);
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < left.length;) {
      const fewer = [...left.slice(0, from), ...left.slice(from + size)];
      if (await fails(fewer)) left = fewer;
      else from += size;
    }
  return left;
}

/** A history as JSON is played as it is; one of words is made as short as it gets when it fails. */
if (import.meta.main) {
  const [first = '1', ...rest] = process.argv.slice(2);
  const [hours = 2, people = 3, apps = 3] = rest.map(Number);
  const given = first.startsWith('{') ? (JSON.parse(first) as History) : null;
  const history = given ?? { seed: Number(first), hours, people, apps };
  const report = await simulateSite(history);
  process.stdout.write(`${JSON.stringify(report)}\n`);
  if (report.violations.length > 0 && given === null) {
    const acts = await shortest(history, report);
    const again = await simulateSite({ ...history, acts });
    const test = `it('seed ${first}', async () => {\n  expect((await play(null, ${JSON.stringify({ ...history, acts })})).violations).toEqual([]);\n});`;
    process.stdout.write(`${test}\n${again.violations.slice(0, 5).join('\n')}\n`);
    process.exitCode = 1;
  }
  // Sockets of pages that were left would wait half a minute for an answer.
  process.stdout.end(() => process.exit());
}
