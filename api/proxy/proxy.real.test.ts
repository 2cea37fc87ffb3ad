import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { refusedRequests } from '../../test/support/odd-requests.ts';
import { ask, byteBackend, headerOf, rawRequest, statusOf, token, until, useBenches } from './testing/harness.ts';

const bench = useBenches();

const answer = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;

describe('bytes that reach a backend', () => {
  test('are exactly the head we write', async () => {
    const backend = byteBackend(answer('ok'));
    const b = await bench(backend.onConnection);
    const got = await ask(b, 'GET /a//b?c=d%20e', [
      'X-Svc-App-Token: forged',
      'x_svc_app_token: forged',
      'Cookie: a=1; __Host-svc=secret',
      'X-Custom: \xe9',
    ]);
    expect(statusOf(got)).toBe(200);
    expect(backend.received).toEqual([
      `GET /a//b?c=d%20e HTTP/1.1\r\nHost: ${b.host}\r\nX-Svc-App-Token: ${token}\r\n` +
        `Forwarded: for=127.0.0.1;host="${b.host}";proto=http\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: ${b.host}\r\n` +
        'X-Forwarded-Proto: http\r\nCookie: a=1\r\nX-Custom: \xe9\r\n\r\n',
    ]);
  });

  test.for(refusedRequests)('hold no smuggled request: %s', async ([, bytes]) => {
    const backend = byteBackend(answer('ok'));
    const b = await bench(backend.onConnection);
    const got = await rawRequest(
      b.port,
      bytes.replaceAll('HOST', b.host),
      (all) => /\r\n\r\n[^]*\r\n\r\n/.test(all) || statusOf(all) >= 400,
    );
    const seen = backend.received.join('');
    expect(seen).not.toContain('smuggled');
    expect(seen).not.toContain('other');
    expect(statusOf(got)).toBeGreaterThanOrEqual(400);
  });

  test('bodies arrive as they were sent, by length and by chunks, with trailers', async () => {
    const seen: string[] = [];
    const b = await bench((socket) => {
      let all = '';
      socket.on('data', (chunk: Buffer) => {
        all += chunk.toString('latin1');
        if (all.endsWith('hello') || all.endsWith('0\r\nX-Sum: 9\r\n\r\n')) {
          seen.push(all.slice(all.indexOf('\r\n\r\n') + 4));
          all = '';
          socket.write(answer('ok'));
        }
      });
    });
    await ask(b, 'POST /', ['Content-Length: 5'], 'hello');
    await ask(
      b,
      'POST /',
      ['Transfer-Encoding: chunked', 'Trailer: X-Sum'],
      '3\r\nabc\r\n2;q=1\r\nde\r\n0\r\nX-Sum: 9\r\nX-Svc-App-Token: forged\r\n\r\n',
    );
    expect(seen[0]).toBe('hello');
    expect(seen[1]!.replaceAll(/[0-9a-f]+\r\n([a-e]+)\r\n/g, '$1')).toBe('abcde0\r\nX-Sum: 9\r\n\r\n');
  });

  test('Expect: 100-continue is answered here and goes no further', async () => {
    const backend = byteBackend('');
    const b = await bench((socket) => {
      backend.onConnection(socket);
      socket.on('data', (chunk: Buffer) => chunk.toString('latin1').endsWith('hello') && socket.write(answer('ok')));
    });
    const socket = net.connect(b.port, '127.0.0.1');
    let got = '';
    socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')));
    socket.write(`PUT / HTTP/1.1\r\nHost: ${b.host}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`);
    await until(() => got.includes('100 Continue'), 'the go-ahead');
    socket.write('hello');
    await until(() => got.includes('200 OK'), 'the answer');
    socket.destroy();
    expect(backend.received.join('')).not.toMatch(/expect/i);
  });
});

describe('what comes back', () => {
  test('head, body and trailers of a chunked answer; an early hint first', async () => {
    const backend = byteBackend(
      'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n' +
        'HTTP/1.1 201 Made\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\nX-Svc-Token: nope\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 9\r\nX-Svc-App-Token: leak\r\n\r\n',
    );
    const b = await bench(backend.onConnection);
    const got = await ask(b, 'GET /', ['TE: trailers']);
    expect(got).toMatch(/^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a\.css>; rel=preload\r\n\r\nHTTP\/1\.1 201 Made\r\n/);
    expect(got).toMatch(/\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 9\r\n\r\n$/);
    expect(got).not.toMatch(/svc/i);
  });

  test.for([
    ['HEAD', 'HEAD /', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n', '99'],
    ['304', 'GET /', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\nETag: "x"\r\n\r\n', '99'],
    ['204', 'GET /', 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', null],
  ] as const)('%s has no body and the connection is used again', async ([, line, reply, length]) => {
    const backend = byteBackend(reply);
    const b = await bench(backend.onConnection);
    for (let n = 0; n < 2; n += 1) {
      const got = await ask(b, line);
      expect(got.split('\r\n\r\n')[1]).toBe('');
      expect(headerOf(got, 'content-length')).toBe(length);
    }
    expect(backend.received).toHaveLength(1);
  });

  test('answers to an HTTP/1.0 client end with the connection', async () => {
    const b = await bench(byteBackend('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n').onConnection);
    expect(await rawRequest(b.port, `GET / HTTP/1.0\r\nHost: ${b.host}\r\n\r\n`)).toMatch(/\r\n\r\nabc$/);
  });

  test('two requests in one packet get two answers in order', async () => {
    const backend = byteBackend((request) => answer(/GET (\S+)/.exec(request)![1]!));
    const b = await bench(backend.onConnection);
    const got = await rawRequest(
      b.port,
      `GET /one HTTP/1.1\r\nHost: ${b.host}\r\n\r\nGET /two HTTP/1.1\r\nHost: ${b.host}\r\nConnection: close\r\n\r\n`,
    );
    expect([...got.matchAll(/\r\n\r\n(\/[a-z]+)/g)].map((match) => match[1])).toEqual(['/one', '/two']);
  });

  test('server-sent events come through at once, one by one', async () => {
    let backendSocket: net.Socket | null = null;
    const b = await bench((socket) => {
      backendSocket = socket;
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'));
    });
    const client = net.connect(b.port, '127.0.0.1');
    let got = '';
    client.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')));
    client.write(`GET / HTTP/1.1\r\nHost: ${b.host}\r\n\r\n`);
    await until(() => got.includes('text/event-stream'), 'the head before any event');
    for (const event of ['one', 'two', 'three']) {
      const text = `data: ${event}\n\n`;
      backendSocket!.write(`${text.length.toString(16)}\r\n${text}\r\n`);
      await until(() => got.includes(text), `event ${event}`);
    }
    expect(got).toMatch(/one[^]*two[^]*three/);
    client.destroy();
    await until(() => backendSocket!.destroyed || backendSocket!.readableEnded, 'the backend hears that the client left');
  });

  test.for([
    ['gibberish', 'hello\r\n\r\n', 'BACKEND_BAD_RESPONSE'],
    ['length and chunked', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'BACKEND_BAD_RESPONSE'],
    ['unasked switch', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', 'BACKEND_BAD_RESPONSE'],
    ['refused token', 'HTTP/1.1 403 Forbidden\r\nX-Svc-Token: recusado\r\nContent-Length: 0\r\n\r\n', 'BACKEND_REFUSED_TOKEN'],
  ] as const)('a backend that answers %s becomes a coded problem', async ([, reply, code]) => {
    const b = await bench(byteBackend(reply).onConnection);
    const got = await ask(b, 'GET /api');
    expect(statusOf(got)).toBeGreaterThanOrEqual(502);
    expect(headerOf(got, 'content-type')).toContain('application/problem+json');
    expect(JSON.parse(got.split('\r\n\r\n')[1]!)).toMatchObject({ code, error: expect.any(String) });
    expect(got).not.toContain(token);
    // The one that names a token has it asked for again.
    expect(b.world.wishes).toEqual(code === 'BACKEND_REFUSED_TOKEN' ? ['token notas'] : []);
  });

  test('a 403 of the app itself passes', async () => {
    const b = await bench(byteBackend('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno').onConnection);
    expect(await ask(b, 'GET /')).toMatch(/^HTTP\/1\.1 403 Forbidden[^]*\r\n\r\nno$/);
  });

  test('a backend that dies in the middle of a body cuts the client off: no complete-looking half', async () => {
    const b = await bench((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n', () => socket.destroy()));
    });
    const got = await rawRequest(b.port, `GET / HTTP/1.1\r\nHost: ${b.host}\r\n\r\n`);
    expect(got).toContain('abc');
    expect(got).not.toContain('0\r\n\r\n');
  });
});

describe('connections to the backend', () => {
  test('are kept and used again', async () => {
    const backend = byteBackend(answer('ok'));
    const b = await bench(backend.onConnection);
    for (let n = 0; n < 5; n += 1) expect(statusOf(await ask(b, 'GET /'))).toBe(200);
    expect(backend.received).toHaveLength(1);
  });

  test('of another generation get no request', async () => {
    const backend = byteBackend(answer('ok'));
    const b = await bench(backend.onConnection);
    await ask(b, 'GET /1');
    b.world.route = { ...b.world.route!, generation: 'g2', token: 'tok-new' };
    await ask(b, 'GET /2');
    expect(backend.received).toHaveLength(2);
    expect(backend.received[1]).toContain('X-Svc-App-Token: tok-new\r\n');
    expect(backend.received[0]).not.toContain('/2');
  });

  test('an answer with bytes behind it spends its connection, and the bytes go to nobody', async () => {
    const backend = byteBackend((_, nth) =>
      nth === 0 ? `${answer('one')}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil` : answer('two'),
    );
    const b = await bench(backend.onConnection);
    expect(await ask(b, 'GET /')).toMatch(/one$/);
    expect(await ask(b, 'GET /')).toMatch(/two$/);
    expect(backend.received).toHaveLength(2);
  });

  test('bytes on an idle connection spend it', async () => {
    const sockets: net.Socket[] = [];
    const backend = byteBackend(answer('ok'));
    const b = await bench((socket) => {
      sockets.push(socket);
      backend.onConnection(socket);
    });
    await ask(b, 'GET /');
    sockets[0]!.write(answer('evil'));
    await until(() => sockets[0]!.readableEnded || sockets[0]!.destroyed, 'the proxy drops it');
    expect(await ask(b, 'GET /')).toMatch(/ok$/);
  });

  /** Closes every connection when its second request arrives, unanswered: what a restart or an idle limit looks like. */
  const closesOnSecond = () => {
    const requests: string[] = [];
    return {
      requests,
      onConnection: (socket: net.Socket) => {
        let nth = 0;
        socket.on('data', (chunk: Buffer) => {
          requests.push(chunk.toString('latin1').split('\r\n', 1)[0]!);
          nth += 1;
          if (nth === 1) socket.write(answer('ok'));
          else socket.destroy();
        });
      },
    };
  };

  test('a GET on a connection that had just died is sent once more', async () => {
    const backend = closesOnSecond();
    const b = await bench(backend.onConnection);
    for (let n = 0; n < 3; n += 1) expect(statusOf(await ask(b, `GET /${n}`))).toBe(200);
    expect(backend.requests.filter((line) => line.startsWith('GET /1'))).toHaveLength(2);
  });

  test('a POST is never sent twice', async () => {
    const backend = closesOnSecond();
    const b = await bench(backend.onConnection);
    expect(statusOf(await ask(b, 'POST /0', ['Content-Length: 1'], 'x'))).toBe(200);
    expect(statusOf(await ask(b, 'POST /1', ['Content-Length: 1'], 'x'))).toBe(502);
    expect(statusOf(await ask(b, 'POST /2'))).toBe(200);
    expect(statusOf(await ask(b, 'POST /3'))).toBe(502);
    expect(backend.requests.filter((line) => line.startsWith('POST /1'))).toHaveLength(1);
    expect(backend.requests.filter((line) => line.startsWith('POST /3'))).toHaveLength(1);
  });

  test('nobody there: a coded 502 that says nothing of paths', async () => {
    const b = await bench(null);
    const got = await ask(b, 'GET /');
    expect(statusOf(got)).toBe(502);
    expect(got).toContain('BACKEND_UNREACHABLE');
    expect(got).not.toContain('b.sock');
  });

  test('a listen queue of one is waited for', async () => {
    const held: net.Socket[] = [];
    const server = net.createServer((socket) => {
      held.push(socket);
      byteBackend('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok').onConnection(socket);
    });
    const listenPlain = server.listen.bind(server);
    server.listen = ((at: net.ListenOptions, ready: () => void) => listenPlain({ ...at, backlog: 1 }, ready)) as typeof server.listen;
    const b = await bench(server as never);
    const all = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(b, `GET /${n}`)));
    expect(all.map(statusOf).filter((status) => status !== 200)).toEqual([]);
  });

  test('reached by dial only', async () => {
    const backend = byteBackend(answer('ok'));
    const b = await bench(backend.onConnection);
    const path = b.socketPath;
    let dials = 0;
    b.world.route = {
      ...b.world.route!,
      socketPath: null,
      dial: () => {
        dials += 1;
        return Promise.resolve(net.connect(path));
      },
    };
    for (let n = 0; n < 3; n += 1) expect(await ask(b, 'GET /')).toMatch(/ok$/);
    expect(dials).toBe(1);
    b.world.route = { ...b.world.route, generation: 'g2', dial: () => Promise.reject(new Error('channel refused')) };
    expect(statusOf(await ask(b, 'GET /'))).toBe(502);
  });

  test('a request aborted by its client ends at the backend too', async () => {
    let [asked, ended] = [false, false];
    const b = await bench((socket) => {
      socket.on('data', () => (asked = true));
      socket.on('close', () => (ended = true));
      socket.on('end', () => socket.end());
    });
    const client = net.connect(b.port, '127.0.0.1');
    client.write(`GET /slow HTTP/1.1\r\nHost: ${b.host}\r\n\r\n`);
    await until(() => asked, 'the backend has the request');
    client.destroy();
    await until(() => ended, 'the backend hears of it');
    expect(b.world.statuses).toEqual([0]);
  });

  test('a client that leaves before there is a connection is counted as one that left', async () => {
    const b = await bench(null);
    const dialled = Promise.withResolvers<void>();
    b.world.route = {
      ...b.world.route!,
      socketPath: null,
      dial: () => {
        dialled.resolve();
        return new Promise(() => undefined);
      },
    };
    const client = net.connect(b.port, '127.0.0.1');
    client.write(`GET / HTTP/1.1\r\nHost: ${b.host}\r\n\r\n`);
    await dialled.promise;
    client.destroy();
    await until(() => b.world.statuses.length > 0, 'the count');
    expect(b.world.statuses).toEqual([0]);
  });

  test.for(['a new connection', 'a kept connection'])(
    'a request without an answer when its app ends, on %s, is counted and not asked again',
    async (where) => {
      const seen: string[] = [];
      const b = await bench((socket) => {
        socket.on('data', (chunk: Buffer) => {
          seen.push(chunk.toString('latin1').split(' ', 2)[1]!);
          if (seen.at(-1) === '/before') socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        });
      });
      const before = where === 'a kept connection' ? ['/before'] : [];
      for (const path of before) expect(statusOf(await ask(b, `GET ${path}`))).toBe(200);
      const got = rawRequest(b.port, `GET /silent HTTP/1.1\r\nHost: ${b.host}\r\n\r\n`);
      await until(() => seen.includes('/silent'), 'the request');
      b.proxy.closeFor('ana', 'notas');
      expect(await got).toBe('');
      await until(() => b.world.statuses.at(-1) === 0, 'the count');
      expect(seen).toEqual([...before, '/silent']);
    },
  );

  test('closeSession and closeFor end what is under way', async () => {
    const b = await bench((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'));
    });
    for (const end of [() => b.proxy.closeSession('s1'), () => b.proxy.closeFor('ana', 'notas'), () => b.proxy.closeFor('ana', null)]) {
      const got = rawRequest(b.port, `GET / HTTP/1.1\r\nHost: ${b.host}\r\n\r\n`);
      const before = b.world.statuses.length;
      await until(() => {
        end();
        return b.world.statuses.length > before;
      }, 'the stream ends');
      expect(await got).not.toContain('0\r\n\r\n');
    }
  });
});

describe('refusals before a backend is asked', () => {
  test.for([
    ['GET /../x', [], 'PATH_REFUSED'],
    ['GET /a%2f..%2fb', [], 'PATH_REFUSED'],
    ['GET /a%00b', [], 'PATH_REFUSED'],
    ['GET /a', ['Origin: http://outra.svc.localhost', 'Sec-Fetch-Site: same-site'], 'CROSS_ORIGIN'],
    ['TRACE /a', [], 'BAD_REQUEST'],
  ] as const)('%s %j: %s', async ([line, headers, code]) => {
    const backend = byteBackend(answer('ok'));
    const b = await bench(backend.onConnection);
    const got = await ask(b, line, [...headers]);
    expect(got).toContain(code);
    expect(backend.received).toEqual([]);
  });

  test('slow heads are cut off and disturb nobody', async () => {
    const headMsMax = 8_000;
    const b = await bench(byteBackend(answer('ok')).onConnection, { headMsMax });
    const slow = Array.from({ length: 200 }, () => rawRequest(b.port, `GET / HTTP/1.1\r\nHost: ${b.host}\r\nX-Slow: `));
    const startMs = performance.now();
    for (let n = 0; n < 50; n += 1) expect(statusOf(await ask(b, 'GET /'))).toBe(200);
    expect(performance.now() - startMs).toBeLessThan(headMsMax);
    const cut = await Promise.all(slow);
    expect(cut.every((got) => got === '' || statusOf(got) === 408)).toBe(true);
  });
});
