/** The events client against a real WebSocket server that says what the portal says. */
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocketServer, type WebSocket as ServerSocket } from 'ws';
import { portalWaitMs, realTimes, reconnectWaitMs, startEvents, type EventsClient } from './client.ts';
import { tryNow } from './try-later.ts';

let server: WebSocketServer;
let sockets: ServerSocket[];
let client: EventsClient | null;
let heard: string[];

const listen = async (port: number): Promise<WebSocketServer> => {
  const next = new WebSocketServer({ host: '127.0.0.1', port });
  next.on('connection', (socket) => sockets.push(socket));
  await new Promise((resolve) => next.once('listening', resolve));
  return next;
};
const port = (): number => (server.address() as AddressInfo).port;
const start = (silenceMsMax = realTimes.silenceMsMax): void => {
  client = startEvents(
    `ws://127.0.0.1:${port()}/ws/events`,
    {
      event: (event) => heard.push(`event ${event.type}`),
      resync: () => heard.push('resync'),
      page: (page) => heard.push(`page ${page}`),
      connection: (state) => heard.push(state),
      silent: () => heard.push('silent'),
    },
    { ...realTimes, random: () => 0, silenceMsMax, openMsMax: silenceMsMax },
  );
};
const say = (line: object): void => sockets.at(-1)!.send(JSON.stringify(line));
const ola = (run: string, seq: number, pagina: string): void => say({ type: 'ola', run, seq, pagina });
/** Waits until so many messages arrived and returns them; the count starts anew. */
const said = async (count: number): Promise<readonly string[]> => {
  await vi.waitFor(() => expect(heard.length).toBeGreaterThanOrEqual(count), { timeout: 60_000, interval: 5 });
  return heard.splice(0);
};
const connected = async (count: number): Promise<void> => {
  await vi.waitFor(() => expect(sockets).toHaveLength(count), { timeout: 60_000, interval: 5 });
};

beforeEach(async () => {
  sockets = [];
  heard = [];
  client = null;
  server = await listen(0);
});
afterEach(async () => {
  client?.stop();
  for (const socket of sockets) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

describe('the events client', () => {
  test('reads the state once it is connected, and hears numbered events', async () => {
    start();
    await connected(1);
    ola('r1', 4, 'p1');
    say({ seq: 5, atMs: 1, type: 'apps-changed' });
    expect(await said(5)).toEqual(['connecting', 'open', 'page p1', 'resync', 'event apps-changed']);
  });

  test('a gap in the numbers is read again', async () => {
    start();
    await connected(1);
    ola('r1', 0, 'p1');
    expect(await said(4)).toEqual(['connecting', 'open', 'page p1', 'resync']);
    say({ seq: 3, atMs: 1, type: 'apps-changed' });
    expect(await said(2)).toEqual(['event apps-changed', 'resync']);
  });

  test('back with nothing missed reads nothing; back with something missed does', async () => {
    start();
    await connected(1);
    ola('r1', 1, 'p1');
    expect(await said(4)).toEqual(['connecting', 'open', 'page p1', 'resync']);
    sockets[0]!.terminate();
    await connected(2);
    ola('r1', 1, 'p2');
    expect(await said(4)).toEqual(['page null', 'away', 'open', 'page p2']);
    sockets[1]!.terminate();
    await connected(3);
    ola('r1', 2, 'p3');
    expect(await said(5)).toEqual(['page null', 'away', 'open', 'page p3', 'resync']);
  });

  test('another run of the portal is read again, whatever its number', async () => {
    start();
    await connected(1);
    ola('r1', 0, 'p1');
    expect(await said(4)).toEqual(['connecting', 'open', 'page p1', 'resync']);
    sockets[0]!.close();
    await connected(2);
    ola('r2', 0, 'p2');
    expect(await said(5)).toEqual(['page null', 'away', 'open', 'page p2', 'resync']);
  });

  test('it outlives a portal that is away', async () => {
    const at = port();
    start();
    await connected(1);
    sockets[0]!.terminate();
    await new Promise((resolve) => server.close(resolve));
    await vi.waitFor(() => expect(heard.filter((state) => state === 'away').length).toBeGreaterThan(1), { timeout: 60_000 });
    server = await listen(at);
    tryNow();
    await connected(2);
    ola('r2', 0, 'p2');
    await vi.waitFor(() => expect(heard.at(-1)).toBe('resync'), { timeout: 60_000 });
  });

  test('a portal that stands still is away, and another connection is tried; one that only says that it is there is not', async () => {
    start(1_500);
    const begunMs = performance.now();
    await connected(1);
    ola('r1', 0, 'p1');
    expect(await said(4)).toEqual(['connecting', 'open', 'page p1', 'resync']);
    const beats = setInterval(() => say({ type: 'pulso', seq: 0 }), 50);
    await vi.waitFor(() => expect(performance.now() - begunMs).toBeGreaterThan(2_500), { timeout: 60_000 });
    expect(heard).toEqual([]);
    clearInterval(beats);
    expect(await said(3)).toEqual(['silent', 'page null', 'away']);
    // The next handshake is answered by nobody, and given up in turn.
    await connected(3);
    expect(await said(3)).toEqual(['silent', 'page null', 'away']);
    ola('r1', 0, 'p3');
    expect(await said(3)).toEqual(['silent', 'open', 'page p3']);
  });

  test('a beat with a number that was not seen is a gap', async () => {
    start();
    await connected(1);
    ola('r1', 3, 'p1');
    say({ type: 'pulso', seq: 3 });
    say({ type: 'pulso', seq: 4 });
    expect(await said(5)).toEqual(['connecting', 'open', 'page p1', 'resync', 'resync']);
  });

  test('what it does not know it lets pass', async () => {
    start();
    await connected(1);
    sockets[0]!.send('not json');
    sockets[0]!.send('[]');
    sockets[0]!.send(Buffer.from([1, 2, 3]));
    say({ type: 'ola' });
    ola('r1', 0, 'p1');
    expect(await said(4)).toEqual(['connecting', 'open', 'page p1', 'resync']);
  });

  test('stopped means stopped', async () => {
    start();
    await connected(1);
    const closed = new Promise((resolve) => sockets[0]!.once('close', resolve));
    client!.stop();
    await closed;
    expect(heard.filter((line) => line === 'away')).toEqual([]);
  });
});

test.for([
  [0, 0, 250],
  [0, 1, 500],
  [3, 1, 4_000],
  [6, 1, 30_000],
  [60, 1, 30_000],
  [60, 0, 15_000],
] as const)('attempt %i with chance %d waits %i ms', ([attempt, chance, expected]) => {
  expect(reconnectWaitMs(attempt, chance)).toBe(expected);
});

/** The waits between attempts that fail at once, for a portal that is away for `awayMsMax`. */
function waits(awayMsMax: number, random: number): readonly number[] {
  const all: number[] = [];
  for (let awayMs = 0; awayMs < awayMsMax; awayMs += all.at(-1)!) all.push(portalWaitMs(all.length, awayMs, random));
  return all;
}

test('the first tries are quick, those of the first minute never further apart than 2 s, later ones as far as a thirtieth of the time away', () => {
  expect(waits(60_000, 1)).toEqual([250, 500, 1_000, ...Array.from({ length: 30 }, () => 2_000)]);
  expect(waits(8_000, 0)).toEqual([125, 250, 500, ...Array.from({ length: 8 }, () => 1_000)]);
  const long = waits(3_600_000, 1);
  expect(long.slice(33, 37)).toEqual([2_058, 2_127, 2_198, 2_271]);
  expect(long.at(-1)).toBe(30_000);
});
