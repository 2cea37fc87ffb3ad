/**
 * What a count costs the app that counts: `svc.metricas` of Node beside prom-client's and OpenTelemetry's instruments, turn by turn in one process, and of
 * Python; and what a million different labels cost the memory. Nothing listens at the address of the portal. Source: issue 13.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { Counter, Histogram, Registry } from 'prom-client';
import { median, type Area, type Row } from './rows.ts';

const root = path.resolve(import.meta.dirname, '..');
const usMax = 5;
const callsPerRound = 2_000;

type Labels = Readonly<Record<string, string>>;
interface Metricas {
  contar(evento: string, n?: number, rotulos?: Labels): void;
  duracao(evento: string, segundos: number, rotulos?: Labels): void;
}

const credential = { SVC_PORTAL_URL: 'http://127.0.0.1:9', SVC_PORTAL_TOKEN: 'x', SVC_PORTAL_SCOPES: 'metricas', SVC_APP_ID: 'bench' };

function libraries() {
  Object.assign(process.env, credential);
  const { metricas } = createRequire(import.meta.url)('../sdk/node/svc') as { readonly metricas: Metricas };
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 3_600_000,
  });
  const meter = new MeterProvider({ readers: [reader] }).getMeter('bench');
  return { metricas, meter, registers: [new Registry()] };
}

/** Of each, the median over the rounds of the time of one call in µs; the first round warms. */
function turns(calls: readonly (() => void)[], rounds: number): readonly number[] {
  const took = calls.map(() => [] as number[]);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, call] of calls.entries()) {
      const fromMs = performance.now();
      for (let n = 0; n < callsPerRound; n += 1) call();
      const us = ((performance.now() - fromMs) * 1_000) / callsPerRound;
      if (round > 0) took[at]?.push(us);
    }
  }
  return took.map(median);
}

const us = (value = Number.NaN): string => `${value.toFixed(2)} µs`;

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

const row = (name: string, ours = Number.NaN, prom = Number.NaN, otel = Number.NaN): Row => ({
  name,
  ours: us(ours),
  peer: `prom-client ${us(prom)}, OpenTelemetry ${us(otel)}`,
  ratio: `${(ours / prom).toFixed(2)}, ${(ours / otel).toFixed(2)}`,
  target: `≤ ${usMax} µs`,
  held: ours <= usMax,
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
    return sorted(rodadas[1:])[15]
print(mediana(lambda: metricas.contar('x')), mediana(lambda: metricas.contar('x', 1, a='um', b='dois', c='três', d='quatro', e='cinco')), flush=True)
import os; os._exit(0)
`;

/** Without a peer: the standard library has none. */
function pythonRows(): Row[] {
  const env = { ...process.env, ...credential, PYTHONPATH: path.join(root, 'sdk/python') };
  const { stdout } = spawnSync('python3', ['-c', pythonProgram], { encoding: 'utf8', env });
  return stdout
    .trim()
    .split(' ')
    .map(Number)
    .map((ours, at) => ({
      name: `Python: one count, ${at === 0 ? 'no label' : 'five labels'}`,
      ours: us(ours),
      peer: '–',
      ratio: '–',
      target: `≤ ${usMax} µs`,
      held: ours <= usMax,
    }));
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

export const metricsArea: Area = async ({ short }) => [
  ...callRows(short ? 30 : 200),
  ...pythonRows(),
  memoryRow(short ? 100_000 : 1_000_000),
];
