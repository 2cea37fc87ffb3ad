/** Handlers of the verbs of `svc.metricas`. The window identifies the app. */
import type { BridgeHandlers } from '../bridge/host.ts';
import { awayOf } from '../session/away.ts';
import { metricsAvailable, sendMetrics, sendMetricsLeaving } from '../session/metrics-api.ts';
import type { Desk } from './desk.ts';
import { createMetricSender } from './metric-sender.ts';

export function metricHandlers(
  desk: () => Desk,
  available: typeof metricsAvailable = metricsAvailable,
): Pick<BridgeHandlers, 'metricas.disponivel' | 'metricas.enviar'> {
  const sender = createMetricSender({ send: sendMetrics, sendLeaving: sendMetricsLeaving });
  globalThis.addEventListener('pagehide', () => sender.leave());
  const appOf = (window: string): string => desk().windows.find(window)?.app ?? '';
  return {
    'metricas.disponivel': async (id, _, signal) => {
      try {
        return await available(appOf(id), signal);
      } catch (error) {
        return awayOf(error);
      }
    },
    'metricas.enviar': (id, { lote }) => {
      const app = appOf(id);
      return app === '' ? [] : sender.add(app, lote);
    },
  };
}
