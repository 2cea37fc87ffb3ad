import { afterEach, describe, expect, test, vi } from 'vitest';
import { answer, type BridgeHandlers } from './host.ts';
import { isRoute, verbArguments, verbDeadlineMs, verbNames } from './verbs.ts';

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
    'salas.ler': () => {
      throw Object.assign(new Error('não há'), { code: 'ROOM_NOT_FOUND', status: 404 });
    },
    'salas.listar': async (_window: string, _args: object, signal: AbortSignal) =>
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
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

  const sala = 's0123456789abcdefghijk';
  test.for([
    ['salas.criar', { nome: 'Ata' }, { nome: '' }],
    ['salas.ler', { sala }, { sala: 7 }],
    ['salas.renomear', { sala, nome: 'Ata' }, { sala }],
    ['salas.darAcesso', { sala, usuario: 'bia', papel: 'ver' }, { sala, usuario: 'bia', papel: 'dona' }],
    ['salas.darAcessoAoGrupo', { sala, grupo: 'g', papel: 'editar' }, { sala, grupo: 'g', papel: 'tudo' }],
    ['salas.tirarAcesso', { sala, usuario: 'bia' }, { sala }],
    ['salas.avisar', { sala, tipo: 'mencao', para: ['bia'], ancora: 'c-1' }, { sala, tipo: 'livre', para: ['bia'], ancora: 'c-1' }],
    [
      'salas.avisar',
      { sala, tipo: 'comentario', para: ['bia'], ancora: 'c_1' },
      { sala, tipo: 'comentario', para: ['bia'], ancora: 'c 1' },
    ],
    ['salas.avisar', { sala, tipo: 'mencao', para: ['bia', 'caio'], ancora: 'c' }, { sala, tipo: 'mencao', para: [], ancora: 'c' }],
    ['salas.anexar', { sala, blob: new Blob(['x']) }, { sala, blob: 'x' }],
    ['salas.anexo', { sala, sha: 'a'.repeat(64) }, { sala, sha: '../x' }],
    ['pessoas.buscar', { texto: '' }, { texto: 'x'.repeat(201) }],
  ] as const)('%s takes %o and not %o', ([verb, good, bad]) => {
    expect(verbArguments[verb]({ ...good })).toBe(true);
    expect(verbArguments[verb]({ ...bad })).toBe(false);
  });

  test('what the portal refused keeps its code and status', async () => {
    expect(await ask('salas.ler', { sala })).toEqual({ ok: false, erro: { code: 'ROOM_NOT_FOUND', message: 'não há', status: 404 } });
  });

  describe('that takes too long', () => {
    afterEach(() => void vi.useRealTimers());
    test('is answered after the deadline of its verb, and given up', async () => {
      vi.useFakeTimers();
      const answered = ask('salas.listar');
      await vi.advanceTimersByTimeAsync(verbDeadlineMs('salas.listar'));
      expect(await answered).toMatchObject({ ok: false, erro: { code: 'sem-resposta' } });
      expect(verbDeadlineMs('salas.anexar')).toBeGreaterThan(verbDeadlineMs('salas.listar'));
    });
  });

  test('every verb of the table has a check', () => {
    for (const verb of verbNames) expect(typeof verbArguments[verb]).toBe('function');
  });
});
