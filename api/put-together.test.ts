/** Requests that arrive during start-up: the portal listens, and its store does not answer yet. */
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createMemoryStore } from './testing/memory-store.ts';
import { createPortalWorld, type PortalWorld } from './testing/portal-world.ts';

const get = (port: number): string => `GET /api/sessao HTTP/1.1\r\nHost: svc.localhost:${port}\r\n\r\n`;
const upgrade = (port: number): string =>
  `GET /ws/eventos HTTP/1.1\r\nHost: svc.localhost:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Connects as soon as somebody listens, asks, and collects the answer. */
async function comes(port: number, asks: (port: number) => string): Promise<{ readonly socket: Socket; told: string }> {
  for (;;) {
    const socket = net.connect(port, '127.0.0.1');
    const here = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (!here) continue;
    const client = { socket, told: '' };
    socket.on('error', () => undefined).on('data', (part: Buffer) => (client.told += part.toString()));
    socket.write(asks(port));
    return client;
  }
}

/** A portal whose store answers once `gate` does. */
async function beginning(): Promise<{
  readonly port: number;
  readonly gate: PromiseWithResolvers<void>;
  readonly world: Promise<PortalWorld>;
}> {
  const [port, gate, store] = [await freePort(), Promise.withResolvers<void>(), createMemoryStore()];
  const value = async (name: string): Promise<string | null> => {
    await gate.promise;
    return await store.value(name);
  };
  return { port, gate, world: createPortalWorld({ listenPort: port, store: { ...store, value } }) };
}

test('is answered once it is there', async ({ onTestFinished }) => {
  const { port, gate, world } = await beginning();
  const [page, socket] = [await comes(port, get), await comes(port, upgrade)];
  // Both were taken before the portal was there.
  await new Promise((resolve) => setImmediate(resolve));
  expect([page.told, socket.told]).toEqual(['', '']);
  gate.resolve();
  const portal = await world;
  onTestFinished(() => portal.close());
  await expect.poll(() => page.told.slice(0, 12)).toBe('HTTP/1.1 401');
  await expect.poll(() => socket.told.slice(0, 10)).toBe('HTTP/1.1 4');
  for (const client of [page, socket]) client.socket.destroy();
});

test('is let go when it can not be put together, and nothing is left behind', async () => {
  const { port, gate, world } = await beginning();
  const clients = [await comes(port, get), await comes(port, upgrade)];
  const ended = clients.map(({ socket }) => new Promise((resolve) => socket.on('close', resolve)));
  gate.reject(new Error('the store went'));
  await expect(world).rejects.toThrow('the store went');
  await Promise.all(ended);
  expect(clients.map(({ told }) => told)).toEqual(['', '']);
});
