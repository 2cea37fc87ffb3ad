/** WebSockets of the desktop. */
import { lineSignal } from './line.ts';

export interface SocketEnds {
  readonly message: (data: unknown) => void;
  /** It closed, or the browser lets no page have one. */
  readonly ended: () => void;
  /** Whether it is still listened to; null: the one that the browser refused. */
  readonly isOurs: (socket: WebSocket | null) => boolean;
}

/** Null: the browser refused, and `ended` is called in a moment. */
export function openSocket(url: string, { message, ended, isOurs }: SocketEnds): WebSocket | null {
  let opened: WebSocket;
  try {
    opened = new WebSocket(url);
  } catch {
    queueMicrotask(() => isOurs(null) && ended());
    return null;
  }
  opened.binaryType = 'arraybuffer';
  opened.addEventListener('message', ({ data }) => isOurs(opened) && message(data));
  // An error is always followed by a close.
  opened.addEventListener('close', () => isOurs(opened) && ended());
  return opened;
}

/**
 * Asks the address of a socket as a page: where its handshakes are refused for cookies that an app set for it, the answer removes them, and browsers
 * take cookies from no handshake that failed. Decision: docs/decisions/0041-paths-and-headers-of-the-proxy.md
 */
export function askAsPage(url: string): void {
  fetch(url.replace(/^ws/, 'http'), { cache: 'no-store' }).catch(() => undefined);
}

/** Calls `dead` where it is not open within `openMsMax`, and when the way to the portal is found dead. */
export function endWithLine(socket: WebSocket, openMsMax: number, dead: () => void): void {
  const line = lineSignal();
  const timer = setTimeout(dead, openMsMax);
  line.addEventListener('abort', dead);
  socket.addEventListener('open', () => clearTimeout(timer));
  socket.addEventListener('close', () => {
    clearTimeout(timer);
    line.removeEventListener('abort', dead);
  });
}
