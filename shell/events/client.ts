/**
 * The page's end of `/ws/events`. Events only say that something changed: after a missed one (another run of the portal, a gap in the
 * numbers, a lost connection) the state is read again. The protocol is in schema/wire/events.ts. When the portal counts as away and how
 * often it is asked again: docs/decisions/0321-a-portal-that-is-away.md
 */
import { doubledMs, halfByChanceMs } from '../../schema/backoff.ts';
import type { EventLine, PortalEvent } from '../../schema/wire/events.ts';
import { openSocket } from './socket.ts';
import { tryLater } from './try-later.ts';

/** `away`: from a loss until the next hello, also while it is being asked. */
export type Connection = 'connecting' | 'open' | 'away';

export interface EventsHandlers {
  event(event: PortalEvent): void;
  /** The state on this page may be old: read it again. Also called on the first connection. */
  resync(): void;
  /** The name of this connection, null while there is none. */
  page(page: string | null): void;
  /** `away` comes once for each attempt that fails. */
  connection(state: Connection): void;
  /** Nothing came for too long over a connection that is open: what else goes the same way is dead, too. */
  silent(): void;
}

/** After `stop` no handler is called any more. */
export interface EventsClient {
  stop(): void;
}

/** The inputs that tests replace. */
export interface EventsTimes {
  readonly random: () => number;
  /** Reads a monotonic clock. */
  readonly nowMs: () => number;
  /** An open connection over which nothing came for so long is none. The portal says something every 5 s. */
  readonly silenceMsMax: number;
  /** From the handshake to the hello. */
  readonly openMsMax: number;
}

export const realTimes: EventsTimes = { random: Math.random, nowMs: () => performance.now(), silenceMsMax: 10_000, openMsMax: 10_000 };

/** A timer that comes so much too late says that the page stood still: what arrived meanwhile is read first, for as long. */
const lateMs = 2_000;

const backoffFirstMs = 500;
const backoffMsMax = 30_000;

/**
 * Wait before a retry of any failed request: grows up to 30 s; half of it is random, so that a thousand pages don't come back in one
 * instant.
 */
export function reconnectWaitMs(attempt: number, random: number): number {
  return Math.round(halfByChanceMs(doubledMs(backoffFirstMs, attempt + 1, backoffMsMax), random));
}

const quickFirstMs = 250;
const quickMsMax = 2_000;
/** A person waits a thirtieth longer than the portal was away. */
const sharesOfAway = 30;

/**
 * Wait before this channel reconnects, by which a page knows that the portal is back: 2 s at most in the first minute, later a thirtieth of
 * the time that it has been away.
 */
export function portalWaitMs(attempt: number, awayMs: number, random: number): number {
  const longestMs = Math.min(backoffMsMax, Math.max(quickMsMax, awayMs / sharesOfAway));
  return Math.round(halfByChanceMs(doubledMs(quickFirstMs, attempt + 1, longestMs), random));
}

export function startEvents(url: string, handlers: EventsHandlers, times: EventsTimes = realTimes): EventsClient {
  const { random, nowMs, openMsMax } = times;
  const silence = watchSilence(times, () => unheard(true));
  let socket: WebSocket | null = null;
  /** Cancels the next attempt. */
  let cancel = (): void => undefined;
  /** Timer of the handshake. */
  let opening: ReturnType<typeof setTimeout> | undefined;
  /** From a silence until the next hello. */
  let isSilent = false;
  let attempt = 0;
  let awaySinceMs: number | null = null;
  let stopped = false;
  let run: string | null = null;
  let seq = 0;

  const receive = (text: string): void => {
    silence.heard();
    const line = parseLine(text);
    if (line === null) return;
    if (line.type === 'ola') {
      const missed = line.run !== run || line.seq !== seq;
      [run, seq] = [line.run, line.seq];
      // A request sent meanwhile may wait for one of the old connections.
      if (isSilent) handlers.silent();
      [attempt, isSilent, awaySinceMs] = [0, false, null];
      clearTimeout(opening);
      silence.begin();
      handlers.connection('open');
      handlers.page(line.pagina);
      if (missed) handlers.resync();
      return;
    }
    const gap = line.seq > seq + (line.type === 'pulso' ? 0 : 1);
    seq = line.seq;
    if (line.type !== 'pulso') handlers.event(line);
    if (gap) handlers.resync();
  };

  const lost = (): void => {
    clearTimeout(opening);
    silence.end();
    const old = socket;
    socket = null;
    // A closing handshake with a silent portal takes its time: its messages are ignored.
    old?.close();
    if (stopped) return;
    awaySinceMs ??= nowMs();
    handlers.page(null);
    handlers.connection('away');
    cancel = tryLater(portalWaitMs(attempt++, nowMs() - awaySinceMs, random()), connect);
  };

  /** A front that lets no WebSocket through says nothing of the rest of the way. */
  const unheard = (isDead = isSilent): void => {
    isSilent = isDead;
    if (isDead) handlers.silent();
    lost();
  };

  function connect(): void {
    socket = openSocket(url, {
      message: (data) => typeof data === 'string' && receive(data),
      ended: lost,
      isOurs: (one) => socket === one,
    });
    if (socket !== null) opening = setTimeout(unheard, openMsMax);
  }

  handlers.connection('connecting');
  connect();
  return {
    stop: () => {
      stopped = true;
      cancel();
      clearTimeout(opening);
      silence.end();
      socket?.close();
    },
  };
}

interface Silence {
  begin(): void;
  heard(): void;
  end(): void;
}

/** Calls `lost` when nothing was received for `silenceMsMax`. */
function watchSilence({ nowMs, silenceMsMax }: EventsTimes, lost: () => void): Silence {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let heardMs = 0;
  const wait = (ms: number, isGrace: boolean): void => {
    timer = setTimeout(() => {
      const quietMs = nowMs() - heardMs;
      if (quietMs < silenceMsMax) wait(silenceMsMax - quietMs, false);
      else if (quietMs >= silenceMsMax + lateMs && !isGrace) wait(lateMs, true);
      else lost();
    }, ms);
  };
  const end = (): void => clearTimeout(timer);
  return {
    begin: () => {
      end();
      wait(silenceMsMax, false);
    },
    heard: () => void (heardMs = nowMs()),
    end,
  };
}

/** Null for what a newer portal may say and this shell doesn't know. */
function parseLine(text: string): EventLine | null {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof line !== 'object' || line === null || !('type' in line) || !('seq' in line)) return null;
  return typeof line.type === 'string' && typeof line.seq === 'number' ? (line as EventLine) : null;
}
