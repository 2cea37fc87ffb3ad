/**
 * svc-wrap between odd clients and odd programs: however a request is written, the program gets one request a connection, whole and without the token;
 * however a program answers, the client gets one answer for each request. Seeded; SVC_TEST_SEED gives another run.
 */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../test/simulation/random.ts';
import { tellCount } from '../test/support/counts.ts';
import { bodies as oddBodies, ends, oddities, refusedRequests } from '../test/support/odd-requests.ts';
import { ask, backendEnv, cleanUp, exchange, start, temporaryFolder, wrapper, type Backend } from './testing/runtimes.ts';

const seed = Number(process.env['SVC_TEST_SEED'] ?? 20_261_129);
const rounds = process.env['SVC_TEST_LONG'] === '1' ? 100_000 : 1_500;
const token = 'ficha-do-embrulho';
let backend: Backend;
let socket: string;
/** A program of Node's own HTTP server: behind svc-wrap, and bare. */
let wrapped: string;
let bare: string;

beforeAll(async () => {
  const home = temporaryFolder();
  socket = path.join(home, 'a/app.sock');
  const env = backendEnv(home, { SVC_APP_ID: 'bancada', SVC_APP_SOCKET: socket, SVC_APP_TOKEN: token });
  backend = start([wrapper, '--', process.execPath, path.join(import.meta.dirname, 'testing/wrapped/raw-program.mjs'), '{socket}'], env);
  await backend.said('o programa atende');
  wrapped = path.join(home, 'b/app.sock');
  bare = path.join(home, 'bare.sock');
  const program = [process.execPath, path.join(import.meta.dirname, 'testing/wrapped/recording-program.mjs')] as const;
  const another = start([wrapper, '--', ...program, '{socket}'], { ...env, SVC_APP_SOCKET: wrapped });
  await Promise.all([another.said('o programa atende'), start([...program, bare], env).said('escuto')]);
});
afterAll(cleanUp);

const { next: random } = createRandom(seed);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

/** A head and what is left after its body; `cut` where the body is not whole, null where the framing is not plain. */
function split(message: string, isAnswer: boolean): { readonly head: string; readonly rest: string } | 'cut' | null {
  const end = message.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = message.slice(0, end + 2);
  const lines = head.split('\r\n').slice(1, -1);
  if (
    /[\r\n]/.test(head.replaceAll('\r\n', '')) ||
    lines.some((line) => !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+: ?[\t\x20-\x7e\x80-\xff]*$/.test(line))
  )
    return null;
  const valuesOf = (name: string): string[] =>
    lines.filter((line) => line.toLowerCase().startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim());
  const [lengths, codings] = [valuesOf('content-length'), valuesOf('transfer-encoding')];
  let rest = message.slice(end + 4);
  if (lengths.length + codings.length > 1) return null;
  if (isAnswer && /^HTTP\/1\.1 (?:1\d\d|204|304)/.test(head)) return { head, rest };
  if (lengths.length === 1) return Number(lengths[0]) > rest.length ? 'cut' : { head, rest: rest.slice(Number(lengths[0])) };
  if (codings.length === 0) return { head, rest: isAnswer ? '' : rest };
  for (;;) {
    const size = /^([0-9a-fA-F]+)[ \t]*(?:;[^\r\n]*)?\r\n/.exec(rest);
    if (size === null) return rest.includes('\r\n') ? null : 'cut';
    const bytes = Number.parseInt(size[1]!, 16);
    rest = rest.slice(size[0].length);
    if (rest.length < bytes + 2) return 'cut';
    if (bytes === 0) return rest.startsWith('\r\n') ? { head, rest: rest.slice(2) } : null;
    if (rest.slice(bytes, bytes + 2) !== '\r\n') return null;
    rest = rest.slice(bytes + 2);
  }
}

/** Some bytes of a text changed, taken out, or put in. */
function damaged(text: string): string {
  let made = text;
  for (let left = Math.floor(random() * 4); left > 0; left -= 1) {
    const at = Math.floor(random() * made.length);
    const put = pick(['', '\r', '\n', '\r\n', '\0', ' ', ':', ';', '0', '\t', 'a', ',', '\x80']);
    made = made.slice(0, at) + put + made.slice(at + (random() < 0.5 ? 1 : 0));
  }
  return made;
}

const framings = [
  '',
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'content-length: 5\r\nContent-Length: 5\r\n',
  'Content-Length: 5\r\nContent-Length: 6\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Content_Length: 5\r\n',
  'Connection: Content-Length\r\nContent-Length: 5\r\n',
];
const bodies = [
  '',
  'abcde',
  '5\r\nabcde\r\n0\r\n\r\n',
  '5;x\r\nabcde\r\n0\r\nHost: x\r\n\r\n',
  '0\r\n\r\n',
  'GET /fora HTTP/1.1\r\nHost: x\r\n\r\n',
];

async function every<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** All that the program has got until now on each connection, and which of it is no request, or more than one, or has the token. */
async function brought(): Promise<{ readonly heads: readonly string[]; readonly wrong: readonly string[] }> {
  const all = JSON.parse((await ask(socket, { path: '/trazido', headers: [['X-Svc-App-Token', token]] })).body) as string[];
  // A client that left in the middle of a body leaves the program with a part of it: it is no request, and nothing follows it.
  const heads = all.filter((bytes) => bytes !== '');
  const wrong = heads.filter((bytes) => {
    const one = split(bytes, false);
    return (one !== 'cut' && one?.rest !== '') || /x.svc.app.token|ficha-do/i.test(bytes.slice(0, bytes.indexOf('\r\n\r\n')));
  });
  return { heads, wrong };
}

test(`${rounds} odd requests: each connection to the program brings one request, whole, without the token`, async () => {
  const requests = Array.from({ length: rounds }, () => {
    const one = `${pick(['GET', 'POST', 'PUT', 'OPTIONS'])} /x HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${token}\r\n${pick(framings)}\r\n${pick(bodies)}`;
    return damaged(one + (random() < 0.5 ? one : ''));
  });
  await every(requests, async (request) => {
    await exchange(socket, request, true);
  });
  const { heads, wrong } = await brought();
  tellCount(`svc-wrap: ${rounds} odd requests, ${heads.length} reached the program, ${wrong.length} wrong, seed ${seed}`);
  expect(heads.length).toBeGreaterThan(rounds / 20);
  expect(wrong).toEqual([]);
});

/** `OPTIONS *` is one of the program's own: nobody else is meant. */
const refused = refusedRequests.filter(([name]) => name !== 'asterisk form');
test.for(refused)('%s: refused, and no other request reaches the program', async ([, request]) => {
  const before = (await brought()).heads.length;
  const got = await exchange(socket, request.replace('Host: HOST', `Host: app\r\nX-Svc-App-Token: ${token}`), true);
  const { heads } = await brought();
  expect(got).toMatch(/^HTTP\/1\.1 4\d\d /);
  // The head of a body that turns out to be none is out already.
  expect(heads.slice(before).join('')).not.toMatch(/smuggled|other/);
});

test('every odd line with every odd body and end: each connection to the program brings one request, whole, without the token', async () => {
  const inner = 'GET /escondido HTTP/1.1\r\nHost: x\r\n\r\n';
  const requests = oddities.flatMap((line) =>
    oddBodies.flatMap((body) =>
      [...new Set(ends)].map((end) => {
        const head = ['POST /x HTTP/1.1', 'Host: app', `X-Svc-App-Token: ${token}`, line.replaceAll('N', String(inner.length))];
        return head.filter(Boolean).join('\r\n') + end + body(inner);
      }),
    ),
  );
  const before = await brought();
  await every(requests, async (request) => {
    await exchange(socket, request, true);
  });
  const { heads, wrong } = await brought();
  tellCount(
    `svc-wrap: ${requests.length} requests with a request inside, ${heads.length - before.heads.length} reached the program, ${wrong.length} wrong`,
  );
  expect(wrong).toEqual([]);
});

test(`${rounds} odd answers: one answer for each request, and the next request gets its own`, async () => {
  const wrong: string[] = [];
  let kept = 0;
  const rows = Array.from({ length: rounds }, () => {
    const status = pick([
      'HTTP/1.1 200 OK',
      'HTTP/1.0 200 OK',
      'HTTP/1.1 204 No',
      'HTTP/1.1 304 x',
      'HTTP/1.1 100 Continue',
      'HTTP/1.1 101 x',
      'HTTP/2 200',
    ]);
    return damaged(
      `${status}\r\nX-A: b\r\n${pick(framings)}\r\n${pick(bodies)}${random() < 0.2 ? 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nz' : ''}`,
    );
  });
  await every(rows, async (row) => {
    const head = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${token}\r\n\r\n`;
    const got = await exchange(socket, head(`/b/${Buffer.from(row, 'latin1').toString('hex')}`) + head('/saude'), true);
    // Cut off: the end of the connection tells the client that this answer is not whole.
    const cut = !got.includes('"versao"');
    let first = split(got, true);
    while (first !== null && first !== 'cut' && /^HTTP\/1\.1 1(?!01)/.test(first.head)) first = split(first.rest, true);
    if (cut) return;
    kept += 1;
    const second = first === null || first === 'cut' ? null : split(first.rest, true);
    if (
      second === null ||
      second === 'cut' ||
      second.rest !== '' ||
      !second.head.startsWith('HTTP/1.1 200 OK\r\nContent-Type: application/json')
    )
      wrong.push(JSON.stringify([row, got]));
  });
  tellCount(`svc-wrap: ${rounds} odd answers, the connection was kept after ${kept}, ${wrong.length} wrong, seed ${seed}`);
  expect(kept).toBeGreaterThan(rounds / 20);
  expect(wrong).toEqual([]);
  expect((await ask(socket, { path: '/saude', headers: [['X-Svc-App-Token', token]] })).status).toBe(200);
});

test(`${rounds} odd requests beside the bare program: what it is asked behind svc-wrap it is asked without it as well`, async () => {
  const requests = Array.from({ length: rounds }, (_, nth) => {
    const line = `${pick(['GET', 'POST', 'PUT', 'OPTIONS'])} /${nth} HTTP/1.1\r\n`;
    const lines = `Host: app\r\nX-Svc-App-Token: ${token}\r\nX-A: ${pick(['b', '', ' b\t', 'é', '"', 'a,b'])}\r\n`;
    return line + damaged(`${lines}${pick(framings)}\r\n${pick(bodies)}${random() < 0.3 ? `${line}${lines}\r\n` : ''}`);
  });
  await every(requests, async (request) => {
    await Promise.all([exchange(bare, request, true), exchange(wrapped, request, true)]);
  });
  const seenBy = async (socket: string): Promise<readonly string[]> =>
    JSON.parse((await ask(socket, { path: '/vistos', headers: [['X-Svc-App-Token', token]] })).body) as string[];
  const [without, behind] = [await seenBy(bare), await seenBy(wrapped)];
  const left = Map.groupBy(without, (one) => one);
  const wrong = behind.filter((one) => left.get(one)?.pop() === undefined);
  const counts = `${without.length} requests seen by the bare program, ${behind.length} behind svc-wrap, ${wrong.length} of them others`;
  tellCount(`svc-wrap beside the bare program: ${rounds} odd connections, ${counts}, seed ${seed}`);
  expect(behind.length).toBeGreaterThan(rounds / 20);
  expect(wrong.slice(0, 5)).toEqual([]);
});
