import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { requestKind, responseKind } from './header-names.ts';
import { collector } from '../../schema/garbage.ts';
import { callerFault, isNavigation } from './origin-rules.ts';
import { backendHead, readRequestHead, withoutPortalCookies, type RequestHead } from './request-head.ts';
import { clientCookie, clientHeaders, refusedByGate, type ResponsePolicy } from './response-headers.ts';
import type { ResponseHead } from './response-parser.ts';
import { wordsOf } from '../../test/support/words.ts';

const headOf = (raw: readonly string[], method = 'GET'): RequestHead =>
  readRequestHead({ rawHeaders: raw, method } as IncomingMessage, raw.includes('Upgrade'));

const own: ResponsePolicy = {
  basePath: '/',
  host: 'notas.svc.localhost:8787',
  proto: 'http',
  portalOrigin: 'http://svc.localhost:8787',
  fetchSite: 'none',
  takesTrailers: true,
};
const inPath: ResponsePolicy = { ...own, basePath: '/proxy/app/notas/', host: 'svc.localhost:8787' };

const answerWith = (raw: readonly string[], change: Partial<ResponseHead> = {}): ResponseHead => ({
  minor: 1,
  status: 200,
  reason: 'OK',
  raw,
  framing: 'none',
  length: 0,
  reusable: true,
  idleMsMax: null,
  connection: '',
  upgrade: '',
  ...change,
});

/** Every way to write the reserved names that some server could take for them: cases, separators, none, many. */
function lookAlikes(): string[] {
  const separators = ['-', '_', '.', '', '--', '-_', '~', '!', '|', '`', '^', "'", '*', '+', '&', '%', '$', '#'];
  const stems = [
    ['x', 'svc', 'app', 'token'],
    ['x', 'svc', 'chamador'],
    ['x', 'svc', 'token'],
    ['x', 'svc', 'anything'],
  ];
  const cases = [
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => text.replaceAll(/^./g, (c) => c.toUpperCase()),
  ];
  const made = new Set<string>();
  for (const stem of stems) {
    for (const first of separators) {
      for (const second of separators) {
        for (const alter of cases)
          made.add([alter(stem[0]!), alter(stem[1]!)].join(first) + second + stem.slice(2).map(alter).join(second));
      }
    }
  }
  return [...made];
}

describe('names of ours, however they are spelled', () => {
  const names = lookAlikes();

  test('the grammar makes more than two thousand', () => expect(names.length).toBeGreaterThan(2_000));

  test('none goes to a backend', () => {
    expect(names.filter((name) => requestKind(name) !== 'drop')).toEqual([]);
    expect(names.filter((name) => headOf(['Host', 'h', name, 'forged']).lines !== '')).toEqual([]);
  });

  test('none goes to a browser', () => {
    expect(names.filter((name) => clientHeaders(answerWith([name, 'secret']), own).length > 0)).toEqual([]);
  });
});

test('names that an app makes up, each cut from a head of 60 KB, keep none of it in memory', () => {
  const collect = collector();
  const heldMb = (): number => (collect(), process.memoryUsage().heapUsed / 1_024 ** 2);
  const before = heldMb();
  for (let n = 0; n < 1_100; n += 1) {
    const head = Buffer.from(`x-a-name-of-an-app-${n}: ${'y'.repeat(60_000)}`).toString('latin1');
    expect(responseKind(head.slice(0, head.indexOf(':')))).toBe('forward');
    expect(responseKind(head.slice(head.indexOf('y')))).toBe('forward');
  }
  expect(heldMb() - before).toBeLessThan(10);
});

describe('the head that a backend gets', () => {
  test('drops what ends at this hop, also what Connection names', () => {
    const raw = [
      'Host',
      'h',
      'Connection',
      'close, X-Private',
      'X-Private',
      '1',
      'Keep-Alive',
      'timeout=5',
      'TE',
      'trailers, deflate',
      'Proxy',
      'http://evil/',
      'X-Ok',
      '2',
    ];
    expect(headOf(raw).lines).toBe('TE: trailers\r\nX-Ok: 2\r\n');
  });

  test('drops what says where a request came from, and look-alikes of framing', () => {
    const raw = [
      ...wordsOf(`
        Host h Forwarded for=1 X-Forwarded-For 6.6.6.6 x_forwarded_host evil X-Real-IP 6 X-Original-URL /admin X_Original_Host evil
        X-Rewrite-URL /admin True-Client-IP 6 CF-Connecting-IP 6 X-Client-IP 6 Trailer
      `),
      'X-Svc-Chamador, X-Forwarded-For',
      'Content_Length',
      '9',
      'Transfer.Encoding',
      'chunked',
    ];
    expect(headOf(raw)).toMatchObject({ lines: '', body: 'none', refusal: null });
  });

  test('passes on what apps say themselves, methods of forms and trailers among it', () => {
    const raw = ['Host', 'h', 'X-HTTP-Method-Override', 'PUT', 'Via', '1.1 cache', 'Trailer', 'X-Soma, X-Svc-Token', 'X-Cliente', '1'];
    expect(headOf(raw).lines).toBe('X-HTTP-Method-Override: PUT\r\nVia: 1.1 cache\r\nTrailer: x-soma\r\nX-Cliente: 1\r\n');
  });

  test('an Upgrade header alone makes no upgrade and loosens nothing', () => {
    const raw = ['Host', 'h', 'Upgrade', 'websocket', 'Origin', 'http://evil', 'Sec-Fetch-Site', 'cross-site'];
    const head = readRequestHead({ rawHeaders: raw, method: 'POST' });
    expect(head.upgrade).toBe('');
    expect(callerFault('POST', head, 'http://svc.localhost')).not.toBeNull();
    expect(head.lines).not.toMatch(/upgrade/i);
  });

  test('names the hop itself', () => {
    const req = {
      rawHeaders: ['Host', 'notas.svc.localhost:8787'],
      method: 'GET',
      socket: { remoteAddress: '::ffff:10.1.2.3' },
    } as unknown as IncomingMessage;
    expect(backendHead(req, readRequestHead(req), '/a?b', { token: 'tok', mandate: '' }, inPath)).toBe(
      'GET /a?b HTTP/1.1\r\nHost: notas.svc.localhost:8787\r\nX-Svc-App-Token: tok\r\n' +
        'Forwarded: for=10.1.2.3;host="notas.svc.localhost:8787";proto=http\r\nX-Forwarded-For: 10.1.2.3\r\n' +
        'X-Forwarded-Host: notas.svc.localhost:8787\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Prefix: /proxy/app/notas\r\n\r\n',
    );
    expect(backendHead(req, readRequestHead(req), '/', { token: '', mandate: '' }, { ...inPath, basePath: '/' })).not.toContain('Prefix');
  });

  test.for([
    ['a=1; __Host-svc=secret; b=2', 'a=1; b=2'],
    ['__Host-svc=secret', ''],
    ['__HOST-SVC-x=secret;a=1', 'a=1'],
    ['svc-sessao=secret; a=1', 'a=1'],
    ['a="x; __Host-svc=secret"', 'a="x'],
    ['theme=svc; a=1', 'theme=svc; a=1'],
  ] as const)('keeps portal cookies away: %j', ([cookie, kept]) => expect(withoutPortalCookies(cookie)).toBe(kept));

  test.for([
    ['two hosts', ['Host', 'a', 'Host', 'a'], 'GET'],
    ['two lengths', ['Host', 'a', 'Content-Length', '1', 'Content-Length', '1'], 'POST'],
    ['length and chunked', ['Host', 'a', 'Content-Length', '1', 'Transfer-Encoding', 'chunked'], 'POST'],
    ['unknown coding', ['Host', 'a', 'Transfer-Encoding', 'gzip, chunked'], 'POST'],
    ['odd length', ['Host', 'a', 'Content-Length', '+1'], 'POST'],
    ['TRACE', ['Host', 'a'], 'TRACE'],
    ['line break', ['Host', 'a', 'X', 'a\nX-Svc-App-Token: b'], 'GET'],
  ] as const)('refuses %s', ([, raw, method]) => expect(headOf(raw, method).refusal?.code).toBe('BAD_REQUEST'));
});

describe('the headers that a browser gets', () => {
  test('only the app and the shell may frame a page', () => {
    expect(clientHeaders(answerWith(['Content-Type', 'text/html', 'X-Frame-Options', 'DENY']), own)).toEqual([
      'Content-Type',
      'text/html',
      'Content-Security-Policy',
      "frame-ancestors 'self' http://svc.localhost:8787",
      'Origin-Agent-Cluster',
      '?1',
      'Permissions-Policy',
      'publickey-credentials-get=(), publickey-credentials-create=()',
      'Cross-Origin-Opener-Policy',
      'same-origin-allow-popups',
    ]);
  });

  // A program as Grafana or Nextcloud says "frame-ancestors 'self'" of itself, and its window would be empty.
  test.for([
    ["frame-ancestors 'none'", null],
    ["default-src 'self'; Frame-Ancestors 'self' https://x.example; img-src *", "default-src 'self'; img-src *"],
    ["frame-ancestors *, script-src 'self'; frame-ancestors", "script-src 'self'"],
    ["script-src 'self'; report-uri /frame-ancestors", "script-src 'self'; report-uri /frame-ancestors"],
    [" ;frame-ancestors\t'self';", null],
    ["default-src 'self'", "default-src 'self'"],
  ] as const)('who may frame it is the portal’s to say: %j', ([policy, kept]) => {
    const headers = clientHeaders(answerWith(['Content-Security-Policy', policy, 'Content-Type', 'application/json']), own);
    expect(headers).toEqual([...(kept === null ? [] : ['Content-Security-Policy', kept]), 'Content-Type', 'application/json']);
  });

  test('the portal’s own policy stands beside the app’s', () => {
    const headers = clientHeaders(
      answerWith(['Content-Security-Policy', "frame-ancestors 'none'; img-src *", 'Content-Type', 'text/html']),
      own,
    );
    const policies = headers.filter((_, at) => headers[at - 1] === 'Content-Security-Policy');
    expect(policies).toEqual(['img-src *', "frame-ancestors 'self' http://svc.localhost:8787"]);
  });

  test.for([
    [
      'of a page, once, whatever types it says',
      ['Content-Type', 'text/html', 'Content-Type', 'text/xml'],
      own,
      ['same-origin-allow-popups'],
    ],
    ['as the backend says', ['Content-Type', 'text/html', 'cross-origin-opener-policy', 'unsafe-none'], own, ['unsafe-none']],
    ['of a page that the app itself opened: none', ['Content-Type', 'text/html'], { ...own, fetchSite: 'same-origin' }, []],
    ['of one that another app opened', ['Content-Type', 'text/html'], { ...own, fetchSite: 'same-site' }, ['same-origin-allow-popups']],
    ['of data: none', ['Content-Type', 'application/json'], own, []],
    ['in path mode: none, as tabs of the shell have its own', ['Content-Type', 'text/html'], inPath, []],
  ] as const)('the opener policy %s', ([, raw, policy, said]) => {
    const headers = clientHeaders(answerWith(raw), policy);
    expect(headers.filter((_, at) => headers[at - 1]?.toLowerCase() === 'cross-origin-opener-policy')).toEqual(said);
  });

  test.for([
    [['Content-Type', 'TEXT/HTML; charset=utf-8']],
    [['Content-Type', 'application/xhtml+xml']],
    [['Content-Type', 'image/svg+xml']],
    [['Content-Type', 'application/pdf']],
    [['Content-Type', 'text/xml']],
    [['Content-Type', 'unknown/unknown']],
    [['Content-Type', 'html']],
    [['Content-Type', '']],
    [['Content-Type', 'application/json, text/html']],
    [['Content-Type', 'application/json; a=b, text/html']],
    [['Content-Type', 'application/json', 'Content-Type', 'text/html']],
    [['ETag', '"a"']],
    [[]],
  ] as const)('nor anything that a browser could take for a page: %j', ([raw]) => {
    // A page of an error is one to click in, too.
    for (const status of [200, 404])
      expect(clientHeaders(answerWith(raw, { status, framing: 'length' }), own)).toContain(
        "frame-ancestors 'self' http://svc.localhost:8787",
      );
  });

  test.for(['application/json', 'application/json; charset=utf-8', 'text/css', 'text/javascript', 'image/png', 'font/woff2', 'video/mp4'])(
    '%s is never a page and goes on as it is',
    (type) => expect(clientHeaders(answerWith(['Content-Type', type]), own)).toEqual(['Content-Type', type]),
  );

  test.for([own, inPath])('no page of an app leaves the process of its origin', (policy) => {
    const headers = clientHeaders(answerWith(['Content-Type', 'text/html', 'Origin-Agent-Cluster', '?0']), policy);
    expect(headers.filter((_, at) => headers[at - 1]?.toLowerCase() === 'origin-agent-cluster')).toEqual(['?1']);
  });

  test('an answer without a body is no page', () => {
    expect(clientHeaders(answerWith([], { status: 304 }), own)).toEqual([]);
  });

  test('hop-by-hop and named ones are dropped', () => {
    const raw = wordsOf(`
      Content-Type text/css Connection X-Hop X-Hop 1 Keep-Alive timeout=5 Transfer-Encoding chunked Alt-Svc h2=":1" X-Accel-Redirect
      /etc/ x-sendfile /etc/passwd X-LIGHTTPD-send-file /etc/passwd ETag "a"
    `);
    expect(clientHeaders(answerWith(raw, { connection: 'X-Hop' }), own)).toEqual(['Content-Type', 'text/css', 'ETag', '"a"']);
  });

  test('what acts on a whole origin stays out of the shell’s', () => {
    const raw = wordsOf(`
      Clear-Site-Data "cache" Service-Worker-Allowed / Strict-Transport-Security max-age=1 WWW-Authenticate Basic
    `);
    expect(clientHeaders(answerWith(raw), inPath)).toEqual([]);
    expect(clientHeaders(answerWith(raw), own)).toEqual(raw);
    expect(clientHeaders(answerWith(['Service-Worker-Allowed', '/proxy/app/notas/x']), inPath)).toHaveLength(2);
  });

  test.for([
    ['"cookies"', null],
    ['"cache", "cookies" , "storage"', '"cache", "storage"'],
    ['"*"', '"cache", "storage"'],
    ['"Cookies"', null],
    ['"executionContexts"', '"executionContexts"'],
    ['cookies', null],
    ['', null],
  ] as const)('an app clears its own data, never the cookies of its siblings: %s', ([asked, kept]) => {
    expect(clientHeaders(answerWith(['Clear-Site-Data', asked]), own)).toEqual(kept === null ? [] : ['Clear-Site-Data', kept]);
  });

  test.for([
    ['/login', '/proxy/app/notas/login'],
    ['/proxy/app/notas/login', '/proxy/app/notas/login'],
    ['http://svc.localhost:8787/login', '/proxy/app/notas/login'],
    ['login', 'login'],
    ['../x', '../x'],
    ['https://elsewhere/', 'https://elsewhere/'],
    ['//elsewhere/', '//elsewhere/'],
  ] as const)('in path mode a redirect to %s leads to %s', ([location, expected]) => {
    expect(clientHeaders(answerWith(['Location', location]), inPath)).toEqual(['Location', expected]);
    expect(clientHeaders(answerWith(['Location', location]), own)).toEqual(['Location', location]);
  });

  test.for([
    ['a=1; Path=/', 'a=1; Path=/', 'a=1; Path=/proxy/app/notas/'],
    ['a=1', 'a=1', 'a=1; Path=/proxy/app/notas/'],
    ['a=1; Path=/proxy/app/notas/x; HttpOnly', 'a=1; Path=/proxy/app/notas/x; HttpOnly', 'a=1; Path=/proxy/app/notas/x; HttpOnly'],
    ['a=1; Domain=svc.localhost', null, null],
    ['a=1; DOMAIN =svc.localhost', null, null],
    ['a=1; domain', null, null],
    ['__Host-svc=stolen; Path=/', null, null],
    [' __host-SVC-x=stolen', null, null],
    ['svc-sessao=stolen', null, null],
    ['=__Host-svc=stolen', null, null],
    ['__Host-svc', null, null],
  ] as const)('cookie %j', ([cookie, onOwn, onPath]) => {
    expect(clientCookie(cookie, '/')).toBe(onOwn);
    expect(clientCookie(cookie, '/proxy/app/notas/')).toBe(onPath);
  });

  test('the mark of the gate is known and never shown', () => {
    const refused = answerWith(['x-svc-TOKEN', 'recusado'], { status: 403 });
    expect(refusedByGate(refused)).toBe(true);
    expect(refusedByGate({ ...refused, status: 200 })).toBe(false);
    expect(clientHeaders(refused, own)).toEqual([]);
  });
  test('every response name is a token or invalid', () => expect(responseKind('a b')).toBe('invalid'));
});

describe('who may call an app', () => {
  const from = (...raw: string[]): RequestHead => headOf(['Host', 'notas.svc.localhost:8787', ...raw]);
  const portal = 'http://svc.localhost:8787';
  const mine = ['Origin', 'http://notas.svc.localhost:8787'];
  const sibling = ['Origin', 'http://outra.svc.localhost:8787'];
  const site = (value: string, mode = 'cors', dest = 'empty'): string[] => [
    'Sec-Fetch-Site',
    value,
    'Sec-Fetch-Mode',
    mode,
    'Sec-Fetch-Dest',
    dest,
  ];

  test.for([
    ['own page', 'POST', [...mine, ...site('same-origin')], true],
    ['typed address', 'GET', site('none', 'navigate', 'document'), true],
    ['the shell opens it', 'GET', site('same-site', 'navigate', 'iframe'), true],
    ['the shell closes tabs', 'POST', ['Origin', portal, ...site('same-site')], true],
    ['a sibling app fetches', 'GET', [...sibling, ...site('same-site')], false],
    ['a sibling app posts', 'POST', [...sibling, ...site('same-site', 'no-cors')], false],
    ['a sibling app submits a form', 'POST', [...sibling, ...site('same-site', 'navigate', 'document')], false],
    ['a sibling app loads an image', 'GET', site('same-site', 'no-cors', 'image'), false],
    ['a sibling app loads a script', 'GET', site('same-site', 'no-cors', 'script'), false],
    ['a stranger submits a form', 'POST', ['Origin', 'null', ...site('cross-site', 'navigate', 'document')], false],
    ['a link from anywhere', 'GET', site('cross-site', 'navigate', 'document'), true],
    ['embedded as an object', 'GET', site('cross-site', 'navigate', 'object'), false],
    ['old browser, sibling', 'POST', sibling, false],
    ['old browser, own', 'POST', mine, true],
    ['other scheme', 'POST', ['Origin', 'https://notas.svc.localhost:8787'], false],
    ['other port', 'POST', ['Origin', 'http://notas.svc.localhost:8788'], false],
    ['two origins', 'POST', [...mine, ...sibling], false],
    ['program', 'POST', [], true],
    ['own socket', 'GET', [...mine, 'Upgrade', 'websocket', 'Connection', 'Upgrade'], true],
    ['sibling socket', 'GET', [...sibling, 'Upgrade', 'websocket', 'Connection', 'Upgrade'], false],
    ['null socket', 'GET', ['Origin', 'null', 'Upgrade', 'websocket', 'Connection', 'Upgrade'], false],
  ] as const)('%s', ([, method, raw, allowed]) => expect(callerFault(method, from(...raw), portal) === null).toBe(allowed));

  test.for([
    ['a window of the shell', 'GET', site('same-site', 'navigate', 'iframe'), true],
    ['a tab', 'GET', site('none', 'navigate', 'document'), true],
    ['a late fetch', 'GET', site('same-origin'), false],
    ['a service worker script', 'GET', site('same-origin', 'same-origin', 'serviceworker'), false],
    ['an image', 'GET', site('same-origin', 'no-cors', 'image'), false],
    ['a form', 'POST', site('same-origin', 'navigate', 'document'), false],
    ['looking ahead', 'GET', ['Sec-Purpose', 'prefetch;prerender', ...site('same-origin', 'navigate', 'document')], false],
    ['old browser, page', 'GET', ['Accept', 'text/html,application/xhtml+xml;q=0.9'], true],
    ['old browser, XHR', 'GET', ['Accept', 'text/html', 'X-Requested-With', 'XMLHttpRequest'], false],
    ['old browser, any', 'GET', ['Accept', '*/*'], false],
    ['socket', 'GET', ['Upgrade', 'websocket', 'Connection', 'Upgrade', 'Accept', 'text/html'], false],
  ] as const)('%s is a navigation: %s', ([, method, raw, expected]) => expect(isNavigation(method, from(...raw))).toBe(expected));
});
