import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountPaths } from '../../schema/server-paths.ts';
import { testHome, until, type TestHome } from '../test-home.ts';

let home: TestHome;
let path: string;
const sockets: Socket[] = [];

beforeEach(async () => {
  home = testHome();
  home.install('notas');
  path = accountPaths({ home: home.home, prefix: '' }).supervisorSocket;
  await home.supervisor();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await home.dispose();
});

/** A connection that speaks bytes, and everything that came back. */
function raw() {
  const socket = connect(path);
  sockets.push(socket);
  const seen = { text: '', closed: false };
  socket.on('data', (chunk: Buffer) => (seen.text += chunk.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => (seen.closed = true));
  return { socket, seen };
}
const lines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { id: number; ok: boolean; error?: { code: string } });

test('only the person may connect', () => {
  expect([statSync(path).mode & 0o777, statSync(`${home.home}/.svc-apps`).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('broken lines are refused one by one, and the connection lives on', async () => {
  const { socket, seen } = raw();
  socket.write('{"id":1,"op"\n\n{"id":2,"op":"nothing"}\n{"id":3,"op":"hel');
  socket.write('lo"}\n');
  await until('three answers', () => lines(seen.text).some((line) => line.id === 3));
  expect(lines(seen.text).map((line) => [line.id, line.ok, line.error?.code])).toEqual([
    [0, false, 'BAD_REQUEST'],
    [0, false, 'BAD_REQUEST'],
    [2, false, 'BAD_REQUEST'],
    [3, true, undefined],
  ]);
});

test('an order of a portal that another one followed is refused; what it only asks is answered', async () => {
  const { socket, seen } = raw();
  const order = { op: 'stop', app: 'notas', requestId: 'r', reason: 'StoppedByPerson' };
  const asked = [
    { ...order, leader: 7 },
    { ...order, leader: 6 },
    { op: 'snapshot' },
    order,
    { ...order, leader: 8 },
    { ...order, leader: '9' },
  ];
  for (const [id, request] of asked.entries()) socket.write(`${JSON.stringify({ id, ...request })}\n`);
  await until('all answers', () => lines(seen.text).length === asked.length);
  const answers = lines(seen.text).toSorted((a, b) => a.id - b.id);
  expect(answers.map((line) => line.error?.code ?? line.ok)).toEqual([true, 'CONFLICT', true, true, true, 'BAD_REQUEST']);
});

test('a line without an end is cut off at the limit', async () => {
  const { socket, seen } = raw();
  socket.write('x'.repeat(2 * 1_024 * 1_024));
  await until('the connection is closed', () => seen.closed);
  expect(lines(seen.text)[0]?.error?.code).toBe('TOO_LARGE');
});

test('the seventeenth connection is refused, and a freed place is taken', async () => {
  // The test holds one connection itself.
  const others = Array.from({ length: 15 }, raw);
  for (const { socket } of others) socket.write('{"id":1,"op":"hello"}\n');
  await until('all are served', () => others.every(({ seen }) => lines(seen.text).length === 1));
  const late = raw();
  await until('it is refused', () => late.seen.closed);
  expect(lines(late.seen.text)[0]?.error?.code).toBe('TOO_LARGE');
  others[0]?.socket.destroy();
  await until('a place is free', () => others[0]?.seen.closed);
  const next = raw();
  next.socket.write('{"id":1,"op":"hello"}\n');
  await until('it is served', () => lines(next.seen.text)[0]?.ok === true);
});

test('a reader that does not read is dropped, and the others are served', async () => {
  const { socket, seen } = raw();
  socket.pause();
  mkdirSync(home.paths('notas').dir, { mode: 0o700 });
  const fill = home.paths('notas').runLog;
  writeFileSync(fill, `${'y'.repeat(1_000)}\n`.repeat(900));
  // Each answer is near a megabyte; nobody takes them.
  for (let id = 1; id <= 40; id += 1) socket.write(`${JSON.stringify({ id, op: 'log', app: 'notas', tail: 900, previous: false })}\n`);
  const other = raw();
  other.socket.write('{"id":1,"op":"hello"}\n');
  await until('the other is served', () => lines(other.seen.text)[0]?.ok === true);
  socket.resume();
  await until('the slow one was dropped', () => seen.closed);
  expect(seen.text.length).toBeLessThan(30 * 1_024 * 1_024);
});
