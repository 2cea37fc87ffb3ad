import { describe, expect, test } from 'vitest';
import type { ConsentBody, ConsentView } from '../../schema/wire/capabilities.ts';
import { CallRefused, type PortalCall } from '../session/capabilities-api.ts';
import { callOtherApp, decide, heedConsents, type CallDeps } from './call.ts';
import { createQuestions, type Decision } from './questions.ts';

const capacidade = 'dicionario/v1';
const offer = (app: string): { app: string; nome: string; rotulo: string } => ({ app, nome: app, rotulo: app });
const call: PortalCall = { de: 'leitor', capacidade, caminho: '/x', metodo: 'GET', cabecalhos: [], corpo: null, para: null, uso: null };
const needed = (app: string): CallRefused => new CallRefused(403, { code: 'CONSENT_NEEDED', oferta: offer(app) });
const choice = (...apps: string[]): CallRefused => new CallRefused(409, { code: 'PROVIDER_CHOICE', ofertas: apps.map(offer) });

interface World extends CallDeps {
  readonly asked: PortalCall[];
  readonly said: ConsentBody[];
  readonly preferred: string[];
}

/** A portal that gives these answers one after the other, and a person who says this to every question. */
function world(answers: readonly (CallRefused | Response)[], decision: Decision, kept: readonly Partial<ConsentView>[] = []): World {
  const left = [...answers];
  const asked: PortalCall[] = [];
  const said: ConsentBody[] = [];
  const preferred: string[] = [];
  const questions = createQuestions(() => 0);
  const deps: World = {
    asked,
    said,
    preferred,
    portal: async (one) => {
      asked.push(one);
      const next = left.shift();
      if (next instanceof Response) return Promise.resolve(next);
      throw next ?? new Error('asked once too often');
    },
    consents: async () => Promise.resolve(kept as readonly ConsentView[]),
    consent: async (body) =>
      Promise.resolve((said.push(body), { id: null, uso: body.duracao === 'uma-vez' ? `passe-${said.length}` : null })),
    prefer: async (_, app) => Promise.resolve(void preferred.push(app)),
    questions,
    waiting: () => () => undefined,
  };
  questions.shown.subscribe(() => {
    const question = questions.shown.get();
    if (question !== null) queueMicrotask(() => void decide(deps, question, decision));
  });
  return deps;
}

const run = async (deps: CallDeps): Promise<unknown> =>
  await callOtherApp(deps, call, new AbortController().signal).then(
    ({ status }) => status,
    (error: unknown) => (error as CallRefused).code,
  );
const yes = (para: string, duracao: 'sempre' | 'uma-vez'): Decision => ({ kind: 'sim', para, duracao });

describe('a call that needs the consent of the person', () => {
  test('is made again after a yes, which is kept', async () => {
    const deps = world([needed('dicionario'), new Response('')], yes('dicionario', 'sempre'));
    expect(await run(deps)).toBe(200);
    expect(deps.said).toEqual([{ de: 'leitor', para: 'dicionario', capacidade, resposta: 'sim', duracao: 'sempre' }]);
    expect(deps.asked[1]).toMatchObject({ para: 'dicionario', uso: null });
    expect(deps.preferred).toEqual([]);
  });

  test('carries a pass after a yes for once: each of two that waited its own', async () => {
    const deps = world([needed('dicionario'), needed('dicionario'), new Response(''), new Response('')], yes('dicionario', 'uma-vez'));
    expect(await Promise.all([run(deps), run(deps)])).toEqual([200, 200]);
    expect(deps.asked.slice(2).map(({ uso }) => uso)).toEqual(['passe-1', 'passe-2']);
  });

  test('is refused after a no, which is kept', async () => {
    const deps = world([needed('dicionario')], { kind: 'nao' });
    expect(await run(deps)).toBe('CONSENT_REFUSED');
    expect(deps.said.map(({ resposta }) => resposta)).toEqual(['nao']);
  });

  test('is refused when the question was closed, and nothing is kept', async () => {
    const deps = world([needed('dicionario')], { kind: 'fechada' });
    expect(await run(deps)).toBe('CONSENT_NEEDED');
    expect(deps.said).toEqual([]);
  });
});

describe('several providers', () => {
  test('the one that is chosen for always becomes the default', async () => {
    const deps = world([choice('dicionario', 'glossario'), new Response('')], yes('glossario', 'sempre'));
    expect(await run(deps)).toBe(200);
    expect(deps.asked[1]).toMatchObject({ para: 'glossario' });
    expect(deps.preferred).toEqual(['glossario']);
  });

  test('the only one that the person did not refuse is asked without a choice', async () => {
    const refused = { de: 'leitor', para: 'dicionario', capacidade, resposta: 'nao' } as const;
    const deps = world([choice('dicionario', 'glossario'), new Response('')], { kind: 'fechada' }, [refused]);
    expect(await run(deps)).toBe(200);
    expect(deps.asked[1]).toMatchObject({ para: 'glossario' });
  });

  test.for([
    ['fechada', 'CONSENT_NEEDED', 'the person has not said yet whether to let leitor use dicionario/v1 of another app'],
    ['nao', 'CONSENT_REFUSED', 'the person does not let leitor use dicionario/v1 of another app'],
  ] as const)('after %s the page is told what the person did, not that there are several', async ([kind, code, message]) => {
    const deps = world([choice('dicionario', 'glossario')], { kind });
    await expect(callOtherApp(deps, call, new AbortController().signal)).rejects.toMatchObject({ status: 403, code, message });
  });

  test('a no is for all of them, and they are not offered again', async () => {
    const deps = world([choice('dicionario', 'glossario')], { kind: 'nao' });
    expect(await run(deps)).toBe('CONSENT_REFUSED');
    expect(deps.said.map(({ para }) => para)).toEqual(['dicionario', 'glossario']);
    const kept = deps.said.map(({ de, para }) => ({ de, para, capacidade, resposta: 'nao' as const }));
    expect(await run(world([choice('dicionario', 'glossario')], yes('glossario', 'sempre'), kept))).toBe('CONSENT_REFUSED');
  });
});

test('without a provider the answer is 404 and names the capability; what else the portal refuses is refused', async () => {
  const nobody = world([new CallRefused(404, { code: 'CAPABILITY_UNKNOWN', detail: 'no installed app offers it' })], { kind: 'fechada' });
  const answer = await callOtherApp(nobody, call, new AbortController().signal);
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { status: 404, code: 'CAPABILITY_UNKNOWN', error: 'no installed app offers it', capacidade: 'dicionario/v1' },
  ]);
  expect(await run(world([new CallRefused(403, { code: 'CAPABILITY_UNDECLARED' })], { kind: 'fechada' }))).toBe('CAPABILITY_UNDECLARED');
});

test('a portal that asks again and again is not asked without end', async () => {
  const deps = world(
    Array.from({ length: 9 }, () => needed('dicionario')),
    yes('dicionario', 'sempre'),
  );
  expect(await run(deps)).toBe('CONSENT_NEEDED');
  expect(deps.asked).toHaveLength(4);
});

describe('what the person said in another page', () => {
  const row = (de: string, para: string, resposta: ConsentView['resposta']): Partial<ConsentView> => ({ de, para, capacidade, resposta });
  const silent = (answers: readonly (CallRefused | Response)[], kept: readonly Partial<ConsentView>[]) => {
    const deps = world(answers, { kind: 'nao' }, kept);
    return { ...deps, questions: createQuestions(() => 0) };
  };
  test.for([
    ['a yes lets the call through', row('leitor', 'dicionario', 'sim'), 200],
    ['a no refuses it', row('leitor', 'dicionario', 'nao'), 'CONSENT_REFUSED'],
  ] as const)('%s, and the question is taken away', async ([, kept, outcome]) => {
    const deps = silent([needed('dicionario'), new Response('')], [kept]);
    const done = run(deps);
    await expect.poll(() => deps.questions.open().length).toBe(1);
    await heedConsents(deps);
    expect([await done, deps.questions.shown.get(), deps.said]).toEqual([outcome, null, []]);
  });

  test.for([
    ['about another app', needed('dicionario'), row('outro', 'dicionario', 'sim')],
    ['about another provider', needed('dicionario'), row('leitor', 'outro', 'sim')],
    ['as a question of a backend', needed('dicionario'), row('leitor', 'dicionario', 'pendente')],
    ['long ago, about one of several', choice('dicionario', 'outro'), row('leitor', 'dicionario', 'sim')],
  ] as const)('%s: leaves the question open', async ([, refused, kept]) => {
    const deps = silent([refused], [kept]);
    void run(deps);
    await expect.poll(() => deps.questions.open().length).toBe(1);
    await heedConsents(deps);
    expect(deps.questions.open()).toHaveLength(1);
  });
});
