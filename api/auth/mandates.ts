/**
 * For whom a server-scope app may speak: a person who asks it. The proxy adds `X-Svc-Em-Nome: <mandate>` to what a signed-in person asks of such an
 * app; the app shows the mandate beside its own SVC_PORTAL_TOKEN, and then acts as that person. It says itself for whom it is, sealed as room tickets
 * are, and ends with the session. Decisions: docs/decisions/0203-server-scope-credential.md, 0300-sealed-tickets.md
 */
import type { Clock } from '../../schema/clock.ts';
import type { KeyRing } from './key-rings.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { seal, unseal } from './sealed.ts';

/** The caller: its portal session, and its app. */
export interface Asking {
  readonly person: string;
  readonly app: string;
  readonly session: string;
}

export interface Mandates {
  /** The same mandate for the same session and app until half of its life is over. */
  give(asking: Asking): string;
  /** Null: none, over, or of another app. Whether the session lives is the caller's to ask. */
  find(mandate: string, app: string): Asking | null;
  /** Nothing of it is given again. */
  endSession(session: string): void;
}

interface Sealed extends Asking {
  /** Wall time: another portal may read it. */
  readonly untilMs: number;
}

interface Given extends Sealed {
  readonly mandate: string;
}

const purpose = 'mandate';

export function createMandates(clock: Pick<Clock, 'nowMs'>, ring: KeyRing, mostKept: number = limits.mandatesMax): Mandates {
  /** The newest of each session and app, the oldest first. */
  const given = new Map<string, Given>();
  const keyOf = ({ session, app }: Pick<Asking, 'session' | 'app'>): string => `${session} ${app}`;
  const leftMs = ({ untilMs }: Sealed): number => {
    const ms = untilMs - clock.nowMs();
    // A clock that was set back makes none good for longer.
    return ms > limits.mandateMs + sharedLimits.portalsSkewMsMax ? 0 : ms;
  };
  return {
    give: ({ person, app, session }) => {
      const name = keyOf({ session, app });
      const known = given.get(name);
      if (known?.person === person && leftMs(known) > limits.mandateMs / 2) return known.mandate;
      given.delete(name);
      const [oldest] = given.keys();
      if (oldest !== undefined && given.size >= mostKept) given.delete(oldest);
      const sealed: Sealed = { person, app, session, untilMs: clock.nowMs() + limits.mandateMs };
      const mandate = seal(ring, purpose, sealed);
      given.set(name, { ...sealed, mandate });
      return mandate;
    },
    find: (mandate, app) => {
      const found = unseal(ring, purpose, mandate) as Sealed | null;
      if (found === null || found.app !== app || leftMs(found) <= 0) return null;
      return { person: found.person, app, session: found.session };
    },
    endSession: (session) => {
      for (const [name, one] of given) if (one.session === session) given.delete(name);
    },
  };
}
