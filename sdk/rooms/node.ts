/** A room connection of a backend. Bundled to sdk/node/svc/lib/room-connection.cjs; sdk/node/svc/lib/salas.js gives it the portal's address. */
import { driveRoom, type Ticket } from './drive.ts';
import { createHandle, type Connection, type EnterOptions } from './handle.ts';
import type { Socket } from './socket.ts';

export interface BackendOptions extends EnterOptions {
  /** The program's own; by default Node's. */
  readonly WebSocket?: (new (url: string) => Socket) | undefined;
}

export interface BackendRoom {
  /** A new one for each attempt. */
  ticket(): Promise<Ticket>;
  /** `ws://…` of the portal, without a path. */
  readonly portal: string;
  readonly say: (error: unknown) => void;
}

/** Answers at once, as in a page. Nothing is kept on the disk: a backend that wants that keeps its document itself. */
export function enterFromBackend(options: BackendOptions, room: BackendRoom): Connection {
  const WebSocketOf: (new (url: string) => Socket) | undefined = options.WebSocket ?? globalThis.WebSocket;
  if (WebSocketOf === undefined) throw new TypeError('salas.entrar: este Node não tem WebSocket; passe um em { WebSocket }');
  const handle = createHandle(options, room.say);
  driveRoom(handle, options, {
    ticket: async () => await room.ticket(),
    openSocket: (caminho, bilhete) => new WebSocketOf(`${room.portal}${caminho}?bilhete=${encodeURIComponent(bilhete)}`),
    nowMs: () => performance.now(),
    random: Math.random,
    later: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    watchNetwork: () => () => undefined,
    watchRole: () => () => undefined,
    copy: null,
    user: null,
  });
  return Object.freeze(handle.conexao);
}
