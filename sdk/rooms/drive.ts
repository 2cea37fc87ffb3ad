/**
 * Carries out what machines/room-connection.ts decides. The same code runs in pages and in backends; `RoomEnvironment` is what differs.
 *
 *   handle.ts     the connection that the app sees        socket.ts   the one WebSocket
 *   exchange.ts   document and presence over it           frames.ts   the protocol as bytes
 *   parts.ts      what is too big for one frame
 *   libraries.ts  what is used of the app's own yjs       node.ts     the entry of a backend (of a page: sdk/web/page-room.ts)
 */
import {
  advanceRoom,
  enterRoom,
  reasonOf,
  stateOf,
  type RoomConnection,
  type RoomEffect,
  type RoomEvent,
  type Step,
  type TicketFailure,
} from '../../machines/room-connection.ts';
import { podeEscrever, type Papel } from '../../schema/rooms.ts';
import { startExchange, type CopyWriter } from './exchange.ts';
import type { EnterOptions, Handle } from './handle.ts';
import { createLine, type Socket } from './socket.ts';

export interface Ticket {
  readonly bilhete: string | null;
  readonly caminho: string;
  readonly papel: Papel | null;
}

/** Rejection of `RoomEnvironment.ticket` when the portal answered; any other error is transient. */
interface TicketRefusal {
  readonly status?: unknown;
  readonly retryAfterMs?: unknown;
}

export interface Copy extends CopyWriter {
  /** The role that was known last. */
  readonly papel: Papel | null;
  /** Null when there is nothing. */
  readonly update: Uint8Array | null;
  remember(papel: Papel): void;
  /** For good: nothing is kept any more. */
  remove(): void;
  /** Resolves when all appended updates are on the disk. */
  flushed(): Promise<void>;
}

export interface RoomEnvironment {
  ticket(): Promise<Ticket>;
  /** `caminho` of the channel. */
  openSocket(caminho: string, bilhete: string): Socket;
  /** Reads a monotonic clock. */
  nowMs(): number;
  random(): number;
  /** Answers the function that cancels. */
  later(ms: number, run: () => void): () => void;
  watchNetwork(change: (online: boolean) => void): () => void;
  watchRole(change: (papel: Papel) => void): () => void;
  /** Null: nothing is kept. */
  readonly copy: Copy | null;
  /** Presence that others see of this person until the portal's own word comes. */
  readonly user: Readonly<Record<string, unknown>> | null;
}

type Executors = { [K in RoomEffect['kind']]: (effect: Extract<RoomEffect, { kind: K }>) => void };

/** The loop: an event, the next state, its effects, the deadline. */
function startLoop(environment: RoomEnvironment, handle: Handle, executors: Executors) {
  const { copy } = environment;
  const first = enterRoom(environment.nowMs(), copy?.papel ?? null);
  let connection: RoomConnection = first.next;
  let heardAtMs = 0;
  let tickAtMs: number | null = null;
  let cancelTick = (): void => undefined;

  const step = (event: RoomEvent): void => {
    follow(advanceRoom(connection, event, { nowMs: environment.nowMs(), random: environment.random() }));
  };
  const follow = ({ next, effects }: Step): void => {
    const before = connection;
    connection = next;
    for (const effect of effects) (executors[effect.kind] as (effect: RoomEffect) => void)(effect);
    // An effect may lead to an event, and so to a later state that was reported already.
    if (connection !== next) return;
    if (next.papel !== null && next.papel !== before.papel) copy?.remember(next.papel);
    schedule();
    handle.change({ estado: stateOf(next), papel: next.papel, motivo: reasonOf(next) });
  };
  const schedule = (): void => {
    if (connection.deadlineMs === tickAtMs) return;
    cancelTick();
    tickAtMs = connection.deadlineMs;
    if (tickAtMs === null) return;
    cancelTick = environment.later(Math.max(0, tickAtMs - environment.nowMs()), () => {
      tickAtMs = null;
      step({ type: 'TICK', heardAtMs });
      schedule();
    });
  };
  return {
    start: () => follow(first),
    step,
    heard: () => (heardAtMs = environment.nowMs()),
    mayWrite: () => connection.papel === null || podeEscrever(connection.papel, handle.canal),
    isOver: () => connection.deadlineMs === null,
  };
}

export function driveRoom(handle: Handle, options: EnterOptions, environment: RoomEnvironment): void {
  const { Y, awarenessProtocol } = options;
  const { copy } = environment;
  const { presenca, canal } = handle;
  const line = createLine({
    opened: (attempt) => {
      loop.heard();
      loop.step({ type: 'OPENED', attempt });
      exchange.opened();
    },
    message: (bytes, attempt) => {
      loop.heard();
      if (!exchange.receive(bytes)) return;
      handle.synced();
      loop.step({ type: 'SYNCED', attempt });
    },
    closed: (code, attempt) => {
      exchange.lost();
      loop.step({ type: 'CLOSED', attempt, code });
    },
  });
  const loop = startLoop(environment, handle, {
    askTicket: ({ attempt }) => {
      environment.ticket().then(
        ({ bilhete, caminho, papel }) => loop.step({ type: 'TICKET', attempt, bilhete, caminho, papel }),
        (error: unknown) => loop.step({ type: 'TICKET_FAILED', attempt, ...failureOf(error) }),
      );
    },
    openSocket: ({ attempt, bilhete, caminho }) => line.open(() => environment.openSocket(`${caminho}/${canal}`, bilhete), attempt),
    closeSocket: () => {
      line.close();
      exchange.lost();
    },
    probe: () => exchange.ask(),
    dropCopy: () => copy?.remove(),
  });
  const { mayWrite, isOver } = loop;
  const send = (frame: Uint8Array<ArrayBuffer>): void => line.send(frame);
  const exchange = startExchange(handle, { Y, awarenessProtocol, copy, kept: copy?.update ?? null, send, mayWrite, isOver });
  const watches = [
    environment.watchNetwork((online) => loop.step({ type: online ? 'ONLINE' : 'OFFLINE' })),
    environment.watchRole((papel) => loop.step({ type: 'ROLE', papel })),
  ];
  if (environment.user !== null && presenca !== undefined && presenca.getLocalState()?.['user'] === undefined) {
    presenca.setLocalStateField('user', environment.user);
  }
  loop.start();
  handle.onLeave(async () => {
    exchange.stop();
    for (const stop of watches) stop();
    loop.step({ type: 'LEAVE' });
    await copy?.flushed();
  });
}

function failureOf(error: unknown): { readonly failure: TicketFailure; readonly retryAfterMs: number | null } {
  const { status, retryAfterMs } = (typeof error === 'object' && error !== null ? error : {}) as TicketRefusal;
  const failure = status === 404 || status === 400 ? 'unknown' : status === 403 ? 'forbidden' : 'passing';
  return { failure, retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : null };
}
