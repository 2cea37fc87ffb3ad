/** At most one WebSocket, numbered by its attempt; messages of a released one are ignored. */

/** The part of a WebSocket that is used; a browser's and Node's own are such. */
export interface Socket {
  binaryType: string;
  readonly readyState: number;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
  addEventListener(type: string, listener: (event: SocketEvent) => void): void;
}

interface SocketEvent {
  readonly data?: unknown;
  readonly code?: unknown;
}

export interface SocketHandlers {
  opened(attempt: number): void;
  message(bytes: Uint8Array, attempt: number): void;
  closed(code: number, attempt: number): void;
}

export interface Line {
  open(make: () => Socket, attempt: number): void;
  /** Dropped unless the socket is open. */
  send(frame: Uint8Array<ArrayBuffer>): void;
  /** `closed` is not called for it. */
  close(): void;
}

const isOpen = 1;
/** A close without a word from the other side. Source: RFC 6455 7.1.5. */
const abnormal = 1006;

export function createLine(handlers: SocketHandlers): Line {
  let socket: Socket | null = null;
  const listen = (opened: Socket, attempt: number): void => {
    socket = opened;
    opened.binaryType = 'arraybuffer';
    const ours = (handler: (event: SocketEvent) => void) => (event: SocketEvent) => {
      if (socket === opened) handler(event);
    };
    opened.addEventListener(
      'open',
      ours(() => handlers.opened(attempt)),
    );
    opened.addEventListener(
      'message',
      ours(({ data }) => {
        if (data instanceof ArrayBuffer) handlers.message(new Uint8Array(data), attempt);
      }),
    );
    opened.addEventListener(
      'close',
      ours(({ code }) => {
        socket = null;
        handlers.closed(typeof code === 'number' ? code : abnormal, attempt);
      }),
    );
    // Always followed by a close.
    opened.addEventListener('error', () => undefined);
  };
  return {
    open: (make, attempt) => {
      try {
        listen(make(), attempt);
      } catch {
        // An address that a browser does not take.
        queueMicrotask(() => handlers.closed(abnormal, attempt));
      }
    },
    send: (frame) => {
      if (socket?.readyState === isOpen) socket.send(frame);
    },
    close: () => {
      const old = socket;
      socket = null;
      old?.close(1000);
    },
  };
}
