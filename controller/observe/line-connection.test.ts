/** Over a real unix socket, with a supervisor written out in bytes. */
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { limits as machineLimits } from '../../machines/limits.ts';
import { limits } from '../../schema/limits.ts';
import type { SupervisorPush } from '../../schema/supervisor-lines.ts';
import { systemClock } from '../clock/system.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import type { Clock } from '../../schema/clock.ts';
import { openLineConnection } from './line-connection.ts';

let dir: string;
let server: net.Server;
let onLine: (line: string, socket: net.Socket) => void;
beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-line-'));
  server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
        onLine(text.slice(0, at), socket);
        text = text.slice(at + 1);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path.join(dir, 's'), resolve));
});
afterEach(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

function connect(clock: Clock = systemClock, held?: () => Promise<void>) {
  const pushes: SupervisorPush[] = [];
  const closed = Promise.withResolvers<SvcError>();
  const stream = net.connect(path.join(dir, 's'));
  const connection = openLineConnection({
    stream,
    clock,
    leader: 7,
    held,
    onPush: (push) => pushes.push(push),
    onClose: (error) => closed.resolve(error),
  });
  return { connection, pushes, closed: closed.promise };
}

test('an order waits until it is known that no other portal leads, and is not sent when one does', async () => {
  const heard: string[] = [];
  onLine = (line, socket) => {
    const { id, op } = JSON.parse(line) as { id: number; op: string };
    heard.push(op);
    socket.write(`${JSON.stringify({ id, ok: true, ...(op === 'subscribe' ? { apps: [] } : { accepted: true }) })}\n`);
  };
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { connection } = connect(systemClock, () => answers.shift()!.promise);
  const [first, second] = answers;
  const ordered = connection.ask({ op: 'pin', app: 'notas', pinned: true });
  const refused = connection.ask({ op: 'pin', app: 'notas', pinned: false }).catch((error: unknown) => error);
  await connection.ask({ op: 'subscribe' });
  await connection.ask({ op: 'doubt', app: 'notas' });
  expect(heard).toEqual(['subscribe', 'doubt']);
  second!.reject(new SvcError('STATE_IN_USE', 'another portal leads'));
  first!.resolve();
  await ordered;
  expect([await refused, heard.slice(2)]).toEqual([expect.objectContaining({ code: 'STATE_IN_USE' }), ['pin']]);
  connection.close();
});

test('replies find their requests in any order, and cut anywhere', async () => {
  const asked: number[] = [];
  onLine = (line, socket) => {
    asked.push((JSON.parse(line) as { id: number }).id);
    if (asked.length < 2) return;
    const text = `{"id":${asked[1]},"ok":true,"token":"ção"}\n{"event":"gone","app":"x"}\n{"id":${asked[0]},"ok":true,"text":"log"}\n`;
    const bytes = Buffer.from(text);
    const cut = bytes.indexOf('ç') + 1;
    socket.write(bytes.subarray(0, cut));
    setImmediate(() => socket.write(bytes.subarray(cut)));
  };
  const { connection, pushes } = connect();
  const [log, token] = await Promise.all([
    connection.ask({ op: 'log', app: 'x', tail: 1, previous: false }),
    connection.ask({ op: 'token', app: 'x' }),
  ]);
  expect({ log, token }).toEqual({ log: { text: 'log' }, token: { token: 'ção' } });
  expect(pushes).toEqual([{ event: 'gone', app: 'x' }]);
  connection.close();
});

test('what changes something carries the number of the portal, and nothing else does', async () => {
  const heard: string[] = [];
  onLine = (line) => heard.push(line);
  const { connection, closed } = connect();
  const asked = [
    connection.ask({ op: 'subscribe' }),
    connection.ask({ op: 'pin', app: 'x', pinned: true }),
    connection.ask({ op: 'stop', app: 'x', requestId: 'r', reason: 'StoppedByPerson' }),
    connection.ask({ op: 'token', app: 'x' }),
    connection.ask({ op: 'quit' }),
  ];
  await expect.poll(() => heard.length).toBe(asked.length);
  expect(heard.map((line) => (JSON.parse(line) as { leader?: number }).leader)).toEqual([7, 7, 7, undefined, undefined]);
  connection.close();
  await Promise.allSettled([...asked, closed]);
});

test('a refusal comes as its own code, an unknown code as a protocol error', async () => {
  const errors = ['{"code":"MANIFEST_INVALID","message":"bad"}', '{"code":"WHATEVER","message":"?"}'];
  onLine = (line, socket) => {
    const { id } = JSON.parse(line) as { id: number };
    socket.write(`{"id":${id},"ok":false,"error":${errors[id - 1]}}\n`);
  };
  const { connection } = connect();
  await expect(connection.ask({ op: 'hello' })).rejects.toMatchObject({ code: 'MANIFEST_INVALID', message: 'bad' });
  await expect(connection.ask({ op: 'hello' })).rejects.toMatchObject({ code: 'SUPERVISOR_PROTOCOL' });
  connection.close();
});

test('a reply of a wrong shape ends the line, and who asked learns of it', async () => {
  onLine = (line, socket) => {
    const { id } = JSON.parse(line) as { id: number };
    socket.write(`{"id":${id},"ok":true,"token":7}\n`);
  };
  const { connection, closed } = connect();
  await expect(connection.ask({ op: 'token', app: 'x' })).rejects.toMatchObject({ code: 'SUPERVISOR_PROTOCOL' });
  await expect(closed).resolves.toMatchObject({ code: 'SUPERVISOR_PROTOCOL' });
});

test.for([
  ['a line of no known shape', 'SUPERVISOR_PROTOCOL', (socket: net.Socket) => socket.write('what?\n')],
  ['a line without end', 'SUPERVISOR_PROTOCOL', (socket: net.Socket) => socket.write(Buffer.alloc(limits.supervisorLineBytesMax + 2, 65))],
  ['a supervisor that hangs up', 'SERVER_UNREACHABLE', (socket: net.Socket) => socket.end()],
  ['a supervisor that dies', 'SERVER_UNREACHABLE', (socket: net.Socket) => socket.destroy()],
] as const)('%s ends the line and every request on it', async ([, code, act]) => {
  onLine = (_line, socket) => {
    act(socket);
  };
  const { connection, closed } = connect();
  const pending = connection.ask({ op: 'hello' });
  await expect(pending).rejects.toMatchObject({ code });
  expect((await closed).code).toBe(code);
  await expect(connection.ask({ op: 'hello' })).rejects.toMatchObject({ code });
});

test('a supervisor that never answers costs the deadline, and its late answer harms nobody', async () => {
  const clock = createSimulatedClock(0);
  const heard = Promise.withResolvers<net.Socket>();
  onLine = (_line, socket) => heard.resolve(socket);
  const { connection, pushes } = connect(clock);
  const pending = connection.ask({ op: 'hello' });
  const socket = await heard.promise;
  clock.advance(machineLimits.supervisorReplyMsMax);
  await expect(pending).rejects.toMatchObject({ code: 'TIMEOUT' });
  socket.write('{"id":1,"ok":true,"token":"late"}\n{"event":"gone","app":"x"}\n');
  await expect.poll(() => pushes).toEqual([{ event: 'gone', app: 'x' }]);
  connection.close();
});

test.for([
  ['empty lines', '\n'],
  ['lines that are answers to nothing', '{"id":9,"ok":true}\n'],
  ['lines that tell something', '{"event":"gone","app":"x"}\n'],
] as const)('%s without end are read in turns: the loop is free in between, and what came is not lost', async ([, line]) => {
  const clock = createSimulatedClock(0);
  const heard = Promise.withResolvers<net.Socket>();
  onLine = (_line, socket) => heard.resolve(socket);
  const { connection, pushes } = connect(clock);
  void connection.ask({ op: 'hello' }).catch(() => undefined);
  const socket = await heard.promise;
  socket.write(`${line.repeat(5_000)}{"event":"gone","app":"last"}\n`);
  const isLast = (): boolean => pushes.some((push) => push.event === 'gone' && push.app === 'last');
  let passedMs = 0;
  await expect
    .poll(
      () => {
        clock.advance(20);
        passedMs += 20;
        return isLast();
      },
      { interval: 10 },
    )
    .toBe(true);
  // The least time for 5,000 lines after the first turn, at a tenth of the time.
  expect(passedMs).toBeGreaterThanOrEqual(700);
  connection.close();
});
