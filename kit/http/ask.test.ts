/** The one way to ask over HTTP, against real servers on real sockets, and over a Duplex that is no socket. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { duplexPair } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { limits } from './limits.ts';
import { ask, readWhole, wasSilent } from './ask.ts';
import { fetchFrom, RedirectRefused } from './fetch-from.ts';

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const way = { silentMsMax: 0 };
const get = { method: 'GET', path: '/a?b=c' };

test('over a Duplex that is no socket, as a channel of ssh', async () => {
  const [ours, theirs] = duplexPair();
  const server = http.createServer((req, res) => res.end(`${req.method} ${req.url} ${req.headers.host} ${req.headers.connection}`));
  server.emit('connection', theirs);
  const answer = await ask({ ...get, origin: 'http://localhost' }, { ...way, stream: ours });
  expect((await readWhole(answer, 1_000))?.toString()).toBe('GET /a?b=c localhost close');
  answer.end();
});

test('more than the bytes that are wanted are null, and the rest is not read', async () => {
  const closed = Promise.withResolvers<void>();
  const origin = await serve((_req, res) => {
    res.on('close', () => closed.resolve());
    const more = (): void => {
      while (!res.destroyed && res.write(Buffer.alloc(65_536)));
    };
    res.on('drain', more);
    more();
  });
  const answer = await ask({ ...get, origin }, way);
  expect(await readWhole(answer, 100_000)).toBeNull();
  answer.end();
  await closed.promise;
});

test('silence before the head and within the body is told as such; of a stream only before the head', { tags: ['costly'] }, async () => {
  const origin = await serve((req, res) => {
    if (req.url === '/none') return;
    res.write('a');
    if (req.url === '/stream') setTimeout(() => res.end('b'), 4_000);
  });
  const silent = { silentMsMax: 1_000 };
  const body = async (path: string, isStream = false) =>
    String(await readWhole(await ask({ method: 'GET', origin, path }, { ...silent, isStream }), 10));
  const [none, half, stream] = await Promise.allSettled([body('/none'), body('/half'), body('/stream', true)]);
  expect([none, half].map((one) => one.status === 'rejected' && wasSilent(one.reason))).toEqual([true, true]);
  expect(stream).toEqual({ status: 'fulfilled', value: 'ab' });
});

test.for([
  ['169.254.169.254', /to the own link/],
  ['0xa9fea9fe', /to the own link/],
  ['[fe80::1]', /to the own link/],
  ['[::ffff:169.254.169.254]', /to the own link/],
] as const)('from this machine no redirect leads to %s', async ([host, message]) => {
  const origin = await serve((_req, res) => res.writeHead(302, { location: `http://${host}:1/` }).end());
  await expect(fetchFrom(origin, {}, way)).rejects.toThrow(message);
});

test.for(['localhost', 'a.localhost.', '127.1', '2130706433', '0', '[::1]', '[::]', '[::ffff:127.0.0.1]'])(
  'from elsewhere no redirect leads to %s',
  async (host) => {
    const [ours, theirs] = duplexPair();
    const server = http.createServer((_req, res) => res.writeHead(302, { location: `http://${host}:1/` }).end());
    server.emit('connection', theirs);
    await expect(fetchFrom('http://elsewhere.example/', {}, { ...way, stream: ours })).rejects.toThrow(/to this machine/);
  },
);

test('redirects are followed, but not for ever and not to other than http; a credential goes to its own host alone', async () => {
  const seen: [string | undefined, string | undefined][] = [];
  const second = await serve((req, res) => {
    seen.push([req.url, req.headers.authorization]);
    res.end('there');
  });
  const first = await serve((req, res) => {
    seen.push([req.url, req.headers.authorization]);
    const to = { '/other': `${second}/x?y`, '/circle': '/circle', '/file': 'file:///etc/passwd' }[req.url ?? ''];
    res.writeHead(302, { location: to }).end();
  });
  const answer = await fetchFrom(`${first.replace('//', '//ana:senha@')}/other`, {}, way);
  expect(String(await readWhole(answer, 10))).toBe('there');
  expect(seen).toEqual([
    ['/other', `Basic ${btoa('ana:senha')}`],
    ['/x?y', undefined],
  ]);
  await expect(fetchFrom(`${first}/circle`, {}, way)).rejects.toThrow(RedirectRefused);
  expect(seen.length).toBe(2 + 1 + limits.redirectsMax);
  await expect(fetchFrom(`${first}/file`, {}, way)).rejects.toThrow(RedirectRefused);
});
