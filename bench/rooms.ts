/**
 * The relay against @hocuspocus/server, @y/websocket-server and a bare `ws` broadcast, all on one machine in one run. Ours is the portal
 * with tickets, roles, validation and a log on disk; the peers keep everything in memory and check nothing. A fresh server for every run, on
 * CPU 0; the load on CPU 1; who comes first in a round comes last in the next; medians. Every run ends with what each client should hold: the
 * text that was typed, who is there, and in ours its role. A row whose check failed does not hold.
 * `node bench/rooms.ts [--short] [--only=SCENARIO,…] [--rounds=N]`. Targets: design 10 and the table of the rooms issue.
 */
import type { ScenarioName } from './peers/rooms-load.ts';
import { rssKb, untilQuiet, type LoadResult } from './peers/rooms-measure.ts';
import { roomServers, startLoad, type LoadRun, type RoomServer, type RoomServerName } from './peers/rooms-servers.ts';
import { optionOf } from './options.ts';
import { median, type Area, type Row } from './rows.ts';

interface Scenario {
  readonly name: ScenarioName;
  readonly servers: readonly RoomServerName[];
  readonly seconds: number;
  rows(of: Figures): readonly Row[];
}

/** Median of a figure over the rounds. */
type Figures = (server: RoomServerName, figure: string) => number;

/** One line: `load` names the figure with the load's own share of a CPU. */
interface Comparison {
  readonly what: string;
  readonly figure: string;
  readonly against: RoomServerName;
  readonly show: (value: number) => string;
  readonly load?: string;
}

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const seconds = (value: number): string => `${value.toFixed(2)} s`;
const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
const kb = (value: number): string => `${Math.round(value).toLocaleString('en')} KB`;
const mb = (value: number): string => `${(value / 1_048_576).toFixed(1)} MB`;

function compared(of: Figures, { what, figure, against, show, load }: Comparison): Omit<Row, 'target' | 'held'> & { value: number } {
  const ours = of('ours', figure);
  const peer = of(against, figure);
  const value = ours / peer;
  const own = load === undefined ? '' : ` (load ${percent(of('ours', load))} · ${percent(of(against, load))})`;
  return {
    name: `${what}, against ${against}${own}`,
    ours: show(ours),
    peer: show(peer),
    ratio: `${value.toFixed(2)}×`,
    value,
  };
}

function atLeast(of: Figures, target: number, comparison: Comparison): Row {
  const { value, ...row } = compared(of, comparison);
  return { ...row, target: `≥ ${target}×`, held: value >= target };
}

function atMost(of: Figures, target: number, comparison: Comparison): Row {
  const { value, ...row } = compared(of, comparison);
  return { ...row, target: `≤ ${target}×`, held: value <= target };
}

const hoc = 'hocuspocus';
const fanoutRows = (of: Figures): readonly Row[] => {
  const burst = { what: 'fan-out 1 × 50, burst writer', figure: 'burstPerSecond', show: perSecond, load: 'loadBurst' };
  const cpu = { what: 'fan-out 1 × 50 at 500 upd/s: server CPU', figure: 'cpuAt500', show: percent, load: 'loadAt500' };
  return [
    atLeast(of, 6, { ...burst, against: hoc }),
    atLeast(of, 5, { ...burst, against: 'ws' }),
    atMost(of, 0.6, { ...cpu, against: hoc }),
    atMost(of, 1, { ...cpu, against: 'ws' }),
    atMost(of, 0.8, { what: 'fan-out 1 × 50 at 50 upd/s: p50', figure: 'p50Ms', show: ms, load: 'loadAt50', against: hoc }),
  ];
};

const scenarios: readonly Scenario[] = [
  { name: 'fanout', servers: ['ours', hoc, 'ws'], seconds: 5, rows: fanoutRows },
  {
    name: 'rooms',
    servers: ['ours', hoc, 'y-websocket-server'],
    seconds: 8,
    rows: (of) => [
      atMost(of, 0.55, {
        what: '500 rooms × 2 at 2 upd/s each: server CPU for 100,000 updates',
        figure: 'cpuSecondsPer100k',
        show: seconds,
        load: 'load',
        against: hoc,
      }),
      atMost(of, 1, { what: '500 rooms × 2: p99', figure: 'p99Ms', show: ms, load: 'load', against: 'y-websocket-server' }),
    ],
  },
  {
    name: 'memory',
    servers: ['ours', hoc],
    seconds: 5,
    rows: (of) => [
      atMost(of, 0.1, { what: 'open rooms with a typed 100 KB document: RSS a room', figure: 'rssKbPerRoom', show: kb, against: hoc }),
      againstItself('living heap when all have left, against the start', mb, of('ours', 'heapAfter'), of('ours', 'heapBefore'), 1.1),
    ],
  },
  {
    name: 'edits',
    servers: ['ours', hoc],
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
    seconds: 6,
    rows: (of) => [
      atMost(of, 0.55, {
        what: 'presence 50 × 5/s: server CPU for 100,000 messages in',
        figure: 'cpuSecondsPer100k',
        show: seconds,
        load: 'load',
        against: hoc,
      }),
    ],
  },
  {
    name: 'guests',
    servers: ['ours'],
    seconds: 20,
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

/** Reads the memory while the load waits. */
async function memoryRun(server: RoomServer, load: LoadRun): Promise<LoadResult> {
  await load.line();
  await untilQuiet(server.pid, 10_000);
  const heapBefore = await server.heapBytes();
  const rssBefore = rssKb(server.pid);
  load.next();
  await load.line();
  await untilQuiet(server.pid, 15_000);
  const rssOpen = rssKb(server.pid);
  load.next();
  const { figures, problems } = JSON.parse(await load.line()) as LoadResult;
  await untilQuiet(server.pid, 15_000);
  const rssAfter = rssKb(server.pid);
  const heapAfter = await server.heapBytes();
  return {
    figures: { ...figures, rssKbPerRoom: (rssOpen - rssBefore) / figures['rooms']!, rssBefore, rssOpen, rssAfter, heapBefore, heapAfter },
    problems,
  };
}

async function oneRun(name: ScenarioName, serverName: RoomServerName, secondsEach: number): Promise<LoadResult> {
  const server = await roomServers[serverName]();
  const load = startLoad({ scenario: name, facts: server.facts, pid: server.pid, seconds: secondsEach });
  try {
    return name === 'memory' ? await memoryRun(server, load) : (JSON.parse(await load.line()) as LoadResult);
  } catch (error) {
    // A server that breaks under the load is a finding, not the end of the benchmark.
    return { figures: {}, problems: [error instanceof Error ? error.message.slice(0, 300) : String(error)] };
  } finally {
    await load.stop();
    await server.stop();
  }
}

async function measured(scenario: Scenario, rounds: number, short: boolean): Promise<readonly Row[]> {
  const results = new Map<RoomServerName, LoadResult[]>(scenario.servers.map((server) => [server, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const server of round % 2 === 0 ? scenario.servers : scenario.servers.toReversed()) {
      const result = await oneRun(scenario.name, server, short ? 2 : scenario.seconds);
      results.get(server)!.push(result);
      console.error(`bench: rooms ${scenario.name} ${server} ${JSON.stringify(result)}`);
    }
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
  const only = optionOf('only')?.split(',');
  const rounds = Number(optionOf('rounds') ?? (short ? 1 : 5));
  const rows: Row[] = [];
  for (const scenario of scenarios) {
    if (only === undefined || only.includes(scenario.name)) rows.push(...(await measured(scenario, rounds, short)));
  }
  return rows;
};

if (import.meta.main) {
  const rows = await roomsArea({ short: process.argv.includes('--short') });
  console.table(rows.map(({ name, ours, peer, ratio, target, held }) => ({ name, ours, peer, ratio, target, held })));
  process.exitCode = rows.every((row) => row.held) ? 0 : 1;
}
