/**
 * The owner of the running work: each request, upgraded connection and terminal is an owner, and all that it does, starts and receives runs in its
 * async context. By owner the loop's time is counted (budgets/loop-time.ts), and a fault ends only one person's work (fault-owner.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { pathOf } from '../http/navigation.ts';

export interface WorkOwner {
  /** For the log: `GET /api/pessoas`, `a terminal`. */
  readonly what: string;
  /** Null until it is known. */
  person: string | null;
  /** Null: the desktop's own. */
  app: string | null;
  /**
   * Whether the work counts against its person's share of the loop (budgets.ts): a request does. Sockets and terminals have bounds of their own, and
   * must not lock their person out.
   */
  readonly isOwed: boolean;
  /** Ends this work only. Does nothing once it is over. */
  readonly end: () => void;
}

const owners = new AsyncLocalStorage<WorkOwner | undefined>();

export const ownerNow = (): WorkOwner | undefined => owners.getStore();

/** Runs `work`; its effects and everything that it starts belong to `owner`. */
export const runAs = <Answer>(owner: WorkOwner, work: () => Answer): Answer => owners.run(owner, work);

/** For the rest of this turn of the loop. */
export const runAsNobody = (): void => owners.enterWith(undefined);

/** Queries hold secrets of links. `isOwed`: it was not switched to another protocol, whatever its headers offer. */
export const ownerOfRequest = ({ method = '', url = '' }: IncomingMessage, isOwed: boolean, end: () => void): WorkOwner => ({
  what: `${method} ${pathOf(url).slice(0, 200)}`,
  person: null,
  app: null,
  isOwed,
  end,
});

/** The work that runs now is of this session. */
export function ownedBy<Of extends { readonly person: string }>(session: Of): Of {
  const owner = ownerNow();
  if (owner !== undefined) owner.person = session.person;
  return session;
}
