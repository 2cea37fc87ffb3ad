/**
 * Requests that come on one connection before the answer to an earlier one. Node hands over all that one read brings, a thousand in a packet of 64 KB:
 * here each waits for the answer before it, which is the order of the answers anyway, and the loop turns between two of them. A client that has
 * more of them waiting loses its connection, and asks again for what was not answered. Source: RFC 9112, 9.3.2
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../limits.ts';

/** Requests that wait, by connection on which a request is being answered. */
const waiting = new WeakMap<Socket, (() => void)[]>();

/** Calls `handle` now or when its turn has come; never once the connection is gone. */
export function inPipelineTurn({ socket }: IncomingMessage, res: ServerResponse, handle: () => void): void {
  const begin = (): void => {
    if (socket.destroyed) return;
    res.once('close', () => next(socket));
    handle();
  };
  const line = waiting.get(socket);
  if (line === undefined) {
    waiting.set(socket, []);
    return begin();
  }
  if (line.length < limits.pipelinedRequestsMax) line.push(begin);
  else socket.destroy();
}

function next(socket: Socket): void {
  const begin = waiting.get(socket)?.shift();
  if (begin === undefined) waiting.delete(socket);
  else setImmediate(begin);
}
