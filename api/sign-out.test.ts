/** Signing out over HTTP, where the cookie is protected and where it can't be. Decision: docs/decisions/0168-plain-http.md */
import { describe, expect, test } from 'vitest';
import { createPortalWorld } from './testing/portal-world.ts';

describe('signing out where nothing is signed in', () => {
  const refusedKey = { bilhete: 'x', chave: 'x', pergunta: 'x', assinatura: 'x' };

  test.for([
    ['below localhost', {}, /^__Host-svc=/],
    ['plain http', { url: 'http://apps.lan', origins: 'path' }, /^svc-sessao=/],
  ] as const)('is done at once (%s), unless a key was to end a session and could not', async ([, options, cookie]) => {
    const own = await createPortalWorld(options);
    try {
      const browser = await own.signedIn('ana');
      const before = browser.cookies.get(own.host) ?? '';
      expect(before).toMatch(cookie);
      expect((await browser.call('DELETE', '/api/sessao')).status).toBe(204);
      expect((await browser.call('DELETE', '/api/sessao')).status).toBe(204);
      const stranger = own.browser();
      expect((await stranger.call('DELETE', '/api/sessao')).status).toBe(204);
      const unproven = await stranger.call('DELETE', '/api/sessao', refusedKey);
      expect([unproven.status, unproven.json()['code']]).toEqual([401, 'UNAUTHENTICATED']);
      browser.cookies.set(own.host, before);
      expect((await browser.call('GET', '/api/sessao')).status).toBe(401);
    } finally {
      await own.close();
    }
  });

  test('nobody is signed out by a page of another origin, on plain http neither', async () => {
    const own = await createPortalWorld({ url: 'http://apps.lan', origins: 'path' });
    try {
      const browser = await own.signedIn('ana');
      for (const headers of [
        { origin: 'http://notas.apps.lan' },
        { origin: 'null' },
        { origin: 'http://apps.lan', 'sec-fetch-site': 'same-site' },
        {},
      ] as readonly Readonly<Record<string, string>>[]) {
        const forged = await browser.request('/api/sessao', { method: 'DELETE', headers });
        expect([forged.status, forged.json()['code'], forged.headers['set-cookie']]).toEqual([403, 'CROSS_ORIGIN', undefined]);
      }
      expect((await browser.call('GET', '/api/sessao')).json()).toMatchObject({ usuario: 'ana' });
    } finally {
      await own.close();
    }
  });
});
