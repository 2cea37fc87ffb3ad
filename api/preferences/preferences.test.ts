/** Preferences over HTTP: what is kept, what is refused, and two pages at the same time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../schema/limits.ts';
import type { PortalEvent } from '../../schema/wire/events.ts';
import { createPortalWorld, type Answer, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let portal: PortalWorld;
let ana: Browser;
const heard: PortalEvent[] = [];
beforeAll(async () => {
  portal = await createPortalWorld();
  ana = await portal.signedIn('ana');
  portal.bus.onPublish((person, event) => void (person === 'ana' && heard.push(event)));
});
afterAll(() => portal.close());

const path = '/api/preferencias';
const change = (body: unknown, ifMatch?: string, who = ana): Promise<Answer> =>
  who.request(path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', origin: portal.url, ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) },
    body: JSON.stringify(body),
  });

describe('the preferences of a person', () => {
  test('begin empty, are changed field by field, and null takes back what was chosen', async () => {
    const first = await ana.call('GET', path);
    expect([first.status, first.json(), first.headers.etag]).toEqual([200, {}, '"0"']);
    expect((await change({ tema: 'escuro', padroes: { terminal: 'konsole', 'dicionario/v1': 'aurelio' } })).status).toBe(200);
    const second = await change({ tema: null, padroes: { terminal: null, editor: 'bloco' }, fixados: ['notas'] });
    expect(second.json()).toEqual({ padroes: { 'dicionario/v1': 'aurelio', editor: 'bloco' }, fixados: ['notas'] });
    expect(second.headers.etag).toBe('"2"');
    const unchanged = await ana.request(path, { headers: { 'if-none-match': '"2"' } });
    expect(unchanged.status).toBe(304);
    expect((await (await portal.signedIn('bia')).call('GET', path)).json()).toEqual({});
  });

  test('a page that read something else is told, the other one wins nothing by being late', async () => {
    const { etag = '' } = (await ana.call('GET', path)).headers;
    const answers = await Promise.all([change({ idioma: 'en' }, etag), change({ idioma: 'pt' }, etag)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]));
    expect(answers.find(({ status }) => status === 412)?.json()).toMatchObject({ code: 'PREFERENCES_CHANGED' });
    // Without a condition both changes are made.
    expect((await Promise.all([change({ tema: 'claro' }), change({ notificacoes: 'mencoes' })])).map(({ status }) => status)).toEqual([
      200, 200,
    ]);
    expect((await ana.call('GET', path)).json()).toMatchObject({ tema: 'claro', notificacoes: 'mencoes' });
  });

  test('open pages are told, but not where windows of another page are', async () => {
    heard.length = 0;
    const window = { app: 'notas', rota: '', x: 1, y: 2, largura: 300, altura: 200, modo: 'normal', minimizada: false };
    expect((await change({ janelas: [window] })).json()).toMatchObject({ janelas: [window] });
    expect(heard).toEqual([]);
    const { headers } = await change({ fixados: [] });
    expect(heard).toEqual([{ type: 'preferencias', etag: headers.etag }]);
  });

  test.for([
    ['a field that does not exist', { cor: 'azul' }],
    ['a value that does not exist', { tema: 'roxo' }],
    ['an app that can be none', { fixados: ['../x'] }],
    ['a role that does not exist', { padroes: { carteiro: 'notas' } }],
    ['nothing', {}],
    ['a list', []],
    ['a name of the language', { padroes: { ['__proto__']: { terminal: 1 } } }],
    ['too many', { fixados: Array.from({ length: 201 }, (_each, n) => `a${n}`) }],
  ])('%s is refused and changes nothing', async ([, body]) => {
    const before = (await ana.call('GET', path)).text;
    expect((await change(body)).status).toBe(400);
    expect((await ana.call('GET', path)).text).toBe(before);
  });

  test('many small changes come to the limit, and the one that is over it is refused', async () => {
    const bia = await portal.signedIn('bia');
    const host = (n: number): string => `${'x'.repeat(200)}${n}.example`;
    const many = (from: number) => ({
      links: Object.fromEntries(Array.from({ length: 100 }, (_each, n) => [host(from + n), 'navegador'])),
    });
    expect((await change(many(0), undefined, bia)).status).toBe(200);
    const over = await change(
      { ...many(100), tipos: Object.fromEntries(Array.from({ length: 150 }, (_each, n) => [`e${n}`, 'a'.repeat(40)])) },
      undefined,
      bia,
    );
    expect([over.status, over.json()['code']]).toEqual([413, 'TOO_LARGE']);
    expect(Object.keys((await bia.call('GET', path)).json()['links'])).toHaveLength(100);
  });

  test('the largest document, read by a hundred pages at once: one answer for all, and nothing for who has it', async () => {
    const bia = await portal.signedIn('bia');
    const rota = 'r'.repeat(512);
    const janelas = Array.from({ length: 64 }, (_each, n) => {
      return { app: 'notas', rota, x: n, y: n, largura: 300, altura: 200, modo: 'normal', minimizada: false };
    });
    const { headers } = await change({ janelas, links: null }, undefined, bia);
    const { etag = '' } = headers;
    const pages = Array.from({ length: 100 }, () => bia);
    const answers = await Promise.all(pages.map((page) => page.call('GET', path)));
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.headers.etag} ${answer.text.length}`)).size).toBe(1);
    expect([answers[0]?.status, answers[0]?.headers.etag, answers[0]?.json()['janelas']]).toEqual([200, etag, janelas]);
    expect(answers[0]?.text.length).toBeGreaterThan(38_000);
    const known = await Promise.all(pages.map((page) => page.request(path, { headers: { 'if-none-match': etag } })));
    expect(known.map(({ status, text }) => [status, text])).toEqual(pages.map(() => [304, '']));
  });

  test('what a newer svc wrote is kept and not answered; what is damaged is put aside', async () => {
    await portal.store.deletePreferences('ana');
    await portal.store.putPreferences('ana', '{"tema":"claro","futuro":{"a":1}}', 0);
    expect((await change({ tema: 'escuro' })).json()).toEqual({ tema: 'escuro' });
    expect(JSON.parse((await portal.store.preferences('ana'))?.body ?? '')).toEqual({ tema: 'escuro', futuro: { a: 1 } });
    await portal.store.putPreferences('ana', '{"tema":', 2);
    expect((await ana.call('GET', path)).json()).toEqual({});
    expect(await portal.store.value('preferencias-danificadas/ana')).toBe('{"tema":');
  });

  test('the media type of a merge patch is taken as such', async () => {
    const headers = { 'content-type': 'application/merge-patch+json', origin: portal.url };
    const answer = await ana.request(path, { method: 'PATCH', headers, body: '{"tema":"claro"}' });
    expect([answer.status, answer.json()['tema']]).toEqual([200, 'claro']);
  });

  test('a page of another origin changes nothing', async () => {
    const answer = await ana.request(path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', origin: `http://notas.${portal.host}` },
      body: '{"tema":"claro"}',
    });
    expect(answer.status).toBe(403);
  });
});

// The last one: what is left of the person's changes is used up.
test('preferences are changed so often and no more, whichever page does it', async () => {
  const bia = await portal.signedIn('bia');
  let last: Answer;
  let taken = -1;
  do {
    taken += 1;
    last = await change({ tema: taken % 2 === 0 ? 'claro' : 'escuro' }, undefined, bia);
  } while (last.status === 200);
  // The tests above made some changes of this person.
  expect([taken > limits.preferenceChangesBurst - 20, taken <= limits.preferenceChangesBurst]).toEqual([true, true]);
  expect([last.status, last.json()['code'], last.headers['retry-after']]).toEqual([429, 'RATE_LIMITED', '1']);
  expect((await bia.call('GET', path)).json()).toMatchObject({ tema: taken % 2 === 0 ? 'escuro' : 'claro' });
});
