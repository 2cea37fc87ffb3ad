import { createServer } from 'node:http';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { headerOf, rawRequest, statusOf, token, until, useBenches, type Bench } from './testing/harness.ts';

const bench = useBenches();

const echoServer = () => {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket) => socket.on('message', (data, binary) => socket.send(data, { binary })));
  return server;
};

const handshake = (b: Bench, more: readonly string[] = []): string =>
  [
    'GET /ws?x=1 HTTP/1.1',
    `Host: ${b.host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...more,
    '',
    '',
  ].join('\r\n');

/** A backend that switches to anything and then is `use`d as a bare socket; what came with the head is in `seen`. */
const switching =
  (
    seen: string[],
    use: (socket: net.Socket, rest: Buffer) => void,
    reply = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Svc-App-Token: leak\r\n\r\n',
  ) =>
  (socket: net.Socket): void => {
    let all = Buffer.alloc(0);
    const gather = (chunk: Buffer): void => {
      all = Buffer.concat([all, chunk]);
      const end = all.indexOf('\r\n\r\n');
      if (end === -1) return;
      socket.off('data', gather);
      seen.push(all.subarray(0, end + 4).toString('latin1'));
      socket.write(reply, 'latin1');
      use(socket, all.subarray(end + 4));
    };
    socket.on('data', gather);
  };

describe('WebSocket', () => {
  test('echoes texts, empty frames and 8 MB frames, in order', async () => {
    const b = await bench(echoServer());
    const socket = new WebSocket(`ws://${b.host}/ws`, { perMessageDeflate: false, origin: `http://${b.host}` });
    const sizes = [0, 1, 125, 126, 65_535, 65_536, 8 * 1_024 * 1_024, 3];
    const got: number[] = [];
    const big = Buffer.alloc(8 * 1_024 * 1_024);
    for (let n = 0; n < big.length; n += 1) big[n] = (n * 31) & 0xff;
    socket.on('open', () => sizes.forEach((size) => socket.send(big.subarray(0, size))));
    socket.on('message', (data: Buffer) => {
      expect(data.equals(big.subarray(0, data.length))).toBe(true);
      got.push(data.length);
    });
    await until(() => got.length === sizes.length, 'all echoes', 20_000);
    expect(got).toEqual(sizes);
    expect(b.world.tunnels).toBe(1);
    socket.close(4_000, 'bye');
    const code = await new Promise((resolve) => socket.on('close', resolve));
    expect(code).toBe(4_000);
    await until(() => b.world.tunnels === 0, 'the tunnel to be forgotten');
  });

  test('the backend gets the token and no forged header; the browser gets no token', async () => {
    const seen: string[] = [];
    const b = await bench(switching(seen, (socket) => socket.end()));
    const got = await rawRequest(
      b.port,
      handshake(b, ['x_svc_app_token: forged', 'Cookie: __Host-svc=secret; a=1', `Origin: http://${b.host}`]),
    );
    expect(statusOf(got)).toBe(101);
    expect(got).not.toMatch(/svc/i);
    expect(headerOf(got, 'connection')).toBe('Upgrade');
    expect(seen[0]!.match(/x.svc.app.token.*/gi)).toEqual([`X-Svc-App-Token: ${token}`]);
    expect(seen[0]).toContain('GET /ws?x=1 HTTP/1.1\r\n');
    expect(seen[0]).toContain('Cookie: a=1\r\n');
    expect(seen[0]).not.toContain('secret');
  });

  test.for([
    ['a sibling origin', ['Origin: http://outra.svc.localhost'], 'GET', 403],
    ['a null origin', ['Origin: null'], 'GET', 403],
    ['HTTP/2 in clear text', [], 'h2c', 400],
    ['a body', ['Content-Length: 5'], 'GET', 400],
    ['a dot segment', [], '/a/../b', 400],
    ['an encoded dot segment', [], '/a/%2e%2e%2fb', 400],
    ['a POST', [], 'POST', 400],
  ] as const)('%s is refused before the backend hears of it', async ([, headers, change, status]) => {
    const seen: string[] = [];
    const b = await bench(switching(seen, (socket) => socket.end()));
    let bytes = handshake(b, headers);
    if (change === 'POST') bytes = bytes.replace(/^GET/, 'POST');
    if (change === 'h2c') bytes = bytes.replace('Upgrade: websocket', 'Upgrade: h2c');
    if (change.startsWith('/')) bytes = bytes.replace('/ws?x=1', change);
    expect(statusOf(await rawRequest(b.port, bytes))).toBe(status);
    expect(seen).toEqual([]);
  });

  test('a backend that does not switch is answered like any other, and the connection ends', async () => {
    const seen: string[] = [];
    const b = await bench(switching(seen, () => undefined, 'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\nX-Svc-Token: x\r\n\r\nnope'));
    const got = await rawRequest(b.port, handshake(b));
    expect(got).toMatch(/^HTTP\/1\.1 404 Not Found\r\n[^]*\r\n\r\nnope$/);
    expect(headerOf(got, 'connection')).toBe('close');
    expect(got).not.toMatch(/svc/i);
  });

  test('a backend that switches to something else is cut off', async () => {
    const b = await bench(
      switching([], () => undefined, 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\nConnection: Upgrade\r\n\r\n'),
    );
    expect(statusOf(await rawRequest(b.port, handshake(b)))).toBe(502);
  });

  test('an app that does not run answers 503 and is not started', async () => {
    const b = await bench(null);
    b.world.route = null;
    const got = await rawRequest(b.port, handshake(b));
    expect(statusOf(got)).toBe(503);
    expect(got).toContain('APP_NOT_RUNNING');
  });
});

describe('tunnels', () => {
  const upgraded = (b: Bench, early = ''): Promise<{ socket: net.Socket; got: () => string }> =>
    new Promise((resolve) => {
      const socket = net.connect({ port: b.port, host: '127.0.0.1', allowHalfOpen: true });
      let got = '';
      let ready = false;
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        got += chunk.toString('latin1');
        if (ready || !got.includes('\r\n\r\n')) return;
        ready = true;
        got = got.slice(got.indexOf('\r\n\r\n') + 4);
        resolve({ socket, got: () => got });
      });
      socket.write(handshake(b) + early, 'latin1');
    });

  test('bytes that came with either head are not lost', async () => {
    let heard = '';
    const b = await bench(
      switching(
        [],
        (socket, rest) => {
          heard += rest.toString('latin1');
          socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
        },
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n\r\nfirst words',
      ),
    );
    const { got } = await upgraded(b, 'early');
    await until(() => got().length >= 11 && heard.length >= 5, 'both');
    expect([got(), heard]).toEqual(['first words', 'early']);
  });

  test('one side may end and still be answered', async () => {
    const b = await bench(
      switching([], (socket) => {
        let all = '';
        socket.on('data', (chunk: Buffer) => (all += chunk.toString('latin1')));
        socket.on('end', () => socket.end(`heard ${all}`));
      }),
    );
    const { socket, got } = await upgraded(b);
    socket.end('question');
    await until(() => b.world.tunnels === 0, 'the tunnel to close');
    expect(got()).toBe('heard question');
  });

  test.for(['client', 'backend'] as const)('when the %s breaks, the other side hears of it', async (who) => {
    let backend: net.Socket | null = null;
    const b = await bench(
      switching([], (socket) => {
        backend = socket;
        socket.resume();
        socket.on('end', () => socket.end());
      }),
    );
    const { socket } = await upgraded(b);
    socket.on('end', () => socket.end());
    await until(() => b.world.tunnels === 1, 'the tunnel');
    if (who === 'client') socket.resetAndDestroy();
    else backend!.destroy();
    await until(() => b.world.tunnels === 0, 'the tunnel to be forgotten');
    await until(() => socket.destroyed && backend!.destroyed, 'both sides to be gone');
    expect(b.world.statuses).toEqual([101]);
  });

  test('a reader that stops does not fill our memory, in either direction', async () => {
    let backend: net.Socket | null = null;
    const b = await bench(
      switching([], (socket) => {
        backend = socket;
        socket.pause();
      }),
    );
    const { socket } = await upgraded(b);
    socket.pause();
    await until(() => backend !== null, 'the backend');
    const chunk = Buffer.alloc(256 * 1_024, 'z');
    const push = (to: net.Socket): Promise<number> =>
      new Promise((resolve) => {
        // Until the kernel and the proxy take no more for a while.
        let sent = 0;
        let timer = setTimeout(() => undefined, 0);
        const more = (): void => {
          clearTimeout(timer);
          timer = setTimeout(() => resolve(sent), 500);
          if (sent > 512 * 1_024 * 1_024) return;
          to.write(chunk, () => {
            sent += chunk.length;
            more();
          });
        };
        more();
      });
    const [down, up] = await Promise.all([push(backend!), push(socket)]);
    // Kernel buffers of two sockets and one read buffer; not what was offered.
    expect(down).toBeLessThan(16 * 1_024 * 1_024);
    expect(up).toBeLessThan(16 * 1_024 * 1_024);
  });

  test('end with their session, with their app, with the proxy', async () => {
    const b = await bench(
      switching([], (socket) => {
        socket.resume();
        socket.on('end', () => socket.end());
      }),
    );
    for (const end of [() => b.proxy.closeSession('s1'), () => b.proxy.closeFor('ana', 'notas'), () => b.proxy.close()]) {
      const { socket } = await upgraded(b);
      socket.on('end', () => socket.end());
      b.proxy.closeSession('other');
      b.proxy.closeFor('ana', 'outra');
      b.proxy.closeFor('an', null);
      expect(b.world.tunnels).toBe(1);
      end();
      await until(() => socket.destroyed && b.world.tunnels === 0, 'the tunnel ends');
    }
  });

  test('count as use: the backend sees the connection as long as the tunnel lives', async () => {
    const sockets = new Set<net.Socket>();
    const b = await bench((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      switching([], (each) => each.on('end', () => each.end()).resume())(socket);
    });
    const { socket } = await upgraded(b);
    expect(sockets.size).toBe(1);
    socket.destroy();
    await until(() => sockets.size === 0, 'the backend to be left alone');
  });
});
