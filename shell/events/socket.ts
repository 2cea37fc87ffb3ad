/** WebSockets of the desktop. */
import { lineSignal } from './line.ts';

export interface SocketEnds {
  readonly message: (data: unknown) => void;
  /** It closed, or the browser lets no page have one. */
  readonly ended: () => void;
  /** Whether it is still listened to; null: the one that the browser refused. */
  readonly isOurs: (socket: WebSocket | null) => boolean;
}

/** Handshakes in a row that failed; after so many their address is asked as a page once. */
const refusedBeforePage = 3;
let refusedInRow = 0;

/**
 * Where handshakes are refused for cookies that an app set for their path, the answer to a page removes them: browsers take cookies from no handshake
 * that failed. Decision: docs/decisions/0041-paths-and-headers-of-the-proxy.md
 */
function countRefused(socket: WebSocket, url: string): void {
  let isRefused = true;
  socket.addEventListener('open', () => {
    isRefused = false;
    refusedInRow = 0;
  });
  socket.addEventListener('close', () => {
    if (isRefused) refusedInRow += 1;
    if (isRefused && refusedInRow % refusedBeforePage === 0)
      fetch(url.replace(/^ws/, 'http'), { cache: 'no-store' }).catch(() => undefined);
  });
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
  countRefused(opened, url);
  opened.addEventListener('message', ({ data }) => isOurs(opened) && message(data));
  // An error is always followed by a close.
  opened.addEventListener('close', () => isOurs(opened) && ended());
  return opened;
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
