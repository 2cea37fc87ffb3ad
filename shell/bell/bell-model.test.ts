import { describe, expect, test, vi } from 'vitest';
import type { ConsentView } from '../../schema/wire/capabilities.ts';
import type { NoticesAnswer, NoticeView } from '../../schema/wire/rooms.ts';
import { createBellModel, waiting } from './bell-model.ts';

const notice = (id: string, lido = false): NoticeView => ({
  id,
  tipo: 'mencao',
  app: 'caderno',
  appNome: 'Caderno',
  sala: 's1',
  salaNome: 'Ata',
  texto: null,
  rota: null,
  trabalho: null,
  de: { usuario: 'bia', nome: 'Bia' },
  papel: null,
  ancora: 'c1',
  em: 1,
  lido,
});
const answer = (...avisos: NoticeView[]): NoticesAnswer => ({ avisos, naoLidos: avisos.filter(({ lido }) => !lido).length });

/** A portal that holds notices, and refuses on demand. */
function world(first: NoticesAnswer) {
  const portal = { now: first, consents: [] as readonly ConsentView[], refuse: false, reads: 0 };
  const said: string[] = [];
  const model = createBellModel(
    {
      read: async () => {
        portal.reads += 1;
        if (portal.refuse) throw new Error('não deu');
        return portal.now;
      },
      consents: async () => portal.consents,
      markRead: async (ids) => {
        if (portal.refuse) throw new Error('não deu');
        portal.now = answer(...portal.now.avisos.map((one) => ({ ...one, lido: one.lido || ids === null || ids.includes(one.id) })));
        return portal.now;
      },
    },
    { notice: (words) => said.push(words), pending: (words) => said.push(words) },
  );
  return { portal, model, said };
}

const asked = (id: string, resposta: ConsentView['resposta']): ConsentView => ({
  id,
  de: 'eco',
  deNome: 'Eco',
  para: 'dicionario',
  paraNome: 'Dicionário',
  capacidade: 'dicionario/v1',
  rotulo: 'Definir palavras',
  resposta,
  em: 1,
});

describe('the bell', () => {
  test('shows and counts what a backend asks, until it is answered, and says it once', async () => {
    const { portal, model, said } = world(answer(notice('1')));
    portal.consents = [asked('a', 'sim')];
    model.refresh();
    await vi.waitFor(() => expect(model.state.get()).toMatchObject({ loaded: true, pendentes: [] }));
    portal.consents = [asked('b', 'pendente'), asked('a', 'sim')];
    model.apply({ type: 'consentimentos' });
    await vi.waitFor(() => expect(model.state.get().pendentes.map(({ id }) => id)).toEqual(['b']));
    expect(waiting(model.state.get())).toBe(2);
    await model.markRead(null);
    expect(waiting(model.state.get())).toBe(1);
    model.apply({ type: 'consentimentos' });
    await vi.waitFor(() => expect(portal.reads).toBe(3));
    expect(said).toEqual(['Eco pede para usar Dicionário: Definir palavras']);
    portal.consents = [asked('b', 'nao')];
    model.apply({ type: 'consentimentos' });
    await vi.waitFor(() => expect(waiting(model.state.get())).toBe(0));
  });

  test('reads again when the portal says so, and says what came; not what was there', async () => {
    const { portal, model, said } = world(answer(notice('1')));
    model.refresh();
    await vi.waitFor(() => expect(model.state.get()).toMatchObject({ loaded: true, naoLidos: 1 }));
    expect(said).toEqual([]);
    portal.now = answer(notice('2'), notice('1'));
    model.apply({ type: 'mudaram', app: 'caderno' });
    model.apply({ type: 'avisos' });
    await vi.waitFor(() => expect(model.state.get().naoLidos).toBe(2));
    expect(said).toEqual(['Novo aviso: Bia mencionou você em “Ata”']);
  });

  test('a storm of events makes one reading in flight and one waiting', async () => {
    const { portal, model } = world(answer());
    for (let n = 0; n < 50; n += 1) model.apply({ type: 'avisos' });
    await vi.waitFor(() => expect(model.state.get().loaded).toBe(true));
    await vi.waitFor(() => expect(portal.reads).toBe(2));
  });

  test('shows a notice as read at once, one or all', async () => {
    const { model } = world(answer(notice('1'), notice('2'), notice('3')));
    model.refresh();
    await vi.waitFor(() => expect(model.state.get().loaded).toBe(true));
    const one = model.markRead(['2', 'foreign']);
    expect(model.state.get()).toMatchObject({ naoLidos: 2, avisos: [{ lido: false }, { lido: true }, { lido: false }] });
    await one;
    await model.markRead(null);
    expect(model.state.get()).toMatchObject({ naoLidos: 0, problem: null });
  });

  test('what the portal refused to mark is unread again after the next reading, and why is said', async () => {
    const { portal, model } = world(answer(notice('1')));
    model.refresh();
    await vi.waitFor(() => expect(model.state.get().loaded).toBe(true));
    portal.refuse = true;
    await model.markRead(['1']);
    expect(model.state.get().problem).toBe('não deu');
    portal.refuse = false;
    model.refresh();
    await vi.waitFor(() => expect(model.state.get()).toMatchObject({ naoLidos: 1, problem: null }));
  });
});
