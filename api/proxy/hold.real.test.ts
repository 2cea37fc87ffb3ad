import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { ask, byteBackend, headerOf, statusOf, until, useBenches, type Bench } from './testing/harness.ts';

const bench = useBenches();

const answer = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const navigation = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe', 'Sec-Fetch-Site: same-site', 'Accept: text/html'];

describe('an app that does not run', () => {
  const stopped = async (): Promise<Bench> => {
    const b = await bench(byteBackend(answer('page')).onConnection);
    b.world.view = { ...b.world.view!, status: 'stopped', ready: false, reason: 'NeverStarted', message: 'was never started' };
    return b;
  };

  test('a navigation starts it and is held until it answers', async () => {
    const b = await stopped();
    const route = b.world.route;
    b.world.route = null;
    let asked = 0;
    b.world.hold = async () => {
      asked += 1;
      b.world.route = route;
      return { ready: true, status: 'running', reason: 'Healthy', message: 'answers' };
    };
    expect(await ask(b, 'GET /x', navigation)).toMatch(/page$/);
    expect(asked).toBe(1);
  });

  test('nothing else starts it', async () => {
    const b = await stopped();
    b.world.route = null;
    for (const headers of [
      [],
      ['Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty', 'Sec-Fetch-Site: same-origin'],
      ['Sec-Fetch-Dest: serviceworker', 'Sec-Fetch-Mode: same-origin'],
    ]) {
      const got = await ask(b, 'GET /api', headers);
      expect(statusOf(got)).toBe(503);
      expect(headerOf(got, 'retry-after')).toBe('1');
      expect(JSON.parse(got.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'APP_NOT_RUNNING', retryAfterMs: 1_000 });
    }
  });

  test('what the wait cannot cover becomes the panel, with the reason and the log escaped', async () => {
    const b = await stopped();
    b.world.route = null;
    b.world.log = 'one\n<script>alert(1)</script>\n';
    b.world.hold = () =>
      Promise.resolve({ ready: false, status: 'backoff', reason: 'Crashed', message: 'exit code <1>', retryAfterMs: 7_000 });
    const got = await ask(b, 'GET /', [...navigation, 'Accept-Language: en-GB,pt;q=0.5']);
    expect(statusOf(got)).toBe(503);
    expect(headerOf(got, 'retry-after')).toBe('7');
    expect(headerOf(got, 'content-security-policy')).toMatch(/^default-src 'none'; script-src 'sha256-/);
    expect(got).toContain('Notas crashed and will be started again');
    expect(got).toContain('exit code &lt;1&gt;');
    expect(got).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(got).not.toContain('<script>alert');
  });

  test('a client that leaves ends the wait', async () => {
    const b = await stopped();
    b.world.route = null;
    let aborted = false;
    let waiting = false;
    b.world.hold = (signal) =>
      new Promise((_, reject) => {
        waiting = true;
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('aborted'));
        });
      });
    const client = net.connect(b.port, '127.0.0.1');
    client.write(`GET / HTTP/1.1\r\nHost: ${b.host}\r\n${navigation.join('\r\n')}\r\n\r\n`);
    await until(() => waiting, 'the hold');
    client.destroy();
    await until(() => aborted, 'the signal');
    expect(b.world.statuses).toEqual([0]);
  });

  test('a navigation to a backend that breaks gets the panel, not a bare 502', async () => {
    const b = await bench(null);
    const got = await ask(b, 'GET /', navigation);
    expect(statusOf(got)).toBe(502);
    expect(headerOf(got, 'content-type')).toContain('text/html');
  });

  test('an app that is not installed is a 404', async () => {
    const b = await bench(null);
    b.world.route = null;
    b.world.view = null;
    expect(statusOf(await ask(b, 'GET /', navigation))).toBe(404);
  });
});

describe('the routes of the panel', () => {
  test('state, start and stop, only for this origin', async () => {
    const b = await bench(byteBackend(answer('x')).onConnection);
    const state = await ask(b, 'GET /__svc/estado');
    expect(JSON.parse(state.split('\r\n\r\n')[1]!)).toMatchObject({ name: 'Notas', status: 'running', ready: true });
    const same = ['Sec-Fetch-Site: same-origin', 'Content-Length: 0'];
    expect(statusOf(await ask(b, 'POST /__svc/parar', same))).toBe(202);
    expect(statusOf(await ask(b, 'POST /__svc/iniciar', [`Origin: http://${b.host}`, 'Content-Length: 0']))).toBe(202);
    expect(b.world.wishes).toEqual(['stop notas', 'start notas']);
    for (const headers of [
      ['Content-Length: 0'],
      ['Sec-Fetch-Site: same-site', 'Content-Length: 0'],
      ['Origin: http://outra.localhost', 'Content-Length: 0'],
    ]) {
      expect(statusOf(await ask(b, 'POST /__svc/parar', headers))).toBe(403);
    }
    expect(statusOf(await ask(b, 'GET /__svc/parar', same))).toBe(404);
    expect(b.world.wishes).toHaveLength(2);
  });

  test('events of this app of this person, nobody else’s', async () => {
    const b = await bench(null);
    const client = net.connect(b.port, '127.0.0.1');
    let got = '';
    client.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')));
    client.write(`GET /__svc/eventos HTTP/1.1\r\nHost: ${b.host}\r\n\r\n`);
    await until(() => got.includes('retry:'), 'the stream');
    const event = { type: 'app-status', status: 'running', ready: true, reason: 'Healthy', message: 'm' } as const;
    b.bus.publish('bia', { ...event, app: 'notas', message: 'of bia' });
    b.bus.publish('ana', { ...event, app: 'relogio', message: 'of relogio' });
    b.bus.publish('ana', { ...event, app: 'notas', message: 'of notas' });
    await until(() => got.includes('of notas'), 'the event');
    expect(got).not.toContain('of bia');
    expect(got).not.toContain('of relogio');
    client.destroy();
  });
});
