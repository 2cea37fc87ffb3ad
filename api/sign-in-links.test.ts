/** The one-time link: who may lead a browser to it, and what refused ones cost others. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPortalWorld, navigation, type PortalWorld } from './testing/portal-world.ts';

let portal: PortalWorld;

beforeAll(async () => {
  portal = await createPortalWorld();
});
afterAll(async () => await portal.close());

describe('the address in the list of sessions', () => {
  test.for([
    [[], '127.0.0.1', 1],
    [['127.0.0.1/32'], '192.0.2.9', 0],
  ] as const)('behind the proxies %j is %s', async ([trustedProxies, address, warnings]) => {
    const own = await createPortalWorld({ trustedProxies });
    try {
      const browser = own.browser();
      const link = (await own.portal.signInLink('ana')).slice(own.url.length);
      for (let count = 0; count < 2; count += 1) {
        await browser.request(count === 0 ? link : '/', { headers: { ...navigation, 'x-forwarded-for': '198.51.100.1, 192.0.2.9' } });
      }
      expect((await browser.call('GET', '/api/sessoes')).json()).toMatchObject({ sessoes: [{ address }] });
      expect(own.logLines.filter((line) => line.includes('X-Forwarded-For'))).toHaveLength(warnings);
    } finally {
      await own.close();
    }
  });
});

describe('what another page may make a browser send', () => {
  const unknown = 'x'.repeat(43);

  test('bad passes keep nobody out: not from a link, nor from an app that is not open yet', async () => {
    const own = await createPortalWorld();
    try {
      const ana = await own.signedIn('ana');
      for (let count = 0; count < 25; count += 1) {
        expect((await own.browser().call('POST', '/api/sessao', { passe: unknown })).json()).toMatchObject({ code: 'PASS_REFUSED' });
        expect((await own.browser().call('POST', '/api/sessao/link', { passe: unknown })).json()).toMatchObject({ code: 'PASS_REFUSED' });
        const led = await own.browser().request(`/?passe=${unknown}`, { headers: navigation });
        expect([led.status, led.headers.location]).toEqual([302, '/?entrada=PASS_REFUSED']);
        const headers = { ...navigation, host: own.appHost('notas'), cookie: `__Host-svc-ida=${unknown}` };
        expect((await own.browser().request(`/__svc/entrar?passe=${unknown}`, { headers })).status).toBe(401);
      }
      // An app that is not open yet: its origin asks, the portal answers with a pass, which is taken.
      const headers = { ...navigation, host: own.appHost('notas') };
      const asked = await ana.request('/x', { headers });
      const given = await ana.request((asked.headers.location ?? '').slice(own.url.length), { headers: navigation });
      const taken = await ana.request((given.headers.location ?? '').slice(`http://${own.appHost('notas')}`.length), { headers });
      expect([taken.status, taken.headers.location, taken.headers['set-cookie']?.length]).toEqual([302, '/x', 2]);
      const link = (await own.portal.signInLink('bia')).slice(own.url.length);
      expect((await own.browser().request(link, { headers: navigation })).status).toBe(302);
    } finally {
      await own.close();
    }
  });

  const [nobody, same, other] = ['nobody', 'the same person', 'another person'] as const;
  test.for([
    ['none', nobody, 'in'],
    ['none', same, 'in'],
    ['none', other, 'asked'],
    ['cross-site', nobody, 'asked'],
    ['cross-site', same, 'asked'],
    ['cross-site', other, 'asked'],
    ['same-origin', nobody, 'asked'],
    ['same-site', nobody, 'refused'],
    ['same-site', same, 'refused'],
    ['same-site', other, 'refused'],
    [undefined, nobody, 'asked'],
    [undefined, other, 'asked'],
  ] as const)('a sign-in link that %s led to, where %s is signed in: %s', async ([site, who, verdict]) => {
    const browser = who === nobody ? portal.browser() : await portal.signedIn(who === same ? 'bia' : 'ana');
    const link = new URL(await portal.portal.signInLink('bia'));
    const { 'sec-fetch-site': _, ...headers } = navigation;
    const led = await browser.request(link.pathname + link.search, {
      headers: site === undefined ? headers : { ...headers, 'sec-fetch-site': site },
    });
    expect([led.status, led.headers.location, led.headers['set-cookie']?.length]).toEqual(
      { in: [302, '/', 1], asked: [200, undefined, undefined], refused: [302, '/?entrada=LINK_FROM_APP', undefined] }[verdict],
    );
    if (verdict === 'in') return;
    // It was not used up: whose it is can be asked, and the shell's own page may take it.
    const passe = link.searchParams.get('passe') ?? '';
    expect((await browser.call('POST', '/api/sessao/link', { passe })).json()).toEqual({
      usuario: 'bia',
      nome: expect.any(String) as string,
      admin: false,
    });
    expect((await browser.call('GET', '/api/sessao')).status).toBe(who === nobody ? 401 : 200);
    const forged = await browser.request('/api/sessao', {
      method: 'POST',
      headers: { origin: `http://${portal.appHost('notas')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ passe }),
    });
    expect([forged.status, forged.json()['code']]).toEqual([403, 'CROSS_ORIGIN']);
    expect((await browser.call('POST', '/api/sessao', { passe })).json()).toMatchObject({ usuario: 'bia' });
  });

  test('in a frame a link is no sign-in', async () => {
    const framed = { ...navigation, 'sec-fetch-dest': 'iframe' };
    const link = (await portal.portal.signInLink('bia')).slice(portal.url.length);
    const led = await portal.browser().request(link, { headers: framed });
    expect([led.status, led.headers['set-cookie']]).toEqual([200, undefined]);
  });

  test('what a page that was loaded for one person asks is not done for another', async () => {
    const browser = await portal.signedIn('bia');
    const asked = (method: string, path: string, person: string) =>
      browser.request(path, { method, headers: { origin: portal.url, 'svc-pessoa': person } });
    expect((await asked('GET', '/api/apps', 'bia')).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/api/apps'],
      ['POST', '/api/apps/notas/stop'],
      ['DELETE', '/api/sessao'],
    ] as const) {
      const answer = await asked(method, path, 'ana');
      expect([answer.status, answer.json()['code']]).toEqual([409, 'OTHER_PERSON']);
    }
    expect((await browser.call('GET', '/api/sessao')).json()).toMatchObject({ usuario: 'bia' });
    const refused = async (pessoa: string) =>
      await new Promise((resolve) => {
        const socket = browser.socket(`/ws/events?pessoa=${pessoa}`);
        socket.once('open', () => resolve('open'));
        socket.once('error', (error) => resolve(error.message));
        socket.once('open', () => socket.terminate());
      });
    expect([await refused('ana'), await refused('bia')]).toEqual(['Unexpected server response: 409', 'open']);
  });

  test('a link that replaces a session ends it', async () => {
    const browser = await portal.signedIn('ana');
    const before = browser.cookies.get(portal.host) ?? '';
    const link = (await portal.portal.signInLink('bia')).slice(portal.url.length);
    const passe = new URL(link, portal.url).searchParams.get('passe');
    expect((await browser.call('POST', '/api/sessao', { passe })).status).toBe(200);
    expect((await browser.call('GET', '/api/sessao')).json()).toMatchObject({ usuario: 'bia' });
    browser.cookies.set(portal.host, before);
    expect((await browser.call('GET', '/api/sessao')).status).toBe(401);
  });
});
