/**
 * The series of apps: counts and durations by app, event and the labels that the app chose. However much an app sends, it has so many lines at
 * `/metrics`, and what is refused is a count by app and reason (rules 8: more than 300 series per app are refused). People are no label.
 */
import type { Counter, Histogram } from 'prom-client';
import { addDistribution, appDurationBoundsS, emptyDistribution, type Distribution } from '../../schema/wire/distribution.ts';
import type { MetricLabels, MetricRefusal } from '../../schema/wire/metrics.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { countMetric, distributionMetric, linesOfDistribution } from './distribution-metric.ts';
import { judgeLabels, type KnownPeople } from './label-rule.ts';
import { limits } from './limits.ts';

export interface AppSeries {
  /** Null: counted. Otherwise it was not, and is among the refused ones. */
  count(app: string, event: string, labels: MetricLabels, n: number): MetricRefusal | null;
  /** `distribution` has the bounds of apps. */
  time(app: string, event: string, labels: MetricLabels, distribution: Distribution): MetricRefusal | null;
  /** Counts entries that the sender refused by itself. */
  refused(app: string, reason: MetricRefusal, n: number): void;
  readonly metrics: readonly (Counter | Histogram)[];
}

interface Row<Value> {
  readonly labels: MetricLabels;
  readonly value: Value;
}

interface OfApp {
  /** Lines at `/metrics`. */
  lines: number;
  readonly counts: Map<string, Row<{ n: number }>>;
  readonly times: Map<string, Row<Distribution>>;
}

const keyOf = (event: string, labels: MetricLabels): string =>
  JSON.stringify([event, ...Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);

const isCount = (n: number): boolean => Number.isFinite(n) && n > 0 && n <= limits.metricValueMax;

type Refusals = Map<string, Map<MetricRefusal, number>>;

export function createAppSeries(people: KnownPeople): AppSeries {
  const apps = new Map<string, OfApp>();
  const refusals: Refusals = new Map();
  const refused = (app: string, reason: MetricRefusal, n: number): MetricRefusal => {
    const whose = apps.has(app) || refusals.has(app) || refusals.size < limits.metricAppsMax ? app : 'other';
    const own = refusals.get(whose) ?? new Map<MetricRefusal, number>();
    refusals.set(whose, own.set(reason, (own.get(reason) ?? 0) + n));
    return reason;
  };
  const ofApp = (app: string): OfApp | null => {
    const found = apps.get(app);
    if (found !== undefined || apps.size >= limits.metricAppsMax) return found ?? null;
    const made: OfApp = { lines: 0, counts: new Map(), times: new Map() };
    apps.set(app, made);
    return made;
  };
  /** The row of the tuple, made when it may be. */
  const rowOf = <Value>(
    app: string,
    [event, labels]: readonly [string, MetricLabels],
    made: { readonly rows: (own: OfApp) => Map<string, Row<Value>>; readonly lines: number; readonly empty: () => Value },
  ): Row<Value> | MetricRefusal => {
    const own = apps.get(app);
    const key = keyOf(event, labels);
    const found = own && made.rows(own).get(key);
    if (found !== undefined) return found;
    const verdict = judgeLabels(event, labels, people);
    if (verdict !== null) return verdict;
    const into = ofApp(app);
    if (into === null || into.lines + made.lines > sharedLimits.metricSeriesPerAppMax) return 'series';
    const row = { labels: { app, event, ...labels }, value: made.empty() };
    made.rows(into).set(key, row);
    into.lines += made.lines;
    return row;
  };
  const counting = { rows: (own: OfApp) => own.counts, lines: 1, empty: () => ({ n: 0 }) };
  const timing = {
    rows: (own: OfApp) => own.times,
    lines: linesOfDistribution(appDurationBoundsS),
    empty: () => emptyDistribution(appDurationBoundsS),
  };
  return {
    count: (app, event, labels, n) => {
      if (!isCount(n)) return refused(app, 'valor', 1);
      const row = rowOf(app, [event, labels], counting);
      if (typeof row === 'string') return refused(app, row, n);
      row.value.n += n;
      return null;
    },
    time: (app, event, labels, distribution) => {
      const n = distribution.baldes.reduce((sum, bucket) => sum + bucket, 0);
      if (!isCount(n) || !(distribution.soma >= 0 && distribution.soma <= limits.metricValueMax)) return refused(app, 'valor', 1);
      const row = rowOf(app, [event, labels], timing);
      if (typeof row === 'string') return refused(app, row, n);
      addDistribution(row.value, distribution);
      return null;
    },
    refused: (app, reason, n) => void refused(app, reason, n),
    metrics: metricsOf(apps, refusals),
  };
}

/** Read at each scrape. */
function metricsOf(apps: ReadonlyMap<string, OfApp>, refusals: Refusals): AppSeries['metrics'] {
  return [
    countMetric('svc_app_events_total', 'Events that apps counted, by app, event and the labels that the app chose', function* () {
      for (const { counts } of apps.values()) for (const { labels, value } of counts.values()) yield { labels, n: value.n };
    }),
    distributionMetric(
      'svc_app_event_duration_seconds',
      'How long what apps measured took, by app, event and the labels that the app chose',
      appDurationBoundsS,
      function* () {
        for (const { times } of apps.values()) for (const { labels, value } of times.values()) yield { labels, distribution: value };
      },
    ),
    countMetric('svc_app_events_refused_total', 'Events of apps that were not counted, by app and reason', function* () {
      for (const [app, own] of refusals) for (const [reason, n] of own) yield { labels: { app, reason }, n };
    }),
  ];
}
