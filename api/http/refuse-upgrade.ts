import type { Duplex } from 'node:stream';

/** Ends a handshake that is not accepted. */
export function refuseUpgrade(socket: Duplex, status: number, title: string): void {
  if (socket.writable) socket.end(`HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  // The other side may never close: half-open sockets are not kept.
  setImmediate(() => socket.destroy());
}
