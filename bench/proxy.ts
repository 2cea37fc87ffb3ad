/**
 * The portal as `svc up` starts it (peers/our-portal.ts) against configurable-http-proxy (→ TCP, its faster way), nginx and a 40-line
 * node:http pipe; and its proxy alone, once with undici as its client. All run at once and take turns of `sliceSeconds` in one kind of load
 * after the other; a ratio is the median of those of the rounds. `node bench/proxy.ts [--short] [--only=KIND,…] [--profile=FILE.svg]`,
 * where the profile is of the portal in the slices of 1 KB at 64 connections.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPortal, type OurPortal } from './peers/our-portal.ts';
import { echoLoad, httpLoad, peakMb, type Load } from './peers/proxy-load.ts';
import {
  node,
  requireTools,
  startChp,
  startNginx,
  startPinned,
  startPipe,
  startProxyAlone,
  startProxyOnUndici,
  stopChild,
  type Place,
  type ProxyServer,
} from './peers/proxy-servers.ts';
import { chosenOf, countOf } from './options.ts';
import { profilingOf, type Profiling } from './profile.ts';
import { median, type Area, type Row } from './rows.ts';

const sliceSeconds = 1;
const warmRequests = 20_000;
const warmMsMax = 12_000;

const portal = 'svc portal';
const alone = 'svc proxy alone';
const undici = 'svc proxy on undici';
const pipe = 'node:http pipe';
const chp = 'configurable-http-proxy';
const nginx = 'nginx';
const direct = 'direct';
const onUndici = [alone, undici];

interface Kind {
  readonly servers: readonly string[];
  measure(server: ProxyServer): Promise<Load>;
}

const http = (path: '/k1' | '/m1', connections: number) => (server: ProxyServer) =>
  httpLoad(server, { path, connections, seconds: sliceSeconds });

const kinds = {
  many: { servers: [portal, pipe, chp, nginx, ...onUndici], measure: http('/k1', 64) },
  one: { servers: [portal, pipe, direct, ...onUndici], measure: http('/k1', 1) },
  big: { servers: [portal, pipe, nginx, ...onUndici], measure: http('/m1', 64) },
  echoes: { servers: [portal, pipe], measure: (server) => echoLoad(server, 64, sliceSeconds) },
  echo: { servers: [portal, pipe], measure: (server) => echoLoad(server, 1, sliceSeconds) },
} satisfies Readonly<Record<string, Kind>>;

type KindName = keyof typeof kinds;

/** Figures of one server in one kind of load: one entry per round. */
type Figures = { readonly [name in keyof Load | 'addedUs' | 'peakMb']?: readonly number[] };
type Taken = Map<string, Load & { readonly addedUs?: number }>;

/** By kind, server and round. */
interface Measured {
  readonly rounds: ReadonlyMap<KindName, readonly Taken[]>;
  readonly peaks: ReadonlyMap<string, readonly number[]>;
}

const starts = (place: Place, looked: boolean): Readonly<Record<string, () => Promise<ProxyServer | OurPortal>>> => ({
  [portal]: () => startPortal(looked),
  [pipe]: () => startPipe(place),
  [chp]: () => startChp(place),
  [nginx]: () => startNginx(place),
  [alone]: () => startProxyAlone(place),
  [undici]: () => startProxyOnUndici(place),
  [direct]: async () => ({
    name: direct,
    port: place.backendPort,
    host: 'b',
    cookie: '',
    pids: async () => [],
    stop: async () => {},
  }),
});

interface Order {
  readonly wanted: readonly KindName[];
  readonly rounds: number;
  readonly profiling: Profiling | null;
}

async function inTurns(place: Place, { wanted, rounds, profiling }: Order): Promise<Measured['rounds']> {
  const names = new Set<string>(wanted.flatMap((kind) => kinds[kind].servers));
  const running = new Map<string, ProxyServer | OurPortal>();
  const taken = new Map<KindName, Taken[]>(wanted.map((kind) => [kind, []]));
  try {
    for (const [name, start] of Object.entries(starts(place, profiling !== null))) if (names.has(name)) running.set(name, await start());
    for (const server of running.values()) await warmUp(server);
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of wanted) {
        const { servers, measure } = kinds[kind];
        const now: Taken = new Map();
        // The first server in a round is the last in the next: a drift over a round hits everybody alike.
        for (const name of round % 2 === 0 ? servers : servers.toReversed()) {
          const server = running.get(name)!;
          const inspected = kind === 'many' && 'inspected' in server && profiling !== null ? await server.inspected() : null;
          if (inspected !== null) await profiling!.begin(inspected);
          now.set(name, await measure(server));
          if (inspected !== null) await profiling!.end(inspected);
        }
        taken.get(kind)!.push(kind === 'one' ? withAdded(now) : now);
      }
    }
    return taken;
  } finally {
    for (const server of running.values()) await server.stop();
  }
}

/** Until V8 has compiled what a request runs through, however little of the machine there is. */
async function warmUp(server: ProxyServer): Promise<void> {
  const untilMs = performance.now() + warmMsMax;
  for (let requests = 0; requests < warmRequests && performance.now() < untilMs;)
    requests += 2 * (await httpLoad(server, { path: '/k1', connections: 64, seconds: 2 })).perSecond;
}

/** Adds each server's delay beyond the median of direct requests to the backend. */
function withAdded(taken: Taken): Taken {
  const least = taken.get(direct)?.p50Us ?? Number.NaN;
  return new Map([...taken].map(([name, load]) => [name, { ...load, addedUs: load.p50Us - least }]));
}

async function peaksOf(place: Place, rounds: number): Promise<Measured['peaks']> {
  const found = new Map<string, number[]>([portal, pipe, ...onUndici].map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Long enough for collectors to show what they leave.
    for (const [name, peaks] of found) peaks.push(await peakMb(starts(place, false)[name]!, 5));
  }
  return found;
}

interface Comparison {
  readonly what: string;
  readonly of: KindName | 'peak';
  readonly figure: keyof Figures;
  readonly ours?: string;
  readonly against: string;
  readonly unit: string;
  /** At least so many times the peer's; with `atMost`, at most. */
  readonly target: number;
  readonly atMost?: true;
}

const each1k = { of: 'many', what: '1 KB, 64 connections', figure: 'perSecond', unit: 'req/s' } as const;
const each1m = { of: 'big', what: '1 MB, 64 connections', figure: 'perSecond', unit: 'req/s' } as const;
/** Within 10 % in requests, p99 and memory, with the same strictness, undici would take its place: docs/decisions/0040-own-upstream-client.md */
const clients = { ours: alone, against: undici, target: 1 } as const;
const comparisons: readonly Comparison[] = [
  { ...each1k, against: pipe, target: 1.3 },
  { ...each1k, against: chp, target: 2 },
  { ...each1k, against: nginx, target: 0.5 },
  { ...each1k, what: '… p99', figure: 'p99Us', unit: 'µs', against: pipe, target: 1, atMost: true },
  { ...each1k, what: '… processor time for each', figure: 'cpuUs', unit: 'µs', against: pipe, target: 1 / 1.3, atMost: true },
  { ...each1k, what: 'the same without session and host', ours: alone, against: pipe, target: 1 },
  { ...each1k, what: 'its client of our own, 1 KB, 64 connections', ...clients },
  { ...each1k, what: '… p99 of these', figure: 'p99Us', unit: 'µs', ...clients, atMost: true },
  { ...each1k, what: '… processor time for each of these', figure: 'cpuUs', unit: 'µs', ...clients, atMost: true },
  { of: 'one', what: '… added p50 at one connection', figure: 'addedUs', unit: 'µs', ...clients, atMost: true },
  { ...each1m, what: '… 1 MB, 64 connections', ...clients },
  { of: 'peak', what: '… peak PSS under 64 × 1 MB', figure: 'peakMb', unit: 'MB', ...clients, atMost: true },
  { of: 'one', what: 'added p50 at one connection', figure: 'addedUs', unit: 'µs', against: pipe, target: 1, atMost: true },
  { ...each1m, against: pipe, target: 1 },
  { ...each1m, against: nginx, target: 0.5 },
  { of: 'peak', what: 'peak PSS under 64 × 1 MB', figure: 'peakMb', unit: 'MB', against: pipe, target: 0.4, atMost: true },
  { of: 'echoes', what: 'WebSocket echo, 64 connections', figure: 'perSecond', unit: 'msg/s', against: pipe, target: 1 },
  { of: 'echo', what: 'WebSocket echo p50, one connection', figure: 'p50Us', unit: 'µs', against: pipe, target: 1, atMost: true },
];

const shown = (value: number, unit: string): string => `${Math.round(value).toLocaleString('en')} ${unit}`;
const percent = (share: number): string => `${Math.round(share * 100)} %`;
const ms = (us: number): string => `${(us / 1_000).toFixed(us < 10_000 ? 2 : 0)} ms`;

function rowOf({ rounds, peaks }: Measured, comparison: Comparison): Row {
  const { what, of, figure, ours = portal, against, unit, target, atMost = false } = comparison;
  const figures = (server: string, name: keyof Figures): readonly number[] =>
    of === 'peak' ? peaks.get(server)! : rounds.get(of)!.map((taken) => taken.get(server)?.[name as keyof Load] ?? Number.NaN);
  const both = (name: keyof Load, show: (value: number) => string): string =>
    [ours, against].map((server) => show(median(figures(server, name)))).join(' · ');
  const isRate = figure === 'perSecond';
  const delays = isRate ? `; p50 ${both('p50Us', ms)}, p99 ${both('p99Us', ms)}` : figure === 'p50Us' ? `; p99 ${both('p99Us', ms)}` : '';
  const cost = of === 'peak' || figure === 'cpuUs' ? '' : `; CPU for each ${both('cpuUs', (us) => `${us.toFixed(0)} µs`)}`;
  const load = of === 'peak' ? '' : ` (load ${both('share', percent)}${delays}${cost})`;
  const [mine, theirs] = [figures(ours, figure), figures(against, figure)];
  const ratio = median(mine.map((value, round) => value / theirs[round]!));
  return {
    name: `${what}, against ${against}${load}`,
    ours: shown(median(mine), unit),
    peer: shown(median(theirs), unit),
    ratio: `${ratio.toFixed(2)}×`,
    target: `${atMost ? '≤' : '≥'} ${Number(target.toFixed(2))}×`,
    held: atMost ? ratio <= target : ratio >= target,
  };
}

export const proxyArea: Area = async ({ short }) => {
  await requireTools();
  const chosen = chosenOf([...(Object.keys(kinds) as KindName[]), 'peak' as const]);
  const isWanted = (name: string): boolean => chosen.some((each) => each === name);
  const wanted = (Object.keys(kinds) as KindName[]).filter(isWanted);
  const profiling = profilingOf();
  const folder = await mkdtemp(join(tmpdir(), 'svc-bp-'));
  const backendSocket = join(folder, 'b.sock');
  const backend = await startPinned(1, [node, 'bench/peers/http-backend.ts', backendSocket]);
  const tcp = await startPinned(1, [node, 'bench/peers/http-backend.ts', '0']);
  try {
    const place: Place = { folder, backendSocket, backendPort: Number(tcp.line) };
    const rounds = countOf('rounds', short ? 3 : 9);
    const measured: Measured = {
      rounds: wanted.length === 0 ? new Map() : await inTurns(place, { wanted, rounds, profiling }),
      peaks: isWanted('peak') ? await peaksOf(place, short ? 1 : 3) : new Map(),
    };
    if (profiling !== null) console.error(`bench: ${profiling.write('svc portal, 1 KB at 64 connections')}`);
    return comparisons.filter(({ of }) => isWanted(of)).map((comparison) => rowOf(measured, comparison));
  } finally {
    await Promise.all([stopChild(backend.child), stopChild(tcp.child)]);
    await rm(folder, { recursive: true, force: true });
  }
};

if (import.meta.main) {
  const rows = await proxyArea({ short: process.argv.includes('--short') });
  console.table(rows.map(({ name, ours, peer, ratio, target, held }) => ({ name, ours, peer, ratio, target, held })));
  process.exitCode = rows.every((row) => row.held) ? 0 : 1;
}
