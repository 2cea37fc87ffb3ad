/**
 * A connection to one channel of a room, as data (rules 3.4), driven by the web SDK and the Node SDK. Nothing here does I/O or knows the
 * time or chance: every event carries `nowMs` and `random`, every wait is an absolute deadline in the state, and all work comes out as
 * effects. Decision: docs/decisions/0100-room-connection.md
 *
 * An attempt is: ask for a ticket, open the socket with it, receive the contents of the room. Attempts are numbered; an event of an older
 * one carries its number and changes nothing.
 */
import { doubledMs, halfByChanceMs } from '../schema/backoff.ts';
import { setup } from 'xstate';
import { limits } from './room-connection-limits.ts';
import { roomCloseCodes, type Papel } from '../schema/rooms.ts';
import { stepsOf } from './step.ts';

/** State as the app sees it. Source: rules 2.4. */
export type RoomState = 'conectando' | 'sincronizado' | 'fora' | 'sem-acesso' | 'apagada' | 'saiu';

/** Why it is `fora` although the network is there: the space for rooms is used up, or the document is as large as it may get. */
export type RoomReason = 'sem-espaco' | 'cheia';

export type RoomPhase = 'asking' | 'opening' | 'syncing' | 'synced' | 'waiting' | 'sem-acesso' | 'apagada' | 'saiu';

interface Context {
  /** Number of the last attempt; each uses a new ticket. Source: rules 5. */
  readonly attempt: number;
  /** Attempts and connections lost in a row; 0 only until the first is lost. */
  readonly failures: number;
  /** When TICK is due. Null in the final states only. */
  readonly deadlineMs: number | null;
  readonly syncedAtMs: number | null;
  /** Nothing was received for long and the portal was asked whether it is there. */
  readonly probedAtMs: number | null;
  /** Known after the first ticket. */
  readonly papel: Papel | null;
  /** Close code of the last socket that was lost; null: lost otherwise. */
  readonly lastCloseCode: number | null;
}

export interface RoomConnection extends Context {
  readonly phase: RoomPhase;
}

export type TicketFailure =
  /** No network, the portal is busy or away, the person is signed out: it passes. */
  | 'passing'
  /** The app or its credential may not use rooms at all (403). */
  | 'forbidden'
  /** There is no such room for this app (404). */
  | 'unknown';

export type RoomEvent =
  | {
      readonly type: 'TICKET';
      readonly attempt: number;
      /** Null: not in the room any longer. Source: rules 7. */
      readonly bilhete: string | null;
      readonly caminho: string;
      readonly papel: Papel | null;
    }
  | { readonly type: 'TICKET_FAILED'; readonly attempt: number; readonly failure: TicketFailure; readonly retryAfterMs: number | null }
  | { readonly type: 'OPENED'; readonly attempt: number }
  /** The portal has sent what the room held. */
  | { readonly type: 'SYNCED'; readonly attempt: number }
  | { readonly type: 'CLOSED'; readonly attempt: number; readonly code: number }
  /** The role changed while connected. */
  | { readonly type: 'ROLE'; readonly papel: Papel }
  | { readonly type: 'ONLINE' }
  | { readonly type: 'OFFLINE' }
  /** sair(). Source: rules 3.4, last row. */
  | { readonly type: 'LEAVE' }
  /** Time passed; sent at or after `deadlineMs`. `heardAtMs`: the last time anything came over the socket. */
  | { readonly type: 'TICK'; readonly heardAtMs: number };

export type RoomEffect =
  /** Answered by TICKET or TICKET_FAILED. */
  | { readonly kind: 'askTicket'; readonly attempt: number }
  /** Answered by OPENED and SYNCED, or CLOSED. */
  | { readonly kind: 'openSocket'; readonly attempt: number; readonly bilhete: string; readonly caminho: string }
  /** Messages of that socket are ignored from now on. */
  | { readonly kind: 'closeSocket'; readonly attempt: number }
  /** Ask the portal for anything that it answers. */
  | { readonly kind: 'probe'; readonly attempt: number }
  /** The portal said that this person has no business with the room any more: what the browser kept of it goes. */
  | { readonly kind: 'dropCopy' };

/** `random` from 0 up to 1, a fresh one each time. */
export interface Now {
  readonly nowMs: number;
  readonly random: number;
}
type Timed = RoomEvent & Now;

/** Before the attempt after the n-th failure: 1, 2, 4 … 30 s, of which half is chance. Source: rules 8. */
export function reconnectWaitMs(failures: number, random: number): number {
  return Math.round(halfByChanceMs(doubledMs(limits.roomReconnectMs, failures, limits.roomReconnectMsMax), random));
}

const isDue = (context: Context, nowMs: number): boolean => context.deadlineMs !== null && nowMs >= context.deadlineMs;

const base = setup({
  types: { context: {} as Context, events: {} as Timed, input: {} as Context },
  actions: {
    askTicket: (_action, _params: { readonly attempt: number }) => undefined,
    openSocket: (_action, _params: { readonly attempt: number; readonly bilhete: string; readonly caminho: string }) => undefined,
    closeSocket: (_action, _params: { readonly attempt: number }) => undefined,
    probe: (_action, _params: { readonly attempt: number }) => undefined,
    dropCopy: () => undefined,
  },
  guards: {
    removed: ({ event }) => event.type === 'TICKET' && event.bilhete === null,
    unknown: ({ event }) => event.type === 'TICKET_FAILED' && event.failure === 'unknown',
    forbidden: ({ event }) => event.type === 'TICKET_FAILED' && event.failure === 'forbidden',
    closedRemoved: ({ event }) => event.type === 'CLOSED' && event.code === roomCloseCodes.semAcesso,
    closedDeleted: ({ event }) => event.type === 'CLOSED' && event.code === roomCloseCodes.apagada,
    due: ({ context, event }) => isDue(context, event.nowMs),
    /** Asked whether it is there, and nothing came since. */
    silent: ({ context, event }) =>
      event.type === 'TICK' && context.probedAtMs !== null && event.heardAtMs < context.probedAtMs && isDue(context, event.nowMs),
    quiet: ({ context, event }) =>
      event.type === 'TICK' &&
      (context.probedAtMs === null || event.heardAtMs >= context.probedAtMs) &&
      event.nowMs >= event.heardAtMs + limits.roomSilenceMs,
  },
});

const final = { deadlineMs: null, probedAtMs: null } as const;

const beginAttempt = base.assign(({ context, event }) => ({
  attempt: context.attempt + 1,
  deadlineMs: event.nowMs + limits.roomTicketMsMax,
}));
const takeRole = base.assign(({ context, event }) =>
  event.type === 'TICKET' || event.type === 'ROLE' ? { papel: event.papel ?? context.papel } : {},
);
const beginOpening = base.assign(({ event }) => ({ deadlineMs: event.nowMs + limits.roomOpenMsMax }));
const beginSyncing = base.assign(({ event }) => ({ deadlineMs: event.nowMs + limits.roomSyncMsMax }));
const nowSynced = base.assign(({ event }) => ({
  syncedAtMs: event.nowMs,
  probedAtMs: null,
  deadlineMs: event.nowMs + limits.roomSilenceMs,
}));
const nowProbed = base.assign(({ event }) => ({ probedAtMs: event.nowMs, deadlineMs: event.nowMs + limits.roomProbeMsMax }));
const heard = base.assign(({ event }) =>
  event.type === 'TICK' ? { probedAtMs: null, deadlineMs: Math.min(event.nowMs, event.heardAtMs) + limits.roomSilenceMs } : {},
);
/**
 * A connection that held for a while resets the backoff; one that drops at once does not, or it would reconnect without a pause forever.
 */
const countLoss = base.assign(({ context, event }) => {
  const stable = context.syncedAtMs !== null && event.nowMs - context.syncedAtMs >= limits.roomStableMs;
  const failures = stable ? 1 : context.failures + 1;
  const askedMs = event.type === 'TICKET_FAILED' ? (event.retryAfterMs ?? 0) : 0;
  const waitMs = Math.min(Math.max(reconnectWaitMs(failures, event.random), askedMs), limits.roomReconnectMsMax);
  return {
    failures,
    deadlineMs: event.nowMs + waitMs,
    syncedAtMs: null,
    probedAtMs: null,
    lastCloseCode: event.type === 'CLOSED' ? event.code : null,
  };
});
const end = base.assign(({ event }) => ({ ...final, ...(event.type === 'CLOSED' ? { lastCloseCode: event.code } : {}) }));

type OfContext = { readonly context: Context };
const ofAttempt = ({ context }: OfContext): { readonly attempt: number } => ({ attempt: context.attempt });
const askTicket = { type: 'askTicket', params: ofAttempt } as const;
const closeSocket = { type: 'closeSocket', params: ofAttempt } as const;
const probe = { type: 'probe', params: ofAttempt } as const;
const openSocket = {
  type: 'openSocket',
  params: ({ context, event }: OfContext & { readonly event: Timed }) => ({
    attempt: context.attempt,
    bilhete: event.type === 'TICKET' ? (event.bilhete ?? '') : '',
    caminho: event.type === 'TICKET' ? event.caminho : '',
  }),
} as const;

const attempt = { target: 'asking', actions: [beginAttempt, askTicket] } as const;
const lost = { target: 'waiting', actions: [countLoss] } as const;
const cut = { target: 'waiting', actions: [closeSocket, countLoss] } as const;
const closed = [
  { guard: 'closedRemoved', target: 'sem-acesso', actions: [end, 'dropCopy'] },
  { guard: 'closedDeleted', target: 'apagada', actions: [end, 'dropCopy'] },
  lost,
] as const;
const leave = { target: 'saiu', actions: [end] } as const;
const leaveOpen = { target: 'saiu', actions: [closeSocket, end] } as const;
const role = { actions: [takeRole] } as const;

export const roomConnectionMachine = base.createMachine({
  id: 'room-connection',
  context: ({ input }) => input,
  initial: 'asking',
  states: {
    asking: {
      on: {
        TICKET: [
          { guard: 'removed', target: 'sem-acesso', actions: [end, 'dropCopy'] },
          { target: 'opening', actions: [takeRole, beginOpening, openSocket] },
        ],
        TICKET_FAILED: [
          // The copy stays: a portal that was put back from an old backup also says so.
          { guard: 'unknown', target: 'apagada', actions: [end] },
          { guard: 'forbidden', target: 'sem-acesso', actions: [end] },
          lost,
        ],
        ROLE: role,
        LEAVE: leave,
        TICK: { guard: 'due', ...lost },
      },
    },
    opening: {
      on: {
        OPENED: { target: 'syncing', actions: [beginSyncing] },
        CLOSED: closed,
        ROLE: role,
        OFFLINE: cut,
        LEAVE: leaveOpen,
        TICK: { guard: 'due', ...cut },
      },
    },
    syncing: {
      on: {
        SYNCED: { target: 'synced', actions: [nowSynced] },
        CLOSED: closed,
        ROLE: role,
        OFFLINE: cut,
        LEAVE: leaveOpen,
        TICK: { guard: 'due', ...cut },
      },
    },
    synced: {
      on: {
        CLOSED: closed,
        ROLE: role,
        OFFLINE: cut,
        LEAVE: leaveOpen,
        TICK: [
          { guard: 'silent', ...cut },
          { guard: 'quiet', actions: [nowProbed, probe] },
          { guard: 'due', actions: [heard] },
        ],
      },
    },
    waiting: {
      on: {
        ONLINE: attempt,
        ROLE: role,
        LEAVE: leave,
        TICK: { guard: 'due', ...attempt },
      },
    },
    // The shown contents stay; no retry. Source: rules 3.4.
    'sem-acesso': { on: { LEAVE: leave } },
    apagada: { on: { LEAVE: leave } },
    saiu: {},
  },
});

export interface Step {
  readonly next: RoomConnection;
  /** To be carried out in this order. */
  readonly effects: readonly RoomEffect[];
}

/** The first attempt. `papel`: what the copy in the browser remembers. */
export function enterRoom(nowMs: number, papel: Papel | null = null): Step {
  const next: RoomConnection = {
    phase: 'asking',
    attempt: 1,
    failures: 0,
    deadlineMs: nowMs + limits.roomTicketMsMax,
    syncedAtMs: null,
    probedAtMs: null,
    papel,
    lastCloseCode: null,
  };
  return { next, effects: [{ kind: 'askTicket', attempt: 1 }] };
}

const steps = stepsOf(roomConnectionMachine);

/** Advances by one event. Pure; events of an older attempt and events that mean nothing in a state change nothing. */
export function advanceRoom(connection: RoomConnection, event: RoomEvent, now: Now): Step {
  if ('attempt' in event && event.attempt !== connection.attempt) return { next: connection, effects: [] };
  const { phase, ...context } = connection;
  const { value, context: after, effects } = steps(phase, context)([{ ...event, ...now }]);
  return { next: { phase: value, ...after }, effects };
}

/** Until the first attempt is lost it is `conectando`, after that `fora` while it is not synced. */
export function stateOf({ phase, failures }: RoomConnection): RoomState {
  if (phase === 'synced') return 'sincronizado';
  if (phase === 'sem-acesso' || phase === 'apagada' || phase === 'saiu') return phase;
  return failures === 0 ? 'conectando' : 'fora';
}

/** Null while nothing but the network is known to be in the way. */
export function reasonOf(connection: RoomConnection): RoomReason | null {
  if (stateOf(connection) !== 'fora') return null;
  if (connection.lastCloseCode === roomCloseCodes.semEspaco) return 'sem-espaco';
  return connection.lastCloseCode === roomCloseCodes.tooBig ? 'cheia' : null;
}
