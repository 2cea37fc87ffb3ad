/**
 * Calls under way, with what bounds them: so many between two apps at once, so deep where the apps pass `X-Svc-Pedido` on. A call is entered
 * before the person's consent is read, so that who takes it back finds every call that was let in. Decision: docs/decisions/0200-capability-calls.md
 */
import { randomUUID } from 'node:crypto';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';

/** A capability call of an app of a person to another app. */
export interface Asked {
  readonly usuario: string;
  readonly de: string;
  readonly para: string;
  readonly capacidade: string;
}

/** The things whose end ends a call: the portal session of a page or of the person a server-scope app acts for, the credential of a backend. */
export interface Carrier {
  readonly session: string | null;
  /** Null: a page. */
  readonly credential: string | null;
}

export interface Call extends Asked {
  /** Value of X-Svc-Pedido. */
  readonly id: string;
  readonly carrier: Carrier;
  /** 1: made for itself; more: to answer one that is one less deep. */
  readonly depth: number;
  /** The cause of the end; null while the call goes on. */
  readonly ended: SvcError | null;
  /** Called once, when something ends it; the later function replaces the earlier one. */
  onEnd: ((error: SvcError) => void) | null;
}

export interface Calls {
  /** `within`: id of the call that this one helps to answer, as the caller states it. Throws CAPABILITY_LOOP or RATE_LIMITED. */
  begin(asked: Asked, carrier: Carrier, within: string | null): { readonly call: Call; readonly over: () => void };
  /** Ends those of the person, or of everybody with null. */
  endWhere(usuario: string | null, matches: (call: Call) => boolean, error: SvcError): void;
}

type Own = Map<string, { -readonly [Name in keyof Call]: Call[Name] }>;

export function createCalls(): Calls {
  /** By person, by id. */
  const people = new Map<string, Own>();
  return {
    begin: (asked, carrier, within) => {
      const own = people.get(asked.usuario) ?? (new Map() satisfies Own);
      const outer = within === null ? undefined : own.get(within);
      // Only the app that answers a call asks on its behalf.
      const depth = outer?.para === asked.de ? outer.depth + 1 : 1;
      refuseTooMany(asked, depth, [...own.values()]);
      const call: Call = { ...asked, id: randomUUID(), carrier, depth, ended: null, onEnd: null };
      people.set(asked.usuario, own.set(call.id, call));
      const over = (): void => {
        own.delete(call.id);
        if (own.size === 0 && people.get(asked.usuario) === own) people.delete(asked.usuario);
      };
      return { call, over };
    },
    endWhere: (usuario, matches, error) => {
      for (const own of usuario === null ? people.values() : [people.get(usuario) ?? (new Map() satisfies Own)]) {
        for (const call of own.values()) {
          if (call.ended !== null || !matches(call)) continue;
          call.ended = error;
          call.onEnd?.(error);
        }
      }
    },
  };
}

function refuseTooMany({ de, para }: Asked, depth: number, own: readonly Call[]): void {
  if (depth > limits.capabilityDepthMax) {
    throw new SvcError('CAPABILITY_LOOP', `${de} asks ${para} to answer calls that are ${limits.capabilityDepthMax} deep already`);
  }
  if (own.filter((call) => call.de === de && call.para === para).length < limits.capabilityCallsMax) return;
  const told = `${de} has ${limits.capabilityCallsMax} calls to ${para} under way`;
  if (reaches(own, para, de)) throw new SvcError('CAPABILITY_LOOP', `${told}, and ${para} asks ${de} to answer them`);
  throw new SvcError('RATE_LIMITED', `${told}, and there may be no more at once`, { retryAfterMs: 1_000 });
}

/** Whether `from` asks `to` now, by way of others too. */
function reaches(own: readonly Call[], from: string, to: string): boolean {
  const known = new Set([from]);
  for (const app of known) for (const call of own) if (call.de === app) known.add(call.para);
  return known.has(to);
}
