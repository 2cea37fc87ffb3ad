import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openConnection, type Connection } from './connection.ts';
import { realClock, until } from './testing/harness.ts';
import { runTunnel } from './tunnel.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

/** A tunnel between real sockets: `client` on its far side, `accepted` on ours, `backend` on the far side of the connection. */
async function startTunnel() {
  const folder = await mkdtemp(join(tmpdir(), 'svct-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const listen = async (at: net.ListenOptions): Promise<net.Server> => {
    const server = net.createServer({ allowHalfOpen: true }).listen(at);
    undo.push(() => server.close());
    await once(server, 'listening');
    return server;
  };
  const front = await listen({ port: 0, host: '127.0.0.1' });
  const path = join(folder, 'b.sock');
  const back = await listen({ path });
  const [accepting, taking] = [once(front, 'connection'), once(back, 'connection')];
  const client = net.connect((front.address() as net.AddressInfo).port, '127.0.0.1');
  const route = { generation: 'g', socketPath: path, dial: () => Promise.reject(new Error('not asked')), token: 't', keepIdleMs: 1_000 };
  const connection = await new Promise<Connection>((resolve, reject) => {
    openConnection(route, (opened, error) => (opened === null ? reject(error!) : resolve(opened)));
  });
  const [accepted] = (await accepting) as [net.Socket];
  const [backend] = (await taking) as [net.Socket];
  undo.push(() => [client, accepted, backend].forEach((each) => each.destroy()));
  for (const each of [client, accepted, backend]) each.on('error', () => undefined);
  let closed = 0;
  const tunnel = runTunnel(accepted, connection, realClock, () => (closed += 1));
  return { client, accepted, backend, connection, tunnel, closed: () => closed };
}

test('what a client sends is read into one buffer, and every byte comes through a backend that reads late', async () => {
  const { client, accepted, backend, connection } = await startTunnel();
  // Who accepted it reads nothing any more: a read of its own would make a buffer for each frame.
  expect((accepted as unknown as { _handle: unknown })['_handle']).toBeNull();
  const sent = Buffer.from(Uint32Array.from({ length: 2 * 1_024 * 1_024 }, (_, n) => n * 2_654_435_761).buffer);
  backend.pause();
  client.end(sent);
  await until(() => connection.stream.writableLength > 0, 'the kernel to take no more');
  const got: Buffer[] = [];
  backend.on('data', (chunk: Buffer) => got.push(chunk)).resume();
  await once(backend, 'end');
  expect(Buffer.concat(got).equals(sent)).toBe(true);
});

test('whoever ends the connection that was accepted ends the tunnel, and the other way round', async () => {
  const one = await startTunnel();
  one.backend.resume();
  one.accepted.destroy();
  await once(one.backend, 'end');
  expect(one.closed()).toBe(1);
  const other = await startTunnel();
  const left = once(other.accepted, 'close');
  other.client.resume();
  other.tunnel.destroy();
  await Promise.all([left, once(other.client, 'close')]);
  expect(other.closed()).toBe(1);
});
