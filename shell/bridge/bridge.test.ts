import { describe, expect, test } from 'vitest';
import { answer, type BridgeHandlers } from './host.ts';
import { isRoute, verbArguments, verbNames } from './verbs.ts';

describe('a route', () => {
  test.for([['nota/3'], ['?sala=abc'], ['#fim'], ['a/./b'], ['com espaço'], ['a..b/c']])('%s is inside the app', ([route]) => {
    expect(isRoute(route)).toBe(true);
  });

  test.for([
    [''],
    ['/nota'],
    ['//fora.example'],
    ['http://fora.example'],
    ['javascript:alert(1)'],
    ['..'],
    ['a/../../b'],
    ['%2e%2e/b'],
    ['a%2f..%2fb'],
    ['%2Ffora'],
    ['a\\b'],
    ['a\nb'],
    ['x'.repeat(513)],
    [7],
    [null],
  ])('%o is refused', ([route]) => {
    expect(isRoute(route)).toBe(false);
  });
});

describe('a request over the port', () => {
  const calls: unknown[] = [];
  const note =
    (verb: string) =>
    (window: string, args: unknown): null => {
      calls.push([verb, window, args]);
      return null;
    };
  const handlers = {
    ...Object.fromEntries(verbNames.map((verb) => [verb, note(verb)])),
    'window.close': () => {
      throw new Error('não fecha');
    },
    'janela.abrir': async () => Promise.resolve({ nova: true }),
  } as unknown as BridgeHandlers;
  const ask = async (verbo: unknown, args?: unknown): Promise<unknown> => await answer(handlers, 'w1', { id: 1, verbo, args });

  test('reaches the handler with the window that asked', async () => {
    expect(await ask('window.minimize')).toEqual({ ok: true, valor: null });
    expect(calls.at(-1)).toEqual(['window.minimize', 'w1', {}]);
  });

  test('awaits a handler that takes its time', async () => {
    expect(await ask('janela.abrir', { rota: 'nota/3' })).toEqual({ ok: true, valor: { nova: true } });
  });

  test.for([
    ['constructor', {}, 'verbo-desconhecido'],
    ['__proto__', {}, 'verbo-desconhecido'],
    ['toString', {}, 'verbo-desconhecido'],
    [undefined, {}, 'verbo-desconhecido'],
    ['window.arrastar', { fase: 'inicio', telaX: Number.NaN, telaY: 0 }, 'argumentos-invalidos'],
    ['window.arrastar', { fase: 'voar', telaX: 0, telaY: 0 }, 'argumentos-invalidos'],
    ['window.menuDoCabecalho', { x: '1', y: 2 }, 'argumentos-invalidos'],
    ['janela.abrir', { rota: '../fora' }, 'argumentos-invalidos'],
    ['window.minimize', [], 'argumentos-invalidos'],
    ['window.close', {}, 'falhou'],
  ] as const)('%s with %o is answered %s', async ([verb, args, code]) => {
    expect(await ask(verb, args)).toMatchObject({ ok: false, erro: { code } });
  });

  test('every verb of the table has a check', () => {
    for (const verb of verbNames) expect(typeof verbArguments[verb]).toBe('function');
  });
});
