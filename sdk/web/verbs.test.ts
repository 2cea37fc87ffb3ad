import { expect, test } from 'vitest';
import { publicNames, verbNames, verbs, type AnswerOf, type AskedVerb } from '../../schema/bridge/verbs.ts';
import type { Bridge } from './bridge.ts';
import { verbFunctions } from './verbs.ts';

type InTypes<V> = V extends `${infer Group}.${infer Own}` ? (Own extends keyof Group_<Group> ? Group_<Group>[Own] : never) : never;
type Group_<Name> = Name extends keyof Svc ? Svc[Name] : never;
type AnswerInTypes<V> = InTypes<V> extends (...given: never[]) => infer Answer ? Awaited<Answer> : never;
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;
/** `apps.pedir` is answered over a port of its own. */
type Called = Exclude<AskedVerb, 'salas.bilhete' | 'salas.lugar' | 'apps.pedir' | 'metricas.enviar' | 'fila.noticia'>;
/** Does not compile when an answer in svc.d.ts is another one than the desktop's. */
const same: { readonly [V in Called]: Same<AnswerInTypes<V>, AnswerOf<V>> } = new Proxy({} as never, { get: () => true });

test('svc.d.ts has the answer of each verb as the desktop types it', () => {
  expect(verbNames.filter((name) => verbs[name].by === 'shell').every((name) => same[name as Called])).toBe(true);
});

test('what can be called and heard is listed once, without what is the SDK’s own', () => {
  expect(new Set(publicNames).size).toBe(publicNames.length);
  expect(publicNames).toEqual(
    expect.arrayContaining(['capabilities', 'app.ao', 'window.abrir', 'salas.entrar', 'salas.ao', 'abertura', 'tema', 'mudaram']),
  );
  expect(publicNames).not.toContain('salas.bilhete');
  expect(publicNames).not.toContain('salas.lugar');
});

test('arguments go by name, in their place; options come from one object; what is not given is left out', async () => {
  const asked: unknown[] = [];
  const bridge = { ask: async (verbo: string, args: object) => asked.push([verbo, args]) } as unknown as Bridge;
  const { salas, janela } = verbFunctions(bridge, {}) as unknown as Record<
    string,
    Record<string, (...given: unknown[]) => Promise<unknown>>
  >;
  await salas?.['darAcesso']?.('s1', 'bia', 'ver');
  await salas?.['listar']?.();
  await janela?.['abrir']?.({ rota: 'a', outra: 1 });
  await janela?.['abrir']?.();
  expect(asked).toEqual([
    ['salas.darAcesso', { sala: 's1', usuario: 'bia', papel: 'ver' }],
    ['salas.listar', {}],
    ['janela.abrir', { rota: 'a' }],
    ['janela.abrir', {}],
  ]);
});
