/** Questions about audit records over real lines, with a portal at the other end that says whatever it likes. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import type { RecordQuestion } from '../audit/site-record.ts';
import { limits } from '../limits.ts';
import { carriedUpgrades } from './carry.ts';
import { dialPeer, listenForPeers } from './peer-lines.ts';
import { answerPeers, askPeer } from './record-lines.ts';

const key = 'a key that all portals of the store have';
const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function listening(take: Parameters<typeof listenForPeers>[1]): Promise<string> {
  const server = listenForPeers(key, take).listen(0, '127.0.0.1');
  ends.push(() => server.close());
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A portal that answers everything with these bytes. */
async function saying(body: string | Buffer): Promise<string> {
  const server = http.createServer((req, res) => req.resume().on('end', () => res.end(body)));
  return await listening((line) => server.emit('connection', line));
}

const at = '2026-01-02:500';
const back: RecordQuestion = { ask: 'back', from: at, query: {}, linesMax: 2, concerning: null };
const on: RecordQuestion = { ...back, ask: 'on' };
const verify: RecordQuestion = { ask: 'verify' };
const hash = '0'.repeat(64);
const line = {
  seq: 1,
  time: '2026-01-01T00:00:00.000Z',
  portal: 'a:1',
  by: { kind: 'portal' },
  action: 'audit/begin',
  result: 'ok',
  prev: hash,
  hash,
};
const page = { lines: [line], marks: ['2026-01-01:0'], reachedMs: 1, next: null };
const verdict = { lines: 1, files: 1, found: 0, messages: [] };

test.for<readonly [why: string, question: RecordQuestion, body: unknown]>([
  ['no JSON', back, 'x'],
  ['nothing', back, null],
  ['an answer to another question', back, { end: at }],
  ['more members', back, { ...page, more: 1 }],
  ['more lines than were asked for', back, { ...page, lines: [line, line, line], marks: [at, at, at] }],
  ['fewer places than lines', back, { ...page, marks: [] }],
  ['a place that is a path', back, { ...page, marks: ['../../x:0'] }],
  ['a time that no date has', back, { ...page, reachedMs: 1e300 }],
  ['a next page that is this one', back, { ...page, next: at }],
  ['a next page that is newer', back, { ...page, next: '2026-01-03:0' }],
  ['a next page that is older, forwards', on, { ...page, next: '2026-01-02:90' }],
  ['no next page, forwards', on, page],
  ['new lines again and again', on, { ...page, next: at }],
  ['an end that is none', { ask: 'end' }, { end: 'now' }],
  ['a verdict without counts', verify, { portal: 'a:1', verdict: { ...verdict, lines: -1 } }],
  ['too many messages', verify, { portal: 'a:1', verdict: { ...verdict, messages: Array.from({ length: 101 }, () => 'm') } }],
  ['depth', back, `${'['.repeat(50)}${']'.repeat(50)}`],
  ['values', back, `[${'1,'.repeat(limits.peerJsonValuesMax)}1]`],
  ['bytes', back, ' '.repeat(limits.peerAnswerBytesMax + 1)],
])('an answer with %s is refused', async ([, question, body]) => {
  const address = await saying(typeof body === 'string' ? body : JSON.stringify(body));
  await expect(askPeer(address, key, question)).rejects.toMatchObject({ code: 'PORTAL_PROTOCOL' });
});

test('a line that is none of a record is left out, with its place; the others are shown', async () => {
  const bad = [{ ...line, by: 'root' }, { ...line, time: '<b>' }, { ...line, details: { deep: { er: 1 } } }, 7];
  for (const each of bad) {
    const address = await saying(JSON.stringify({ ...page, lines: [each, line], marks: ['2026-01-01:9', '2026-01-01:0'] }));
    expect(await askPeer(address, key, back)).toEqual(page);
  }
});

test('a page and an end as portals write them are taken', async () => {
  expect(await askPeer(await saying(JSON.stringify(page)), key, back)).toEqual(page);
  const quiet = { lines: [], marks: [], reachedMs: null, next: at };
  expect(await askPeer(await saying(JSON.stringify(quiet)), key, on)).toEqual(quiet);
  expect(await askPeer(await saying(JSON.stringify({ portal: 'a:1', verdict })), key, verify)).toEqual({ portal: 'a:1', verdict });
});

/** A portal that answers questions; what it was asked. */
async function answering(
  until = Promise.resolve(),
): Promise<{ readonly address: string; readonly asked: RecordQuestion[]; readonly carried: string[] }> {
  const asked: RecordQuestion[] = [];
  const carried: string[] = [];
  const take = carriedUpgrades(
    async (req, socket) => {
      carried.push(String(req.headers['x-long']));
      socket.destroy();
    },
    answerPeers(() => async (question) => {
      asked.push(question);
      await until;
      return { end: at };
    }),
  );
  return { address: await listening(take), asked, carried };
}

async function post(address: string, body: string): Promise<readonly [status: number | undefined, body: string]> {
  const createConnection = (
    (line) => () =>
      line
  )(await dialPeer(address, key));
  const request = http.request({ method: 'POST', path: '/audit', createConnection }).end(body);
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  let said = '';
  for await (const piece of answer.setEncoding('utf8')) said += piece as string;
  return [answer.statusCode, said];
}

test.for<readonly [why: string, status: number, code: string, question: unknown]>([
  ['no JSON', 400, 'BAD_REQUEST', '{'],
  ['another kind', 400, 'BAD_REQUEST', { ask: 'drop' }],
  ['a place that is a path', 400, 'BAD_REQUEST', { ...back, from: '../x:1' }],
  ['a place without a number', 400, 'BAD_REQUEST', { ...back, from: '2026-01-02:x' }],
  ['a condition that is not known', 400, 'BAD_REQUEST', { ...back, query: { room: 'x' } }],
  ['a person that is none', 400, 'BAD_REQUEST', { ...back, concerning: { toString: 1 } }],
  ['lines without end', 400, 'BAD_REQUEST', { ...back, linesMax: 1e9 }],
  ['more bytes', 413, 'TOO_LARGE', ' '.repeat(limits.peerQuestionBytesMax + 1)],
])('a question with %s is answered by its code and asks nothing', async ([, status, code, question]) => {
  const { address, asked } = await answering();
  expect(await post(address, typeof question === 'string' ? question : JSON.stringify(question))).toEqual([
    status,
    JSON.stringify({ code }),
  ]);
  expect(asked).toEqual([]);
});

test('so many questions are answered at a time; one more is refused, and taken when there is room again', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { address, asked } = await answering(promise);
  const first = Array.from({ length: 16 }, () => post(address, JSON.stringify({ ask: 'end' })));
  await vi.waitFor(() => expect(asked.length).toBe(16));
  expect(await post(address, JSON.stringify({ ask: 'end' }))).toEqual([429, JSON.stringify({ code: 'RATE_LIMITED' })]);
  resolve();
  expect(new Set((await Promise.all(first)).map(([status]) => status))).toEqual(new Set([200]));
  expect((await post(address, JSON.stringify({ ask: 'end' })))[0]).toBe(200);
});

test.for([
  ['nothing', ''],
  ['half a head', 'POST /audit HTTP/1.1\r\nhost: x\r\n'],
  ['half a question', 'POST /audit HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{'],
] as const)('a line that says %s ends when its time is over', async ([, said]) => {
  const { address } = await answering();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  ends.push(() => vi.useRealTimers());
  const other = await dialPeer(address, key);
  // The end may come as a reset.
  const closed = new Promise<true>((resolve) => other.once('close', () => resolve(true)));
  other.write(said);
  while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  vi.advanceTimersByTime(limits.peerQuestionMsMax);
  expect(await closed).toBe(true);
});

test('an upgrade is carried with the largest head that a portal takes from a client', async () => {
  const { address, carried } = await answering();
  const other = await dialPeer(address, key);
  const long = 'x'.repeat(limits.headerBytesMax - 200);
  other.write(`GET /ws/salas/x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Long: ${long}\r\n\r\n`);
  await once(other, 'close');
  expect(carried).toEqual([long]);
});
