/** The page's end of a terminal against a real WebSocket server that says what the portal says. */
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { startLink, type Link } from './link.ts';

let server: WebSocketServer;
let link: Link | null = null;
const typed: string[] = [];

beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => void (isBinary && typed.push((data as Buffer).toString('utf8'))));
    socket.send(JSON.stringify({ tela: { colunas: 80, linhas: 24 } }));
    socket.send(Buffer.from('$ '));
  });
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(() => {
  link?.stop();
  for (const socket of server.clients) socket.terminate();
  server.close();
});

test('what is typed before the shell is there arrives once, not again after a cut; a long text arrives whole, in frames that the portal takes', async () => {
  const screens: string[] = [];
  link = startLink(
    `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    {
      screen: (_, bytes) => screens.push(new TextDecoder().decode(bytes)),
      print: () => undefined,
      title: () => undefined,
      lost: () => undefined,
      end: () => undefined,
      connected: () => undefined,
      isThere: async () => true,
      gone: () => undefined,
    },
    () => 0,
  );
  link.type(new TextEncoder().encode('first\n'));
  await expect.poll(() => screens).toEqual(['$ ']);
  for (const socket of server.clients) socket.terminate();
  await expect.poll(() => screens).toEqual(['$ ', '$ ']);
  const long = Array.from({ length: 10_000 }, (_, line) => `line ${line}\n`).join('');
  link.type(new TextEncoder().encode(long));
  await expect.poll(() => typed.join('').endsWith('line 9999\n')).toBe(true);
  expect(typed.join('')).toBe(`first\n${long}`);
  expect(Math.max(...typed.map((text) => text.length))).toBeLessThanOrEqual(32 * 1_024);
});
