/** `svc.metricas` of a page: adds up, and hands it to the desktop at once, then ten times a second, and when the page is left. */
import { batchMax, createMetricCollector } from '../../schema/wire/metric-batch.ts';
import type { MetricsAnswer } from '../../schema/wire/metrics.ts';
import type { Bridge } from './bridge.ts';
import type { Functions } from './verbs.ts';

const handOverMs = 100;
type Labels = Readonly<Record<string, unknown>> | undefined;

const texts = (rotulos: Labels): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(rotulos ?? {}).map(([name, value]) => [name, String(value)]));

/** The frames without the message: V8 begins each with `at`, others write `name@place`. */
function framesOf(error: unknown): string {
  if (!(error instanceof Error) || error.stack === undefined) return '';
  const lines = error.stack.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => /^at |@/.test(line))
    .join('\n')
    .slice(0, batchMax.stack);
}

/** Warns the author once of each event and reason that the portal did not count, at most 100 times. */
function createTelling(): (refused: unknown) => void {
  const told = new Set<string>();
  return (refused) => {
    for (const { evento, motivo } of refused as MetricsAnswer['recusados']) {
      const words = `svc.metricas: ${evento} não foi contado (${motivo})`;
      if (told.size < 100 && !told.has(words)) console.warn(words);
      told.add(words);
    }
  };
}

export interface PageMetrics {
  readonly functions: Functions;
  /** Called before the window is asked to close: later messages of the page are ignored. */
  readonly handOver: () => void;
}

export function createPageMetrics(bridge: Bridge): PageMetrics {
  const collected = createMetricCollector();
  const tellRefused = createTelling();
  let isDue = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  const handOver = (): void => {
    isDue = false;
    lastMs = performance.now();
    const lote = bridge.inside ? collected.take() : null;
    if (lote !== null) bridge.ask('metricas.enviar', { lote }).then(tellRefused, () => undefined);
  };
  /** A count never costs the page: what can't be counted is left out. */
  const quietly = (add: () => void): void => {
    try {
      if (!bridge.inside) return;
      add();
      if (isDue) return;
      isDue = true;
      const waitMs = lastMs + handOverMs - performance.now();
      if (waitMs <= 0) queueMicrotask(handOver);
      else setTimeout(handOver, waitMs);
    } catch {
      // A label that can't be text.
    }
  };
  addEventListener('pagehide', handOver);
  const functions: Functions = {
    contar: (evento: string, n: number = 1, rotulos?: Labels) =>
      quietly(() => (n > 0 && n < 1e12 ? collected.count({ evento, rotulos: texts(rotulos), n }) : collected.drop('valor', 1))),
    duracao: (evento: string, segundos: number, rotulos?: Labels) =>
      quietly(() => (segundos >= 0 && segundos < 1e9 ? collected.time(evento, texts(rotulos), segundos) : collected.drop('valor', 1))),
    relatarErro: (erro: unknown) =>
      quietly(() => {
        const { name, message } = erro instanceof Error ? erro : { name: typeof erro, message: String(erro) };
        collected.report({ tipo: name.slice(0, 100), mensagem: message.slice(0, 500), pilha: framesOf(erro), n: 1 });
      }),
  };
  return { functions, handOver };
}
