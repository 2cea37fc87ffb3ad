/**
 * Whose work a fault that nobody caught belongs to: the request, page or terminal that it came from is ended, and everybody else goes on. A fault
 * is a defect; one that a person's bytes can reach must not become an outage of all. Decision: docs/decisions/0396-faults-that-nobody-caught.md
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { pathOf } from './navigation.ts';

export interface FaultOwner {
  /** For the log: `GET /api/pessoas`, `a terminal`. */
  readonly what: string;
  /** Null until it is known. */
  person: string | null;
  /** Ends this work only. Does nothing once it is over. */
  readonly end: () => void;
}

const owners = new AsyncLocalStorage<FaultOwner | undefined>();

/** Queries hold secrets of links. */
export const ownerOfRequest = ({ method = '', url = '' }: IncomingMessage, end: () => void): FaultOwner => ({
  what: `${method} ${pathOf(url).slice(0, 200)}`,
  person: null,
  end,
});

/** What `work` does and begins belongs to `owner`. */
export function asOwner(owner: FaultOwner, work: () => void): void {
  owners.run(owner, () => {
    try {
      work();
    } catch (error) {
      if (contain === null) throw error;
      contain(error, 'uncaughtException');
    }
  });
}

/** Also what listeners of this emitter do: bytes of a socket come from where it was accepted, not from who listens. */
export function ownEvents(emitter: EventEmitter, owner: FaultOwner): void {
  const emit = emitter.emit.bind(emitter);
  emitter.emit = (name: string | symbol, ...values: unknown[]) => {
    let isHeard = true;
    asOwner(owner, () => {
      isHeard = emit(name, ...values);
    });
    return isHeard;
  };
}

/** The work that runs now is of this session. */
export function ownedBy<Of extends { readonly person: string }>(session: Of): Of {
  const owner = owners.getStore();
  if (owner !== undefined) owner.person = session.person;
  return session;
}

type Contain = (error: unknown, origin: string) => void;

let contain: Contain | null = null;

/** From now on a fault ends its owner's work only. Answers how to stop. */
export function containFaults(log: Pick<Logger, 'error'>): () => void {
  const containing: Contain = (error, origin) => {
    const owner = owners.getStore();
    // It would stay that of the next event that has none.
    owners.enterWith(undefined);
    log.error(
      { err: error, origin, person: owner?.person ?? null, work: owner?.what ?? null },
      'a defect of svc: nobody caught this fault; what it was part of is ended, everything else goes on',
    );
    owner?.end();
  };
  contain = containing;
  process.on('uncaughtException', containing);
  return () => {
    contain = null;
    process.off('uncaughtException', containing);
  };
}
