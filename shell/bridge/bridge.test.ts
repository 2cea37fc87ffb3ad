import { afterEach, describe, expect, test, vi } from 'vitest';
import { answer, type BridgeHandlers } from './host.ts';
import { askedVerbs, verbs, wrongArgument } from '../../schema/bridge/verbs.ts';

describe('a request over the port', () => {
  type Args = Readonly<Record<string, unknown>>;
  const calls: unknown[] = [];
  let page = new AbortController();
  const note =
    (verb: string) =>
    (window: string, args: unknown): null => {
      calls.push([verb, window, args]);
      return null;
    };
  const handlers = {
    ...Object.fromEntries(askedVerbs.map((verb) => [verb, note(verb)])),
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
  const ask = async (verbo: unknown, args?: unknown): Promise<unknown> => await answer(handlers, 'w1', { id: 1, verbo, args }, page.signal);

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
    [{ toString: null }, {}, 'verbo-desconhecido'],
    ['x'.repeat(1_000_000), {}, 'verbo-desconhecido'],
    ['window.arrastar', { fase: 'inicio', telaX: Number.NaN, telaY: 0 }, 'argumentos-invalidos'],
    ['window.arrastar', { fase: 'voar', telaX: 0, telaY: 0 }, 'argumentos-invalidos'],
    ['window.menuDoCabecalho', { x: '1', y: 2 }, 'argumentos-invalidos'],
    ['janela.abrir', { rota: '../fora' }, 'argumentos-invalidos'],
    ['window.minimize', [], 'argumentos-invalidos'],
    ['window.close', {}, 'falhou'],
  ] as const)('%s with %o is answered %s', async ([verb, args, code]) => {
    const answered = await ask(verb, args);
    expect(answered).toMatchObject({ ok: false, erro: { code } });
    expect(JSON.stringify(answered).length).toBeLessThan(300);
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
    ['salas.versao', { sala, versao: 1, formato: 'texto' }, { sala, versao: 1.5, formato: 'texto' }],
    ['salas.versao', { sala, versao: 1, formato: 'yjs' }, { sala, versao: 1, formato: 'pdf' }],
    ['salas.nomearVersao', { sala, versao: 1, nome: null }, { sala, versao: 1, nome: '' }],
    ['pessoas.buscar', { texto: '' }, { texto: 'x'.repeat(201) }],
  ] as const)('%s takes %o and not %o', ([verb, good, bad]) => {
    expect(wrongArgument(verb, { ...good })).toBeNull();
    const wrong = Object.keys({ ...good, ...bad }).find(
      (name) => JSON.stringify((good as Args)[name]) !== JSON.stringify((bad as Args)[name]),
    );
    expect(wrongArgument(verb, { ...bad })).toBe(wrong);
  });

  test.for([
    ['notificar', { texto: 'x', rota: '/x' }, 'notificar: o argumento "rota" não é válido: the route must be relative'],
    ['apps.listar', { capacidade: 'x' }, 'apps.listar: o argumento "capacidade" não é válido: expected a capability such as "name/v1"'],
    ['salas.ler', { sala: 7 }, 'salas.ler: o argumento "sala" não é válido'],
  ] as const)('%s with %o is told what is wrong', async ([verb, args, message]) => {
    expect(await ask(verb, args)).toMatchObject({ ok: false, erro: { code: 'argumentos-invalidos', message } });
  });

  test('what the portal refused keeps its code and status', async () => {
    expect(await ask('salas.ler', { sala })).toEqual({ ok: false, erro: { code: 'ROOM_NOT_FOUND', message: 'não há', status: 404 } });
  });

  describe('that takes too long', () => {
    afterEach(() => void vi.useRealTimers());
    test('is answered after the deadline of its verb, and given up', async () => {
      vi.useFakeTimers();
      const answered = ask('salas.listar');
      await vi.advanceTimersByTimeAsync(19_999);
      expect(await Promise.race([answered, Promise.resolve('not yet')])).toBe('not yet');
      await vi.advanceTimersByTimeAsync(1);
      expect(await answered).toMatchObject({ ok: false, erro: { code: 'sem-resposta' } });
      expect([verbs['window.close'].deadlineMs, verbs['salas.anexar'].deadlineMs]).toEqual([9_000, 180_000]);
    });
    test('is given up when its page is gone', async () => {
      const answered = ask('salas.listar');
      page.abort();
      expect(await answered).toMatchObject({ ok: false, erro: { code: 'falhou', message: 'aborted' } });
      page = new AbortController();
    });
  });
});
