/** The whole portal over real HTTP with real backends: sign-in, hand-over, apps, pages. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPortalWorld, navigation, type Browser, type PortalWorld } from './testing/portal-world.ts';
import { icon } from './testing/backends.ts';

let portal: PortalWorld;
let ana: Browser;

beforeAll(async () => {
  portal = await createPortalWorld();
  ana = await portal.signedIn('ana');
  await portal.world.backend('ana', 'notas').start();
});
afterAll(() => portal.close());

describe('signing in', () => {
  test('the printed link signs in once and leads to a clean address', async () => {
    const link = await portal.portal.signInLink('ana');
    expect(link).toMatch(/^http:\/\/svc\.localhost:\d+\/\?passe=[A-Za-z0-9_-]{43}$/);
    const browser = portal.browser();
    const path = link.slice(portal.url.length);
    const first = await browser.request(path, { headers: navigation });
    expect([first.status, first.headers.location]).toEqual([302, '/']);
    expect(first.headers['set-cookie']?.[0]).toMatch(/^__Host-svc=.{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure$/);
    const who = await browser.call('GET', '/api/sessao');
    expect(who.json()).toEqual({
      usuario: 'ana',
      sessao: expect.stringMatching(/^[\w-]{22}$/) as string,
      nome: 'Ana Souza',
      login: 'ana',
      iniciais: 'AS',
      grupos: ['editores'],
      admin: false,
      appUrlTemplate: `http://{id}.${portal.host}/`,
      origins: 'subdomain',
      shellVersion: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      aviso: null,
      dev: null,
    });
    const again = await portal.browser().request(path, { headers: navigation });
    expect([again.status, again.headers.location, again.headers['set-cookie']]).toEqual([302, '/?entrada=PASS_REFUSED', undefined]);
  });

  test.for([
    ['HEAD', navigation],
    ['GET', { ...navigation, 'sec-purpose': 'prefetch' }],
    ['GET', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
  ] as const)('%s %j does not use the link up', async ([method, headers]) => {
    const link = await portal.portal.signInLink('ana');
    const path = link.slice(portal.url.length);
    const looked = await portal.browser().request(path, { method, headers });
    expect(looked.headers['set-cookie']).toBeUndefined();
    expect((await portal.browser().request(path, { headers: navigation })).status).toBe(302);
  });

  test('the shell may post the pass itself; a refused one says so', async () => {
    const passe = new URL(await portal.portal.signInLink('bia')).searchParams.get('passe');
    const browser = portal.browser();
    expect((await browser.call('POST', '/api/sessao', { passe })).json()).toMatchObject({ usuario: 'bia', iniciais: 'B' });
    const refused = await portal.browser().call('POST', '/api/sessao', { passe });
    expect(refused.status).toBe(401);
    expect(refused.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(refused.json()).toMatchObject({ code: 'PASS_REFUSED', status: 401, error: expect.any(String) as string });
  });

  test('signing out ends the app origins too', async () => {
    const browser = await portal.signedIn('ana');
    const app = await browser.visit(`http://${portal.appHost('notas')}/`);
    expect(app.text).toContain('ana/notas GET /');
    const out = await browser.call('DELETE', '/api/sessao');
    expect([out.status, out.headers['set-cookie']?.[0]]).toEqual([204, expect.stringMatching(/^__Host-svc=; .*Max-Age=0/) as string]);
    const after = await browser.request('/api/ping', { headers: { host: portal.appHost('notas') } });
    expect(after.status).toBe(401);
  });
});

describe('the hand-over to an app', () => {
  test('a navigation comes back signed in, at the address that was asked for', async () => {
    const browser = await portal.signedIn('ana');
    const answer = await browser.visit(`http://${portal.appHost('notas')}/a/b?x=1&y=%2F`);
    expect(answer.url).toBe(`http://${portal.appHost('notas')}/a/b?x=1&y=%2F`);
    expect(answer.text).toContain('ana/notas GET /a/b?x=1&y=%2F');
    expect(browser.cookies.get(portal.appHost('notas'))).not.toBe(browser.cookies.get(portal.host));
  });

  test('a pass works once, on its own origin, in the browser that asked, and not as a portal link', async () => {
    /** Up to the pass, as ana's browser: asks on the app's origin, is answered by the portal. */
    const go = async (asker: Browser): Promise<URL> => {
      const asked = await asker.request('/x', { headers: { ...navigation, host: portal.appHost('notas') } });
      const answer = await ana.request((asked.headers.location ?? '').slice(portal.url.length), { headers: navigation });
      return new URL(answer.headers.location ?? '');
    };
    const enter = (browser: Browser, url: URL, host = portal.appHost('notas')) =>
      browser.request(`/__svc/entrar${url.search}`, { headers: { ...navigation, host } });
    const asker = portal.browser();
    const used = await go(asker);
    const stolen = await enter(portal.browser(), await go(asker));
    expect([stolen.status, stolen.headers['set-cookie']]).toEqual([401, undefined]);
    // With a question of its own the thief is only asked again who they are.
    const thief = portal.browser();
    await go(thief);
    const again = await enter(thief, await go(asker));
    expect([again.status, again.headers.location, again.headers['set-cookie']]).toEqual([302, '/x', undefined]);
    const elsewhere = await enter(asker, await go(asker), portal.appHost('relogio'));
    expect([elsewhere.status, elsewhere.headers['set-cookie']]).toEqual([401, undefined]);
    const asLink = await portal.browser().request(`/?passe=${(await go(asker)).searchParams.get('passe')}`, { headers: navigation });
    expect(asLink.headers['set-cookie']).toBeUndefined();
    const cookies = asker.cookies.get(portal.appHost('notas')) ?? '';
    const first = await enter(asker, used);
    expect([first.status, first.headers.location]).toEqual([302, '/x']);
    asker.cookies.set(portal.appHost('notas'), cookies);
    // The question is still there, the pass is used up.
    const replayed = await enter(asker, used);
    expect([replayed.status, replayed.headers['set-cookie']]).toEqual([401, undefined]);
  });

  test('frames that ask at the same time all come in, whichever answer comes first', async () => {
    const browser = await portal.signedIn('ana');
    const host = portal.appHost('notas');
    const headers = { ...navigation, host };
    // Neither knows of the other's question; the second one's cookie stays.
    const asked = await Promise.all([browser.request('/a', { headers }), browser.request('/b', { headers })]);
    const passes = await Promise.all(
      asked.map((each) => browser.request((each.headers.location ?? '').slice(portal.url.length), { headers: navigation })),
    );
    for (const [index, path] of ['/a', '/b'].entries()) {
      const entered = await browser.request((passes[index]?.headers.location ?? '').slice(`http://${host}`.length), { headers });
      expect([entered.status, entered.headers.location]).toEqual([302, path]);
      expect((await browser.visit(`http://${host}${path}`)).text).toContain(`ana/notas GET ${path}`);
    }
  });

  test('the portal alone hands out no pass: the app’s origin has to ask', async () => {
    const answer = await ana.request('/api/apps/notas/abrir?ir=/x', { headers: navigation });
    expect(answer.headers.location).toBe(`http://${portal.appHost('notas')}/x`);
  });

  test.for(['//evil.example', '/\\evil', 'http://evil.example', '/a b', '/%0d%0a'.replaceAll('%0d%0a', '\r\n')])(
    'ir=%j is refused',
    async (ir) => {
      const answer = await ana.request(`/api/apps/notas/abrir?ir=${encodeURIComponent(ir)}`, { headers: navigation });
      expect([answer.status, answer.json()['code']]).toEqual([400, 'BAD_REQUEST']);
      const direct = await ana.request(`/__svc/entrar?passe=x&ir=${encodeURIComponent(ir)}`, {
        headers: { ...navigation, host: portal.appHost('notas') },
      });
      expect(direct.status).toBe(400);
    },
  );

  test('what is no navigation is told 401 and starts nothing', async () => {
    const answer = await portal.browser().request('/api/ping', { headers: { host: portal.appHost('relogio') } });
    expect([answer.status, answer.json()['code']]).toEqual([401, 'UNAUTHENTICATED']);
    expect(await portal.store.intent('ana', 'relogio')).toBeNull();
  });

  test('a link into an app without a session leads a person to the sign-in page, a frame and a program are told', async () => {
    const stranger = portal.browser();
    const asked = await stranger.request('/nota/1', { headers: { ...navigation, host: portal.appHost('notas') } });
    const path = (asked.headers.location ?? '').slice(portal.url.length);
    expect(path).toMatch(/^\/api\/apps\/notas\/abrir\?/);
    const person = await stranger.request(path, { headers: navigation });
    // In the address, never in a cookie: an app could set one of that name for the whole domain.
    expect([person.status, person.headers.location]).toEqual([302, `${portal.url}/?destino=notas%2Fnota%2F1`]);
    expect(person.headers['set-cookie']).toBeUndefined();
    for (const headers of [{ ...navigation, 'sec-fetch-dest': 'iframe' }, { 'sec-fetch-site': 'same-origin' }]) {
      const told = await stranger.request(path, { headers });
      expect([told.status, told.json()['code']]).toEqual([401, 'UNAUTHENTICATED']);
    }
  });

  test('where a link led is kept only when it is a path of an app', async () => {
    const kept = async (path: string): Promise<unknown> => (await portal.browser().request(path, { headers: navigation })).headers.location;
    expect(await kept('/api/apps/notas/abrir?ir=//evil.example')).toBe(`${portal.url}/`);
    expect(await kept('/api/apps/NOTAS/abrir?ir=/x')).toBe(`${portal.url}/`);
    expect(await kept('/api/apps/notas/abrir?ir=/x%3Fa=b%26entrada=c')).toBe(`${portal.url}/?destino=notas%2Fx%3Fa%3Db%26entrada%3Dc`);
  });

  test('an app that the person does not have is not found: a page for people, JSON for programs', async () => {
    const person = await ana.request('/api/apps/outra/abrir', { headers: { ...navigation, 'accept-language': 'en' } });
    expect([person.status, person.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(person.text).toContain('<h1>No such thing here</h1>');
    expect(person.text).toContain(`<a href="${portal.url}/">`);
    const page = await ana.request('/nada', { headers: navigation });
    expect([page.status, page.text.includes('<h1>Isto não existe aqui</h1>')]).toEqual([404, true]);
    const framed = await ana.request('/nada', { headers: { ...navigation, 'sec-fetch-dest': 'iframe' } });
    expect([
      framed.text.includes(`href="${portal.url}/"`),
      framed.text.includes('/ajuda/pt/failures.html#not-found" target="_blank"'),
    ]).toEqual([false, true]);
    for (const path of ['/nada', '/api/nada']) expect((await ana.request(path)).json()).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('requests to an app', () => {
  test('carry the person, never the cookie of the portal', async () => {
    await ana.visit(`http://${portal.appHost('notas')}/`);
    const answer = await ana.request('/echo', { headers: { host: portal.appHost('notas') } });
    expect(answer.text).toContain('ana/notas GET /echo');
    const seen = portal.world.backend('ana', 'notas').seen.at(-1);
    expect(seen?.headers.cookie ?? '').not.toContain('svc');
  });

  test('the SDK is ours, under every spelling', async () => {
    const host = portal.appHost('notas');
    const file = await ana.request('/_sdk/svc.js', { headers: { host } });
    expect([file.status, file.headers['content-type'], file.text]).toEqual([200, 'text/javascript; charset=utf-8', 'export const svc = 1']);
    const again = await ana.request('/_sdk/svc.js', { headers: { host, 'if-none-match': file.headers.etag ?? '' } });
    expect(again.status).toBe(304);
    expect((await ana.request('/_sdk/ui/svc.css', { headers: { host } })).headers['content-type']).toBe('text/css; charset=utf-8');
    const before = portal.world.backend('ana', 'notas').seen.length;
    for (const path of [
      '/_sdk/nope.js',
      '/%5fsdk/nope.js',
      '/_%73dk/nope.js',
      '//_sdk/nope.js',
      '/_sdk/../svc.js',
      '/_sdk/..%2f..%2fsecret.js',
      '/_sdk/%2e%2e/secret.js',
      '/_sdk/svc.js%00',
    ]) {
      const answer = await ana.request(path, { headers: { host } });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect(portal.world.backend('ana', 'notas').seen).toHaveLength(before);
    expect((await ana.request('/_sdk/svc.js', { method: 'POST', headers: { host } })).status).toBe(405);
  });

  test('the old address below the shell leads to the app', async () => {
    const answer = await ana.request('/proxy/app/notas/a?b', { method: 'POST' });
    expect([answer.status, answer.headers.location]).toEqual([307, `http://${portal.appHost('notas')}/a?b`]);
    expect((await ana.request('/proxy/app/notas')).headers.location).toBe('/proxy/app/notas/');
  });

  test('close-tabs takes the call of the shell, and no other path does', async () => {
    const host = portal.appHost('notas');
    await ana.visit(`http://${host}/`);
    const from = { host, origin: portal.url, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' };
    const preflight = { ...from, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
    const asked = await portal.browser().request('/close-tabs', { method: 'OPTIONS', headers: preflight });
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({ 'access-control-allow-origin': portal.url, 'access-control-allow-credentials': 'true' });
    const called = await ana.request('/close-tabs', {
      method: 'POST',
      headers: { ...from, 'content-type': 'application/json' },
      body: '{}',
    });
    expect([called.status, called.headers['access-control-allow-origin']]).toEqual([200, portal.url]);
    const other = await portal.browser().request('/api/x', { method: 'OPTIONS', headers: preflight });
    expect([other.status, other.headers['access-control-allow-origin']]).toEqual([401, undefined]);
    const stranger = await portal
      .browser()
      .request('/close-tabs', { method: 'OPTIONS', headers: { ...preflight, origin: 'http://evil.example' } });
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('names that are not ours', () => {
  test('a person is led to the portal, a program is told', async () => {
    const person = await ana.request('/x?passe=1', { headers: { ...navigation, host: '127.0.0.1' } });
    expect([person.status, person.headers.location]).toEqual([308, `${portal.url}/`]);
    const program = await ana.request('/api/apps', { headers: { host: 'evil.example' } });
    expect([program.status, program.json()['code']]).toEqual([421, 'WRONG_HOST']);
  });
});

describe('the pages of the shell', () => {
  test('come with a policy that runs its own scripts only', async () => {
    const page = await portal.browser().request('/', { headers: navigation });
    expect([page.status, page.text]).toEqual([200, '<!doctype html><title>shell</title>']);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain(`frame-src 'self' http://*.${portal.host};`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'origin-agent-cluster': '?1',
      'cache-control': 'no-cache',
    });
  });

  test('are kept by the browser for ever when their name holds a hash', async () => {
    const file = await portal.browser().request('/assets/main-ABCD2345.js');
    expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  test.for([
    '/../secret.js',
    '/..%2fsecret.js',
    '/%2e%2e/secret.js',
    '/.git/config',
    '//etc/passwd',
    '/assets/',
    '/nope',
    '/%',
    '/assets%2fmain-ABCD2345.js\\',
  ])('%s is no page', async (path) => {
    expect((await portal.browser().request(path)).status).toBe(404);
  });

  test('are read only', async () => {
    const answer = await ana.call('POST', '/');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the list of apps', () => {
  test('holds what the spec fixes', async () => {
    const { apps }: { apps: Record<string, unknown>[] } = (await ana.call('GET', '/api/apps')).json();
    expect(apps.map(({ id }) => id)).toEqual(['notas', 'relogio']);
    expect(apps[0]).toMatchObject({
      window: { width: 640 },
      gpu: false,
      url: `http://${portal.appHost('notas')}/`,
      icone: '/api/apps/notas/icone?v=1.0.0',
      status: 'running',
      ready: true,
    });
    expect((await ana.call('GET', '/api/apps/relogio')).json()).toMatchObject({ id: 'relogio', status: 'stopped', step: null });
  });

  test('what apps use is told to who asks for it, and nobody keeps that answer', async () => {
    const plain = await ana.call('GET', '/api/apps');
    expect(plain.json().apps[0]).toMatchObject({ id: 'notas', uso: null });
    // Source: rules 8.
    expect(plain.headers['cache-control']).toBe('private, max-age=30');
    const asked = await ana.call('GET', '/api/apps?uso=1');
    expect(asked.headers['cache-control']).toBe('no-store');
    expect(asked.json().apps.map(({ uso }: { uso: unknown }) => uso)).toEqual([{ cpu: 12.5, memoria: 1_048_576, tarefas: 3 }, null]);
    expect((await ana.call('GET', '/api/apps?uso=2')).status).toBe(400);
  });

  test('an icon with a script in it runs nothing', async () => {
    const answer = await ana.call('GET', '/api/apps/notas/icone?v=1.0.0');
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, icon, 'image/svg+xml; charset=utf-8']);
    expect(answer.headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/);
    const again = await ana.request('/api/apps/notas/icone', { headers: { 'if-none-match': answer.headers.etag ?? '' } });
    expect(again.status).toBe(304);
  });
});

describe('the log', () => {
  test('is text, by lines, of this run or the one before', async () => {
    portal.world.backend('ana', 'notas').log = '<script>1</script>\nb\nc\n';
    const answer = await ana.call('GET', '/api/apps/notas/log?tail=2');
    expect([answer.text, answer.headers['content-type']]).toEqual(['b\nc\n', 'text/plain; charset=utf-8']);
    expect((await ana.call('GET', '/api/apps/notas/log?anterior=1')).text).toBe('the run before\n');
  });

  test.for(['tail=-1', 'tail=1e3', 'tail=', 'tail=99999', 'tail=1&tail=2', 'seguir=sim', 'x=1', 'seguir=1&anterior=1'])(
    '%s is refused',
    async (query) => {
      const answer = await ana.call('GET', `/api/apps/notas/log?${query}`);
      expect([answer.status, answer.json()['code']]).toEqual([400, 'BAD_REQUEST']);
    },
  );
});

describe('routes', () => {
  test('that do not exist, or not for this method, say so in JSON', async () => {
    const unknown = await ana.call('GET', '/api/nada');
    expect([unknown.status, unknown.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'NOT_FOUND', error: expect.any(String) as string }),
    ]);
    const method = await ana.call('PUT', '/api/apps/notas/start');
    expect([method.status, method.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    const options = await ana.call('OPTIONS', '/api/apps');
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const head = await ana.call('HEAD', '/api/apps');
    expect([head.status, head.text]).toEqual([200, '']);
  });

  test.for([
    ['{"abertas":"1","pagina":"x"}', 400],
    ['{"abertas":1.5,"pagina":"x"}', 400],
    ['{"abertas":-1,"pagina":"x"}', 400],
    ['{"abertas":1,"pagina":"x","mais":1}', 400],
    ['{"abertas":1}', 400],
    ['{"abertas":1,"pagina":"x","__proto__":{"admin":true}}', 400],
    ['{', 400],
    ['', 400],
    ['[]', 400],
    [JSON.stringify({ abertas: 1, pagina: 'x'.repeat(70_000) }), 413],
    ['{"abertas":1,"pagina":"unknown"}', 409],
  ] as const)('window counts %s answer %i', async ([body, status]) => {
    const headers = { origin: portal.url, 'content-type': 'application/json' };
    const answer = await ana.request('/api/apps/notas/janelas', { method: 'POST', headers, body });
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ error: expect.any(String) as string });
    expect(answer.text).not.toMatch(/node_modules|\.ts:\d/);
  });

  test('take JSON only: a form that any page can post is refused', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const headers = { origin: portal.url, 'content-type': type };
      const answer = await ana.request('/api/apps/notas/start', { method: 'POST', headers, body: '{}' });
      expect([type, answer.status]).toEqual([type, 415]);
    }
  });

  test('are all in the OpenAPI document', async () => {
    const document: { openapi: string; paths: Record<string, object> } = (await portal.browser().call('GET', '/api/openapi.json')).json();
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/api/sessao', '/api/apps/{id}/start', '/api/admin/why', '/metrics']),
    );
    expect(Object.keys(document.paths['/api/sessao'] ?? {}).toSorted()).toEqual(['delete', 'get', 'post']);
  });
});

describe('path mode', () => {
  test('serves apps below the shell with the session of the shell', async () => {
    const path = await createPortalWorld({ origins: 'path' });
    try {
      await path.world.backend('ana', 'notas').start();
      const browser = await path.signedIn('ana');
      const answer = await browser.request('/proxy/app/notas/a?b=1', { headers: navigation });
      expect([answer.status, answer.text]).toEqual([200, 'ana/notas GET /a?b=1\n']);
      expect((await browser.call('GET', '/api/sessao')).json()).toMatchObject({
        appUrlTemplate: `${path.url}/proxy/app/{id}/`,
        origins: 'path',
      });
      expect((await browser.request('/proxy/app/notas/_sdk/svc.js')).status).toBe(200);
      expect((await path.browser().request('/proxy/app/notas/', { headers: navigation })).headers.location).toBe(
        `${path.url}/?destino=notas%2F`,
      );
      expect((await path.browser().request('/proxy/app/notas/x')).status).toBe(401);
      const open = await browser.request('/api/apps/notas/abrir?ir=/x?y', { headers: navigation });
      expect(open.headers.location).toBe(`${path.url}/proxy/app/notas/x?y`);
      expect((await browser.request('/', { headers: { host: `notas.${path.host}` } })).status).toBe(421);
    } finally {
      await path.close();
    }
  });
});
