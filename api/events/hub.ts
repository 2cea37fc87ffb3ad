/**
 * `/ws/events` (rules 6): numbered lines per person, `ola` first. Nothing is stored for a page: one that was away reads the state again. A page that
 * does not read is dropped once it holds back more than its budget, so it never grows our memory.
 */
import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Bus } from '../../store/bus.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { EventLine, PortalEvent } from '../../schema/wire/events.ts';
import type { Session } from '../auth/sessions.ts';
import { type PageSocketKind, turnAway } from '../portal/page-sockets.ts';
import type { Windows } from './windows.ts';

export interface EventHub {
  /** False when the person has as many connections as allowed. */
  hasRoom(person: string): boolean;
  attach(socket: WebSocket, session: Session): void;
  count(): number;
  /** Pages that go from now on are those of a portal that ends. */
  close(): void;
}

export interface EventHubDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly windows: Windows;
  readonly onError: (error: unknown) => void;
}

interface Connection {
  readonly socket: WebSocket;
  readonly session: Session;
  readonly page: string;
}

export function createEventHub(deps: EventHubDeps): EventHub {
  const run = randomBytes(9).toString('base64url');
  const connections = new Map<string, Set<Connection>>();
  const numbers = new Map<string, number>();
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
  /** Pages can't see pings of the protocol. Decision: docs/decisions/0321-a-portal-that-is-away.md */
  const beat = (): void => {
    for (const [person, listening] of connections) {
      const line = JSON.stringify({ type: 'pulso', seq: numbers.get(person) ?? 0 } satisfies EventLine);
      for (const connection of listening) send(connection, line);
    }
    cancelBeat = deps.clock.at(deps.clock.monotonicMs() + limits.eventBeatMs, beat);
  };
  let cancelBeat = deps.clock.at(deps.clock.monotonicMs() + limits.eventBeatMs, beat);
  const unsubscribe = deps.bus.onPublish(publish);
  // A number is left out: the page reads everything again, as after any gap.
  const stopMissed = deps.bus.onEdgesMissed(() => {
    for (const person of connections.keys()) {
      numbers.set(person, (numbers.get(person) ?? 0) + 1);
      publish(person, { type: 'avisos' });
    }
  });

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
      const connection: Connection = { socket, session, page: randomBytes(12).toString('base64url') };
      connections.set(session.person, (connections.get(session.person) ?? new Set()).add(connection));
      deps.windows.pageOpened(session.person, connection.page);
      // A page has nothing to say here.
      socket.once('message', () => turnAway(socket, 'this channel takes no messages'));
      socket.on('close', () => detach(connection));
      const hello: EventLine = { type: 'ola', run, seq: numbers.get(session.person) ?? 0, pagina: connection.page };
      send(connection, JSON.stringify(hello));
    },
    count: () => [...connections.values()].reduce((sum, listening) => sum + listening.size, 0),
    close: () => {
      closing = true;
      deps.windows.close();
      cancelBeat();
      unsubscribe();
      stopMissed();
    },
  };
}

/** `/ws/events` */
export function eventSockets(hub: EventHub): PageSocketKind {
  return {
    frameBytesMax: limits.eventSocketFrameBytesMax,
    refuse: ({ person }) => (hub.hasRoom(person) ? null : [429, 'Too Many Requests']),
    attach: (socket, session) => hub.attach(socket, session),
  };
}
