import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MetricBatch } from '../../schema/wire/metric-batch.ts';
import type { MetricsAnswer } from '../../schema/wire/metrics.ts';
import { ApiError } from '../session/api.ts';
import { createMetricSender } from './metric-sender.ts';

type Sent = { readonly app: string; readonly body: Partial<MetricBatch> & { readonly lote: number; readonly origem: string } };
let sent: Sent[];
let leaving: Sent[];
let answer: () => Promise<MetricsAnswer>;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  leaving = [];
  answer = async () => ({ recusados: [] });
});
afterEach(() => vi.useRealTimers());

const sender = () =>
  createMetricSender({
    send: async (app, body) => {
      sent.push({ app, body });
      return await answer();
    },
    sendLeaving: (app, body) => void leaving.push({ app, body }),
  });
const batch = (evento: string, n = 1): MetricBatch => ({
  contadores: [{ evento, rotulos: {}, n }],
  duracoes: [],
  erros: [],
  descartados: {},
});
const refuse = (status: number) => async (): Promise<never> => {
  throw new ApiError(status, 'X', 'não');
};

test('pages of one app are one batch every five seconds, each app its own', async () => {
  const metrics = sender();
  metrics.add('notas', batch('a'));
  metrics.add('notas', batch('a', 2));
  metrics.add('agenda', batch('b'));
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent.map(({ app, body }) => [app, body.contadores])).toEqual([
    ['notas', [{ evento: 'a', rotulos: {}, n: 3 }]],
    ['agenda', [{ evento: 'b', rotulos: {}, n: 1 }]],
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toHaveLength(2);
});

test('while the portal is away the same batch is sent again, less and less often, and what came meanwhile after it', async () => {
  const metrics = sender();
  answer = refuse(0);
  metrics.add('notas', batch('a'));
  const times: number[] = [];
  const fromMs = Date.now();
  for (let s = 0; s < 200; s += 1) {
    const before = sent.length;
    await vi.advanceTimersByTimeAsync(1_000);
    if (sent.length > before) times.push((Date.now() - fromMs) / 1_000);
    if (s === 20) metrics.add('notas', batch('depois'));
  }
  expect(times).toEqual([5, 10, 20, 40, 80, 140, 200]);
  expect(new Set(sent.map(({ body }) => body.lote)).size).toBe(1);
  answer = async () => ({ recusados: [] });
  await vi.advanceTimersByTimeAsync(70_000);
  const once = new Map(sent.map(({ body }) => [body.lote, body.contadores?.map(({ evento }) => evento)]));
  expect([...once.values()].flat()).toEqual(['a', 'depois']);
});

test('an app that may not count is not asked for again; a batch that is wrong costs no other', async () => {
  const metrics = sender();
  answer = refuse(403);
  metrics.add('notas', batch('a'));
  await vi.advanceTimersByTimeAsync(5_000);
  metrics.add('notas', batch('b'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toHaveLength(1);
  answer = refuse(400);
  metrics.add('agenda', batch('a'));
  await vi.advanceTimersByTimeAsync(5_000);
  answer = async () => ({ recusados: [] });
  metrics.add('agenda', batch('b'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent.slice(1).map(({ body }) => body.contadores?.[0]?.evento)).toEqual(['a', 'b']);
});

test('what the portal refused is told at the next hand-over, once', async () => {
  const metrics = sender();
  const refused = { evento: 'a', motivo: 'email' as const, n: 1 };
  answer = async () => ({ recusados: [refused] });
  expect(metrics.add('notas', batch('a'))).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  answer = async () => ({ recusados: [] });
  expect(metrics.add('notas', batch('b'))).toEqual([refused]);
  expect(metrics.add('notas', batch('b'))).toEqual([]);
});

test('a large batch goes in parts that the portal takes, with different numbers', async () => {
  const metrics = sender();
  const contadores = Array.from({ length: 300 }, (_, n) => ({ evento: `e${n}`, rotulos: { texto: 'ç'.repeat(200) }, n: 1 }));
  metrics.add('notas', { ...batch('x'), contadores, descartados: { series: 3 } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent.length).toBeGreaterThan(2);
  expect(sent.flatMap(({ body }) => body.contadores ?? [])).toHaveLength(300);
  expect(Math.max(...sent.map(({ body }) => Buffer.byteLength(JSON.stringify(body))))).toBeLessThan(64 * 1_024);
  expect(new Set(sent.map(({ body }) => body.lote)).size).toBe(sent.length);
  expect(sent.filter(({ body }) => body.descartados !== undefined)).toHaveLength(1);
});

test('who leaves the desktop sends what there is', () => {
  const metrics = sender();
  metrics.add('notas', batch('a'));
  metrics.leave();
  expect(leaving.map(({ app, body }) => [app, body.contadores?.[0]?.evento])).toEqual([['notas', 'a']]);
});
