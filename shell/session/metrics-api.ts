/** Counts of pages and reported errors of apps, through the portal's HTTP API. Source: schema/wire/metrics.ts. */
import { addressOf } from '../../schema/routes/call.ts';
import type { MetricsBody } from '../../schema/wire/metrics.ts';
import { call, withPerson } from './api.ts';

export const sendMetrics = (app: string, body: MetricsBody) => call('POST /api/metricas', { query: { app }, body });

/** Sent while the page is left: the browser sends it by itself, and nothing receives the answer. */
export function sendMetricsLeaving(app: string, body: MetricsBody): void {
  const headers = { 'content-type': 'application/json' };
  const { method, path } = addressOf('POST /api/metricas', { query: { app }, body });
  void fetch(path, {
    method,
    credentials: 'same-origin',
    keepalive: true,
    ...withPerson({ headers, body: JSON.stringify(body) }),
  }).catch(() => undefined);
}

export const metricsAvailable = (app: string, signal: AbortSignal) => call('GET /api/metricas', { query: { app } }, { signal });
export const readErrors = async (id: string) => (await call('GET /api/apps/:id/erros', { params: { id } })).erros;
