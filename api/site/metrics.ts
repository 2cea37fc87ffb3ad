/**
 * `/metrics` in the Prometheus text format. Labels come from closed lists: route patterns, methods, status classes, states, and app ids up to a
 * bound, so that the number of series stays bounded. A person is never a label.
 */
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { AuditFigures } from '../../schema/audit.ts';
import { backendStates } from '../../schema/backend.ts';
import type { BackupStanding } from '../../schema/backups.ts';
import { figureBoundsS, type ControllerFigures } from '../../schema/figures.ts';
import type { AppsView } from '../../schema/gateway.ts';
import { alsoWith, countMetric, distributionMetric } from '../app-metrics/distribution-metric.ts';
import { createSignIns, siteMetrics, type SignIns, type SiteParts } from './site-metrics.ts';
import { limits } from '../limits.ts';
import type { ProxyMetrics } from '../proxy/proxy.ts';
import type { RelayFigures } from '../rooms/contract.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly request: (method: string, route: string, status: number, durationMs: number) => void;
  start(app: string, outcome: 'ready' | 'not-ready', durationMs: number): void;
  readonly proxy: ProxyMetrics;
  readonly signIn: SignIns['count'];
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const buckets = [...figureBoundsS];

interface Counted {
  readonly apps: Pick<AppsView, 'byState'>;
}

/** Figures of other parts. */
interface Parts extends Omit<SiteParts, 'site'> {
  readonly eventSockets: () => number;
  readonly rooms: () => RelayFigures;
  readonly controller: ControllerFigures;
  readonly backups: () => BackupStanding | null;
  readonly audit: () => AuditFigures;
  /** ms since 1970; null: not known. */
  readonly certificateEndsAtMs: () => number | null;
  /** Metrics of apps (app-metrics/series.ts). */
  readonly apps: readonly (Counter | Histogram)[];
}

let ofProcess: Registry | undefined;

/** Metrics of the process, measured once: prom-client measures until the process ends, and keeps the registry that it was given. */
function processMetrics(): readonly Metric[] {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess, prefix: 'svc_' });
  }
  const own = ofProcess;
  return own.getMetricsAsArray().map(({ name }) => own.getSingleMetric(name)!);
}

export function createMetrics(
  counted: Counted,
  { eventSockets, rooms, controller, backups, audit, certificateEndsAtMs, apps, ...site }: Parts,
): Metrics {
  const registry = new Registry();
  for (const metric of processMetrics()) registry.registerMetric(metric);
  const registers = [registry];
  const requests = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Requests to the portal itself, by route',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  const starts = new Histogram({
    name: 'svc_app_start_duration_seconds',
    help: 'From the wish to start, stop or restart to its outcome (step total), and of the steps of a start each from the end of the one before',
    labelNames: ['app', 'step', 'outcome'],
    buckets,
    registers: [],
  });
  registry.registerMetric(alsoWith(starts, figureBoundsS, 'svc_app_start_duration_seconds', () => stepRows(controller)));
  const proxied = new Counter({ name: 'svc_proxy_requests_total', help: 'Requests to backends', labelNames: ['app', 'status'], registers });
  const tunnels = new Gauge({ name: 'svc_proxy_tunnels', help: 'Open upgraded connections to backends', labelNames: ['app'], registers });
  for (const gauge of [...stateGauges(counted, eventSockets), certificateGauge(certificateEndsAtMs)]) registry.registerMetric(gauge);
  const controlled = [...controllerMetrics(controller), ...backupMetrics(backups), ...auditMetrics(audit)];
  const signIns = createSignIns();
  const ofSite = [signIns.metric, ...siteMetrics({ ...site, site: controller.site })];
  for (const metric of [...roomMetrics(rooms), ...controlled, ...ofSite, ...apps]) registry.registerMetric(metric);

  const appLabel = boundedLabel(limits.metricsAppsMax);
  /** The hot path: one map look-up instead of a label hash. */
  const counters = new Map<string, Counter.Internal>();
  return {
    registry,
    request: (method, route, status, durationMs) => {
      const known = methods.has(method) ? method : 'other';
      requests.observe({ method: known, route, status: statusClass(status) }, durationMs / 1_000);
    },
    signIn: (method, result) => signIns.count(method, result),
    start: (app, outcome, durationMs) => starts.observe({ app: appLabel(app), step: 'total', outcome }, durationMs / 1_000),
    proxy: {
      request: (app, status) => {
        const key = `${app} ${(status / 100) | 0}`;
        let counter = counters.get(key);
        if (!counter) {
          counter = proxied.labels(appLabel(app), statusClass(status));
          if (counters.size < limits.metricsAppsMax * 6) counters.set(key, counter);
        }
        counter.inc();
      },
      tunnels: (app, change) => tunnels.inc({ app: appLabel(app) }, change),
    },
  };
}

/** Read at each scrape. */
function stateGauges({ apps }: Counted, eventSockets: () => number): readonly Gauge[] {
  const byState = new Gauge({
    name: 'svc_backends',
    help: 'Backends of all people by state',
    labelNames: ['state'],
    registers: [],
    collect() {
      const counts = new Map<string, number>(backendStates.map((state) => [state, 0]));
      for (const [state, count] of apps.byState()) counts.set(state, count);
      for (const [state, count] of counts) this.set({ state }, count);
    },
  });
  const sockets = new Gauge({
    name: 'svc_event_sockets',
    help: 'Open connections of /ws/events',
    registers: [],
    collect() {
      this.set(eventSockets());
    },
  });
  return [byState, sockets];
}

function certificateGauge(endsAtMs: () => number | null): Gauge {
  return new Gauge({
    name: 'svc_certificate_end_timestamp_seconds',
    help: 'When the certificate of the public address ends, in seconds since 1970; no sample where it was not seen',
    registers: [],
    collect() {
      const endMs = endsAtMs();
      if (endMs === null) this.reset();
      else this.set(endMs / 1_000);
    },
  });
}

function* stepRows({ starts }: ControllerFigures) {
  for (const [app, steps] of starts) for (const [step, distribution] of steps) yield { labels: { app, step }, distribution };
}

/** Read at each scrape: the controller counts. */
function controllerMetrics({ reconciled, probes, queued }: ControllerFigures): readonly (Gauge | Counter | Histogram)[] {
  const kinds = () => [...reconciled];
  return [
    distributionMetric('svc_reconcile_duration_seconds', 'Work of the controller on one object, by kind', figureBoundsS, () =>
      kinds().map(([kind, { durations }]) => ({ labels: { kind }, distribution: durations })),
    ),
    countMetric('svc_reconcile_errors_total', 'Work of the controller that ended with an error, by kind', () =>
      kinds().map(([kind, { failed }]) => ({ labels: { kind }, n: failed })),
    ),
    new Gauge({
      name: 'svc_reconcile_queue_length',
      help: 'Objects that wait for the controller or are worked on',
      registers: [],
      collect() {
        this.set(queued());
      },
    }),
    countMetric('svc_probe_total', 'Health probes of backends, by verdict', () =>
      Array.from(probes, ([verdict, n]) => ({ labels: { verdict }, n })),
    ),
  ];
}

/** Nothing where no backups are asked for, and of what never was. */
function backupMetrics(standing: () => BackupStanding | null): readonly Gauge[] {
  const gauge = (name: string, help: string, of: (standing: BackupStanding) => number | null): Gauge =>
    new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.reset();
        const now = standing();
        const value = now === null ? null : of(now);
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);
  return [
    gauge('svc_backup_last_timestamp_seconds', 'Moment of the newest scheduled backup', ({ madeMs }) => seconds(madeMs)),
    gauge('svc_backup_checked_timestamp_seconds', 'When all of a backup was read again', ({ checkedMs }) => seconds(checkedMs)),
    gauge('svc_backup_failures', 'Scheduled backups that failed in a row', ({ failures }) => failures),
  ];
}

/** Read at each scrape: the relay counts; rooms and people are never a label. */
function roomMetrics(figures: () => RelayFigures): readonly (Gauge | Counter)[] {
  const gauge = (name: string, help: string, of: (figures: RelayFigures) => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(of(figures()));
      },
    });
  const counter = (name: string, help: string, of: (figures: RelayFigures) => number): Counter =>
    new Counter({
      name,
      help,
      registers: [],
      collect() {
        this.reset();
        this.inc(of(figures()));
      },
    });
  return [
    gauge('svc_room_sockets', 'Open sockets of the relay', ({ sockets }) => sockets),
    gauge('svc_rooms_open', 'Documents of rooms in memory', ({ rooms }) => rooms),
    gauge(
      'svc_room_commit_seconds',
      'From arrival to the disk, the longest in the last commit',
      ({ commitMsLast }) => commitMsLast / 1_000,
    ),
    gauge('svc_room_commits_failing', '1 while the log of rooms can not be written', ({ commitsFailing }) => Number(commitsFailing)),
    counter('svc_room_frames_in_total', 'Frames from clients', ({ framesIn }) => framesIn),
    counter('svc_room_frames_out_total', 'Frames to clients', ({ framesOut }) => framesOut),
    counter('svc_room_bytes_in_total', 'Bytes from clients', ({ bytesIn }) => bytesIn),
    counter('svc_room_bytes_out_total', 'Bytes to clients', ({ bytesOut }) => bytesOut),
    counter('svc_room_discarded_total', 'Writes without the role, and words about presence of others', ({ discarded }) => discarded),
    counter(
      'svc_room_slow_readers_total',
      'Sockets that were dropped because they did not read',
      ({ slowReadersDropped }) => slowReadersDropped,
    ),
  ];
}

/** Read at each scrape: how the audit record stands. */
function auditMetrics(figures: () => AuditFigures): readonly (Gauge | Counter)[] {
  return [
    countMetric('svc_audit_lines_total', 'Lines of the audit record that were written', () => [{ labels: {}, n: figures().lines }]),
    countMetric('svc_audit_lost_total', 'Acts whose line could not be kept, because the disk took none for long', () => [
      { labels: {}, n: figures().lost },
    ]),
    new Gauge({
      name: 'svc_audit_failing',
      help: '1 while the audit record can not be written',
      registers: [],
      collect() {
        this.set(Number(figures().trouble !== null));
      },
    }),
  ];
}

/** The first `max` names stand for themselves, all others share one. */
function boundedLabel(max: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= max) return 'other';
    known.add(name);
    return name;
  };
}

function statusClass(status: number): string {
  return status === 0 ? 'gone' : `${Math.trunc(status / 100)}xx`;
}

export function addMetricsRoute(app: FastifyInstance, metrics: Metrics): void {
  app.get(
    '/metrics',
    { config: { access: 'metrics' }, schema: { summary: 'Prometheus metrics', produces: ['text/plain'] } },
    async (_request, reply) => reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}
