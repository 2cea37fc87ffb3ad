/** What the verbs of `svc.metricas` do on this desktop. Which app counts is known by the window. */
import type { BridgeHandlers } from '../bridge/host.ts';
import { ApiError } from '../session/api.ts';
import { metricsAvailable, sendMetrics, sendMetricsLeaving } from '../session/metrics-api.ts';
import type { Desk } from './desk.ts';
import { createMetricSender } from './metric-sender.ts';

export function metricHandlers(desk: () => Desk): Pick<BridgeHandlers, 'metricas.disponivel' | 'metricas.enviar'> {
  const sender = createMetricSender({ send: sendMetrics, sendLeaving: sendMetricsLeaving });
  globalThis.addEventListener('pagehide', () => sender.leave());
  const appOf = (window: string): string => desk().windows.find(window)?.app ?? '';
  return {
    'metricas.disponivel': async (id, _, signal) => {
      try {
        return await metricsAvailable(appOf(id), signal);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 403) throw error;
        return { disponivel: false, motivo: 'o manifesto não declara recursos.metricas', codigo: 'SEM_ESCOPO' };
      }
    },
    'metricas.enviar': (id, { lote }) => {
      const app = appOf(id);
      return app === '' ? [] : sender.add(app, lote);
    },
  };
}
