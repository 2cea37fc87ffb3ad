/**
 * The verbs by which a page counts towards its app (rules 2.1 `recursos.metricas`, 4.3). They wait for nothing and never throw: the SDK adds up and
 * hands it to the desktop, which sends it. Decision: docs/decisions/0213-metrics-of-apps.md
 */
import { isMetricBatch, type MetricBatch } from '../wire/metric-batch.ts';
import type { MetricsAnswer } from '../wire/metrics.ts';
import type { Check } from './check.ts';
import { limits } from './limits.ts';
import { askedOrOwn, inner, inPage } from './verb.ts';

const batch: Check = { type: 'never', accepts: isMetricBatch };

export const metricVerbs = {
  /** Adds to the counter of an event; `n` is 1 by default. A label says what kind of event, never who caused it; at most five. */
  'metricas.contar': inPage('(evento: string, n?: number, rotulos?: SvcRotulos)', 'void', 'same'),
  /** Records how long something took. */
  'metricas.duracao': inPage('(evento: string, segundos: number, rotulos?: SvcRotulos)', 'void', 'same'),
  /** Sends an exception to the environment log. */
  'metricas.relatarErro': inPage('(erro: unknown)', 'void', 'same'),
  /** Whether what is counted arrives, and why not. */
  'metricas.disponivel': askedOrOwn<
    object,
    { readonly disponivel: boolean; readonly motivo: string | null; readonly codigo: string | null }
  >('SvcDisponibilidade', { deadlineMs: limits.portalVerbAnswerMs }),
  /** Sends the counts that the page added up. Answers what the portal refused of earlier ones, for the console of the page. */
  'metricas.enviar': inner<{ readonly lote: MetricBatch }, MetricsAnswer['recusados']>({ args: { lote: batch } }),
};
