/** Frames that come before the verdict on a ticket: they wait in the kernel, not with us, and reach no room without a seat. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import * as encoding from 'lib0/encoding';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { tellCount } from '../../test/support/counts.ts';
import { startRelay, type RelayWorld } from '../../test/support/relay-world.ts';
import { connect } from '../../test/support/room-client.ts';
import { siteOf } from '../http/hosts.ts';
import { createEntrance } from './entrance.ts';
import type { Admission } from './tickets.ts';

const sala = 's000000000000000000001';
const path = `/ws/salas/${sala}/documento?bilhete=x`;
const mebi = 1_024 * 1_024;
/** Bytes that Node reads ahead of a socket that nobody reads: its mark, the chunk that passes it and the one that came with the head. */
const readAheadMax = 4 * 64 * 1_024;

let world: RelayWorld;
let front: Server;
let verdict: PromiseWithResolvers<Admission>;
/** The server's ends of the sockets that wait. */
const waiting: net.Socket[] = [];
const clients: net.Socket[] = [];

beforeEach(async () => {
  world = await startRelay();
  verdict = Promise.withResolvers();
  const entrance = createEntrance({
    site: siteOf('http://svc.localhost', 80, 'subdomain'),
    tickets: { isGood: () => true, use: () => true, admit: async () => await verdict.promise },
    relay: world.relay,
  });
  front = createServer();
  front.on('upgrade', (req, socket, head) => {
    socket.on('error', () => socket.destroy());
    waiting.push(socket as net.Socket);
    void entrance(req, socket, head);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
});
afterEach(async () => {
  for (const socket of [...clients.splice(0), ...waiting.splice(0)]) socket.destroy();
  front.closeAllConnections();
  front.close();
  await world.close();
});

const port = (): number => (front.address() as AddressInfo).port;
const seat = (papel: 'ver' | 'editar'): Admission => ({
  kind: 'seat',
  seat: { sala, app: 'notas', usuario: 'ana', nome: 'Ana', iniciais: 'A', papel, por: 'pagina', dona: 'ana' },
});

function update(letters: string): Uint8Array {
  const doc = new Y.Doc();
  doc.getText('text').insert(0, letters);
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, 0);
  encoding.writeVarUint(encoder, 2);
  encoding.writeVarUint8Array(encoder, Y.encodeStateAsUpdate(doc));
  return encoding.toUint8Array(encoder);
}

/** A masked binary frame of a client; the mask is zero, so that the bytes stand in it as they are. */
function frame(data: Uint8Array): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x82;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(data.length), 2);
  return Buffer.concat([head, data]);
}

/** The handshake and frames right behind it, without waiting for an answer; stops writing when nobody takes more. */
function knock(frames: Buffer): net.Socket {
  const socket = net.connect(port(), '127.0.0.1');
  clients.push(socket);
  socket.on('error', () => socket.destroy());
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: svc.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  socket.write(frames);
  return socket;
}

/** Resolves when the portal has read no more for a while. */
async function allRead(): Promise<number> {
  const read = (): number => waiting.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  let before = -1;
  await expect
    .poll(
      () => {
        const now = read();
        const still = now === before;
        before = now;
        return still;
      },
      { interval: 500 },
    )
    .toBe(true);
  return read();
}

test('100 sockets with 4 MiB of frames each: what is held for them is bounded, and none gets in when the ticket is refused', async () => {
  const many = 100;
  const flood = Buffer.concat(Array.from({ length: 64 }, (_, n) => frame(update(`${n}`.repeat(60_000)))));
  expect(flood.length).toBeGreaterThan(4 * mebi);
  for (let n = 0; n < many; n += 1) knock(flood);
  await expect.poll(() => waiting.length).toBe(many);
  const read = await allRead();
  expect(read).toBeLessThan(many * readAheadMax);
  expect(world.relay.figures()).toMatchObject({ sockets: 0, framesIn: 0 });
  verdict.resolve({ kind: 'refused' });
  await expect.poll(() => waiting.every(({ destroyed }) => destroyed)).toBe(true);
  expect(world.relay.figures()).toMatchObject({ sockets: 0, rooms: 0, framesIn: 0 });
  tellCount(
    `rooms: ${many} sockets with ${Math.round((many * flood.length) / mebi)} MiB before the verdict, ${Math.round(read / 1_024)} KiB read, 0 frames in`,
  );
});

test('frames before the verdict count as those of the role that it gives, in their order, and none is lost', async () => {
  for (const papel of ['ver', 'editar'] as const) {
    verdict = Promise.withResolvers();
    const frames = ['um', 'dois', 'três'].map((word) => frame(update(word)));
    const before = world.relay.figures();
    knock(Buffer.concat(frames));
    await expect.poll(() => waiting.length).toBe(1);
    await allRead();
    expect(world.relay.figures().framesIn).toBe(before.framesIn);
    verdict.resolve(seat(papel));
    await expect.poll(() => world.relay.figures().framesIn).toBe(before.framesIn + 3);
    expect(world.relay.figures().discarded - before.discarded).toBe(papel === 'ver' ? 3 : 0);
    waiting.splice(0).forEach((socket) => socket.destroy());
  }
  const reader = connect(`ws://127.0.0.1:${port()}/ws/salas/${sala}/documento`, 'x');
  await reader.synced;
  expect(['um', 'dois', 'três'].every((word) => reader.doc.getText('text').toJSON().includes(word))).toBe(true);
  expect(reader.ws.readyState).toBe(WebSocket.OPEN);
  reader.end();
});

test('a room that is deleted during the handshake is closed as one that was deleted', async () => {
  const ana = connect(`ws://127.0.0.1:${port()}/ws/salas/${sala}/documento`, 'x');
  await expect.poll(() => waiting.length).toBe(1);
  await world.relay.deleteRoom(sala);
  const { resolve } = verdict;
  verdict = Promise.withResolvers();
  verdict.resolve({ kind: 'deleted' });
  resolve(seat('editar'));
  expect(await ana.closed).toBe(4410);
});
