/** Metrics of prom-client whose values are kept elsewhere: added up before they come here, with labels that no list knows beforehand. */
import { Counter, Histogram, type MetricValueWithName } from 'prom-client';
import type { Distribution } from '../../schema/wire/distribution.ts';

type Labels = Readonly<Record<string, string>>;
type Value = MetricValueWithName<string>;

export interface CountRow {
  readonly labels: Labels;
  readonly n: number;
}
export interface DistributionRow {
  readonly labels: Labels;
  readonly distribution: Pick<Distribution, 'soma'> & { readonly baldes: readonly number[] };
}

/** How many lines of `/metrics` one distribution is: its buckets with +Inf, sum and count. */
export const linesOfDistribution = (bounds: readonly number[]): number => bounds.length + 3;

const valueOf = (metricName: string, labels: Labels, value: number): Value => ({ metricName, labels: { ...labels }, value });

export function distributionValues(name: string, bounds: readonly number[], { labels, distribution }: DistributionRow): Value[] {
  let below = 0;
  const buckets = [...bounds, '+Inf'].map((le, at) => {
    below += distribution.baldes[at] ?? 0;
    return valueOf(`${name}_bucket`, { ...labels, le: String(le) }, below);
  });
  return [...buckets, valueOf(`${name}_sum`, labels, distribution.soma), valueOf(`${name}_count`, labels, below)];
}

/** `rows` is read at each scrape. */
export function countMetric(name: string, help: string, rows: () => Iterable<CountRow>): Counter {
  const values = (): Value[] => Array.from(rows(), ({ labels, n }) => valueOf(name, labels, n));
  return withValues(new Counter({ name, help, registers: [] }), async () => ({ name, help, type: 'counter', values: values() }));
}

export function distributionMetric(
  name: string,
  help: string,
  bounds: readonly number[],
  rows: () => Iterable<DistributionRow>,
): Histogram {
  const values = (): Value[] => Array.from(rows()).flatMap((row) => distributionValues(name, bounds, row));
  const made = new Histogram({ name, help, buckets: [...bounds], registers: [] });
  return withValues(made, async () => ({ name, help, type: 'histogram', values: values() }));
}

/** Adds rows that are kept elsewhere to those of a histogram. */
export function alsoWith(histogram: Histogram, bounds: readonly number[], name: string, rows: () => Iterable<DistributionRow>): Histogram {
  const { getForPromString: own } = Object.getPrototypeOf(histogram) as { readonly getForPromString: (this: Histogram) => Promise<Said> };
  return withValues(histogram, async () => {
    const said = await own.call(histogram);
    return { ...said, values: [...said.values, ...Array.from(rows()).flatMap((row) => distributionValues(name, bounds, row))] };
  });
}

interface Said {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'histogram';
  readonly values: readonly Value[];
}

/** Adds the values in both ways in which prom-client reads a metric; for the text of a histogram it uses a second one. */
function withValues<Metric extends Counter | Histogram>(metric: Metric, get: () => Promise<Said>): Metric {
  const said = async (): Promise<object> => ({ aggregator: 'sum', ...(await get()) });
  return Object.assign(metric, { get: said, getForPromString: said });
}
