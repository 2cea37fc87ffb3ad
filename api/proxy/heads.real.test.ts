/**
 * Heads of requests and of answers, made from a seed, between a client and a backend that both speak bytes: each request gets an answer, and what the
 * rules of the proxy do not name arrives with the bytes it was sent with, or is refused with a reason. Source: docs/decisions/0041-paths-and-headers-of-the-proxy.md
 */
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../test/simulation/random.ts';
import { tellCount } from '../../test/support/counts.ts';
import { ask, byteBackend, headerOf, rawRequest, statusOf, useBenches, type Bench } from './testing/harness.ts';

const rounds = process.env['SVC_TEST_LONG'] === '1' ? 100_000 : 3_000;
const seed = Number(process.env['SVC_TEST_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const bench = useBenches();
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

describe('one head', () => {
  const names = [
    utf8('attachment; filename="日本.pdf"'),
    utf8('attachment; filename="relatório.pdf"'),
    'attachment; filename="relat\xf3rio.pdf"',
  ];
  const framings = [
    ['length', 'Content-Length: 2\r\n', 'ok'],
    ['chunks', 'Transfer-Encoding: chunked\r\n', '2\r\nok\r\n0\r\n\r\n'],
    ['close', 'Connection: close\r\n', 'ok'],
  ] as const;
  test.for(framings)('keeps the bytes of Content-Disposition, behind and before: %s', async ([, framing, body]) => {
    for (const name of names)
      for (const inTwo of [false, true])
        for (const version of ['1.1', '1.0']) {
          const b = await bench((socket) => {
            socket.once('data', () => {
              socket.write(`HTTP/1.1 200 OK\r\n${framing}Content-Disposition: ${name}\r\nX-Also: ${name}\r\n\r\n`, 'latin1');
              // The head alone, as a stream of events sends it: the client has it before the body comes.
              if (inTwo) setImmediate(() => setImmediate(() => socket.end(body)));
              else socket.end(body);
            });
          });
          const got = await rawRequest(b.port, `GET / HTTP/${version}\r\nHost: ${b.host}\r\nConnection: close\r\n\r\n`);
          expect([statusOf(got), headerOf(got, 'content-disposition'), headerOf(got, 'x-also')]).toEqual([200, name, name]);
          expect(got).toContain('ok');
        }
  });

  test.for([
    ['chunks', 'Transfer-Encoding: chunked\r\n', '2\r\nok\r\n0\r\nX-Sum: 9\r\n\r\n'],
    ['length', 'Content-Length: 2\r\n', 'ok'],
  ] as const)('says Trailer only where trailers can come: %s', async ([kind, framing, body]) => {
    for (const [version, method] of [
      ['1.0', 'GET'],
      ['1.1', 'GET'],
      ['1.1', 'HEAD'],
    ] as const) {
      const b = await bench(
        byteBackend((asked) => `HTTP/1.1 200 OK\r\n${framing}Trailer: X-Sum\r\n\r\n${asked.startsWith('HEAD') ? '' : body}`).onConnection,
      );
      const got = await rawRequest(b.port, `${method} / HTTP/${version}\r\nHost: ${b.host}\r\nConnection: close\r\n\r\n`);
      expect(statusOf(got)).toBe(200);
      expect(headerOf(got, 'trailer')).toBe(kind === 'chunks' && version === '1.1' && method === 'GET' ? 'X-Sum' : null);
    }
  });

  test('has no interim answer before it for a client of HTTP/1.0', async () => {
    const b = await bench(
      byteBackend('HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
        .onConnection,
    );
    expect(await rawRequest(b.port, `GET / HTTP/1.0\r\nHost: ${b.host}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await ask(b, 'GET /')).toMatch(/^HTTP\/1\.1 103 [^]*HTTP\/1\.1 200 OK\r\n/);
  });

  test('that is refused is told to the client, and with the same words to the log', async () => {
    const b = await bench(byteBackend('HTTP/1.1 200 OK\r\nX: a\r\n folded\r\nContent-Length: 0\r\n\r\n').onConnection);
    const problem = JSON.parse((await ask(b, 'GET /api')).split('\r\n\r\n')[1] ?? '') as { readonly code: string; readonly error: string };
    expect(problem).toMatchObject({ code: 'BACKEND_BAD_RESPONSE', error: 'malformed header line' });
    expect(b.world.badAnswers).toEqual(['malformed header line']);
  });
});

/** Names that the proxy carries as they are, in both directions. */
const carried = [
  'Content-Disposition',
  'X-Nome',
  'x-lower',
  'ETag',
  'Link',
  'Warning',
  'Vary',
  'X-Empty',
  'Content-Language',
  "X-!#$%&'*+.^_`|~",
];
const statuses = [200, 200, 200, 201, 204, 206, 299, 301, 304, 400, 404, 418, 500, 599];
const reasons = ['OK', '', 'Não', utf8('Não'), 'a\tb  c', 'x'.repeat(300)];

interface Made {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly status: number;
  readonly reason: string;
  readonly framing: 'length' | 'chunked' | 'close' | 'none';
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly minor: 0 | 1;
  readonly body: string;
  readonly answer: string;
  readonly request: string;
  readonly sent: readonly (readonly [name: string, value: string])[];
}

function make(nth: number, host: string): Made {
  const { next } = createRandom(seed + nth);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  const byte = (): string =>
    String.fromCharCode(pick([0x09, 0x20, 0x21, 0x22, 0x25, 0x2c, 0x3b, 0x5c, 0x7e, 0x80, 0x85, 0xa0, 0xc3, 0xb3, 0xff, 0x41, 0x61]));
  const value = (): string => {
    const kind = next();
    if (kind < 0.1) return '';
    if (kind < 0.3) return utf8(pick(['日本.pdf', 'relatório.pdf', '😀', 'é\u00a0']));
    return Array.from({ length: kind < 0.33 ? 3_000 : Math.floor(next() * 24) }, byte)
      .join('')
      .replaceAll(/^[ \t]+|[ \t]+$/g, '');
  };
  const some = (most: number) => Array.from({ length: Math.floor(next() * most) }, () => [pick(carried), value()] as const);
  const [headers, sent] = [some(7), some(5)];
  const status = pick(statuses);
  const minor = next() < 0.2 ? 0 : 1;
  const method = pick(['GET', 'GET', 'GET', 'HEAD', 'POST'] as const);
  const isBare = method === 'HEAD' || status === 204 || status === 304;
  const framing = isBare && next() < 0.5 ? 'none' : pick(['length', 'length', 'chunked', 'close'] as const);
  const body = pick(['', 'ok', 'z'.repeat(70_000)]);
  const framed = { length: `Content-Length: ${body.length}`, chunked: 'Transfer-Encoding: chunked', close: 'Connection: close', none: '' }[
    framing
  ];
  const extra = [framed, next() < 0.2 ? 'Trailer: X-Soma' : ''].filter((line) => line !== '');
  const lines = headers.map(([name, text]) => `${name}:${pick(['', ' ', '\t ', '  '])}${text}${pick(['', ' ', '\t'])}`);
  for (const line of extra) lines.splice(Math.floor(next() * (lines.length + 1)), 0, line);
  const shown = isBare
    ? ''
    : framing === 'chunked'
      ? `${body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`}0\r\n${pick(['', 'X-Soma: \xf3\r\n'])}\r\n`
      : body;
  const reason = pick(reasons);
  const interim =
    next() < 0.1 ? `HTTP/1.1 103 Early Hints\r\nLink: ${pick(['</a>; rel=preload', utf8('</ó>; rel=preload'), 'x'])}\r\n\r\n` : '';
  const asked = [
    `Host: ${host}`,
    'Connection: close',
    ...sent.map(([name, text]) => `${name}: ${text}`),
    ...(method === 'POST' ? ['Content-Length: 0'] : []),
  ];
  return {
    headers,
    status,
    reason,
    framing,
    method,
    minor,
    body: isBare ? '' : body,
    sent,
    answer: `${interim}HTTP/1.1 ${status} ${reason}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${shown}`,
    request: `${method} /${nth} HTTP/1.${minor}\r\n${asked.join('\r\n')}\r\n\r\n`,
  };
}

/** The carried ones of a head, as they came. */
function carriedOf(head: string): string[] {
  const lines = head.split('\r\n').slice(1);
  return lines.filter((line) => carried.includes(line.slice(0, line.indexOf(':')))).map((line) => line.replace(/:[ \t]*/, ': '));
}

/** The fault that an independent reader finds in the bytes of a whole answer. */
function faultOf(made: Made, got: string): string | null {
  let rest = got;
  for (; rest.startsWith('HTTP/1.1 103 '); rest = rest.slice(rest.indexOf('\r\n\r\n') + 4))
    if (made.minor === 0) return 'an interim answer to HTTP/1.0';
  if (rest === '') return 'no answer';
  const end = rest.indexOf('\r\n\r\n');
  const [head, body] = [rest.slice(0, end), rest.slice(end + 4)];
  if (!head.startsWith(`HTTP/1.1 ${made.status} ${made.reason}\r\n`)) return 'another status line';
  const expected = made.headers.map(([name, text]) => `${name}: ${text}`);
  if (carriedOf(head).join('\n') !== expected.join('\n')) return 'a changed head';
  const isChunked = /^transfer-encoding: chunked$/im.test(head);
  if (isChunked && made.minor === 0) return 'chunks to HTTP/1.0';
  const whole = isChunked ? body.replace(/\r\n0\r\n[^]*$|^0\r\n[^]*$/, '').replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, '') : body;
  return whole === made.body ? null : 'another body';
}

async function conversation(b: Bench, bytes: string): Promise<string> {
  return await new Promise((resolve) => {
    const socket = net.connect(b.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.write(bytes, 'latin1');
  });
}

test(`${rounds} heads both ways (seed ${seed})`, { timeout: 1_800_000 }, async () => {
  const faults: string[] = [];
  const seen = new Map<number, string>();
  const made = new Map<number, Made>();
  const b = await bench((socket) => {
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      const nth = Number(/^\w+ \/(\d+) /.exec(text)?.[1]);
      const { framing, answer } = made.get(nth)!;
      seen.set(nth, text.slice(0, text.indexOf('\r\n\r\n')));
      if (framing === 'close') socket.end(answer, 'latin1');
      else socket.write(answer, 'latin1');
    });
  });
  const left = Array.from({ length: rounds }, (_, nth) => nth);
  const client = async (): Promise<void> => {
    for (let nth = left.pop(); nth !== undefined; nth = left.pop()) {
      const one = make(nth, b.host);
      made.set(nth, one);
      const got = await conversation(b, one.request);
      const fault = faultOf(one, got);
      if (fault !== null)
        faults.push(`#${nth}: ${fault}; answer ${JSON.stringify(one.answer.slice(0, 600))}, got ${JSON.stringify(got.slice(0, 600))}`);
      const asked = one.sent.map(([name, text]) => `${name}: ${text}`).join('\n');
      if (carriedOf(seen.get(nth) ?? '').join('\n') !== asked)
        faults.push(`#${nth}: a changed request; sent ${JSON.stringify(one.request)}, got ${JSON.stringify(seen.get(nth))}`);
      made.delete(nth);
      seen.delete(nth);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  tellCount(`proxy: ${rounds} heads both ways, ${faults.length} wrong, seed ${seed}`);
  expect(faults.slice(0, 5)).toEqual([]);
});
