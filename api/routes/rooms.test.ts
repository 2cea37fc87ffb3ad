/** Rooms over the portal's own HTTP border: a real portal, real requests, an in-memory database. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../rooms/limits.ts';
import { silentRelay } from '../rooms/silent-relay.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let world: PortalWorld;
let ana: Browser;
let bia: Browser;
let id: string;
/** Bytes of the documents of a room. */
let size = 0;
/** Removal of the documents of a room. */
let removal = async (): Promise<void> => undefined;
beforeAll(async () => {
  world = await createPortalWorld({ relay: { ...silentRelay, deleteRoom: () => removal(), sizeOf: async () => size } });
  [ana, bia] = await Promise.all([world.signedIn('ana'), world.signedIn('bia')]);
});
beforeEach(async () => {
  for (const owner of [ana, bia]) {
    const { salas } = (await owner.call('GET', '/api/salas?app=notas')).json();
    for (const { id: old, papel } of salas) if (papel === 'dona') await owner.call('DELETE', `/api/salas/${old}?app=notas`);
  }
  id = (await ana.call('POST', '/api/salas?app=notas', { nome: 'Atas' })).json().id;
});
afterAll(() => world.close());

const asBia = (method: string, path: string, body?: unknown) => bia.call(method, path, body);

describe('rooms', () => {
  test('whoever makes a room owns it, lists it and reads it', async () => {
    const made = await ana.call('POST', '/api/salas?app=notas', { nome: 'Planos' });
    expect(made.status).toBe(201);
    const room = made.json();
    expect(room).toEqual({
      id: expect.stringMatching(/^s[0-9A-Za-z]{21}$/),
      nome: 'Planos',
      app: 'notas',
      dona: 'ana',
      papel: 'dona',
      criadaEm: 1_800_000_000_000,
      mudadaEm: 1_800_000_000_000,
    });
    expect(
      (await ana.call('GET', '/api/salas?app=notas'))
        .json()
        .salas.map((each: { nome: string }) => each.nome)
        .toSorted(),
    ).toEqual(['Atas', 'Planos']);
    // The desktop asks for those of all apps.
    expect((await ana.call('GET', '/api/salas')).json().salas).toContainEqual(room);
    expect((await ana.call('GET', '/api/salas?app=caderno')).json().salas).not.toContainEqual(room);
    expect((await ana.call('GET', `/api/salas/${room.id}?app=notas`)).json()).toEqual({
      sala: room,
      pessoas: [
        {
          usuario: 'ana',
          nome: 'Ana Souza',
          login: 'ana',
          iniciais: 'AS',
          papel: 'dona',
          porNome: 'dona',
          porGrupos: [],
          declarada: false,
        },
      ],
      grupos: [],
    });
    expect((await ana.call('GET', '/api/salas?app=relogio')).json()).toEqual({ salas: [] });
    expect((await asBia('GET', '/api/salas?app=notas')).json()).toEqual({ salas: [] });
  });

  test.for(['Ata\u202e', 'Ata\u0085', 'A\u2028B', 'A\u061c', 'A\u{e0041}', '\u3164', '\u200b', 'A\ud800', ' Ata'])(
    'none is called %j, made or renamed',
    async (nome) => {
      const refused = [
        await ana.call('POST', '/api/salas?app=notas', { nome }),
        await ana.call('PATCH', `/api/salas/${id}?app=notas`, { nome }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([400, 400]);
    },
  );

  test('a person in by name and by group keeps the better role; leaving as a person they stay by group', async () => {
    const role = async () => (await ana.call('GET', '/api/salas?app=notas')).json().salas[0]?.papel;
    const own = (await asBia('POST', '/api/salas?app=notas', { nome: 'Da Bia' })).json().id;
    await ana.call('DELETE', `/api/salas/${id}?app=notas`);
    expect((await asBia('PUT', `/api/salas/${own}/pessoas/ana?app=notas`, { papel: 'editar' })).json()).toMatchObject({ papel: 'editar' });
    expect((await asBia('PUT', `/api/salas/${own}/grupos/editores?app=notas`, { papel: 'ver' })).json()).toEqual({
      grupo: 'editores',
      papel: 'ver',
      pessoas: 1,
      declarado: false,
    });
    expect(await role()).toBe('editar');
    expect((await asBia('GET', `/api/salas/${own}?app=notas`)).json().pessoas).toMatchObject([
      { usuario: 'bia', papel: 'dona' },
      { usuario: 'ana', papel: 'editar', porNome: 'editar', porGrupos: ['editores'] },
    ]);
    // An invitation's count at the bell goes with the role.
    const heard: string[] = [];
    onTestFinished(world.bus.onPublish((person, { type }) => type === 'avisos' && heard.push(person)));
    expect((await ana.call('DELETE', `/api/salas/${own}/pessoas/ana?app=notas`)).status).toBe(204);
    expect([await role(), heard.splice(0)]).toEqual(['ver', ['ana']]);
    expect((await asBia('DELETE', `/api/salas/${own}/grupos/editores?app=notas`)).status).toBe(204);
    expect(heard).toEqual(['ana']);
    expect(await role()).toBeUndefined();
  });

  test('a room of another app, one that is not mine and one that never was answer byte for byte alike', async () => {
    const unknown = 's000000000000000000000';
    const bodies = new Set<string>();
    const ask = async (browser: Browser, method: string, path: string, body?: unknown): Promise<void> => {
      const answer = await browser.call(method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
      bodies.add(answer.text);
    };
    for (const [browser, room, app] of [
      [ana, unknown, 'notas'],
      [ana, id, 'relogio'],
      [bia, id, 'notas'],
      [bia, id, 'relogio'],
    ] as const) {
      await ask(browser, 'GET', `/api/salas/${room}?app=${app}`);
      await ask(browser, 'PATCH', `/api/salas/${room}?app=${app}`, { nome: 'x' });
      await ask(browser, 'DELETE', `/api/salas/${room}?app=${app}`);
      await ask(browser, 'PUT', `/api/salas/${room}/pessoas/bia?app=${app}`, { papel: 'ver' });
      await ask(browser, 'DELETE', `/api/salas/${room}/pessoas/bia?app=${app}`);
      await ask(browser, 'PUT', `/api/salas/${room}/grupos/editores?app=${app}`, { papel: 'ver' });
      await ask(browser, 'DELETE', `/api/salas/${room}/grupos/editores?app=${app}`);
      if (browser === ana) await ask(browser, 'POST', `/api/salas/${room}/bilhete?app=${app}`, {});
    }
    expect(bodies.size).toBe(1);
  });

  const binOf = async (who: Browser, app = 'notas'): Promise<readonly { id: string; ate: number; apagadaEm: number }[]> =>
    (await who.call('GET', `/api/salas/apagadas?app=${app}`)).json().salas.filter((each: { id: string }) => each.id === id);
  const shows = async (who: Browser) =>
    (await who.call('GET', '/api/salas?app=notas')).json().salas.some((room: { id: string }) => room.id === id);

  test('one that is deleted is in the bin of its owner, for nobody else, and comes back with who was in it', async () => {
    await ana.call('PUT', `/api/salas/${id}/pessoas/bia?app=notas`, { papel: 'comentar' });
    const heard: string[] = [];
    onTestFinished(world.bus.onPublish((person, { type }) => heard.push(`${person} ${type}`)));
    const others = vi.spyOn(world.bus, 'tellOthers');
    onTestFinished(() => others.mockRestore());
    expect((await asBia('DELETE', `/api/salas/${id}?app=notas`)).status).toBe(403);
    expect((await ana.call('DELETE', `/api/salas/${id}?app=notas`)).status).toBe(204);
    expect(others.mock.calls).toEqual([[{ kind: 'room-binned', id }]]);
    expect(heard.toSorted()).toEqual(['ana avisos', 'ana mudaram', 'bia avisos', 'bia mudaram']);
    expect([await shows(ana), await shows(bia)]).toEqual([false, false]);
    const [{ apagadaEm, ate, ...about }] = (await binOf(ana)) as [{ id: string; ate: number; apagadaEm: number }];
    expect([about, ate - apagadaEm]).toEqual([{ id, nome: expect.any(String), app: 'notas' }, 30 * 24 * 60 * 60_000]);
    expect([await binOf(bia), await binOf(ana, 'relogio')]).toEqual([[], []]);
    for (const path of [`/api/salas/apagadas/${id}/recuperar?app=relogio`, `/api/salas/apagadas/s${'A'.repeat(21)}/recuperar?app=notas`])
      expect((await ana.call('POST', path)).status).toBe(404);
    expect((await asBia('POST', `/api/salas/apagadas/${id}/recuperar?app=notas`)).status).toBe(404);
    expect((await asBia('DELETE', `/api/salas/apagadas/${id}?app=notas`)).status).toBe(404);
    expect((await ana.call('POST', `/api/salas/apagadas/${id}/recuperar?app=notas`)).json()).toMatchObject({ id, papel: 'dona' });
    expect([await shows(ana), await shows(bia), await binOf(ana)]).toEqual([true, true, []]);
    expect((await ana.call('GET', `/api/salas/${id}?app=notas`)).json().pessoas).toMatchObject([
      { usuario: 'ana' },
      { usuario: 'bia', papel: 'comentar' },
    ]);
  });

  test('one that goes for good is gone, also when its documents can not be removed now', async () => {
    await ana.call('DELETE', `/api/salas/${id}?app=notas`);
    const others = vi.spyOn(world.bus, 'tellOthers');
    removal = async () => await Promise.reject(new SvcError('STORE_FAILED', 'the log can not be written'));
    onTestFinished(() => {
      others.mockRestore();
      removal = async () => undefined;
    });
    expect((await ana.call('DELETE', `/api/salas/apagadas/${id}?app=notas`)).json().code).toBe('STORE_FAILED');
    expect(others.mock.calls).toEqual([[{ kind: 'room-deleted', id }]]);
    expect([await shows(ana), await binOf(ana), await world.store.rooms.deletedRooms()]).toEqual([false, [], expect.arrayContaining([id])]);
  });

  test('a ticket says whom it lets in, and null for who is not in', async () => {
    expect((await ana.call('POST', `/api/salas/${id}/bilhete?app=notas`, { app: 'notas' })).json()).toEqual({
      usuario: 'ana',
      bilhete: expect.stringMatching(/^[\w-]{100,1024}$/),
      caminho: `/ws/salas/${id}`,
      papel: 'dona',
      anexos: true,
    });
    const outside = await asBia('POST', `/api/salas/${id}/bilhete?app=notas`, {});
    expect(outside.status).toBe(200);
    expect(outside.json()).toEqual({ usuario: 'bia', bilhete: null, caminho: `/ws/salas/${id}`, papel: null, anexos: true });
    expect((await ana.call('POST', `/api/salas/${id}/bilhete?app=notas`, { app: 'relogio' })).status).toBe(404);
  });

  const bellOf = async (who: Browser): Promise<readonly string[]> =>
    (await who.call('GET', '/api/avisos'))
      .json()
      .avisos.filter(({ sala }: { sala: string | null }) => sala === id)
      .map((each: { tipo: string; papel: string; de: { usuario: string } }) => `${each.tipo} ${each.papel} ${each.de.usuario}`);

  // Source: rules 4.3 `tirarAcesso`, 5 rule 5: anyone removes self; 2.4: a room has one owner.
  test('the owner leaves: the room goes to a person in it whose space takes it, and with the last one it is gone', async () => {
    const leave = async (who: Browser, name: string) => (await who.call('DELETE', `/api/salas/${id}/pessoas/${name}?app=notas`)).status;
    const owner = async (who: Browser) => (await who.call('GET', `/api/salas/${id}?app=notas`)).json().sala?.dona;
    await ana.call('PUT', `/api/salas/${id}/pessoas/bia?app=notas`, { papel: 'ver' });
    size = 2 * 1_024 ** 3 + 1;
    expect([await leave(ana, 'ana'), await owner(bia)]).toEqual([409, 'ana']);
    size -= 1;
    const heard: string[] = [];
    onTestFinished(world.bus.onPublish((person, { type }) => type === 'mudaram' && heard.push(person)));
    expect([await leave(ana, 'ana'), await owner(ana), await owner(bia), heard]).toEqual([204, undefined, 'bia', ['ana', 'bia']]);
    expect(await bellOf(bia)).toEqual(['convite dona ana']);
    expect([await leave(bia, 'bia'), await owner(bia)]).toEqual([204, undefined]);
    expect((await world.store.rooms.binnedBefore(Number.MAX_SAFE_INTEGER)).includes(id)).toBe(true);
  });

  test('the owner hands the room over to a person in it whose space takes it, and stays as one who writes', async () => {
    const handOver = async (who: Browser, usuario: string) =>
      (await who.call('PUT', `/api/salas/${id}/dona?app=notas`, { usuario })).json();
    expect((await handOver(ana, 'bia')).code).toBe('NOT_FOUND');
    await ana.call('PUT', `/api/salas/${id}/pessoas/bia?app=notas`, { papel: 'ver' });
    size = 2 * 1_024 ** 3 + 1;
    expect((await handOver(ana, 'bia')).code).toBe('CONFLICT');
    size -= 1;
    const heard: string[] = [];
    onTestFinished(world.bus.onPublish((person, { type }) => type === 'mudaram' && heard.push(person)));
    const { sala, pessoas } = await handOver(ana, 'bia');
    expect(await bellOf(bia)).toEqual(['convite dona ana']);
    expect([sala.dona, sala.papel, heard]).toEqual(['bia', 'editar', ['ana', 'bia']]);
    expect(pessoas.map(({ usuario, papel }: { usuario: string; papel: string }) => [usuario, papel])).toEqual([
      ['bia', 'dona'],
      ['ana', 'editar'],
    ]);
    expect((await handOver(ana, 'ana')).code).toBe('FORBIDDEN');
    expect((await handOver(bia, 'ana')).sala.dona).toBe('ana');
  });

  test('the owner is told what can not be', async () => {
    expect((await ana.call('PUT', `/api/salas/${id}/pessoas/ana?app=notas`, { papel: 'ver' })).json().code).toBe('CONFLICT');
    expect((await ana.call('PUT', `/api/salas/${id}/pessoas/nobody?app=notas`, { papel: 'ver' })).status).toBe(404);
    expect((await ana.call('PUT', `/api/salas/${id}/grupos/nobody?app=notas`, { papel: 'ver' })).status).toBe(404);
    expect((await ana.call('PUT', `/api/salas/${id}/pessoas/bia?app=notas`, { papel: 'dona' })).status).toBe(400);
    expect((await ana.call('POST', '/api/salas?app=other', { nome: 'x' })).status).toBe(404);
    for (const nome of ['', ' x', 'x ', 'a\nb', 'x'.repeat(121)]) {
      expect((await ana.call('POST', '/api/salas?app=notas', { nome })).status).toBe(400);
    }
  });
});

test('one person changes so much at once, and is told when to go on', async () => {
  const clock = world.clock as ManualClock;
  clock.advance(10 * 60_000);
  for (let n = 0; n < limits.roomChangesBurst; n += 1) await ana.call('DELETE', `/api/salas/${id}/pessoas/bia?app=notas`);
  const held = await ana.call('DELETE', `/api/salas/${id}/pessoas/bia?app=notas`);
  expect([held.status, held.headers['retry-after'], held.json().code]).toEqual([429, '1', 'RATE_LIMITED']);
  expect((await asBia('POST', '/api/salas?app=notas', { nome: 'x' })).status).toBe(201);
  clock.advance(limits.roomChangeRefillMs);
  expect((await ana.call('DELETE', `/api/salas/${id}/pessoas/bia?app=notas`)).status).toBe(204);
  clock.advance(10 * 60_000);
});

describe('people', () => {
  test('are found by the beginning of a word, without accents and case; never with an e-mail', async () => {
    expect((await asBia('GET', '/api/pessoas?busca=SOU')).json()).toEqual({
      pessoas: [{ usuario: 'ana', nome: 'Ana Souza', login: 'ana', iniciais: 'AS' }],
      grupos: [],
    });
    expect((await asBia('GET', '/api/pessoas?busca=edi')).json()).toEqual({ pessoas: [], grupos: [{ grupo: 'editores', pessoas: 1 }] });
    expect((await asBia('GET', '/api/pessoas?busca=')).json()).toEqual({ pessoas: [], grupos: [] });
    expect((await ana.call('GET', '/api/pessoas/eu')).json()).toEqual({
      usuario: 'ana',
      nome: 'Ana Souza',
      login: 'ana',
      iniciais: 'AS',
      grupos: ['editores'],
    });
  });
});
