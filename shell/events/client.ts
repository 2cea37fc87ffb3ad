/**
 * The page's end of `/ws/events`. Events only say that something changed: after a missed one (another run of the portal, a gap in the
 * numbers, a lost connection) the state is read again. Source: schema/wire/events.ts, anchors F3.
 */
import { doubledMs, halfByChanceMs } from '../../schema/backoff.ts';
import type { EventLine, PortalEvent } from '../../schema/wire/events.ts';

export type Connection = 'connecting' | 'open' | 'waiting';

export interface EventsHandlers {
  event(event: PortalEvent): void;
  /** The state on this page may be old: read it again. Also called on the first connection. */
  resync(): void;
  /** The name of this connection, null while there is none. */
  page(page: string | null): void;
  connection(state: Connection): void;
}

/** After `stop` no handler is called any more. */
export interface EventsClient {
  /** Tries at once instead of waiting (the browser says it is online again, the page came to the front). */
  nudge(): void;
  stop(): void;
}

const backoffFirstMs = 500;
const backoffMsMax = 30_000;

/** Grows up to 30 s; half of it is chance, so that a thousand pages don't come back in one instant. */
export function reconnectWaitMs(attempt: number, random: number): number {
  return Math.round(halfByChanceMs(doubledMs(backoffFirstMs, attempt + 1, backoffMsMax), random));
}

export function startEvents(url: string, handlers: EventsHandlers, random: () => number = Math.random): EventsClient {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let attempt = 0;
  let stopped = false;
  let run: string | null = null;
  let seq = 0;

  const receive = (text: string): void => {
    const line = parseLine(text);
    if (line === null) return;
    if (line.type === 'ola') {
      const missed = line.run !== run || line.seq !== seq;
      run = line.run;
      seq = line.seq;
      attempt = 0;
      handlers.connection('open');
      handlers.page(line.pagina);
      if (missed) handlers.resync();
      return;
    }
    const gap = line.seq > seq + 1;
    seq = line.seq;
    handlers.event(line);
    if (gap) handlers.resync();
  };

  const lost = (): void => {
    socket = null;
    if (stopped) return;
    handlers.page(null);
    handlers.connection('waiting');
    timer = setTimeout(connect, reconnectWaitMs(attempt++, random()));
  };

  function connect(): void {
    timer = null;
    handlers.connection('connecting');
    const opened = new WebSocket(url);
    socket = opened;
    opened.addEventListener('message', ({ data }) => {
      if (socket === opened && typeof data === 'string') receive(data);
    });
    // An error is always followed by a close.
    opened.addEventListener('close', () => {
      if (socket === opened) lost();
    });
  }

  connect();
  return {
    nudge: () => {
      if (timer === null || stopped) return;
      clearTimeout(timer);
      connect();
    },
    stop: () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      socket?.close();
    },
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
