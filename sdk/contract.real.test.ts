/** A single table over both runtimes, and svc-wrap before a program: the rules 4.2, 4.4, 5 and 7 for a backend, with real processes on real sockets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { answers, ask, cleanUp, exchange, frontend, gated, runtimes, startBench, type Bench } from './testing/runtimes.ts';

const plainToken = 'segredo-da-bancada';
const authorised = [['X-Svc-App-Token', plainToken]] as const;

afterAll(cleanUp);

/** Headers that both runtimes must send alike; Date, Connection and Keep-Alive are each server's own. */
const shared = [
  'content-type',
  'content-length',
  'cache-control',
  'x-svc-token',
  'x-content-type-options',
  'accept-ranges',
  'etag',
  'last-modified',
];
type Seen = { status: number; headers: Readonly<Record<string, string>>; body: string };
/** `pidDigits`: of a pid that the body has, or would have if it were asked for. */
const view = ({ status, headers, body }: Seen, pidDigits = 0): unknown => {
  const { 'content-length': length, ...others } = headers;
  const known: Readonly<Record<string, string | number | undefined>> = {
    ...others,
    ...(length === undefined ? {} : { 'content-length': Number(length) - pidDigits }),
  };
  return {
    status,
    headers: Object.fromEntries(shared.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]]))),
    body: body.replace(/"pid":\d+/, '"pid":0'),
  };
};

describe('the same request gets the same answer from all', () => {
  const json = 'application/json; charset=utf-8';
  const row = (
    name: string,
    asked: Parameters<typeof ask>[1],
    status: number,
    check: { type?: string; body?: RegExp; token?: string } = {},
  ) => ({
    name,
    asked,
    status,
    check,
  });
  const good = authorised;
  const table = [
    row('no token', { path: '/api/ping' }, 403, { type: json, token: 'recusado', body: /"error":"/ }),
    row('no token on /saude', { path: '/saude' }, 403, { token: 'recusado' }),
    row('wrong token', { path: '/', headers: [['X-Svc-App-Token', `${plainToken}x`]] }, 403, { token: 'recusado' }),
    row('a prefix of the token', { headers: [['X-Svc-App-Token', plainToken.slice(0, -1)]] }, 403, { token: 'recusado' }),
    row('an empty token', { headers: [['X-Svc-App-Token', '']] }, 403, { token: 'recusado' }),
    row('twice the right token', { headers: [...good, ...good] }, 403, { token: 'recusado' }),
    row('right and wrong', { headers: [...good, ['x-svc-app-token', 'no']] }, 403, { token: 'recusado' }),
    row('a look-alike beside it', { headers: [...good, ['X_Svc_App_Token', plainToken]] }, 403, { token: 'recusado' }),
    row('a look-alike alone', { headers: [['X_Svc_App_Token', plainToken]] }, 403, { token: 'recusado' }),
    row('dots for dashes', { headers: [['X.Svc.App.Token', plainToken]] }, 403, { token: 'recusado' }),
    row('another case of the name', { path: '/api/ping', headers: [['x-sVC-aPP-tOKEN', plainToken]] }, 200, { type: json }),
    row('/saude', { path: '/saude', headers: good }, 200, { type: json, body: /^\{"ok":true,"versao":"dev","pid":\d+\}$/ }),
    row('/saude with a query', { path: '/saude?x=1', headers: good }, 200, { body: /"ok":true/ }),
    row('HEAD /saude', { method: 'HEAD', path: '/saude', headers: good }, 200, { body: /^$/ }),
    row('POST /saude is the app’s', { method: 'POST', path: '/saude', headers: good }, 404, { body: /rota desconhecida/ }),
    row('JSON', { path: '/api/ping', headers: good }, 200, { type: json }),
    row('HEAD of JSON', { method: 'HEAD', path: '/api/ping', headers: good }, 200, { body: /^$/ }),
    row('unknown route', { path: '/api/nada', headers: good }, 404, { type: json, body: /"error":"rota desconhecida"/ }),
    row('any method passes the gate only with it', { method: 'DELETE', path: '/api/ping' }, 403, { token: 'recusado' }),
    row('OPTIONS too', { method: 'OPTIONS', path: '/api/ping' }, 403, { token: 'recusado' }),
    row('an absolute target', { path: 'http://app/api/ping', headers: good }, 400, { type: json }),
    row('a handler that throws', { path: '/api/erro', headers: good }, 500, { type: json, body: /^\{"error":"erro interno do app"\}$/ }),
    row('a JSON body', { method: 'POST', path: '/api/eco', headers: good, body: '{"a":[1,2]}' }, 200, {
      body: /^\{"eco":\{"a":\[1,2\]\}\}$/,
    }),
    row('not JSON', { method: 'POST', path: '/api/eco', headers: good, body: '{"a"' }, 400, { type: json }),
    row('not UTF-8', { method: 'POST', path: '/api/eco', headers: good, body: '"\xff"' }, 400, { type: json }),
    row('a body too large', { method: 'POST', path: '/api/eco', headers: good, body: `"${'x'.repeat(2_000)}"` }, 413, { type: json }),
    row('the index', { path: '/', headers: good }, 200, {
      type: 'text/html; charset=utf-8',
      body: /<head lang=pt><base href="\/"><script src="_sdk\/svc.js">/,
    }),
    row('the index by name', { path: '/index.html', headers: good }, 200, { body: /extra\.js\?v=[0-9a-f]{16}" defer/ }),
    row('HEAD of the index', { method: 'HEAD', path: '/', headers: good }, 200, { body: /^$/ }),
    row('a file', { path: '/extra.js', headers: good }, 200, { type: 'text/javascript; charset=utf-8', body: /^window\.extra = 1\n$/ }),
    row('_sdk is the system’s', { path: '/_sdk/svc.js', headers: good }, 404, { body: /rota desconhecida/ }),
    row('_sdk as a navigation', { path: '/_sdk/ui', headers: [...good, ['Accept', 'text/html']] }, 404, {}),
    row('a route of the page', { path: '/nota/7?x', headers: [...good, ['Accept', 'text/html,*/*']] }, 200, { body: /<base href="\/">/ }),
    row('the same, not a navigation', { path: '/nota/7', headers: [...good, ['Accept', '*/*']] }, 404, {}),
    row(
      'fetch() that accepts HTML',
      { path: '/nota/7', headers: [...good, ['Accept', 'text/html'], ['Sec-Fetch-Dest', 'empty']] },
      404,
      {},
    ),
    row('a missing file is not a route', { path: '/nota/x.js', headers: [...good, ['Accept', 'text/html']] }, 404, {}),
    row('api is never a route', { path: '/api/nota', headers: [...good, ['Accept', 'text/html']] }, 404, {}),
    row('POST to a route', { method: 'POST', path: '/nota/7', headers: [...good, ['Accept', 'text/html']] }, 404, {}),
  ];
  const benches = new Map<(typeof gated)[number], Bench>();
  const root = frontend();
  /** The two processes have pids of their own, which may have more digits in one of them. */
  const pidDigits = async ({ socket }: Bench, path: string | undefined, status: number): Promise<number> => {
    if (status !== 200 || path?.startsWith('/saude') !== true) return 0;
    const { body } = await ask(socket, { path: '/saude', headers: good });
    return /"pid":(\d+)/.exec(body)?.[1]?.length ?? 0;
  };

  test.each(gated)('%s starts', async (runtime) => {
    const bench = await startBench(runtime, root, { SVC_APP_TOKEN: plainToken });
    benches.set(runtime, bench);
    expect(bench.output()).toContain(`[bancada] versão dev escutando em ${bench.socket}\n`);
  });

  test.each(table)('$name → $status', async ({ asked, status, check }) => {
    const [python, ...others] = await Promise.all(gated.map((runtime) => ask(benches.get(runtime)!.socket, asked)));
    expect(python!.status).toBe(status);
    expect(python!.headers['content-type']).toBe(check.type ?? python!.headers['content-type']);
    expect(python!.body).toMatch(check.body ?? /^/);
    expect(python!.headers['x-svc-token']).toBe(check.token);
    const digits = await Promise.all(gated.map((runtime) => pidDigits(benches.get(runtime)!, asked.path, status)));
    for (const [at, other] of others.entries()) expect(view(other, digits[at + 1])).toEqual(view(python!, digits[0]));
  });

  test.each(runtimes)('%s: a failed handler is one log line and the app goes on', async (runtime) => {
    const bench = benches.get(runtime)!;
    await ask(bench.socket, { path: '/api/erro', headers: authorised });
    const lines = readFileSync(join(bench.data, 'app.log'), 'utf8').trim().split('\n');
    const last = JSON.parse(lines.at(-1)!);
    expect(last).toMatchObject({ nivel: 'erro', evento: 'pedido.erro', metodo: 'GET', caminho: '/api/erro' });
    expect(last.erro.mensagem).toBe('quebrou\nde propósito \u001b[31m');
    expect(readFileSync(join(bench.data, 'app.log'), 'latin1')).not.toMatch(/[\0-\x09\x0b-\x1f\x7f]/);
    expect((await ask(bench.socket, { path: '/api/ping', headers: authorised })).status).toBe(200);
  });

  test.each(gated)('%s keeps the connection: many requests, bodies read and unread, on one socket', async (runtime) => {
    const head = `Host: app\r\nX-Svc-App-Token: ${plainToken}\r\n`;
    const bytes =
      `GET /api/ping HTTP/1.1\r\n${head}\r\n` +
      `POST /api/ping HTTP/1.1\r\n${head}Content-Length: 5\r\n\r\nnunca` +
      `POST /api/eco HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n2;x=y\r\n[1\r\n3\r\n,2]\r\n0\r\nTrailer: t\r\n\r\n` +
      `HEAD /extra.js HTTP/1.1\r\n${head}\r\n` +
      `GET /extra.js HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
    const found = answers(await exchange(benches.get(runtime)!.socket, bytes), ['GET', 'POST', 'POST', 'HEAD', 'GET']);
    expect(found.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(found[2]!.body).toBe('{"eco":[1,2]}');
    expect(found[4]!.headers['connection']).toBe('close');
    const late = `GET /api/ping HTTP/1.1\r\n${head}Connection: close\r\n\r\nGET /api/depois-do-fim HTTP/1.1\r\n${head}\r\n`;
    expect(await exchange(benches.get(runtime)!.socket, late)).toMatch(/^HTTP\/1\.1 200 /);
    expect((await ask(benches.get(runtime)!.socket, { path: '/api/vistos', headers: authorised })).body).not.toContain('depois-do-fim');
  });

  test.each(gated)('%s answers 100-continue only past the gate', async (runtime) => {
    const { socket } = benches.get(runtime)!;
    const request = (given: string): string =>
      `POST /api/eco HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${given}\r\nExpect: 100-continue\r\nContent-Length: 4\r\nConnection: close\r\n\r\ntrue`;
    expect(answers(await exchange(socket, request(plainToken))).map(({ status }) => status)).toEqual([100, 200]);
    const refused = answers(await exchange(socket, request('errado'))).map(({ status }) => status);
    expect(refused.at(-1)).toBe(403);
  });

  test.each(gated)('%s takes a 20 MB upload, sized and chunked', async (runtime) => {
    const { socket } = benches.get(runtime)!;
    const body = Buffer.alloc(20 * 1024 * 1024, 'x');
    const head = `POST /api/tamanho HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${plainToken}\r\nConnection: close\r\n`;
    const sized = Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]);
    const chunked = Buffer.concat([
      Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`),
      body,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    for (const bytes of [sized, chunked]) expect(answers(await exchange(socket, bytes))[0]!.body).toBe(`{"bytes":${body.length}}`);
  });

  test.each(gated)('%s refuses a head above 32 KiB with 431', async (runtime) => {
    const raw = await exchange(benches.get(runtime)!.socket, `GET / HTTP/1.1\r\nHost: app\r\nX-Grande: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(raw).toMatch(/^HTTP\/1\.1 431 /);
  });
});
