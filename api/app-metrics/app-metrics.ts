/** Takes what apps send (`POST /api/metricas`): each batch once, each entry by itself. Decision: docs/decisions/0213-metrics-of-apps.md */
import type { Logger } from 'pino';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import type { MetricRefusal, MetricsAnswer, MetricsBody } from '../../schema/wire/metrics.ts';
import type { Store } from '../../store/store.ts';
import { createLeakyCells } from '../auth/leaky-cells.ts';
import { createAppErrors, type AppErrors } from './errors.ts';
import { createKnownPeople } from './known-people.ts';
import { limits } from './limits.ts';
import { createAppSeries, type AppSeries } from './series.ts';

/** Who sends: the backend or a page of an app of a person. */
export interface MetricSender {
  /** The person, or the app on its server. */
  readonly owner: string;
  readonly app: string;
  /** Of the package that is installed. */
  readonly versao: string;
  readonly de: 'backend' | 'pagina';
}

export interface AppMetrics {
  /** Rejects RATE_LIMITED. */
  take(sender: MetricSender, body: MetricsBody): Promise<MetricsAnswer>;
  readonly errors: AppErrors;
  readonly series: AppSeries;
}

interface AppMetricsDeps {
  readonly store: Pick<Store, 'addAppError' | 'appErrors'>;
  readonly people: Pick<PeopleView, 'all'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
}

export function createAppMetrics({ store, people, clock, log }: AppMetricsDeps): AppMetrics {
  const series = createAppSeries(createKnownPeople(people, clock));
  const errors = createAppErrors(store, clock, log);
  const rate = createLeakyCells(clock, { burst: limits.metricBatchesBurst, refillMs: limits.metricBatchRefillMs });
  const isAgain = createSeen();
  return {
    series,
    errors,
    take: async (sender, body) => {
      const { owner, app } = sender;
      const waitMs = rate.take(`${owner}/${app}`);
      if (waitMs > 0) throw new SvcError('RATE_LIMITED', 'too many batches at once: wait a little', { retryAfterMs: Math.ceil(waitMs) });
      if (isAgain(`${owner}/${app}/${body.origem}`, body.lote)) return { recusados: [] };
      const refused = countAll(series, app, body);
      const versao = body.versao ?? sender.versao;
      await Promise.all((body.erros ?? []).map((error) => errors.report({ ...error, usuario: owner, app, versao, de: sender.de })));
      return { recusados: refused.slice(0, limits.metricRefusalsTold) };
    },
  };
}

function countAll(series: AppSeries, app: string, { contadores = [], duracoes = [], descartados = {} }: MetricsBody): Refused[] {
  const refused: Refused[] = [];
  const note = (evento: string, motivo: MetricRefusal | null, n: number): void => {
    if (motivo !== null) refused.push({ evento, motivo, n });
  };
  for (const { evento, rotulos = {}, n } of contadores) note(evento, series.count(app, evento, rotulos, n), n);
  for (const { evento, rotulos = {}, ...distribution } of duracoes) {
    const n = distribution.baldes.reduce((sum, bucket) => sum + bucket, 0);
    note(evento, series.time(app, evento, rotulos, { baldes: [...distribution.baldes], soma: distribution.soma }), n);
  }
  for (const [reason, n] of Object.entries(descartados)) if (n > 0) series.refused(app, reason as MetricRefusal, n);
  return refused;
}

type Refused = MetricsAnswer['recusados'][number];

/** Whether a sender's batch, or a later one, was taken already. Of so many senders, those that sent last are remembered. */
function createSeen(): (sender: string, batch: number) => boolean {
  const last = new Map<string, number>();
  return (sender, batch) => {
    const before = last.get(sender) ?? 0;
    if (batch <= before) return true;
    last.delete(sender);
    last.set(sender, batch);
    const [oldest] = last.keys();
    if (last.size > limits.metricSendersMax && oldest !== undefined) last.delete(oldest);
    return false;
  };
}
