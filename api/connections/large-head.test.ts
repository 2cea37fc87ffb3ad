/** Requests that are too large to be read, and cookies that are too large for a backend. */
import net from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPortalWorld, navigation, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let portal: PortalWorld;
let ana: Browser;

beforeAll(async () => {
  portal = await createPortalWorld();
  await portal.world.backend('ana', 'notas').start();
  ana = await portal.signedIn('ana');
  await ana.visit(`http://${portal.appHost('notas')}/`);
});
afterAll(() => portal.close());

/** Everything that comes back until the portal ends the connection; what is sent after `first` waits for its answer. */
async function raw(first: string, second = ''): Promise<string> {
  const socket = net.connect(portal.port, '127.0.0.1');
  socket.write(first);
  let text = '';
  for await (const chunk of socket) {
    if (text === '') socket.write(second);
    text += String(chunk);
  }
  return text;
}

const head = (lines: string): string => `GET / HTTP/1.1\r\nHost: ${portal.host}\r\n${lines}\r\n`;

test('a head over 32 KiB is answered with the page that removes cookies, also on a connection that was used', async () => {
  const large = head(`Cookie: ${'x'.repeat(200_000)}\r\n`);
  const second = await raw(`GET /api/nada HTTP/1.1\r\nHost: ${portal.host}\r\n\r\n`, large);
  expect(second).toMatch(/^HTTP\/1\.1 404 /);
  for (const got of [await raw(large), second.slice(second.indexOf('HTTP/1.1 431'))]) {
    expect(got).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\nConnection: close\r\ncontent-type: text\/html/);
    expect(got).toMatch(/content-security-policy: default-src 'none'; script-src 'sha256-/);
    expect(got).toMatch(/<code>HEADERS_TOO_LARGE<\/code>.*Max-Age=0.*<\/html>\n$/s);
  }
});

test('what is no HTTP gets 400 and no page', async () => {
  expect(await raw('NO HTTP AT ALL\r\n\r\n')).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
});

test('no backend sees more than 8 KiB of cookies: a person gets the page, a program a problem', async () => {
  const host = portal.appHost('notas');
  const own = ana.cookies.get(host) ?? '';
  const ask = (bytes: number, headers: Record<string, string>) =>
    ana.request('/', { headers: { ...headers, host, cookie: `${own}; a=${'x'.repeat(bytes - 2)}` } });
  expect((await ask(8_192, navigation)).status).toBe(200);
  const page = await ask(8_193, navigation);
  expect([page.status, page.headers['content-type']]).toEqual([431, 'text/html; charset=utf-8']);
  expect(page.headers['content-security-policy']).toContain(`frame-ancestors 'self' ${portal.url}`);
  expect((await ask(8_193, {})).json()).toMatchObject({ code: 'HEADERS_TOO_LARGE', status: 431 });
});
