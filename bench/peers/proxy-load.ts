/** The loads of the proxy benchmark, on CPU 1: wrk, and a WebSocket echo. Each says beside throughput how late answers were and what they cost. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { node, taskset, type ProxyServer } from './proxy-servers.ts';

const run = promisify(execFile);

/** Figures of a slice of a load. */
export interface Load {
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Processor time of the server for each request or message. */
  readonly cpuUs: number;
  /** Share of one CPU that the load itself took. */
  readonly share: number;
}

/** Figures that a load reports about itself. `count`: all answers of the server meanwhile. */
type Said = Pick<Load, 'perSecond' | 'p50Us' | 'p99Us'> & { readonly count: number };

/** Milliseconds of processor time, from the clock ticks (10 ms) of /proc/PID/stat: of the process, or of its children that ended. */
function cpuMsIn(stat: string, of: 'itself' | 'children'): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const at = of === 'itself' ? 11 : 13;
  return (Number(fields[at]) + Number(fields[at + 1])) * 10;
}

async function cpuMs(server: ProxyServer): Promise<number> {
  const all = (await server.pids()).map(async (pid) => cpuMsIn(await readFile(`/proc/${pid}/stat`, 'utf8'), 'itself'));
  return (await Promise.all(all)).reduce((sum, one) => sum + one, 0);
}

const childrenMs = (): number => cpuMsIn(readFileSync('/proc/self/stat', 'utf8'), 'children');

async function measured(server: ProxyServer, load: () => Promise<Said>): Promise<Load> {
  const [ofServer, ofLoad, beganMs] = [await cpuMs(server), childrenMs(), performance.now()];
  const { count, ...said } = await load();
  const tookMs = performance.now() - beganMs;
  return { ...said, cpuUs: ((await cpuMs(server)) - ofServer) * (1_000 / count), share: (childrenMs() - ofLoad) / tookMs };
}

export interface HttpLoad {
  readonly path: '/k1' | '/m1';
  readonly connections: number;
  readonly seconds: number;
}

export const httpLoad = (server: ProxyServer, load: HttpLoad): Promise<Load> => measured(server, () => wrk(server, load));

async function wrk(server: ProxyServer, { path, connections, seconds }: HttpLoad): Promise<Said> {
  const headers = ['-H', `Host: ${server.host}`, ...(server.cookie === '' ? [] : ['-H', `Cookie: ${server.cookie}`])];
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...headers];
  const { stdout } = await run(taskset, ['-c', '1', 'wrk', ...options, `http://127.0.0.1:${server.port}${path}`]);
  // A request that a peer leaves for over two seconds is part of its figure; a wrong or broken answer is not to be measured.
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(stdout);
  if (stdout.includes('Non-2xx') || errors?.slice(1, 4).some((count) => count !== '0')) {
    throw new Error(`${server.name} answered with errors:\n${stdout}`);
  }
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  const count = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  if (!(perSecond > 0) || !(count > 0)) throw new Error(`wrk said nothing about ${server.name}:\n${stdout}`);
  const latencyUs = (percentile: string): number => {
    const found = new RegExp(`${percentile}%\\s+([\\d.]+)(us|ms|s)`).exec(stdout);
    if (found === null) throw new Error(`wrk said no p${percentile} of ${server.name}:\n${stdout}`);
    return Number(found[1]) * { us: 1, ms: 1_000, s: 1_000_000 }[found[2] as 'us' | 'ms' | 's'];
  };
  return { perSecond, count, p50Us: latencyUs('50'), p99Us: latencyUs('99') };
}

export const echoLoad = (server: ProxyServer, connections: number, seconds: number): Promise<Load> =>
  measured(server, async () => {
    const argv = ['bench/peers/ws-load.ts', String(server.port), server.host, server.cookie, String(connections), String(seconds)];
    const { stdout } = await run(taskset, ['-c', '1', node, ...argv]);
    const { errors, ...said } = JSON.parse(stdout) as Said & { readonly errors: number };
    if (errors > 0) throw new Error(`${server.name}: ${errors} socket errors`);
    return said;
  });

async function pssMb(server: ProxyServer): Promise<number> {
  const all = (await server.pids()).map(async (pid) => {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1]) / 1_024;
  });
  return (await Promise.all(all)).reduce((sum, one) => sum + one, 0);
}

/** The highest PSS of a fresh server while 64 clients fetch 1 MB each, over and over. */
export async function peakMb(start: () => Promise<ProxyServer>, seconds: number): Promise<number> {
  const server = await start();
  try {
    const load = wrk(server, { path: '/m1', connections: 64, seconds });
    const ended = load.then(
      () => true,
      () => true,
    );
    let peak = 0;
    do peak = Math.max(peak, await pssMb(server));
    while (!(await Promise.race([ended, sleep(100, false)])));
    await load;
    return peak;
  } finally {
    await server.stop();
  }
}
