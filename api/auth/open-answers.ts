/**
 * The open things of a portal session: every request of the API while it is answered, sockets of pages, downloads of previews. It all ends with the
 * session, however that ends. Apps and rooms keep such lists of their own (proxy/under-way.ts, rooms/relay/). Decision:
 * docs/decisions/0392-what-a-session-holds-open.md
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';

/** The portal session that carries something, and whose it is. */
export interface Carrying {
  readonly person: string;
  /** Its id. */
  readonly session: string;
}

export interface OpenAnswers {
  /** `end` is called once, when the session ends before the answer of this was called. */
  hold(carrying: Carrying, end: () => void): () => void;
  /** A request, from when it is known whose it is until its connection has nothing more of it. */
  holdRequest(carrying: Carrying, req: IncomingMessage, res: ServerResponse): void;
  endSession(session: string): void;
  carried(): readonly Carrying[];
  /** How much is held open of a person. */
  countOf(person: string): number;
}

interface Held extends Carrying {
  readonly end: () => void;
}

export function createOpenAnswers(clock: Clock): OpenAnswers {
  const bySession = new Map<string, Set<Held>>();
  const hold: OpenAnswers['hold'] = (carrying, end) => {
    const held: Held = { ...carrying, end };
    const own = bySession.get(held.session) ?? new Set();
    bySession.set(held.session, own.add(held));
    return () => {
      if (own.delete(held) && own.size === 0 && bySession.get(held.session) === own) bySession.delete(held.session);
    };
  };
  return {
    hold,
    holdRequest: (carrying, req, res) => {
      res.once(
        'close',
        hold(carrying, () => endRequest(clock, req, res)),
      );
    },
    endSession: (session) => {
      const own = bySession.get(session) ?? [];
      bySession.delete(session);
      for (const { end } of own) end();
    },
    countOf: (person) =>
      [...bySession.values()].reduce((sum, own) => sum + ([...own].some((held) => held.person === person) ? own.size : 0), 0),
    carried: () => [...bySession.values()].flatMap((own) => [...own].slice(0, 1).map(({ person, session }) => ({ person, session }))),
  };
}

/**
 * A body that is still coming, and an answer that has begun, end at once. A request without an answer yet may be the one that ended the session: it
 * has a moment.
 */
function endRequest(clock: Clock, req: IncomingMessage, res: ServerResponse): void {
  if (!req.complete || res.headersSent) {
    res.destroy();
    return;
  }
  res.once(
    'close',
    clock.at(clock.monotonicMs() + limits.endedAnswerMs, () => res.destroy()),
  );
}
