/**
 * The cost of a count for the app that counts: `svc.metricas` of Node beside prom-client's and OpenTelemetry's instruments, turn by turn in
 * one process, and of Python; and the memory for a million different labels. A stand-in for the portal adds up the batches: every count
 * must arrive.
 */
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { Counter, Histogram, Registry } from 'prom-client';
import { inspectSelf } from './inspected.ts';
import { profilingOf } from './profile.ts';
import { median, percentile, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const root = path.resolve(import.meta.dirname, '..');
const usMax = 5;
const callsPerRound = 2_000;

type Labels = Readonly<Record<string, string>>;
interface Metricas {
  contar(evento: string, n?: number, rotulos?: Labels): void;
  duracao(evento: string, segundos: number, rotulos?: Labels): void;
}

interface Batch {
  readonly contadores?: readonly { readonly n: number }[];
  readonly duracoes?: readonly { readonly baldes: readonly number[] }[];
}

interface Taker {
  readonly url: string;
  /** Counts and durations that came. */
  readonly taken: { counts: number; durations: number };
  close(): void;
}

/** Takes batches as the portal does. */
async function startTaker(): Promise<Taker> {
  const taken = { counts: 0, durations: 0 };
  const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const { contadores = [], duracoes = [] } = JSON.parse(text) as Batch;
      taken.counts += sum(contadores.map(({ n }) => n));
      taken.durations += sum(duracoes.flatMap(({ baldes }) => baldes));
      response.setHeader('content-type', 'application/json').end('{"recusados":[]}');
    });
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, taken, close: () => server.close() };
}

const credential = (url: string) => ({ SVC_PORTAL_URL: url, SVC_PORTAL_TOKEN: 'x', SVC_PORTAL_SCOPES: 'metricas', SVC_APP_ID: 'bench' });

function libraries() {
  const { metricas } = createRequire(import.meta.url)('../sdk/node/svc') as { readonly metricas: Metricas };
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 3_600_000,
  });
  const meter = new MeterProvider({ readers: [reader] }).getMeter('bench');
  return { metricas, meter, registers: [new Registry()] };
}

/** Runs the calls in turns; returns the µs of one call in each round, for each of them. The first round warms up. */
function turns(calls: readonly (() => void)[], rounds: number): readonly (readonly number[])[] {
  const took = calls.map(() => [] as number[]);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, call] of calls.entries()) {
      const fromMs = performance.now();
      for (let n = 0; n < callsPerRound; n += 1) call();
      const us = ((performance.now() - fromMs) * 1_000) / callsPerRound;
      if (round > 0) took[at]?.push(us);
    }
  }
  return took;
}

const us = (values: readonly number[] = []): string => `${median(values).toFixed(2)} µs (p99 ${percentile(values, 99).toFixed(2)})`;

function callRows(rounds: number): Row[] {
  const { metricas, meter, registers } = libraries();
  const two = { formato: 'pdf', resultado: 'ok' };
  const five = { ...two, tela: 'lista', modo: 'novo', origem: 'menu' };
  const count = (name: string, labels: Labels) => {
    const labelNames = Object.keys(labels);
    const prom = new Counter({ name: `bench_${labelNames.length}_total`, help: 'x', labelNames, registers });
    const otel = meter.createCounter(`bench_${labelNames.length}`);
    const bare = labelNames.length === 0;
    const [ours, ofProm, ofOtel] = turns(
      [
        () => (bare ? metricas.contar('evento') : metricas.contar('evento', 1, labels)),
        () => (bare ? prom.inc() : prom.inc(labels)),
        () => (bare ? otel.add(1) : otel.add(1, labels)),
      ],
      rounds,
    );
    return row(`Node: one count, ${name}`, ours, ofProm, ofOtel);
  };
  const prom = new Histogram({ name: 'bench_seconds', help: 'x', labelNames: Object.keys(two), registers });
  const otel = meter.createHistogram('bench_seconds');
  const [ours, ofProm, ofOtel] = turns(
    [() => metricas.duracao('evento', 0.3, two), () => prom.observe(two, 0.3), () => otel.record(0.3, two)],
    rounds,
  );
  return [
    count('no label', {}),
    count('two labels', two),
    count('five labels', five),
    row('Node: one duration, two labels', ours, ofProm, ofOtel),
  ];
}

const row = (name: string, ours: readonly number[] = [], prom: readonly number[] = [], otel: readonly number[] = []): Row => ({
  name,
  ours: us(ours),
  peer: `prom-client ${us(prom)}, OpenTelemetry ${us(otel)}`,
  ratio: `${(median(ours) / median(prom)).toFixed(2)}, ${(median(ours) / median(otel)).toFixed(2)}`,
  target: `≤ ${usMax} µs`,
  held: median(ours) <= usMax,
});

const pythonProgram = `
import time
from svc import metricas
def mediana(verbo):
    rodadas = []
    for rodada in range(31):
        t = time.perf_counter()
        for _ in range(2000): verbo()
        rodadas.append((time.perf_counter() - t) * 500)
    return sorted(rodadas[1:])
print(*mediana(lambda: metricas.contar('x')), '|', *mediana(lambda: metricas.contar('x', 1, a='um', b='dois', c='três', d='quatro', e='cinco')), flush=True)
import os; os._exit(0)
`;

/** Without a peer: the standard library has none. */
function pythonRows(url: string): Row[] {
  const env = { ...process.env, ...credential(url), PYTHONPATH: path.join(root, 'sdk/python') };
  const { stdout, status, stderr } = spawnSync('python3', ['-c', pythonProgram], { encoding: 'utf8', env });
  if (status !== 0) throw new Error(`python3 ended with ${status}: ${stderr}`);
  return stdout.split('|').map((half, at) => {
    const ours = half.trim().split(' ').map(Number);
    return {
      name: `Python: one count, ${at === 0 ? 'no label' : 'five labels'}`,
      ours: us(ours),
      peer: '– (the standard library has none)',
      ratio: '–',
      target: `≤ ${usMax} µs`,
      held: median(ours) <= usMax,
    };
  });
}

/** Heap after so many different labels. prom-client keeps all, which is why the portal does not hand labels of apps to it. */
function memoryRow(tuples: number): Row {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { metricas } = libraries();
  const prom = new Counter({ name: 'bench_many_total', help: 'x', labelNames: ['a'], registers: [new Registry()] });
  const grown = (call: (n: number) => void): number => {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < tuples; n += 1) call(n);
    collect();
    return (process.memoryUsage().heapUsed - before) / 1_048_576;
  };
  const ours = grown((n) => metricas.contar('muitos', 1, { a: `v${n}` }));
  const peer = grown((n) => prom.inc({ a: `v${n}` }));
  return {
    name: `heap after ${tuples.toLocaleString('en')} different labels, at the app`,
    ours: `${ours.toFixed(1)} MiB`,
    peer: `prom-client ${peer.toFixed(1)} MiB`,
    ratio: (ours / peer).toFixed(2),
    target: '≤ 1 MiB',
    held: ours <= 1,
  };
}

/** Checks that the stand-in received exactly the counts of so many rounds, neither more nor less. */
async function allTold({ taken }: Taker, rounds: number): Promise<void> {
  const { encerrar } = createRequire(import.meta.url)('../sdk/node/svc/lib/metricas.js') as { encerrar(msMax: number): Promise<void> };
  await encerrar(10_000);
  const calls = (rounds + 1) * callsPerRound;
  if (taken.counts !== 3 * calls || taken.durations !== calls)
    throw new Error(`${taken.counts} counts and ${taken.durations} durations came, of ${3 * calls} and ${calls}`);
}

export const metricsArea: Area = async ({ short }) => {
  const taker = await startTaker();
  Object.assign(process.env, credential(taker.url));
  try {
    const rounds = short ? 30 : 200;
    sayStep('metrics: calls');
    const [profiling, self] = [profilingOf(), inspectSelf()];
    await profiling?.begin(self);
    const called = callRows(rounds);
    await profiling?.end(self);
    profiling?.write('An app that counts, by ours, prom-client and OpenTelemetry as often each');
    await allTold(taker, rounds);
    sayStep('metrics: Python, memory');
    return [...called, ...pythonRows(taker.url), memoryRow(short ? 100_000 : 1_000_000)];
  } finally {
    taker.close();
  }
};
