/** The bell over the portal's own HTTP border. */
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let world: PortalWorld;
let ana: Browser;
let bia: Browser;
let id: string;
beforeAll(async () => {
  world = await createPortalWorld();
  [ana, bia] = await Promise.all([world.signedIn('ana'), world.signedIn('bia')]);
});
beforeEach(async () => {
  await Promise.all([ana.call('DELETE', '/api/avisos'), bia.call('DELETE', '/api/avisos')]);
  id = (await ana.call('POST', '/api/salas?app=notas', { nome: 'Atas' })).json().id;
});
afterAll(() => world.close());

const letIn = (papel: string) => ana.call('PUT', `/api/salas/${id}/pessoas/bia?app=notas`, { papel });
const send = (from: Browser, body: unknown) => from.call('POST', `/api/salas/${id}/avisos?app=notas`, body);
const bell = async (of: Browser) => (await of.call('GET', '/api/avisos')).json();
const mention = { tipo: 'mencao', para: ['bia'], ancora: 'c_1-A' };

test('an invitation comes with a new role and with another one, not with the same one again', async () => {
  await letIn('ver');
  const first = await bell(bia);
  expect(first).toEqual({
    avisos: [
      {
        id: expect.stringMatching(/^[\w-]{22}$/),
        tipo: 'convite',
        app: 'notas',
        appNome: 'notas',
        sala: id,
        salaNome: 'Atas',
        texto: null,
        rota: null,
        trabalho: null,
        de: { usuario: 'ana', nome: 'Ana Souza' },
        papel: 'ver',
        ancora: null,
        em: 1_800_000_000_000,
        lido: false,
      },
    ],
    naoLidos: 1,
  });
  await bia.call('POST', '/api/avisos/lidos', { ids: null });
  await letIn('ver');
  expect((await bell(bia)).naoLidos).toBe(0);
  await letIn('editar');
  expect(await bell(bia)).toMatchObject({ avisos: [{ papel: 'editar', lido: false }], naoLidos: 1 });
  expect(await bell(ana)).toEqual({ avisos: [], naoLidos: 0 });
});

test('a group is invited one by one, but for who did it', async () => {
  const own = (await bia.call('POST', '/api/salas?app=notas', { nome: 'Da Bia' })).json().id;
  await bia.call('PUT', `/api/salas/${own}/grupos/editores?app=notas`, { papel: 'comentar' });
  expect(await bell(ana)).toMatchObject({ avisos: [{ tipo: 'convite', sala: own, papel: 'comentar', de: { usuario: 'bia' } }] });
  expect((await bell(bia)).avisos).toEqual([]);
});

test('a notice reaches people in the room, once for each anchor, whatever the kind', async () => {
  expect((await send(ana, mention)).json()).toEqual({ enviados: [] });
  expect((await bell(bia)).avisos).toEqual([]);
  await letIn('comentar');
  expect((await send(ana, { ...mention, para: ['bia', 'ana', 'nobody', 'bia'] })).json()).toEqual({ enviados: ['bia'] });
  expect((await send(ana, mention)).json()).toEqual({ enviados: ['bia'] });
  expect((await send(ana, { ...mention, tipo: 'comentario' })).json()).toEqual({ enviados: ['bia'] });
  const kinds = (await bell(bia)).avisos.map(({ tipo, ancora }: { tipo: string; ancora: string }) => `${tipo} ${ancora}`);
  expect(kinds.toSorted()).toEqual(['convite null', 'mencao c_1-A']);
  expect((await send(bia, { ...mention, para: ['ana'] })).json()).toEqual({ enviados: ['ana'] });
});

test.for([
  { ...mention, ancora: 'a b' },
  { ...mention, ancora: '' },
  { ...mention, ancora: 'x'.repeat(65) },
  { ...mention, tipo: 'convite' },
  { ...mention, para: [] },
  { ...mention, texto: 'free text' },
])('refused: %j', async (body) => {
  expect((await send(ana, body)).status).toBe(400);
});

test('each person reads and deletes their own', async () => {
  await letIn('editar');
  await send(ana, mention);
  const [{ id: one }] = (await bell(bia)).avisos;
  await ana.call('POST', '/api/avisos/lidos', { ids: [one] });
  await ana.call('DELETE', `/api/avisos/${one}`);
  expect((await bell(bia)).naoLidos).toBe(2);
  expect((await bia.call('POST', '/api/avisos/lidos', { ids: [one, 'A'.repeat(22)] })).json()).toMatchObject({ naoLidos: 1 });
  expect((await bia.call('DELETE', `/api/avisos/${one}`)).status).toBe(204);
  expect((await bell(bia)).avisos).toHaveLength(1);
  expect((await bia.call('DELETE', '/api/avisos')).status).toBe(204);
  expect((await bell(bia)).avisos).toEqual([]);
});

test('who was taken out hears no more of the room, nor how it is called', async () => {
  await letIn('editar');
  await ana.call('DELETE', `/api/salas/${id}/pessoas/bia?app=notas`);
  await ana.call('PATCH', `/api/salas/${id}?app=notas`, { nome: 'Secreto' });
  expect(await bell(bia)).toEqual({ avisos: [], naoLidos: 0 });
});

test('pages hear of it at once', async () => {
  const socket = bia.socket('/ws/events');
  const heard: string[] = [];
  socket.on('message', (data: Buffer) => {
    const { type, app } = JSON.parse(data.toString()) as { type: string; app?: string };
    heard.push(app === undefined ? type : `${type} ${app}`);
  });
  await once(socket, 'message');
  const hearing = async (act: () => Promise<unknown>): Promise<string[]> => {
    heard.length = 0;
    await act();
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    return heard.toSorted();
  };
  expect(await hearing(() => letIn('editar'))).toContain('mudaram notas');
  expect(await hearing(() => send(ana, mention))).toContain('avisos');
  expect(await hearing(() => ana.call('PATCH', `/api/salas/${id}?app=notas`, { nome: 'Outra' }))).toContain('mudaram notas');
  expect(await hearing(() => ana.call('DELETE', `/api/salas/${id}/pessoas/bia?app=notas`))).toContain('mudaram notas');
  await letIn('ver');
  expect(await hearing(() => ana.call('DELETE', `/api/salas/${id}?app=notas`))).toContain('mudaram notas');
  socket.terminate();
});

describe('what an app tells its own person', () => {
  const tell = (body: object, of = ana) => of.call('POST', '/api/avisos', { app: 'notas', texto: 'Pronto', ...body });

  test('is in their bell, and in no other', async () => {
    expect((await tell({ rota: 'nota/1' })).status).toBe(201);
    expect(await bell(ana)).toMatchObject({
      avisos: [{ tipo: 'aplicativo', app: 'notas', sala: null, salaNome: null, texto: 'Pronto', rota: 'nota/1', de: { usuario: 'ana' } }],
      naoLidos: 1,
    });
    expect(await bell(bia)).toEqual({ avisos: [], naoLidos: 0 });
  });

  test.for([
    [{ app: 'nenhum' }, 404],
    [{ texto: '' }, 400],
    [{ texto: 'x'.repeat(201) }, 400],
    [{ texto: 'a\nb' }, 400],
    [{ rota: '../x' }, 400],
    [{ rota: 'https://fora.example' }, 400],
    [{ para: 'bia' }, 400],
  ] as const)('%j is refused with %i', async ([body, status]) => {
    expect((await tell(body)).status).toBe(status);
    expect((await bell(ana)).avisos).toEqual([]);
  });

  test('comes ten at once, then every six seconds; another app has its own measure', async () => {
    const answers = [];
    for (let n = 0; n < 11; n += 1) answers.push((await tell({ app: 'relogio' }, bia)).status);
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 201), 429]);
    expect((await tell({}, bia)).status).toBe(201);
  });
});
