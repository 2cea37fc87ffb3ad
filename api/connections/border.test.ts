/** Matrices over the border: every route, every origin, every cookie; what gets through is counted. */
import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { amount } from '../../test/support/amount.ts';
import { tellCount } from '../../test/support/counts.ts';
import { someQuick } from '../../test/support/share.ts';
import { createPortalWorld, navigation, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let portal: PortalWorld;
let ana: Browser;
let admin: Browser;

beforeAll(async () => {
  portal = await createPortalWorld();
  for (const person of ['ana', 'bia']) {
    for (const app of ['notas', 'relogio']) await portal.world.backend(person, app).start();
  }
  ana = await portal.signedIn('ana');
  admin = await portal.signedIn('ana', { admin: true });
  for (const browser of [ana, admin]) await browser.visit(`http://${portal.appHost('notas')}/`);
});
afterAll(() => portal.close());

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Every route, read from the OpenAPI document that is made from the route table: a new one is in here without anybody's doing. */
async function routes(): Promise<readonly Route[]> {
  const { paths }: { paths: Record<string, Record<string, unknown>> } = (await portal.browser().call('GET', '/api/openapi.json')).json();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: path.replace('{id}', 'notas').replace('{person}', 'ana').replace('{app}', 'notas').replace('{nome}', 'API_KEY'),
    })),
  );
}

const isSafe = ({ method }: Route): boolean => method === 'GET' || method === 'HEAD';

/** Headers that a page of another origin can make a browser send. */
function foreignHeaders(): readonly (readonly [string, Record<string, string>])[] {
  const app = `http://${portal.appHost('notas')}`;
  return [
    ['an app, by fetch', { origin: app, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
    ['an app, without cors', { origin: app, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
    ['an app, by a form', { origin: app, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }],
    ['an app, in an old browser', { origin: app }],
    ['a stranger', { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a stranger, in an old browser', { origin: 'http://evil.example' }],
    ['a sandboxed page', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a name that begins like ours', { origin: `${portal.url}.evil.example` }],
    ['another port of ours', { origin: 'http://svc.localhost:1', 'sec-fetch-site': 'same-site' }],
    ['our name over https', { origin: portal.url.replace('http:', 'https:') }],
    ['a lie about the origin', { origin: portal.url, 'sec-fetch-site': 'same-site' }],
  ];
}

describe('calls that change something', () => {
  // A matrix over all routes, and every part of svc brings some.
  test('are refused from everywhere but our own pages, on every route', { timeout: 30_000 }, async () => {
    const mutating = someQuick(
      12,
      (await routes()).filter((route) => !isSafe(route)),
    );
    expect(mutating.length).toBeGreaterThan(10);
    const callers = [
      ...foreignHeaders(),
      ['a program with a stolen cookie jar', {}] as const,
      ['an address typed in', { 'sec-fetch-site': 'none' }] as const,
    ];
    const bodies = ['{}', '{"passe":"x"}', undefined];
    const perCell = amount(1, bodies.length);
    let cells = 0;
    for (const { method, path } of mutating) {
      for (const [caller, headers] of callers) {
        // Each cell has one of the bodies, the next cell the next one; all in a long run.
        const some = Array.from({ length: perCell }, (_unused, n) => bodies[(cells + n) % bodies.length]);
        for (const body of some) {
          const type = body === undefined ? {} : { 'content-type': 'application/json' };
          const answer = await admin.request(path, { method, headers: { ...headers, ...type }, ...(body === undefined ? {} : { body }) });
          expect([method, path, caller, answer.status, answer.json()['code']]).toEqual([method, path, caller, 403, 'CROSS_ORIGIN']);
          cells += 1;
        }
      }
    }
    tellCount(`border: ${mutating.length} routes that change something, ${cells} calls from elsewhere, 0 taken`);
    expect(cells).toBe(mutating.length * callers.length * perCell);
    // Nothing came of any of them.
    expect(await portal.store.intents()).toEqual([]);
    expect((await admin.call('GET', '/api/sessao')).status).toBe(200);
  });

  test('are refused without a session, on every route but sign-in and sign-out', async () => {
    const signIn = new Set(['/api/sessao', '/api/sessao/link', '/api/sessao/passkey', '/api/sessao/volta']);
    for (const { method, path } of (await routes()).filter((route) => !isSafe(route) && !signIn.has(route.path))) {
      const answer = await portal.browser().call(method, path, {});
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
  });
});

describe('calls that read', () => {
  test('are refused when another origin makes them, on every route', { timeout: 30_000 }, async () => {
    for (const { method, path } of someQuick(8, (await routes()).filter(isSafe))) {
      for (const [caller, headers] of foreignHeaders()) {
        const answer = await admin.request(path, { method, headers });
        // The way to an app, and the way back from a provider: neither does anything for who did not begin it here.
        const navigates = (path.endsWith('/abrir') || path.endsWith('/oidc/retorno')) && headers['sec-fetch-mode'] === 'navigate';
        expect([path, caller, answer.status]).toEqual([path, caller, navigates ? 302 : 403]);
      }
    }
  });
});

describe('origin × path × cookie of a handshake', () => {
  const handshake = (headers: Record<string, string>, path: string): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const req = http.request({
      host: '127.0.0.1',
      port: portal.port,
      path,
      agent: false,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    });
    req.on('upgrade', (res, socket) => {
      socket.destroy();
      resolve(res.statusCode ?? 0);
    });
    req.on('response', (res) => {
      res.resume();
      resolve(res.statusCode ?? 0);
    });
    req.on('error', reject);
    req.end();
    return promise;
  };

  test('only the right three go together', async () => {
    const notas = portal.appHost('notas');
    const relogio = portal.appHost('relogio');
    const cookies = {
      none: '',
      shell: ana.cookies.get(portal.host) ?? '',
      notas: ana.cookies.get(notas) ?? '',
      wrong: `__Host-svc=${'A'.repeat(43)}`,
    };
    const origins = {
      none: '',
      shell: portal.url,
      notas: `http://${notas}`,
      relogio: `http://${relogio}`,
      stranger: 'http://evil.example',
      null: 'null',
    };
    const targets = [
      { name: 'events', host: portal.host, path: '/ws/events', origins: ['shell'], cookie: 'shell' },
      { name: 'events, encoded', host: portal.host, path: '/ws/%65vents', origins: [], cookie: 'shell' },
      { name: 'events with dots', host: portal.host, path: '/ws/x/../events', origins: [], cookie: 'shell' },
      { name: 'an API route', host: portal.host, path: '/api/apps', origins: [], cookie: 'shell' },
      { name: 'app', host: notas, path: '/socket', origins: ['shell', 'notas'], cookie: 'notas' },
      { name: 'app, path of the events', host: notas, path: '/ws/events', origins: ['shell', 'notas'], cookie: 'notas' },
      { name: 'other app', host: relogio, path: '/socket', origins: ['shell', 'relogio'], cookie: 'relogio' },
      { name: 'the SDK', host: notas, path: '/_sdk/svc.js', origins: [], cookie: 'notas' },
      { name: 'old prefix', host: portal.host, path: '/proxy/app/notas/socket', origins: [], cookie: 'shell' },
      { name: 'no host of ours', host: '127.0.0.1', path: '/ws/events', origins: [], cookie: 'shell' },
    ];
    let cells = 0;
    for (const target of targets) {
      for (const [originName, origin] of Object.entries(origins)) {
        for (const [cookieName, cookie] of Object.entries(cookies)) {
          const headers = { host: target.host, ...(origin === '' ? {} : { origin }), ...(cookie === '' ? {} : { cookie }) };
          const opens = target.origins.includes(originName) && target.cookie === cookieName;
          const status = await handshake(headers, target.path);
          expect([target.name, originName, cookieName, status === 101]).toEqual([target.name, originName, cookieName, opens]);
          cells += 1;
        }
      }
    }
    tellCount(`border: ${cells} handshakes of origin, path and cookie, 0 wrong`);
    expect(cells).toBe(240);
  });
});

describe('whose app it is', () => {
  test('a person reaches their own backend only', async () => {
    const bia = await portal.signedIn('bia');
    expect((await bia.visit(`http://${portal.appHost('notas')}/who`)).text).toContain('bia/notas GET /who');
    expect((await ana.visit(`http://${portal.appHost('notas')}/who`)).text).toContain('ana/notas GET /who');
  });

  test('the cookie of one app opens no other app and not the shell', async () => {
    const cookie = ana.cookies.get(portal.appHost('notas')) ?? '';
    const other = await portal.browser().request('/x', { headers: { host: portal.appHost('relogio'), cookie } });
    const shell = await portal.browser().request('/api/sessao', { headers: { cookie } });
    expect([other.status, shell.status]).toEqual([401, 401]);
  });
});

describe('odd requests', () => {
  /** Status codes of what comes back for raw bytes. */
  const raw = (bytes: string): Promise<readonly string[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    let text = '';
    const socket = net.connect(portal.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('close', () => resolve([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1] ?? '')));
    socket.on('error', reject);
    return promise;
  };
  const close = 'Connection: close\r\n\r\n';

  test('are refused before any route sees them', async () => {
    const { host } = portal;
    const cookie = `Cookie: ${ana.cookies.get(host) ?? ''}\r\n`;
    const cases: readonly (readonly [string, string, readonly string[]])[] = [
      ['absolute form', `GET http://${portal.appHost('notas')}/ HTTP/1.1\r\nHost: ${host}\r\n${cookie}${close}`, ['400']],
      ['two hosts', `GET /api/sessao HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n${cookie}${close}`, ['400']],
      ['no host', `GET /api/sessao HTTP/1.1\r\n${cookie}${close}`, ['400']],
      ['no host, HTTP/1.0', `GET /api/sessao HTTP/1.0\r\n${cookie}${close}`, ['400']],
      ['asterisk', `OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n${close}`, ['400']],
      ['long header', `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'a'.repeat(40_000)}\r\n${close}`, ['431']],
      ['two lengths', `POST /api/sessao HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\nContent-Length: 3\r\n${close}{}`, ['400']],
      [
        'length and chunks',
        `POST /api/sessao HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n${close}0\r\n\r\n`,
        ['400'],
      ],
      ['a cookie twice', `GET /api/sessao HTTP/1.1\r\nHost: ${host}\r\n${cookie}Cookie: __Host-svc=${'A'.repeat(43)}\r\n${close}`, ['401']],
    ];
    for (const [name, bytes, statuses] of cases) expect([name, await raw(bytes)]).toEqual([name, statuses]);
  });

  test('requests in one write are answered one after the other; who sends too many before an answer loses the connection', async () => {
    const one = `GET /api/sessao HTTP/1.1\r\nHost: ${portal.host}\r\nCookie: ${ana.cookies.get(portal.host) ?? ''}\r\n`;
    expect(await raw(`${`${one}\r\n`.repeat(60)}${one}${close}`)).toEqual(Array<string>(61).fill('200'));
    expect((await raw(`${one}\r\n`.repeat(1_000)).catch(() => [])).length).toBeLessThan(64);
  });

  test('a handshake right behind a request that is not answered yet ends the connection, and leaves no error in the log', async () => {
    const before = portal.logLines.length;
    for (const [host, path] of [
      [portal.appHost('notas'), '/socket'],
      [portal.host, '/ws/events'],
    ] as const) {
      const headers = `Host: ${host}\r\nCookie: ${ana.cookies.get(host) ?? ''}\r\nOrigin: http://${host}\r\n`;
      const handshake =
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
      expect([path, await raw(`GET /who HTTP/1.1\r\n${headers}\r\nGET ${path} HTTP/1.1\r\n${headers}${handshake}`)]).toEqual([path, []]);
    }
    expect(portal.logLines.slice(before).filter((line) => !line.startsWith('{"level":30'))).toEqual([]);
  });

  test('a request that offers another protocol than WebSocket is an ordinary one', async () => {
    const hello = 'hello';
    for (const [name, host, target] of [
      ['the shell', portal.host, '/api/sessao'],
      ['an app', portal.appHost('notas'), '/who'],
    ] as const) {
      const headers = `Host: ${host}\r\nCookie: ${ana.cookies.get(host) ?? ''}\r\nOrigin: http://${host}\r\n`;
      const h2c = 'Upgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n';
      for (const [offer, bytes] of [
        ['Java', `GET ${target} HTTP/1.1\r\n${headers}Connection: Upgrade, HTTP2-Settings\r\n${h2c}\r\n`],
        ['curl --http2', `GET ${target} HTTP/1.1\r\n${headers}Connection: close, Upgrade, HTTP2-Settings\r\n${h2c}\r\n`],
        ['two protocols', `GET ${target} HTTP/1.1\r\n${headers}Connection: Upgrade\r\nUpgrade: h2c, websocket\r\n\r\n`],
        ['TLS', `GET ${target} HTTP/1.1\r\n${headers}Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n\r\n`],
      ] as const)
        expect([name, offer, await raw(bytes)]).toEqual([name, offer, ['200']]);
      // Its body is read as a body, and not taken for what comes after a handshake.
      const length = `Content-Type: application/json\r\nContent-Length: ${hello.length}\r\n\r\n${hello}`;
      const posted = `POST ${target} HTTP/1.1\r\n${headers}Connection: close, Upgrade, HTTP2-Settings\r\n${h2c}${length}`;
      expect([name, await raw(posted)]).toEqual([name, [name === 'an app' ? '200' : '400']]);
    }
  });

  test('a body that comes byte by byte is cut off', async () => {
    const cookie = ana.cookies.get(portal.host) ?? '';
    const ended = raw(
      `POST /api/apps/notas/start HTTP/1.1\r\nHost: ${portal.host}\r\nOrigin: ${portal.url}\r\nCookie: ${cookie}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    ).catch((error: NodeJS.ErrnoException) => [error.code ?? '']);
    const { clock } = portal;
    const advance = setInterval(() => 'advance' in clock && clock.advance(1_000), 5);
    const answer = await ended;
    clearInterval(advance);
    expect(['', undefined, 'ECONNRESET', '400', '408']).toContain(answer[0]);
    expect(await portal.store.intent('ana', 'notas')).toBeNull();
  });
});

describe('a body that never ends', () => {
  test.for([
    ['an app, without a session', 'notas.'],
    ['a page of the shell', ''],
  ])('to %s is answered at once and cut off later', async ([, label]) => {
    const own = await createPortalWorld();
    const socket = net.connect(Number(new URL(own.url).port), '127.0.0.1');
    try {
      let answer = '';
      const closed = new Promise<void>((resolve) => {
        socket.on('close', () => resolve());
      });
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      socket.write(`POST /x HTTP/1.1\r\nHost: ${label}${own.host}\r\nContent-Length: 60000\r\n\r\nx`);
      await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 40[15] /);
      if ('advance' in own.clock) own.clock.advance(29_999);
      socket.write('x');
      expect(socket.destroyed).toBe(false);
      if ('advance' in own.clock) own.clock.advance(1);
      await closed;
    } finally {
      socket.destroy();
      await own.close();
    }
  });
});

describe('the log of the portal', () => {
  test('holds one line per request, whatever a client sends, and no secret', async () => {
    const before = portal.logLines.length;
    const evil = encodeURIComponent('\r\n{"level":50,"msg":"forged"}\u001b[31m');
    const passe = new URL(await portal.portal.signInLink('bia')).searchParams.get('passe') ?? '';
    await ana.call('GET', `/api/apps/${evil}`);
    await ana.call('GET', `/api/nada/${'x'.repeat(5_000)}?${evil}`);
    await portal.browser().request('/api/sessao', { headers: { 'user-agent': 'x\t{"level":50}', cookie: '__Host-svc=x' } });
    await portal.browser().call('POST', '/api/sessao', { passe });
    const answer = await ana.request(`/api/apps/notas/abrir?ir=/&ida=${'a'.repeat(64)}`, { headers: navigation });
    const appPass = new URL(answer.headers.location ?? '').searchParams.get('passe') ?? 'none';
    const lines = portal.logLines.slice(before);
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      expect(line.trimEnd()).not.toMatch(/[\n\r\u001b]/);
      expect(line.length).toBeLessThan(1_000);
      expect(JSON.parse(line)).toMatchObject({ level: 30, msg: 'request' });
    }
    const all = portal.logLines.join('');
    const cookie = (ana.cookies.get(portal.host) ?? '').split('=')[1] ?? 'none';
    for (const secret of [passe, appPass, cookie]) expect(all).not.toContain(secret);
  });
});

describe('the token of a backend', () => {
  test('is in no byte that a client or the log ever saw', { tags: ['costly'] }, async () => {
    for (const { method, path } of await routes()) {
      if (path.endsWith('/stop') || path.endsWith('/start') || path.endsWith('/restart') || method === 'DELETE') continue;
      await admin.call(method, path, method === 'GET' ? undefined : {});
      await portal.control(method, path, method === 'GET' ? undefined : {});
    }
    const socket = ana.socket('/socket', {
      host: portal.appHost('notas'),
      origin: portal.url,
      cookie: ana.cookies.get(portal.appHost('notas')) ?? '',
    });
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send('hello');
    const echoed = await new Promise<Buffer>((resolve) => socket.once('message', resolve));
    socket.close();
    expect(socket.readyState).toBe(WebSocket.CLOSING);
    const everything = Buffer.concat([...portal.received, echoed, Buffer.from(portal.logLines.join(''))]).toString('latin1');
    expect(everything.length).toBeGreaterThan(50_000);
    const tokens = ['ana', 'bia'].flatMap((person) => ['notas', 'relogio'].map((app) => portal.world.backend(person, app).token));
    // The canary is alive: backends did get it.
    expect(portal.world.backend('ana', 'notas').seen.at(-1)?.headers['x-svc-app-token']).toBe(tokens[0]);
    for (const token of tokens) {
      expect(everything).not.toContain(token);
      expect(everything).not.toContain(Buffer.from(token).toString('base64'));
    }
    expect(everything.toLowerCase()).not.toContain('x-svc-app-token');
  });
});
