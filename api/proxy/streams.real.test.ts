import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { byteBackend, realClock, until, useBenches, type Bench } from './testing/harness.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { Clock } from '../../schema/clock.ts';

const bench = useBenches();

const megabyte = 1_024 * 1_024;

/** As a host's `dial` in a portal that runs as root. */
async function connected(path: string, made: net.Socket[]): Promise<net.Socket> {
  const socket = net.connect(path);
  await once(socket, 'connect');
  made.push(socket);
  return socket;
}

describe('memory', () => {
  test('a client that does not read holds a gigabyte back at the backend', async () => {
    let offered = 0;
    let stopped = false;
    const chunk = Buffer.alloc(megabyte, 'g');
    const b = await bench((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1_024 * megabyte}\r\n\r\n`);
        const more = (): void => {
          if (stopped || offered >= 1_024 * megabyte) return;
          offered += chunk.length;
          socket.write(chunk, more);
        };
        more();
      });
    });
    const client = net.connect(b.port, '127.0.0.1');
    client.on('error', () => undefined);
    client.pause();
    client.write(`GET / HTTP/1.1\r\nHost: ${b.host}\r\n\r\n`);
    await until(() => offered > 0, 'the answer');
    let before = -1;
    // No progress for half a second: everything that can be held is held.
    while (before !== offered) {
      before = offered;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(offered).toBeLessThan(16 * megabyte);
    stopped = true;
    client.destroy();
  });

  test.for([false, true])('a slow reader gets every byte of a big answer right (dialled: %s)', async (dialled) => {
    const total = 8 * megabyte;
    const b = await bench(
      http.createServer((_, res) => {
        res.writeHead(200, { 'content-length': total });
        let sent = 0;
        const more = (): void => {
          while (sent < total) {
            const chunk = Buffer.alloc(Math.min(333_333, total - sent));
            for (let n = 0; n < chunk.length; n += 4_096) chunk[n] = ((sent + n) / 4_096) & 0xff;
            for (let n = 0; n < chunk.length; n += 1) chunk[n] = ((sent + n) * 7) & 0xff;
            sent += chunk.length;
            if (!res.write(chunk)) return void res.once('drain', more);
          }
          res.end();
        };
        more();
      }),
    );
    const made: net.Socket[] = [];
    if (dialled) b.world.route = { ...b.world.route!, socketPath: null, dial: () => connected(b.socketPath, made) };
    let at = 0;
    let wrong = 0;
    await new Promise<void>((resolve, reject) => {
      http.get({ port: b.port, path: '/', headers: { host: b.host } }, (res) => {
        res.on('data', (chunk: Buffer) => {
          for (let n = 0; n < chunk.length; n += 1) if (chunk[n] !== (((at + n) * 7) & 0xff)) wrong += 1;
          at += chunk.length;
          if (at % 3 === 0) {
            res.pause();
            setTimeout(() => res.resume(), 2);
          }
        });
        res.on('end', resolve);
        res.on('error', reject);
      });
    });
    // A dialled stream is read into one buffer like any other: it gave its handle away.
    expect(made.map((socket) => (socket as unknown as { _handle: unknown })['_handle'])).toEqual(dialled ? [null] : []);
    expect(at).toBe(total);
    expect(wrong).toBe(0);
  });

  test('a backend that does not read holds a big upload back at the client', async () => {
    const b = await bench((socket) => socket.pause());
    const client = net.connect(b.port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write(`POST / HTTP/1.1\r\nHost: ${b.host}\r\nContent-Length: ${1_024 * megabyte}\r\n\r\n`);
    let taken = 0;
    const chunk = Buffer.alloc(megabyte, 'u');
    const more = (): void => {
      client.write(chunk, () => {
        taken += chunk.length;
        if (!client.destroyed && taken < 1_024 * megabyte) more();
      });
    };
    more();
    let before = -1;
    while (before !== taken) {
      before = taken;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(taken).toBeLessThan(16 * megabyte);
    client.destroy();
  });

  test('a big upload arrives whole although the backend answers early', async () => {
    const b = await bench((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig'));
    });
    const got = await new Promise<string>((resolve, reject) => {
      const req = http.request({ port: b.port, method: 'POST', headers: { host: b.host, 'content-length': 8 * megabyte } }, (res) => {
        res.setEncoding('utf8');
        res.on('data', (text: string) => resolve(`${res.statusCode} ${text}`));
      });
      req.on('error', reject);
      req.end(Buffer.alloc(8 * megabyte));
    });
    expect(got).toBe('413 big');
  });

  test('a backend that answers and is gone, with the body unread, is heard', async () => {
    const b = await bench((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig', () => socket.destroy());
      });
    });
    const send = async (): Promise<string> =>
      await new Promise((resolve, reject) => {
        const req = http.request({ port: b.port, method: 'POST', headers: { host: b.host, 'content-length': 8 * megabyte } }, (res) => {
          res.setEncoding('utf8');
          res.on('data', (text: string) => resolve(`${res.statusCode} ${text}`));
        });
        req.on('error', reject);
        req.end(Buffer.alloc(8 * megabyte));
      });
    for (let round = 0; round < 20; round += 1) expect(await send()).toBe('413 big');
  });
});

/** Real I/O under a clock that the test moves: `monotonicMs` jumps, timers fire when they are due. */
function movableClock(): Clock & { move(ms: number): void } {
  let offset = 0;
  const timers = new Set<{ atMs: number; fn: () => void }>();
  const nowMs = (): number => performance.now() + offset;
  const fire = (): void => {
    for (const timer of timers) {
      if (timer.atMs > nowMs()) continue;
      timers.delete(timer);
      timer.fn();
    }
  };
  return {
    nowMs: () => Date.now() + offset,
    monotonicMs: nowMs,
    at: (atMs, fn) => {
      const timer = { atMs, fn };
      timers.add(timer);
      const cancelReal = realClock.at(atMs - offset, fire);
      return () => {
        timers.delete(timer);
        cancelReal();
      };
    },
    move: (ms) => {
      offset += ms;
      fire();
    },
  };
}

describe('deadlines', () => {
  const open200 = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  const get = (b: Bench, path = '/'): Promise<number> =>
    new Promise((resolve, reject) => {
      http
        .get({ port: b.port, path, headers: { host: b.host }, agent: false }, (res) => {
          res.resume();
          res.on('end', () => resolve(res.statusCode!));
        })
        .on('error', reject);
    });

  /** The backend's open connections. */
  const counted = (serve: (socket: net.Socket) => void) => {
    const sockets = new Set<net.Socket>();
    const onConnection = (socket: net.Socket): void => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      serve(socket);
    };
    return { sockets, onConnection };
  };

  test('an idle connection is use of the app for ten minutes after the last request, spare ones go early', async () => {
    const clock = movableClock();
    const pending: (() => void)[] = [];
    const { sockets, onConnection } = counted((socket) => {
      socket.on('end', () => socket.end());
      socket.on('data', () => pending.push(() => socket.write(open200)));
    });
    const b = await bench(onConnection, { clock });
    const three = [get(b), get(b), get(b)];
    await until(() => pending.length === 3, 'three at a time');
    for (const answer of pending.splice(0)) answer();
    await Promise.all(three);
    expect(sockets.size).toBe(3);
    clock.move(limits.proxySpareConnectionMsMax + 1_000);
    await until(() => sockets.size === 1, 'the spare ones to go');
    clock.move(600_000 - 5_000 - limits.proxySpareConnectionMsMax);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sockets.size).toBe(1);
    clock.move(5_000);
    await until(() => sockets.size === 0, 'the last one to go after ten minutes');
  });

  test('of an app that ends when idle, a connection outlives the last request for two rounds of the supervisor, and not for long', async () => {
    const clock = movableClock();
    const { sockets, onConnection } = counted(byteBackend(open200).onConnection);
    const b = await bench(onConnection, { clock });
    let used = 0;
    b.world.route = { ...b.world.route!, keepIdleMs: 25_000, used: () => (used += 1) };
    await get(b);
    clock.move(20_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sockets.size).toBe(1);
    await get(b);
    expect([sockets.size, used]).toEqual([1, 2]);
    clock.move(30_000);
    await until(() => sockets.size === 0, 'the connection to go');
  });

  test('a backend that says when it closes idle connections is left before that', async () => {
    const clock = movableClock();
    const { sockets, onConnection } = counted(
      byteBackend('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nContent-Length: 2\r\n\r\nok').onConnection,
    );
    const b = await bench(onConnection, { clock });
    await get(b);
    clock.move(5_000);
    await until(() => sockets.size === 0, 'the connection to go');
    expect(await get(b)).toBe(200);
  });

  test('a backend that never answers is a 504', async () => {
    const clock = movableClock();
    let asked = 0;
    const b = await bench((socket) => socket.on('data', () => (asked += 1)), { clock });
    const got = get(b);
    await until(() => asked === 1, 'the request');
    clock.move(limits.proxyAnswerMsMax);
    clock.move(1_000);
    expect(await got).toBe(504);
  });

  test('beyond the cap requests wait, beyond the deadline they are refused', async () => {
    const clock = movableClock();
    const pending: (() => void)[] = [];
    const b = await bench(
      (socket) => {
        socket.on('end', () => socket.end());
        socket.on('data', () => pending.push(() => socket.write(open200)));
      },
      { clock },
    );
    const first = Array.from({ length: limits.proxySocketsPerBackendMax }, () => get(b));
    await until(() => pending.length === limits.proxySocketsPerBackendMax, 'the cap');
    const two = [get(b), get(b)];
    await until(() => b.world.handled === limits.proxySocketsPerBackendMax + 2, 'both to be in the queue');
    expect(pending).toHaveLength(limits.proxySocketsPerBackendMax);
    pending.shift()!();
    await until(() => pending.length === limits.proxySocketsPerBackendMax, 'the first in the queue to take its place');
    clock.move(limits.proxyQueueMsMax + 1_000);
    await until(() => b.world.statuses.includes(503), 'the other to be refused');
    for (const answer of pending.splice(0)) answer();
    expect((await Promise.all(two)).toSorted((x, y) => x - y)).toEqual([200, 503]);
    expect((await Promise.all(first)).every((status) => status === 200)).toBe(true);
  });

  test('a held navigation is let go after 20 s', async () => {
    const clock = movableClock();
    const b = await bench(null, { clock });
    b.world.route = null;
    b.world.view = { ...b.world.view!, status: 'starting', ready: false, reason: 'Probing', message: 'probe 7/15' };
    let held = false;
    b.world.hold = () => {
      held = true;
      return new Promise(() => undefined);
    };
    const got = new Promise<http.IncomingMessage>((resolve, reject) => {
      http
        .get({ port: b.port, headers: { host: b.host, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, agent: false }, resolve)
        .on('error', reject);
    });
    await until(() => held, 'the hold');
    clock.move(sharedLimits.navigationHoldMsMax);
    const res = await got;
    expect(res.statusCode).toBe(503);
    expect(res.headers['content-type']).toContain('text/html');
    res.resume();
  });
});
