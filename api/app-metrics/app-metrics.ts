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

/** The sender of metrics: the backend or a page of an app of a person. */
export interface MetricSender {
  /** The person, or the app on its server. */
  readonly owner: string;
  readonly app: string;
  /** Version of the installed package. */
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
  readonly store: Pick<Store, 'addAppErrors' | 'appErrors'>;
  readonly people: Pick<PeopleView, 'all'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
}

export function createAppMetrics({ store, people, clock, log }: AppMetricsDeps): AppMetrics {
  const series = createAppSeries(createKnownPeople(people, clock));
  const errors = createAppErrors(store, clock, log);
  const rate = createLeakyCells(clock, { burst: limits.metricBatchesBurst, refillMs: limits.metricBatchRefillMs });
  const once = createOnce();
  return {
    series,
    errors,
    take: async (sender, body) => {
      const { owner, app } = sender;
      const waitMs = rate.take(`${owner}/${app}`);
      if (waitMs > 0) throw new SvcError('RATE_LIMITED', 'too many batches at once: wait a little', { retryAfterMs: Math.ceil(waitMs) });
      const versao = body.versao ?? sender.versao;
      const refused = await once(`${owner}/${app}/${body.origem}`, body.lote, async () => {
        // First, since what is counted can't be taken back when the store fails.
        await errors.report({ usuario: owner, app, versao, de: sender.de }, body.erros ?? []);
        return countAll(series, app, body);
      });
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

interface Taken {
  readonly batch: number;
  /** Null: it was taken whole. */
  underWay: Promise<unknown> | null;
}

/**
 * Takes a batch of a sender unless it, or a later one, was taken: that answers no refusals. A failed batch may come again, and a repetition
 * meanwhile gets the same result. The senders that sent last are remembered, up to a bound.
 */
function createOnce(): (sender: string, batch: number, take: () => Promise<readonly Refused[]>) => Promise<readonly Refused[]> {
  const last = new Map<string, Taken>();
  return async (sender, batch, take) => {
    const before = last.get(sender);
    if (before !== undefined && batch <= before.batch) {
      if (batch === before.batch) await before.underWay;
      return [];
    }
    const underWay = take();
    const own: Taken = { batch, underWay };
    last.delete(sender);
    last.set(sender, own);
    const [oldest] = last.keys();
    if (last.size > limits.metricSendersMax && oldest !== undefined) last.delete(oldest);
    try {
      return await underWay;
    } catch (error) {
      if (last.get(sender) === own) {
        if (before === undefined) last.delete(sender);
        else last.set(sender, before);
      }
      throw error;
    } finally {
      own.underWay = null;
    }
  };
}
