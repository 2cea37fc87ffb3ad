/** An upgrade that another portal takes: what the client said goes there as it came, and from then on bytes both ways. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { limits } from '../limits.ts';
import { refuseUpgrade } from '../http/refuse-upgrade.ts';
import type { RoomEntrance } from '../rooms/entrance.ts';
import type { LivingLines } from './living-lines.ts';
import { dialPeer } from './peer-lines.ts';

/** Handles a line of another portal: it carries one upgrade, or a question that `answer` answers. A line that says neither in time ends. */
export function carriedUpgrades(
  take: RoomEntrance,
  answer: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
): (line: Socket) => void {
  // Node looks after the time of heads only where the server itself listens.
  const waiting = new WeakMap<Duplex, NodeJS.Timeout>();
  const server = http.createServer({ maxHeaderSize: limits.peerHeadBytesMax });
  server.on('request', (req, res) => {
    req.once('end', () => clearTimeout(waiting.get(req.socket)));
    void answer(req, res);
  });
  server.on('upgrade', (req, socket, head) => {
    clearTimeout(waiting.get(socket));
    socket.on('error', () => undefined);
    take(req, socket, head, true).catch(() => socket.destroy());
  });
  return (line) => {
    const deadline = setTimeout(() => line.destroy(), limits.peerQuestionMsMax);
    waiting.set(line, deadline);
    line.once('close', () => clearTimeout(deadline));
    server.emit('connection', line);
  };
}

/** Never rejects: without the other portal the client gets an answer to come again. */
export async function carryUpgrade(
  { address, key, lines }: { readonly address: string; readonly key: string; readonly lines: LivingLines },
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const onward = await dialPeer(address, key).catch(() => null);
  if (onward === null) return refuseUpgrade(socket, 503, 'Service Unavailable');
  const end = (): void => {
    off();
    socket.destroy();
    onward.destroy();
  };
  const off = lines.watch(address, end);
  if (socket.destroyed) return end();
  for (const one of [socket, onward]) one.on('error', end).on('close', end);
  const said = [`${req.method ?? 'GET'} ${req.url ?? '/'} HTTP/1.1`];
  for (let n = 0; n < req.rawHeaders.length; n += 2) said.push(`${req.rawHeaders[n]}: ${req.rawHeaders[n + 1]}`);
  onward.write(`${said.join('\r\n')}\r\n\r\n`, 'latin1');
  if (head.length > 0) onward.write(head);
  socket.pipe(onward).pipe(socket);
}
