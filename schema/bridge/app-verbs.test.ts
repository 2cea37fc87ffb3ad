import { describe, expect, test } from 'vitest';
import { isCallPath } from './app-verbs.ts';
import { wrongArgument } from './verbs.ts';

test.for([['/'], ['/palavras/mar%C3%A9?x=../y'], ['/a.b/..c'], ['/ç'], ['/a%2fb']])('%s may follow a route', ([path]) => {
  expect(isCallPath(path)).toBe(true);
});

/** On the shell's origin each of these would lead elsewhere, or might. */
test.for([
  [''],
  ['palavras'],
  ['/..'],
  ['/../../../sessao'],
  ['/a/%2e%2E/b'],
  ['/.%2e/x'],
  ['/./x'],
  ['/a\\..\\b'],
  ['/a\t/b'],
  ['/.\n./b'],
  ['/a#b'],
  [`/${'x'.repeat(8_192)}`],
  [7],
])('%o may not', ([path]) => {
  expect(isCallPath(path)).toBe(false);
});

describe('a request', () => {
  const good = { capacidade: 'dicionario/v1', caminho: '/x', metodo: 'POST', cabecalhos: [['accept', 'a/b']], corpo: new Blob(['x']) };
  const check = (more?: object): boolean => wrongArgument('apps.pedir', { ...good, porta: new MessageChannel().port1, ...more }) === null;

  test.for([[{}], [{ app: 'dicionario' }], [{ corpo: true }], [{ corpo: null, metodo: 'GET' }], [{ corpo: new ArrayBuffer(1) }]])(
    'with %o is taken',
    ([more]) => expect(check(more)).toBe(true),
  );

  test.for([
    [{ porta: {} }],
    [{ capacidade: '../sessao' }],
    [{ capacidade: 'dicionario' }],
    [{ app: 'Dicionário' }],
    [{ metodo: 'TRACE' }],
    [{ metodo: 'GET X' }],
    [{ corpo: 'texto' }],
    [{ cabecalhos: [['a b', 'x']] }],
    [{ cabecalhos: [['a', 'x\r\ny: z']] }],
    [{ cabecalhos: [['a', 'x'.repeat(20_000)]] }],
    [{ cabecalhos: Array.from({ length: 65 }, () => ['a', 'b']) }],
    [{ cabecalhos: {} }],
  ])('with %o is not', ([more]) => expect(check(more)).toBe(false));
});

describe('words of an app that the desktop shows', () => {
  const words = 'Apagar?\n\nSim, tudo.';
  test.for([
    ['dialogo.confirmar', { texto: words, sim: 'Sim' }, null],
    ['dialogo.confirmar', { texto: words, sim: 'S\u202eim' }, 'sim'],
    ['dialogo.confirmar', { texto: words, nao: '\u3164' }, 'nao'],
    ['dialogo.perguntar', { texto: `Senha\u202e` }, 'texto'],
    ['dialogo.perguntar', { texto: `Senha${'\n'.repeat(40)}x` }, 'texto'],
    ['dialogo.perguntar', { texto: Array(17).fill('x').join('\n') }, 'texto'],
    ['dialogo.escolher', { texto: words, entre: ['a', 'b\nc'] }, 'entre'],
    ['notificar', { texto: 'Pronto \u{1f469}\u200d\u{1f467}' }, null],
    ['notificar', { texto: '\u200b' }, 'texto'],
  ] as const)('%s with %j: %s', ([verb, args, wrong]) => {
    expect(wrongArgument(verb, args as never)).toBe(wrong);
  });
});
