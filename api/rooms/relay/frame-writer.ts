/**
 * Sends ready frames to a socket: as they are, shared by all sockets of a room, with one system call. It writes to the TCP socket below the ws
 * library; that one writes its own frames (pong, close) whole and in one turn, and so do we, so no frame is ever cut by another. A client that does
 * not read is let go: it never grows our memory.
 */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limits } from '../limits.ts';

export interface Outlet {
  readonly socket: Duplex;
  readonly ws: WebSocket;
  /** How much may wait: the budget of everybody, and what is left of the answer to its own question. */
  bufferedBytesMax: number;
}

function write({ socket }: Outlet, frames: readonly Uint8Array[]): void {
  if (frames.length === 1) {
    socket.write(frames[0]!);
    return;
  }
  socket.cork();
  for (const frame of frames) socket.write(frame);
  socket.uncork();
}

/** False when it was too slow and is gone. Nothing is sent to one that is closing. */
export function sendFrames(outlet: Outlet, frames: readonly Uint8Array[]): boolean {
  const { socket, ws } = outlet;
  if (ws.readyState !== ws.OPEN) return true;
  write(outlet, frames);
  if (socket.writableLength <= outlet.bufferedBytesMax) return true;
  // A close frame would wait behind what is not read.
  ws.terminate();
  return false;
}

/** The answer to its own question may be larger than the budget, until it is read; `onRead` is called then. */
export function sendAnswer(outlet: Outlet, frames: readonly Uint8Array[], onRead: () => void): void {
  const { socket, ws } = outlet;
  if (ws.readyState !== ws.OPEN) return;
  write(outlet, frames);
  if (socket.writableLength <= outlet.bufferedBytesMax) return;
  outlet.bufferedBytesMax = socket.writableLength + limits.roomSocketBufferedBytesMax;
  socket.once('drain', () => {
    outlet.bufferedBytesMax = limits.roomSocketBufferedBytesMax;
    onRead();
  });
}
