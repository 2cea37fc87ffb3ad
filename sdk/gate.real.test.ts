/**
 * The gate under hostile bytes (rules 5): raw sockets, a grammar of heads, pipelining and smuggling. A pass is anything that reaches the
 * app or `/saude` without the one right token; there must be none. The app itself counts what it saw.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tellCount } from '../test/support/counts.ts';
import { answers, ask, cleanUp, exchange, frontend, gated, startBench, type Bench } from './testing/runtimes.ts';

const token = 'ficha-certa-1234567890';
const exact = `X-Svc-App-Token: ${token}`;
const seed = Number(process.env['SVC_TEST_SEED'] ?? 20_261_121);

/** Repeatable pseudo-random numbers (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Token lines that must never open the gate, alone or beside one another. */
const badTokenLines = [
  '',
  'X-Svc-App-Token:',
  'X-Svc-App-Token: ',
  `X-Svc-App-Token: ${token.slice(0, -1)}`,
  `X-Svc-App-Token: ${token}x`,
  `X-Svc-App-Token: ${token.toUpperCase()}`,
  `X-Svc-App-Token: "${token}"`,
  `X-Svc-App-Token: ${token}, ${token}`,
  `X-Svc-App-Token: ${token},`,
  `X-Svc-App-Token: Bearer ${token}`,
  `X-Svc-App-Token:\t\t${token}\t;`,
  `X-Svc-App-Token: ${token}\0`,
  `X-Svc-App-Token: \0${token}`,
  `X-Svc-App-Token: ${token}\x7f`,
  `X-Svc-App-Token: %66icha-certa-1234567890`,
  `X-Svc-App-Token : ${token}`,
  `X-Svc-App-Token\t: ${token}`,
  ` X-Svc-App-Token: ${token}`,
  `X-Svc-App-Token ${token}`,
  `X-Svc-App-Token=${token}`,
  `X-Svc-App-Token\0: ${token}`,
  `X_Svc_App_Token: ${token}`,
  `X.Svc.App.Token: ${token}`,
  `X-Svc_App-Token: ${token}`,
  `XSvcAppToken: ${token}`,
  `X-Svc-App-Token-: ${token}`,
  `-X-Svc-App-Token: ${token}`,
  `X--Svc-App-Token: ${token}`,
  `Y-Svc-App-Token: ${token}`,
  `X-Svc-App-Toke: ${token}`,
  `X-Svc-App-Tokenn: ${token}`,
  `Ⅹ-Svc-App-Token: ${token}`,
  `X-Svc-App-Token: x\r\n ${token}`,
  `X-Svc-App-Token:\r\n ${token}`,
  `X-Svc-App-Token:\r\n\t${token}`,
  `Outro: x\n${exact}`,
  `Outro: x\r${exact}`,
  `Outro: x\r\r\n${exact}`,
  `Outro: x\n\r\n${exact}`,
  `Authorization: ${token}`,
  `Cookie: X-Svc-App-Token=${token}`,
  `Host: ${exact}`,
  `${exact}\r\n${exact}`,
  `${exact}\r\nx-svc-app-token: ${token}`,
  `${exact}\r\nX-Svc-App-Token: outro`,
  `X-Svc-App-Token: outro\r\n${exact}`,
  `${exact}\r\nX_Svc_App_Token: ${token}`,
  `X_Svc_App_Token: outro\r\n${exact}`,
];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PATCH', 'PROPFIND', 'M-SEARCH', 'get', 'GETT', ''];
const targets = [
  '/api/alvo',
  '/saude',
  '/',
  '*',
  'http://app/api/alvo',
  'http://app/saude',
  '//app/api/alvo',
  'app:80',
  '/%73aude',
  '/saude?',
  '/saude#',
  '/./saude',
  '/api/alvo HTTP/1.1',
];
const versions = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', ''];
const extras = [
  '',
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: +5',
  'Content-Length: 5, 5',
  'Content-Length: 5\r\nContent-Length: 5',
  'Content-Length: 0\r\nContent-Length: 5',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 5',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\vchunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Expect: 100-continue\r\nContent-Length: 5',
  'Expect: nada',
  'Connection: X-Svc-App-Token',
  'Host: outro',
];
const bodies = ['', 'abcde', '0\r\n\r\n', '5\r\nabcde\r\n0\r\n\r\n', '1;\n\r\na\r\n0\r\n\r\n'];

/** A request whole in itself that would reach the app if somebody took it for one, with a token that is not right. */
const smuggled = `GET /api/alvo HTTP/1.1\r\nHost: app\r\n\r\n`;

afterAll(cleanUp);

describe.each(gated)('%s gate', (runtime) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench(runtime, frontend(), { SVC_APP_TOKEN: token });
  });

  const good = (path: string) => ask(bench.socket, { path, headers: [['X-Svc-App-Token', token]] });
  const seen = async (): Promise<readonly string[]> => JSON.parse((await good('/api/vistos')).body).vistos;
  const passed = (raw: string): boolean => /"versao"|rota desconhecida|<head|alcancou|"pong"/.test(raw);

  /** Eight at a time: raw connections are cheap, and the machine is shared. */
  async function every<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const left = [...items];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
      }),
    );
  }

  test('the right token passes: the harness can tell a pass', async () => {
    expect(passed((await good('/saude')).body)).toBe(true);
    expect(passed((await good('/')).body)).toBe(true);
    expect((await good('/api/alvo')).status).toBe(404);
    expect(await seen()).toContain('GET /api/alvo');
  });

  test('no head of the grammar passes without exactly the right token line (3,000 requests)', async () => {
    const before = await seen();
    const random = seeded(seed);
    const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)]!;
    const requests = badTokenLines.map((line) => `GET /api/alvo HTTP/1.1\r\nHost: app\r\n${line}\r\n\r\n`);
    while (requests.length < 3_000) {
      // Mostly well-formed with one or two oddities: an all-odd head is refused for the first of them.
      const odd = (from: readonly string[], plain: string): string => (random() < 0.3 ? pick(from) : plain);
      const start = [odd(methods, 'GET'), odd(targets, '/api/alvo'), odd(versions, 'HTTP/1.1')].filter(Boolean).join(' ');
      const lines = ['Host: app', pick(badTokenLines), odd(extras, '')].filter(Boolean).sort(() => random() - 0.5);
      const ending = random() < 0.1 ? '\n' : '\r\n';
      requests.push(`${[start, ...lines, '', ''].join(ending)}${odd(bodies, '')}${random() < 0.3 ? smuggled : ''}`);
    }
    const passes: string[] = [];
    await every(requests, async (request) => {
      if (passed(await exchange(bench.socket, request, true))) passes.push(request);
    });
    tellCount(`gate of ${runtime}: ${requests.length} heads without the right token line, ${passes.length} passed, seed ${seed}`);
    expect(passes).toEqual([]);
    expect(await seen()).toEqual(before);
  });

  test('pipelining: the token of one request is worth nothing to the next', async () => {
    const plain = `GET /saude HTTP/1.1\r\nHost: app\r\n`;
    const raw = await exchange(bench.socket, `${plain}${exact}\r\n\r\n${plain}\r\n${plain}${exact}\r\nConnection: close\r\n\r\n`, true);
    const statuses = answers(raw).map(({ status }) => status);
    expect(statuses.slice(0, 2)).toEqual([200, 403]);
    expect(statuses.length).toBeLessThanOrEqual(2); // a refused connection ends: what follows is not read
  });

  // The request inside carries the right token, as if a confused proxy had let its own be reused: it must not be taken for a request.
  const inner = `GET /api/alvo HTTP/1.1\r\nHost: app\r\n${exact}\r\n\r\n`;
  test.each([
    ['CL and TE', `Content-Length: ${inner.length + 5}\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${inner}`],
    ['TE and CL', `Transfer-Encoding: chunked\r\nContent-Length: 4`, `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`],
    ['two different CL', `Content-Length: 0\r\nContent-Length: ${inner.length}`, inner],
    ['two equal CL', `Content-Length: 2\r\nContent-Length: 2`, `{}${inner}`],
    ['a CL list', `Content-Length: 2, 2`, `{}${inner}`],
    ['a signed CL', `Content-Length: +2`, `{}${inner}`],
    ['a hexadecimal CL', `Content-Length: 0x2`, `{}${inner}`],
    ['CL with a space before the colon', `Content-Length : 2`, `{}${inner}`],
    ['TE with a space before the colon', `Transfer-Encoding : chunked`, `0\r\n\r\n${inner}`],
    ['TE twice', `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${inner}`],
    ['TE with another coding after', `Transfer-Encoding: chunked, identity`, `0\r\n\r\n${inner}`],
    ['TE with a control character', `Transfer-Encoding: \x0bchunked`, `0\r\n\r\n${inner}`],
    ['a folded TE', `Transfer-Encoding:\r\n chunked`, `0\r\n\r\n${inner}`],
    ['an unknown TE', `Transfer-Encoding: xchunked`, `0\r\n\r\n${inner}`],
    ['a chunk size with a sign', `Transfer-Encoding: chunked`, `-0\r\n\r\n${inner}`],
    ['a chunk size with an underscore', `Transfer-Encoding: chunked`, `0_0\r\n\r\n${inner}`],
    ['chunks ended by LF', `Transfer-Encoding: chunked`, `2\n{}\n0\n\n${inner}`],
    ['a chunk longer than told', `Transfer-Encoding: chunked`, `1\r\n{}\r\n0\r\n\r\n${inner}`],
    ['a chunk extension with a bare LF', `Transfer-Encoding: chunked`, `0;a\nb\r\n\r\n${inner}`],
    ['a header line ended by LF', `Outro: x\nContent-Length: 2`, `{}${inner}`],
    ['a header line ended by CR', `Outro: x\rContent-Length: 2`, `{}${inner}`],
  ])('smuggling with %s: refused, and the request inside is not taken for one', async (_name, headers, body) => {
    const before = await seen();
    const statuses: number[] = [];
    for (const path of ['/api/eco', '/api/ping']) {
      const raw = await exchange(bench.socket, `POST ${path} HTTP/1.1\r\nHost: app\r\n${exact}\r\n${headers}\r\n\r\n${body}`, true);
      statuses.push(...answers(raw).map(({ status }) => status));
    }
    expect((await seen()).slice(before.length).filter((line) => line.includes('alvo'))).toEqual([]);
    expect(statuses).toContain(400);
  });

  test('a body is a body: the request inside it is not taken for one', async () => {
    const before = await seen();
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const raw = await exchange(
        bench.socket,
        `${method} /api/ping HTTP/1.1\r\nHost: app\r\n${exact}\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
        true,
      );
      expect(answers(raw)).toHaveLength(1);
    }
    expect((await seen()).slice(before.length).filter((line) => line.includes('alvo'))).toEqual([]);
  });

  test('a head of nothing but space is read at once, before the gate', async () => {
    const spaces = ' '.repeat(30_000);
    for (const value of [`${spaces}\u0001`, `a${spaces}b`, `a${spaces}\u0001`, spaces]) {
      const startedMs = performance.now();
      await exchange(bench.socket, `GET /api/ping HTTP/1.1\r\nHost: app\r\nOutro: ${value}\r\n\r\n`, true);
      expect(performance.now() - startedMs).toBeLessThan(2_000);
    }
    expect(answers(await exchange(bench.socket, `GET /saude HTTP/1.1\r\nHost: app\r\n${exact} \t \r\n\r\n`, true))[0]!.status).toBe(200);
  });

  test('a token in a trailer is not the token of the request', async () => {
    const raw = await exchange(
      bench.socket,
      `POST /api/alvo HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\nTrailer: X-Svc-App-Token\r\n\r\n0\r\n${exact}\r\n\r\n`,
      true,
    );
    expect(answers(raw).map(({ status }) => status)).toEqual([403]);
  });

  test('the same body split at every byte is understood the same', async () => {
    const request = `POST /api/eco HTTP/1.1\r\nHost: app\r\n${exact}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\n[1,\r\n2\r\n2]\r\n0\r\n\r\n`;
    const whole = await exchange(bench.socket, request);
    expect(answers(whole)[0]!.body).toBe('{"eco":[1,2]}');
  });

  // The Python runtime has no upgrades: nothing to gate.
  test.for(runtime === 'python' ? [] : ['upgrades'])('%s pass the same gate', async () => {
    const before = await seen();
    const upgrade = (line: string): string => `GET /ws HTTP/1.1\r\nHost: app\r\nUpgrade: nada\r\nConnection: Upgrade\r\n${line}\r\n\r\n`;
    for (const line of badTokenLines) expect(await exchange(bench.socket, upgrade(line || 'Outro: x'), true)).not.toContain('alcancou');
    const refused = answers(await exchange(bench.socket, upgrade('Outro: x')))[0]!;
    expect([refused.status, refused.headers['x-svc-token']]).toEqual([403, 'recusado']);
    expect(await seen()).toEqual(before);
    expect(await exchange(bench.socket, upgrade(exact))).toMatch(/^HTTP\/1\.1 101 [\s\S]*alcancou$/);
  });

  test('a wrong token costs the same time wherever it differs', async () => {
    // Not a proof of constant time, which the library call gives; it would catch a comparison that stops at the first difference
    // made costly by length: the medians of an early and of a late difference stay together.
    const time = async (given: string): Promise<number> => {
      const started = process.hrtime.bigint();
      await ask(bench.socket, { headers: [['X-Svc-App-Token', given]] });
      return Number(process.hrtime.bigint() - started);
    };
    const early: number[] = [];
    const late: number[] = [];
    for (let round = 0; round < 150; round += 1) {
      early.push(await time(`x${token.slice(1)}`));
      late.push(await time(`${token.slice(0, -1)}x`));
    }
    const median = (all: number[]): number => all.sort((a, b) => a - b)[75]!;
    expect(median(late) / median(early)).toBeGreaterThan(0.5);
    expect(median(late) / median(early)).toBeLessThan(2);
  });
});
