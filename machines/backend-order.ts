/** The portal's order to a supervisor: which order a desired state leads to, and when an unconfirmed one is sent again. Pure. */
import type { Reason } from '../schema/backend.ts';
import type { StopReason } from '../schema/reasons/derived.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../schema/limits.ts';

/** Why an order is given; names and rates it. */
export type Cause =
  | 'intent'
  | 'ligado'
  | 'desligado'
  | 'service'
  | 'windows'
  | 'uninstalled'
  | 'shut'
  | 'drained'
  | 'maximo'
  | 'mended'
  | 'rewritten';

/** The newest order that was given; kept after it was carried out. */
export interface SentOrder {
  readonly op: 'start' | 'stop' | 'pin';
  readonly cause: Cause;
  readonly requestId: string;
  readonly atMs: number;
}

/** Desired state of the app at this moment, the strongest of all sources. */
export type Wish =
  /** `replace`: a process that lives is ended first, for that reason, and the start follows once it is gone. */
  | {
      readonly type: 'start';
      readonly cause: Cause;
      readonly requestId: string | null;
      readonly reason: Reason;
      readonly replace: StopReason | null;
    }
  | { readonly type: 'stop'; readonly cause: Cause; readonly requestId: string | null; readonly reason: StopReason }
  /** No window of the app has been open since then. Source: rules 3.3, rows 7 and 8. */
  | { readonly type: 'windowsClosed'; readonly sinceMs: number }
  | { readonly type: 'pin'; readonly pinned: boolean }
  | { readonly type: 'nothing' };

/** The supervisor's report about the app at this moment. */
export interface Facts {
  /** A process is there, also one that ends. */
  readonly process: boolean;
  /** A process exists and is not ending. */
  readonly living: boolean;
  /** None is there and none is to come: a stop has nothing to end. */
  readonly over: boolean;
  /** Id of the request that it carried out last. */
  readonly confirmed: string | null;
}

/** When windows that are closed end the app. Source: rules 3.3 row 7; sharedLimits.lastWindowGraceMs. */
export function windowsEndAtMs(sinceMs: number): number {
  return sinceMs + sharedLimits.lastWindowGraceMs;
}

/** Other code or a restart: the old process is ended first; once the second half was ordered there is no way back to the first. */
export function endsFirst(sent: SentOrder | null, wish: Wish, facts: Facts): boolean {
  if (wish.type !== 'start' || wish.replace === null || !facts.process) return false;
  return sent?.op !== 'start' || sent.requestId !== wish.requestId;
}

type Draft = Omit<SentOrder, 'atMs' | 'requestId'> & { readonly requestId: string | null };

function draftOf(sent: SentOrder | null, wish: Wish, facts: Facts): Draft | null {
  switch (wish.type) {
    case 'start':
      if (endsFirst(sent, wish, facts)) return { op: 'stop', cause: wish.cause, requestId: `${wish.requestId}:stop` };
      return { op: 'start', cause: wish.cause, requestId: wish.requestId };
    case 'stop':
      return { op: 'stop', cause: wish.cause, requestId: wish.requestId };
    case 'windowsClosed':
      return { op: 'stop', cause: 'windows', requestId: `janelas-${wish.sinceMs}` };
    case 'pin':
      return { op: 'pin', cause: 'ligado', requestId: `pin-${wish.pinned}` };
    default:
      return null;
  }
}

function isSame(sent: SentOrder, draft: Draft): boolean {
  return sent.op === draft.op && sent.cause === draft.cause && (draft.requestId ?? sent.requestId) === sent.requestId;
}

/** The order to send now; null while the same one waits for its confirmation, or when nothing is desired. */
export function orderOf(sent: SentOrder | null, wish: Wish, facts: Facts, nowMs: number): SentOrder | null {
  const draft = draftOf(sent, wish, facts);
  if (draft === null) return null;
  const before = sent !== null && isSame(sent, draft) ? sent : null;
  // Sent in the future: the clock was set back, and nothing says how long ago it was.
  if (before !== null && before.atMs <= nowMs && nowMs < before.atMs + limits.supervisorReplyMsMax) return null;
  const again = before !== null && before.requestId !== facts.confirmed ? before.requestId : null;
  const requestId = draft.requestId ?? again ?? `${draft.cause}-${nowMs}`;
  return { op: draft.op, cause: draft.cause, requestId, atMs: nowMs };
}
