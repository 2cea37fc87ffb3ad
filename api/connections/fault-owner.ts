/**
 * A fault that nobody caught ends the request, page or terminal that it came from, and everybody else goes on. It is a defect; one that a person's bytes can
 * reach must not become an outage of all. Decision: docs/decisions/0396-faults-that-nobody-caught.md
 */
import type { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import { claimTurn } from '../budgets/loop-time.ts';
import { ownerNow, runAs, runAsNobody, type WorkOwner } from './work-owner.ts';

/** Runs `work`; its effects and everything that it starts belong to `owner`. */
export function asOwner(owner: WorkOwner, work: () => void): void {
  claimTurn(owner);
  runAs(owner, () => {
    try {
      work();
    } catch (error) {
      if (contain === null) throw error;
      contain(error, 'uncaughtException');
    }
  });
}

/** Also what listeners of this emitter do: bytes of a socket come from where it was accepted, not from who listens. */
export function ownEvents(emitter: EventEmitter, owner: WorkOwner): void {
  const emit = emitter.emit.bind(emitter);
  emitter.emit = (name: string | symbol, ...values: unknown[]) => {
    let isHeard = true;
    asOwner(owner, () => {
      isHeard = emit(name, ...values);
    });
    return isHeard;
  };
}

type Contain = (error: unknown, origin: string) => void;

let contain: Contain | null = null;

/** From now on a fault ends its owner's work only. Answers how to stop. */
export function containFaults(log: Pick<Logger, 'error'>): () => void {
  const containing: Contain = (error, origin) => {
    const owner = ownerNow();
    // It would stay that of the next event that has none.
    runAsNobody();
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
