/** The events client against a real WebSocket server that says what the portal says. */
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocketServer, type WebSocket as ServerSocket } from 'ws';
import { startEvents, type EventsClient, reconnectWaitMs } from './client.ts';

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
const start = (): void => {
  client = startEvents(
    `ws://127.0.0.1:${port()}/ws/events`,
    {
      event: (event) => heard.push(`event ${event.type}`),
      resync: () => heard.push('resync'),
      page: (page) => heard.push(`page ${page}`),
      connection: (state) => heard.push(state),
    },
    () => 0,
  );
};
const say = (line: object): void => sockets.at(-1)!.send(JSON.stringify(line));
const ola = (run: string, seq: number, pagina: string): void => say({ type: 'ola', run, seq, pagina });
/** Everything heard so far, once it is that much; what comes next counts anew. */
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
    expect(await said(5)).toEqual(['page null', 'waiting', 'connecting', 'open', 'page p2']);
    sockets[1]!.terminate();
    await connected(3);
    ola('r1', 2, 'p3');
    expect(await said(6)).toEqual(['page null', 'waiting', 'connecting', 'open', 'page p3', 'resync']);
  });

  test('another run of the portal is read again, whatever its number', async () => {
    start();
    await connected(1);
    ola('r1', 0, 'p1');
    expect(await said(4)).toEqual(['connecting', 'open', 'page p1', 'resync']);
    sockets[0]!.close();
    await connected(2);
    ola('r2', 0, 'p2');
    expect(await said(6)).toEqual(['page null', 'waiting', 'connecting', 'open', 'page p2', 'resync']);
  });

  test('it outlives a portal that is away', async () => {
    const at = port();
    start();
    await connected(1);
    sockets[0]!.terminate();
    await new Promise((resolve) => server.close(resolve));
    await vi.waitFor(() => expect(heard.filter((state) => state === 'waiting').length).toBeGreaterThan(1), { timeout: 60_000 });
    server = await listen(at);
    client!.nudge();
    await connected(2);
    ola('r2', 0, 'p2');
    await vi.waitFor(() => expect(heard.at(-1)).toBe('resync'), { timeout: 60_000 });
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
    expect(heard.filter((line) => line === 'waiting')).toEqual([]);
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
