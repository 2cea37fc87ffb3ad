/**
 * Sends the counts of an app's pages to the portal every few seconds, in batches that each count once. While the portal is away the batches
 * wait, and the collector bounds what is added meanwhile. This desktop sends no more for an app that may not count, or is gone.
 */
import { createMetricCollector, type MetricBatch, type MetricCollector } from '../../schema/wire/metric-batch.ts';
import type { MetricsAnswer } from '../../schema/wire/metrics.ts';
import { ApiError, isPassing } from '../session/api.ts';
import { randomId } from '../state/random-id.ts';

const everyMs = 5_000;
const waitMsMax = 60_000;
const batchBytesMax = 40_000;

type Body = Partial<MetricBatch> & { readonly origem: string; readonly lote: number };

export interface MetricSender {
  /** Answers what was refused of earlier ones since it was answered last. */
  add(app: string, batch: MetricBatch): Refused;
  /** The desktop is left: sends what there is without waiting. */
  leave(): void;
}

type Refused = MetricsAnswer['recusados'];
const refusedMax = 20;

interface Calls {
  readonly send: (app: string, body: Body) => Promise<MetricsAnswer>;
  readonly sendLeaving: (app: string, body: Body) => void;
}

interface OfApp {
  readonly collected: MetricCollector;
  waiting: Body[];
  failures: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** There is something in it. */
  added: boolean;
  sending: boolean;
  /** It may not count, or is not there. */
  ended: boolean;
  refused: Refused;
}

export function createMetricSender({ send, sendLeaving }: Calls): MetricSender {
  const origem = randomId();
  let last = 0;
  const apps = new Map<string, OfApp>();
  const ofApp = (app: string): OfApp => {
    const found = apps.get(app) ?? {
      collected: createMetricCollector(),
      waiting: [],
      failures: 0,
      timer: undefined,
      added: false,
      sending: false,
      ended: false,
      refused: [],
    };
    apps.set(app, found);
    return found;
  };
  const close = (own: OfApp): void => {
    const batch = own.collected.take();
    own.added = false;
    if (batch === null) return;
    for (const part of parts(batch)) own.waiting.push({ ...part, origem, lote: (last += 1) });
  };
  const later = (app: string, own: OfApp): void => {
    const waitMs = own.failures === 0 ? everyMs : Math.min(waitMsMax, everyMs * 2 ** (own.failures - 1));
    own.timer ??= setTimeout(() => {
      own.timer = undefined;
      void sendAll(app, own);
    }, waitMs);
  };
  const sendAll = async (app: string, own: OfApp): Promise<void> => {
    if (own.sending) return;
    own.sending = true;
    if (own.waiting.length === 0) close(own);
    for (let body = own.waiting[0]; body !== undefined; body = own.waiting[0]) {
      const answer = await send(app, body).catch((error: unknown) => error);
      const mayWork = isPassing(answer) || (answer instanceof ApiError && answer.status === 401);
      own.failures = mayWork ? own.failures + 1 : 0;
      if (mayWork) break;
      if (answer instanceof ApiError && (answer.status === 403 || answer.status === 404))
        Object.assign(own, { ended: true, waiting: [body] });
      if (isAnswer(answer)) own.refused = [...own.refused, ...answer.recusados].slice(-refusedMax);
      own.waiting.shift();
    }
    own.sending = false;
    if (own.waiting.length > 0 || own.added) later(app, own);
  };
  return {
    add: (app, batch) => {
      const own = ofApp(app);
      const { refused } = own;
      own.refused = [];
      if (!own.ended) {
        own.collected.add(batch);
        own.added = true;
        later(app, own);
      }
      return refused;
    },
    leave: () => {
      for (const [app, own] of apps) {
        close(own);
        for (const body of own.waiting) sendLeaving(app, body);
      }
    },
  };
}

const isAnswer = (answer: unknown): answer is MetricsAnswer => !(answer instanceof Error) && Array.isArray(Object(answer).recusados);

/** Bodies that the portal takes at once. */
function parts(batch: MetricBatch): Partial<MetricBatch>[] {
  const encoder = new TextEncoder();
  const made: Record<string, unknown[]>[] = [];
  let bytes = batchBytesMax;
  for (const kind of ['contadores', 'duracoes', 'erros'] as const) {
    for (const entry of batch[kind]) {
      const size = encoder.encode(JSON.stringify(entry)).length;
      if (bytes + size > batchBytesMax) {
        made.push({});
        bytes = 0;
      }
      (made.at(-1)![kind] ??= []).push(entry);
      bytes += size;
    }
  }
  const { descartados } = batch;
  if (Object.keys(descartados).length === 0) return made;
  return made.length === 0 ? [{ descartados }] : [{ ...made[0], descartados }, ...made.slice(1)];
}
