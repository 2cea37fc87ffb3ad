/** Rooms of several portals: what it costs that a client comes in at a portal that does not have the room. */
import type { TestPostgres } from '../../test/support/postgres.ts';
import { inspect } from '../inspected.ts';
import { startHocuspocus, startPortals, type PortalGroup, type ServerGroup } from '../peers/portals-servers.ts';
import type { ServerFacts } from '../peers/rooms-access.ts';
import type { LoadResult } from '../peers/rooms-measure.ts';
import { broken, goOn, takeTurns, type TurnTaker } from '../peers/rooms-rounds.ts';
import { startLoad } from '../peers/rooms-servers.ts';
import { sliceSeconds, turnLine } from '../peers/rooms-turns.ts';
import { profilingOf, type Profiling } from '../profile.ts';
import { pssMib } from '../pss.ts';
import { ms, percent, perSecond, rowsAgainst, type FiguresOf } from '../room-rows.ts';
import type { Row } from '../rows.ts';
import { sayStep } from '../steps.ts';

const kinds = {
  rooms: ['three portals', 'one portal', 'one Hocuspocus', 'three Hocuspocus'],
  fanout: ['owner elsewhere', 'owner here', 'spread over three', 'one Hocuspocus', 'three Hocuspocus'],
} as const;
type Scenario = keyof typeof kinds;
type Kind = (typeof kinds)[Scenario][number];
type Figures = FiguresOf<Kind>;

const { atLeast, atMost, within, told } = rowsAgainst<Kind>('owner elsewhere');
const roomCount = 500;

interface Servers {
  readonly one: PortalGroup | null;
  readonly three: PortalGroup;
  readonly hocuspocus: ServerGroup;
  readonly hocuspoci: ServerGroup;
}

interface Runner extends TurnTaker {
  readonly kind: Kind;
  readonly group: ServerGroup;
}

const hocFacts = ({ ports }: ServerGroup): ServerFacts => ({ port: ports[0]!, ports, dialect: 'hocuspocus', path: '/' });

/** Where the clients of each kind come in, and who has the rooms. */
async function loadsOf(scenario: Scenario, servers: Servers): Promise<readonly (readonly [Kind, ServerGroup, ServerFacts])[]> {
  const { one, three, hocuspocus, hocuspoci } = servers;
  const peers = [
    ['one Hocuspocus', hocuspocus, hocFacts(hocuspocus)],
    ['three Hocuspocus', hocuspoci, hocFacts(hocuspoci)],
  ] as const;
  if (scenario === 'rooms') {
    const [facts, alone] = await Promise.all([three.furnish(roomCount), one!.furnish(roomCount)]);
    const { ports } = three;
    return [['three portals', three, { ...facts, ports, firstAt: ports }], ['one portal', one!, alone], ...peers];
  }
  const facts = await three.furnish(3);
  const [owner, other] = three.ports as readonly [number, number];
  return [
    ['owner elsewhere', three, { ...facts, ports: [other], firstAt: [owner], firstRoom: 0 }],
    ['owner here', three, { ...facts, ports: [owner], firstAt: [owner], firstRoom: 1 }],
    ['spread over three', three, { ...facts, ports: three.ports, firstAt: [owner], firstRoom: 2 }],
    ...peers,
  ];
}

/** Profiles of the portal that has the room, and of the one where the clients are. */
interface Profiles {
  readonly owner: Profiling;
  readonly carrier: Profiling;
}

const profiled = turnLine('500 a second');

async function profiledTurn(runner: Runner, three: PortalGroup, { owner, carrier }: Profiles): Promise<void> {
  if (runner.kind !== 'owner elsewhere' || runner.line !== profiled) return await goOn(runner);
  const [first, second] = await inspectedOf(three);
  await owner.begin(first);
  await carrier.begin(second);
  await goOn(runner);
  await owner.end(first);
  await carrier.end(second);
}

const looks = new WeakMap<PortalGroup, ReturnType<typeof inspectBoth>>();
const inspectBoth = async ({ children }: PortalGroup) => [await inspect(children[0]!), await inspect(children[1]!)] as const;

/** The inspector of a process is asked for once. */
function inspectedOf(group: PortalGroup): ReturnType<typeof inspectBoth> {
  const known = looks.get(group) ?? inspectBoth(group);
  looks.set(group, known);
  return known;
}

interface Measured {
  readonly results: ReadonlyMap<Kind, LoadResult>;
  readonly pss: ReadonlyMap<Kind, number>;
}

async function measured(scenario: Scenario, servers: Servers, slices: number, profiles: Profiles | null): Promise<Measured> {
  const runners: Runner[] = [];
  const pss = new Map<Kind, number>();
  try {
    for (const [kind, group, facts] of await loadsOf(scenario, servers)) {
      const load = startLoad({ scenario, facts, work: group.work, seconds: sliceSeconds, slices });
      runners.push({ kind, group, load, line: await load.line().catch(broken) });
      sayStep(`portals ${scenario}: the clients of ${kind} are in`);
    }
    await takeTurns(runners, async (runner) => {
      // All clients are in, and did what they are to do.
      if (runner.line === turnLine('checks')) pss.set(runner.kind, pssMib(runner.group.work.pids));
      await (profiles === null ? goOn(runner) : profiledTurn(runner, servers.three, profiles));
    });
    return { results: new Map(runners.map(({ kind, line }) => [kind, JSON.parse(line) as LoadResult])), pss };
  } finally {
    for (const { load } of runners) await load.stop();
  }
}

const cpuMs = (per100k: number): string => `${(per100k * 10).toFixed(0)} ms`;
const mib = (value: number): string => `${value.toFixed(0)} MiB`;

function fanOutRows(of: Figures): readonly Row[] {
  const elsewhere = 'fan-out 1 × 50, owner elsewhere';
  const spread = { of: 'spread over three', against: 'three Hocuspocus' } as const;
  const at500 = { figure: 'cpuAt500', show: percent, load: 'loadAt500', delays: ['p50At500', 'p99At500'] } as const;
  const at50 = { figure: 'cpuAt50', show: percent, load: 'loadAt50', delays: ['p50At50', 'p99At50'] } as const;
  const burst = { figure: 'burstPerSecond', show: perSecond, load: 'loadBurst', delays: ['p50Burst', 'p99Burst'] } as const;
  return [
    atMost(of, 2, { what: `${elsewhere}, at 500 upd/s: CPU of all portals`, against: 'owner here', ...at500 }),
    within(of, 3, { what: `${elsewhere}, at 500 upd/s: p50`, figure: 'p50At500', show: ms, load: 'loadAt500', against: 'owner here' }),
    told(of, { what: `${elsewhere}, at 50 upd/s: CPU of all portals`, against: 'owner here', ...at50 }),
    atLeast(of, 0.5, { what: `${elsewhere}, burst writer`, against: 'owner here', ...burst }),
    atMost(of, 0.65, { what: 'fan-out 1 × 50 spread over three portals, at 500 upd/s: CPU of all', ...spread, ...at500 }),
    atLeast(of, 2, { what: 'fan-out 1 × 50 spread over three portals, burst writer', ...spread, ...burst }),
    told(of, {
      what: '… at 500 upd/s: CPU of PostgreSQL, of Redis',
      ...spread,
      figure: 'storeAt500',
      show: percent,
    }),
    told(of, { what: 'fan-out 1 × 50, owner here, at 500 upd/s: CPU', ...at500, of: 'owner here', against: 'one Hocuspocus' }),
  ];
}

function manyRows(of: Figures): readonly Row[] {
  const three = { of: 'three portals' } as const;
  const cpu = { figure: 'cpuSecondsPer100k', show: cpuMs, load: 'load', delays: ['p50Ms', 'p99Ms'] } as const;
  return [
    atMost(of, 2.2, {
      what: '500 rooms × 2 at 2 edits/s, ⅔ come in elsewhere: CPU of all portals for 1,000 edits',
      ...three,
      ...cpu,
      against: 'one portal',
    }),
    atMost(of, 0.65, { what: '… three portals', ...three, ...cpu, against: 'three Hocuspocus' }),
    atMost(of, 1, { what: '… three portals: p99', ...three, figure: 'p99Ms', show: ms, load: 'load', against: 'three Hocuspocus' }),
    atMost(of, 0.65, { what: '… one portal on PostgreSQL', ...cpu, of: 'one portal', against: 'one Hocuspocus' }),
    told(of, { what: '… CPU of PostgreSQL, of Redis', ...three, figure: 'storeCpu', show: percent, against: 'three Hocuspocus' }),
    told(of, { what: '… PSS in sum', ...three, figure: 'pss', show: mib, against: 'one portal' }),
    told(of, { what: '… PSS in sum', ...three, figure: 'pss', show: mib, against: 'three Hocuspocus' }),
  ];
}

export async function roomRows(
  scenario: Scenario,
  { database, short }: { readonly database: TestPostgres; readonly short: boolean },
): Promise<readonly Row[]> {
  const [owner, carrier] = scenario === 'fanout' ? [profilingOf('owner'), profilingOf('carrier')] : [null, null];
  const profiles = owner === null || carrier === null ? null : { owner, carrier };
  const started: ServerGroup[] = [];
  const begin = async <One extends ServerGroup>(group: Promise<One>): Promise<One> => {
    const one = await group;
    started.push(one);
    return one;
  };
  try {
    const three = await begin(startPortals({ count: 3, database, looked: profiles !== null }));
    const one = scenario === 'rooms' ? await begin(startPortals({ count: 1, database, looked: false })) : null;
    const hocuspocus = await begin(startHocuspocus(1));
    const hocuspoci = await begin(startHocuspocus(3));
    sayStep(`portals ${scenario}: servers are there`);
    const { results, pss } = await measured(
      scenario,
      { one, three, hocuspocus, hocuspoci },
      short ? 2 : scenario === 'rooms' ? 6 : 4,
      profiles,
    );
    for (const [kind, result] of results) console.error(`bench: portals ${scenario} ${kind} ${JSON.stringify(result)}`);
    for (const [which, profiling] of Object.entries(profiles ?? {}))
      console.error(`bench: wrote ${profiling.write(`portals, fan-out 1 × 50 at 500 upd/s, owner elsewhere: the ${which}`)}`);
    const figures: Figures = (kind, figure) => (figure === 'pss' ? pss.get(kind) : results.get(kind)?.figures[figure]) ?? Number.NaN;
    return checked(scenario === 'rooms' ? manyRows(figures) : fanOutRows(figures), results);
  } finally {
    for (const group of started) await group.stop();
  }
}

/** A row counts when every client holds what it should, in all of them. */
function checked(rows: readonly Row[], results: ReadonlyMap<Kind, LoadResult>): readonly Row[] {
  const problems = [...results].flatMap(([kind, { problems: own }]) => own.map((problem) => `${kind}: ${problem}`));
  if (problems.length === 0) return rows;
  return rows.map((row) => ({ ...row, name: `${row.name} (CHECK FAILED: ${problems.join('; ')})`, held: false }));
}
