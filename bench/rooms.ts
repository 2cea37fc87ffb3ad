/**
 * The relay against @hocuspocus/server, @y/websocket-server and a bare `ws` broadcast, all on one machine in one run. Ours is `svc up` with
 * tickets, roles, validation and a log on disk; the peers keep everything in memory and check nothing. In every round all servers are
 * started afresh and their loads take turns of a second (peers/rooms-rounds.ts); medians. Every run ends with a check of each client's
 * state: the text that was typed, who is there, and in ours its role. A row whose check failed does not hold.
 * `node bench/rooms.ts [--short] [--only=SCENARIO,…] [--rounds=N] [--profile=FILE.svg]`.
 */
import type { ScenarioName } from './peers/rooms-load.ts';
import type { LoadResult } from './peers/rooms-measure.ts';
import { inTurns, oneAfterTheOther } from './peers/rooms-rounds.ts';
import type { RoomServerName } from './peers/rooms-servers.ts';
import { chosenOf, countOf } from './options.ts';
import { profilingOf, type Profiling } from './profile.ts';
import { ms, percent, perSecond, rowsAgainst, seconds, type FiguresOf } from './room-rows.ts';
import { median, type Area, type Row } from './rows.ts';

/** Slices of each kind in one round. */
const slicesEach = 3;

interface Wanted {
  readonly rounds: number;
  readonly short: boolean;
  readonly profiling: Profiling | null;
}

interface Scenario {
  readonly name: ScenarioName;
  readonly servers: readonly RoomServerName[];
  /** That it opens: so many are made. */
  readonly rooms: number;
  readonly seconds: number;
  /** Fewer than of the others, where they differ little and last long. */
  readonly roundsMax?: number;
  /** The slice that a profile is of. */
  readonly profiled?: string;
  rows(of: Figures): readonly Row[];
}

type Figures = FiguresOf<RoomServerName>;

const kb = (value: number): string => `${Math.round(value).toLocaleString('en')} KB`;
const mb = (value: number): string => `${(value / 1_048_576).toFixed(1)} MB`;
const { atLeast, atMost, within, told } = rowsAgainst<RoomServerName>('ours');

const hoc = 'hocuspocus';
const fanoutRows = (of: Figures): readonly Row[] => {
  const burst = { what: 'fan-out 1 × 50, burst writer', figure: 'burstPerSecond', show: perSecond, load: 'loadBurst' };
  const burstDelays = ['p50Burst', 'p99Burst'] as const;
  const cpu = { what: 'fan-out 1 × 50 at 500 upd/s: server CPU', figure: 'cpuAt500', show: percent, load: 'loadAt500' };
  const delays = ['p50At500', 'p99At500'] as const;
  return [
    atLeast(of, 6, { ...burst, against: hoc, delays: burstDelays }),
    atLeast(of, 5, { ...burst, against: 'ws', delays: burstDelays }),
    atMost(of, 0.65, { ...cpu, against: hoc, delays }),
    atMost(of, 1, { ...cpu, against: 'ws', delays }),
    within(of, 1.5, { what: 'fan-out 1 × 50 at 500 upd/s: p50', figure: 'p50At500', show: ms, load: 'loadAt500', against: hoc }),
    atMost(of, 0.8, { what: 'fan-out 1 × 50 at 50 upd/s: p50', figure: 'p50At50', show: ms, load: 'loadAt50', against: hoc }),
    told(of, {
      what: 'fan-out 1 × 50 at 50 upd/s: server CPU',
      figure: 'cpuAt50',
      show: percent,
      load: 'loadAt50',
      against: hoc,
      delays: ['p50At50', 'p99At50'],
    }),
  ];
};

const scenarios: readonly Scenario[] = [
  { name: 'fanout', servers: ['ours', hoc, 'ws'], rooms: 1, seconds: 5, profiled: '500 a second', rows: fanoutRows },
  {
    name: 'rooms',
    servers: ['ours', hoc, 'y-websocket-server'],
    rooms: 500,
    seconds: 8,
    profiled: 'typing',
    rows: (of) => [
      atMost(of, 0.55, {
        what: '500 rooms × 2 at 2 upd/s each: server CPU for 100,000 updates',
        figure: 'cpuSecondsPer100k',
        show: seconds,
        load: 'load',
        against: hoc,
        delays: ['p50Ms', 'p99Ms'],
      }),
      atMost(of, 1, { what: '500 rooms × 2: p99', figure: 'p99Ms', show: ms, load: 'load', against: 'y-websocket-server' }),
    ],
  },
  {
    name: 'memory',
    servers: ['ours', hoc],
    rooms: 270,
    seconds: 5,
    roundsMax: 3,
    rows: (of) => [
      atMost(of, 0.1, { what: 'open rooms with a typed 100 KB document: RSS a room', figure: 'rssKbPerRoom', show: kb, against: hoc }),
      againstItself('living heap when all have left, against the start', mb, of('ours', 'heapAfter'), of('ours', 'heapBefore'), 1.1),
    ],
  },
  {
    name: 'edits',
    servers: ['ours', hoc],
    rooms: 1,
    seconds: 5,
    rows: (of) => [
      atMost(of, 0.2, {
        what: '100,000 edits taken in: CPU until at rest',
        figure: 'cpuSeconds',
        show: seconds,
        load: 'load',
        against: hoc,
      }),
      atMost(of, 0.4, { what: 'joining them, median of 15', figure: 'joinMedianMs', show: ms, against: hoc }),
      atMost(of, 2, { what: 'joining them, slowest of 15', figure: 'joinSlowestMs', show: ms, against: hoc }),
    ],
  },
  {
    name: 'storm',
    servers: ['ours', hoc],
    rooms: 1,
    seconds: 5,
    rows: (of) => [
      atMost(of, 0.2, { what: '500 into one room at once, with nothing', figure: 'freshMs', show: ms, load: 'loadFresh', against: hoc }),
      atMost(of, 0.4, { what: '500 back at once with the document', figure: 'resumedMs', show: ms, load: 'loadResumed', against: hoc }),
      atMost(of, 0.2, { what: '… with nothing, 500 tickets taken inside the time', figure: 'freshWithTicketsMs', show: ms, against: hoc }),
      atMost(of, 0.4, { what: '… with the document, tickets inside', figure: 'resumedWithTicketsMs', show: ms, against: hoc }),
    ],
  },
  {
    name: 'presence',
    servers: ['ours', hoc],
    rooms: 1,
    seconds: 6,
    profiled: 'moving',
    rows: (of) => [
      atMost(of, 0.65, {
        what: 'presence 50 × 5/s: server CPU for 100,000 messages in',
        figure: 'cpuSecondsPer100k',
        show: seconds,
        load: 'load',
        against: hoc,
        delays: ['p50Ms', 'p99Ms'],
      }),
      within(of, 5, { what: 'presence 50 × 5/s: p50', figure: 'p50Ms', show: ms, load: 'load', against: hoc }),
    ],
  },
  {
    name: 'guests',
    servers: ['ours'],
    rooms: 4,
    seconds: 12,
    rows: (of) => [
      againstItself(
        '50 people, p99 beside 20 that do not read and 10,000 presences of one',
        ms,
        of('ours', 'p99Beside'),
        of('ours', 'p99Alone'),
        2,
      ),
      againstItself('… peak RSS', mb, of('ours', 'rssBeside'), of('ours', 'rssAlone'), 1.25),
    ],
  },
];

/** The peer is our own server at rest, or with nothing beside. */
function againstItself(name: string, show: (value: number) => string, value: number, calm: number, most: number): Row {
  return {
    name,
    ours: show(value),
    peer: show(calm),
    ratio: `${(value / calm).toFixed(2)}×`,
    target: `≤ ${most}×`,
    held: value / calm <= most,
  };
}

async function measured(scenario: Scenario, wanted: Wanted): Promise<readonly Row[]> {
  const { short, profiling } = wanted;
  const rounds = Math.min(wanted.rounds, scenario.roundsMax ?? Infinity);
  const results = new Map<RoomServerName, LoadResult[]>(scenario.servers.map((server) => [server, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? scenario.servers : scenario.servers.toReversed();
    const startMs = performance.now();
    const of = { name: scenario.name, rooms: scenario.rooms, seconds: short ? 2 : scenario.seconds, slices: short ? 2 : slicesEach };
    const profiled = profiling && scenario.profiled ? { slice: scenario.profiled, profiling } : null;
    const found = scenario.name === 'memory' ? await oneAfterTheOther(order, of) : await inTurns(order, of, profiled);
    for (const [server, result] of found) {
      results.get(server)!.push(result);
      console.error(`bench: rooms ${scenario.name} ${server} ${JSON.stringify(result)}`);
    }
    console.error(`bench: rooms ${scenario.name} round ${round + 1} of ${rounds} took ${seconds((performance.now() - startMs) / 1_000)}`);
  }
  const problems = new Set(
    [...results].flatMap(([server, runs]) => runs.flatMap((run) => run.problems.map((problem) => `${server}: ${problem}`))),
  );
  const rows = scenario.rows((server, figure) => median(results.get(server)!.map(({ figures }) => figures[figure] ?? Number.NaN)));
  if (problems.size === 0) return rows;
  const said = ` (CHECK FAILED: ${[...problems].join('; ')})`;
  return rows.map((row) => Object.assign({}, row, { name: row.name + said, held: false }));
}

export const roomsArea: Area = async ({ short }) => {
  const chosen = chosenOf(scenarios.map(({ name }) => name));
  const rounds = countOf('rounds', short ? 1 : 5);
  const profiling = profilingOf();
  const rows: Row[] = [];
  for (const scenario of scenarios) {
    if (chosen.includes(scenario.name)) rows.push(...(await measured(scenario, { rounds, short, profiling })));
  }
  const profiled = scenarios.filter(({ name, profiled: slice }) => slice !== undefined && chosen.includes(name));
  if (profiling) {
    const title = `rooms, ${profiled.map(({ name, profiled: slice }) => `${name} ${slice}`).join(', ')}`;
    console.error(`bench: wrote ${profiling.write(title)}`);
  }
  return rows;
};

if (import.meta.main) {
  const rows = await roomsArea({ short: process.argv.includes('--short') });
  console.table(rows.map(({ name, ours, peer, ratio, target, held }) => ({ name, ours, peer, ratio, target, held })));
  process.exitCode = rows.every((row) => row.held) ? 0 : 1;
}
