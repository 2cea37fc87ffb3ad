/** Counts of pages and reported errors of apps, through the portal's HTTP API. Source: schema/wire/metrics.ts. */
import type { ErrorGroup, ErrorsAnswer, MetricsAnswer, MetricsAvailable } from '../../schema/wire/metrics.ts';
import { json, request, withPerson } from './api.ts';

const path = (app: string): string => `/api/metricas?app=${encodeURIComponent(app)}`;

export const sendMetrics = async (app: string, body: object): Promise<MetricsAnswer> => json(await request('POST', path(app), body));

/** Sent while the page is left: the browser sends it by itself, and nothing receives the answer. */
export function sendMetricsLeaving(app: string, body: object): void {
  const headers = { 'content-type': 'application/json' };
  void fetch(path(app), {
    method: 'POST',
    credentials: 'same-origin',
    keepalive: true,
    ...withPerson({ headers, body: JSON.stringify(body) }),
  }).catch(() => undefined);
}

export const metricsAvailable = async (app: string, signal: AbortSignal): Promise<MetricsAvailable> =>
  json(await request('GET', path(app), undefined, signal));
export const readErrors = async (app: string): Promise<readonly ErrorGroup[]> =>
  (await json<ErrorsAnswer>(await request('GET', `/api/apps/${encodeURIComponent(app)}/erros`))).erros;
