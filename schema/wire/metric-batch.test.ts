import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { appDurationBoundsS } from './distribution.ts';
import { batchMax, createMetricCollector, isMetricBatch } from './metric-batch.ts';

const count = (evento: string, rotulos = {}, n = 1) => ({ evento, rotulos, n });
const error = (pilha: string, mensagem = 'x') => ({ tipo: 'Error', mensagem, pilha, n: 1 });

test('what is the same is added up, and taken once', () => {
  const collected = createMetricCollector();
  collected.count(count('a'));
  collected.count(count('a', {}, 2));
  collected.count(count('a', { b: 'c' }));
  collected.time('t', {}, 0.1);
  collected.time('t', {}, 400);
  collected.report(error('at x', 'um'));
  collected.report(error('at x', 'dois'));
  const batch = collected.take();
  expect(batch).toMatchObject({
    contadores: [count('a', {}, 3), count('a', { b: 'c' })],
    duracoes: [{ evento: 't', baldes: [0, 0, 1, 0, 0, 0, 0, 0, 1], soma: 400.1 }],
    erros: [{ pilha: 'at x', n: 2 }],
  });
  expect(isMetricBatch(batch)).toBe(true);
  expect(collected.take()).toBeNull();
  // Two pages of one app, in the shell.
  collected.add(batch!);
  collected.add(batch!);
  expect(collected.take()).toMatchObject({ contadores: [{ n: 6 }, { n: 2 }], duracoes: [{ soma: 800.2 }], erros: [{ n: 4 }] });
});

test('what nobody takes is bounded, and what had no room is counted', () => {
  const collected = createMetricCollector();
  for (let n = 0; n < 1_000; n += 1) {
    collected.count(count('a', { n: `${n}` }));
    collected.time('t', { n: `${n}` }, 1);
    collected.report(error(`at ${n}`));
  }
  collected.count(count('x'.repeat(batchMax.text + 1)));
  const { contadores, duracoes, erros, descartados } = collected.take()!;
  expect(contadores.length + duracoes.length).toBe(batchMax.series);
  expect(erros).toHaveLength(batchMax.stacks);
  expect(descartados).toEqual({ series: 1_700, erros: 950, tamanho: 1 });
});

describe('of a page nothing else is taken', () => {
  const good = { contadores: [count('a')], duracoes: [], erros: [], descartados: {} };
  test.for([
    [null],
    [{ ...good, contadores: {} }],
    [{ ...good, contadores: [count('a', { b: 1 })] }],
    [{ ...good, contadores: [count('a', {}, Number.NaN)] }],
    [{ ...good, contadores: [count('a', {}, -1)] }],
    [{ ...good, contadores: Array.from({ length: 301 }, () => count('a')) }],
    [{ ...good, duracoes: [{ evento: 'a', rotulos: {}, baldes: [1], soma: 1 }] }],
    [{ ...good, duracoes: [{ evento: 'a', rotulos: {}, baldes: Array.from({ length: 9 }, () => 0.5), soma: 1 }] }],
    [{ ...good, erros: [{ tipo: 'a', mensagem: 'b', pilha: 'x'.repeat(5_000), n: 1 }] }],
    [{ ...good, erros: [{ tipo: 'a', mensagem: 'b', pilha: '', n: 0 }] }],
    [{ ...good, descartados: { outro: 1 } }],
    [{ ...good, descartados: { series: 'x' } }],
  ])('%o', ([batch]) => expect(isMetricBatch(batch)).toBe(false));
  test('but this', () => expect(isMetricBatch(good)).toBe(true));
});

test('the libraries of backends have the same buckets', () => {
  const listOf = (file: string): readonly number[] =>
    (/LIMITES_S = [([]([^)\]]*)/.exec(readFileSync(new URL(`../../sdk/${file}`, import.meta.url), 'utf8'))?.[1] ?? '')
      .split(',')
      .map(Number);
  expect(listOf('node/svc/lib/metricas.js')).toEqual(appDurationBoundsS);
  expect(listOf('python/svc/metricas.py')).toEqual(appDurationBoundsS);
});
