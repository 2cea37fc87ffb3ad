/** However many tuples an app sends: at most 300 series of it, and memory that does not grow. Source: rules 8. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createRandom } from '../../test/simulation/random.ts';
import { amount } from '../../test/support/amount.ts';
import { tellCount } from '../../test/support/counts.ts';
import { appDurationBoundsS, emptyDistribution, observe } from '../../schema/wire/distribution.ts';
import { createAppSeries, type AppSeries } from './series.ts';

const seed = Number(process.env['SVC_TEST_SEED'] ?? 213);
const strangers = { isSomebody: () => false };

async function linesOf(series: AppSeries): Promise<readonly string[]> {
  const registry = new Registry();
  for (const metric of series.metrics) registry.registerMetric(metric);
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

const ofApp = (lines: readonly string[], app: string): readonly string[] =>
  lines.filter((line) => line.includes(`app="${app}"`) && !line.startsWith('svc_app_events_refused_total'));

const took = (...seconds: readonly number[]) => {
  const distribution = emptyDistribution(appDurationBoundsS);
  for (const one of seconds) observe(appDurationBoundsS, distribution, one);
  return distribution;
};

test('counts and durations as Prometheus reads them', async () => {
  const series = createAppSeries(strangers);
  series.count('notas', 'aberta', { b: '"x"\\', a: 'ção' }, 2);
  series.count('notas', 'aberta', { a: 'ção', b: '"x"\\' }, 1.5);
  series.time('notas', 'abrir', {}, took(0.005, 0.2, 301));
  expect(await linesOf(series)).toEqual([
    String.raw`svc_app_events_total{app="notas",event="aberta",b="\"x\"\\",a="ção"} 3.5`,
    ...[0.005, 0.025, 0.1].map((le) => `svc_app_event_duration_seconds_bucket{app="notas",event="abrir",le="${le}"} 1`),
    ...[0.5, 1, 5, 30, 300].map((le) => `svc_app_event_duration_seconds_bucket{app="notas",event="abrir",le="${le}"} 2`),
    'svc_app_event_duration_seconds_bucket{app="notas",event="abrir",le="+Inf"} 3',
    'svc_app_event_duration_seconds_sum{app="notas",event="abrir"} 301.205',
    'svc_app_event_duration_seconds_count{app="notas",event="abrir"} 3',
  ]);
});

test.for([[0], [-1], [Number.NaN], [Infinity], [1e13]])('%d is no count', ([n]) => {
  expect(createAppSeries(strangers).count('notas', 'aberta', {}, n!)).toBe('valor');
});

test('the 301st series is refused and counted, those that are there go on, and another app has its own 300', async () => {
  const series = createAppSeries(strangers);
  for (let n = 0; n < 300; n += 1) expect(series.count('notas', 'x', { n: String(n) }, 1)).toBeNull();
  expect([series.count('notas', 'x', { n: '300' }, 7), series.count('notas', 'x', { n: '299' }, 1)]).toEqual(['series', null]);
  expect(series.time('notas', 'x', {}, took(1))).toBe('series');
  for (let n = 0; n < 300; n += 1) expect(series.count('agenda', 'x', { n: String(n) }, 1)).toBeNull();
  const lines = await linesOf(series);
  expect([ofApp(lines, 'notas').length, ofApp(lines, 'agenda').length]).toEqual([300, 300]);
  expect(lines).toContain('svc_app_events_refused_total{app="notas",reason="series"} 8');
});

test('apps beyond those that are followed are refused together', async () => {
  const series = createAppSeries(strangers);
  for (let n = 0; n < 1_000; n += 1) series.count(`app-${n}`, 'x', {}, 1);
  const lines = await linesOf(series);
  expect(lines.filter((line) => line.startsWith('svc_app_events_total'))).toHaveLength(300);
  expect(lines.filter((line) => line.includes('refused')).length).toBeLessThanOrEqual(301);
});

const many = amount(100_000, 1_000_000);
test(`${many} tuples of one app (seed ${seed})`, { timeout: 240_000 }, async () => {
  const series = createAppSeries(strangers);
  const { next } = createRandom(seed);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = (): number => (collect(), process.memoryUsage().heapUsed);
  const feed = (count: number): void => {
    for (let n = 0; n < count; n += 1) {
      const labels = { a: `v${Math.floor(next() * 1e9)}`, b: `w${n % 97}` };
      if (n % 3 === 0) series.time('notas', `evento${n % 11}`, labels, took(next()));
      else series.count('notas', `evento${n % 11}`, labels, 1);
    }
  };
  feed(Math.ceil(many / 10));
  const before = heap();
  feed(many - Math.ceil(many / 10));
  const grownKb = Math.round((heap() - before) / 1_024);
  const own = ofApp(await linesOf(series), 'notas').length;
  expect(own).toBeLessThanOrEqual(300);
  expect(own).toBeGreaterThan(280);
  tellCount(`metrics: ${many} label tuples of one app, ${own} series, heap ${grownKb} KiB more, seed ${seed}`);
  expect(grownKb).toBeLessThan(1_024);
});
