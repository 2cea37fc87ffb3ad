/**
 * `/ws/events` (spec 6): numbered lines per person, `ola` first. Nothing is stored for a page: one that was away reads the state
 * again. A page that does not read is dropped once it holds back more than its budget, so it never grows our memory.
 */
import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Bus } from '../../store/bus.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { EventLine, PortalEvent } from '../../schema/wire/events.ts';
import type { Session } from '../auth/sessions.ts';
import type { Windows } from './windows.ts';

/** Close codes of svc (4000 to 4999 are free for use). Documented in docs/api.md. */
export const closeCodes = { sessionEnded: 4401, unexpected: 1008 } as const;

export interface EventHub {
  /** False when the person has as many connections as allowed. */
  hasRoom(person: string): boolean;
  attach(socket: WebSocket, session: Session): void;
  /** Ends the connections that this session carries. */
  endSession(session: string): void;
  count(): number;
  close(): void;
}

export interface EventHubDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly windows: Windows;
  /** Whether the session is still good; asked at every ping. */
  readonly alive: (root: string) => Promise<boolean>;
  /** Called with a session that ended: everything else that it carries must end too. */
  readonly expired: (session: Session) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

interface Connection {
  readonly socket: WebSocket;
  readonly session: Session;
  readonly page: string;
  answeredPing: boolean;
}

export function createEventHub(deps: EventHubDeps): EventHub {
  const run = randomBytes(9).toString('base64url');
  const connections = new Map<string, Set<Connection>>();
  const numbers = new Map<string, number>();
  let cancelPing = (): void => {};
  let closing = false;

  const send = (connection: Connection, line: string): void => {
    const { socket } = connection;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount + line.length > limits.eventSocketBufferedBytesMax) {
      // A close frame would wait behind what is not read.
      socket.terminate();
      return;
    }
    socket.send(line);
  };
  const publish = (person: string, event: PortalEvent): void => {
    const seq = (numbers.get(person) ?? 0) + 1;
    numbers.set(person, seq);
    const listening = connections.get(person);
    if (!listening) return;
    const line = JSON.stringify({ seq, atMs: deps.clock.nowMs(), ...event } satisfies EventLine);
    for (const connection of listening) send(connection, line);
  };
  const pingAll = (): void => {
    for (const listening of connections.values()) for (const each of listening) check(deps, each).catch(deps.onError);
    cancelPing = deps.clock.at(deps.clock.monotonicMs() + limits.eventPingMs, pingAll);
  };
  cancelPing = deps.clock.at(deps.clock.monotonicMs() + limits.eventPingMs, pingAll);
  const unsubscribe = deps.bus.onPublish(publish);

  const detach = (connection: Connection): void => {
    const listening = connections.get(connection.session.person);
    listening?.delete(connection);
    if (listening?.size === 0) connections.delete(connection.session.person);
    // At our own end the windows are still open: the next run gives their pages two minutes to come back.
    if (!closing) deps.windows.pageClosed(connection.page).catch(deps.onError);
  };

  return {
    hasRoom: (person) => (connections.get(person)?.size ?? 0) < limits.eventSocketsPerPersonMax,
    attach: (socket, session) => {
      const connection: Connection = { socket, session, page: randomBytes(12).toString('base64url'), answeredPing: true };
      connections.set(session.person, (connections.get(session.person) ?? new Set()).add(connection));
      deps.windows.pageOpened(session.person, connection.page);
      socket.on('pong', () => {
        connection.answeredPing = true;
      });
      // A page has nothing to say here. ws reports frames over the limit and malformed ones as `error` and closes.
      socket.on('message', () => socket.close(closeCodes.unexpected, 'this channel takes no messages'));
      socket.on('error', () => socket.terminate());
      socket.on('close', () => detach(connection));
      const hello: EventLine = { type: 'ola', run, seq: numbers.get(session.person) ?? 0, pagina: connection.page };
      send(connection, JSON.stringify(hello));
    },
    endSession: (session) => {
      for (const listening of connections.values()) {
        for (const { socket, session: own } of listening) if (own.root === session) socket.close(closeCodes.sessionEnded, 'session ended');
      }
    },
    count: () => [...connections.values()].reduce((sum, listening) => sum + listening.size, 0),
    close: () => {
      closing = true;
      cancelPing();
      unsubscribe();
      for (const listening of connections.values()) for (const { socket } of listening) socket.terminate();
    },
  };
}

/** Once per ping: who did not answer the last one, or is no longer signed in, is gone. */
async function check(deps: EventHubDeps, connection: Connection): Promise<void> {
  const { socket, session } = connection;
  if (!connection.answeredPing) return socket.terminate();
  if (!(await deps.alive(session.root))) {
    socket.close(closeCodes.sessionEnded, 'session ended');
    return await deps.expired(session);
  }
  connection.answeredPing = false;
  socket.ping();
}
