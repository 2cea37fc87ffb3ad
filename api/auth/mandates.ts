/**
 * For whom a server-scope app may speak: a person who asks it. The proxy adds `X-Svc-Em-Nome: <mandate>` to what a signed-in person asks of such an
 * app; the app shows the mandate beside its own SVC_PORTAL_TOKEN, and then acts as that person. Kept in memory by its hash, as room tickets are:
 * a restart of the portal ends it, and the next request brings another. Decision: docs/decisions/0203-server-scope-credential.md
 */
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';
import { isSecretShape, newSecret, secretHash } from './secrets.ts';

/** Who asks: with which portal session, and which app. */
export interface Asking {
  readonly person: string;
  readonly app: string;
  readonly session: string;
}

export interface Mandates {
  /** The same mandate for the same session and app until half of its life is over. */
  give(asking: Asking): string;
  /** Null: unknown, over, or of another app. Whether the session lives is the caller's to ask. */
  find(mandate: string, app: string): Asking | null;
  endSession(session: string): void;
  /** Mandates that are still good, for tests. */
  count(): number;
}

interface Given extends Asking {
  readonly mandate: string;
  readonly hash: string;
  readonly untilMonotonicMs: number;
}

export function createMandates(clock: Pick<Clock, 'monotonicMs'>, mostKept: number = limits.mandatesMax): Mandates {
  /** By hash, in the order in which they were given: the oldest are first, and all live equally long. */
  const given = new Map<string, Given>();
  /** The newest of each session and app. */
  const newest = new Map<string, Given>();
  const keyOf = ({ session, app }: Pick<Asking, 'session' | 'app'>): string => `${session} ${app}`;
  const drop = (one: Given): void => {
    given.delete(one.hash);
    if (newest.get(keyOf(one)) === one) newest.delete(keyOf(one));
  };
  const dropOld = (kept: number): void => {
    const nowMs = clock.monotonicMs();
    for (const one of given.values()) {
      if (one.untilMonotonicMs > nowMs && given.size <= kept) return;
      drop(one);
    }
  };
  return {
    give: (asking) => {
      const nowMs = clock.monotonicMs();
      const known = newest.get(keyOf(asking));
      if (known?.person === asking.person && known.untilMonotonicMs - nowMs > limits.mandateMs / 2) return known.mandate;
      dropOld(mostKept - 1);
      const mandate = newSecret();
      const { person, app, session } = asking;
      const one: Given = { person, app, session, mandate, hash: secretHash(mandate), untilMonotonicMs: nowMs + limits.mandateMs };
      given.set(one.hash, one);
      newest.set(keyOf(one), one);
      return mandate;
    },
    find: (mandate, app) => {
      // Hashed in any case, and looked up by the hash: the time reveals nothing about existing mandates.
      const one = given.get(secretHash(mandate));
      return isSecretShape(mandate) && one?.app === app && one.untilMonotonicMs > clock.monotonicMs() ? one : null;
    },
    endSession: (session) => {
      for (const one of given.values()) if (one.session === session) drop(one);
    },
    count: () => {
      dropOld(mostKept);
      return given.size;
    },
  };
}
