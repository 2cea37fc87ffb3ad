/**
 * Calls under way, with what bounds them: so many between two apps at once, so deep where the apps pass `X-Svc-Pedido` on. A call is entered
 * before the person's consent is read, so that who takes it back finds every call that was let in. Decision: docs/decisions/0200-capability-calls.md
 */
import { SvcError } from '../../schema/errors.ts';
import { newSecret } from '../auth/secrets.ts';
import { limits } from './limits.ts';

/** One app of a person asks another for a capability. */
export interface Asked {
  readonly usuario: string;
  readonly de: string;
  readonly para: string;
  readonly capacidade: string;
}

/** What a call ends with: the portal session of a page, or the credential of a backend. */
export type Carrier = { readonly session: string } | { readonly credential: string };

export interface Call extends Asked {
  /** Value of X-Svc-Pedido. */
  readonly id: string;
  readonly carrier: Carrier;
  /** 1: made for itself; more: to answer one that is one less deep. */
  readonly depth: number;
  /** Fires when the call is ended; the reason is an SvcError. */
  readonly signal: AbortSignal;
}

export interface Calls {
  /** `within`: id of the call that this one helps to answer, as told by the caller. Throws CAPABILITY_LOOP or RATE_LIMITED. */
  begin(asked: Asked, carrier: Carrier, within: string | null): { readonly call: Call; readonly over: () => void };
  endWhere(matches: (call: Call) => boolean, error: SvcError): void;
  /** People who have calls under way. */
  people(): ReadonlySet<string>;
}

export function createCalls(): Calls {
  const active = new Map<string, { readonly call: Call; readonly end: AbortController }>();
  const all = (): Call[] => [...active.values()].map(({ call }) => call);
  return {
    begin: (asked, carrier, within) => {
      const outer = within === null ? undefined : active.get(within)?.call;
      // Only the app that answers a call asks on its behalf.
      const depth = outer?.usuario === asked.usuario && outer.para === asked.de ? outer.depth + 1 : 1;
      refuseTooMany(asked, depth, all());
      const end = new AbortController();
      const call: Call = { ...asked, id: newSecret(), carrier, depth, signal: end.signal };
      active.set(call.id, { call, end });
      return { call, over: () => void active.delete(call.id) };
    },
    endWhere: (matches, error) => {
      for (const { call, end } of active.values()) if (matches(call)) end.abort(error);
    },
    people: () => new Set(all().map(({ usuario }) => usuario)),
  };
}

function refuseTooMany({ usuario, de, para }: Asked, depth: number, calls: readonly Call[]): void {
  if (depth > limits.capabilityDepthMax) {
    throw new SvcError('CAPABILITY_LOOP', `${de} asks ${para} to answer calls that are ${limits.capabilityDepthMax} deep already`);
  }
  const own = calls.filter((call) => call.usuario === usuario);
  if (own.filter((call) => call.de === de && call.para === para).length < limits.capabilityCallsMax) return;
  const told = `${de} has ${limits.capabilityCallsMax} calls to ${para} under way`;
  if (reaches(own, para, de)) throw new SvcError('CAPABILITY_LOOP', `${told}, and ${para} asks ${de} to answer them`);
  throw new SvcError('RATE_LIMITED', `${told}, and there may be no more at once`, { retryAfterMs: 1_000 });
}

/** Whether `from` asks `to` now, by way of others too. */
function reaches(calls: readonly Call[], from: string, to: string): boolean {
  const known = new Set([from]);
  for (const app of known) for (const call of calls) if (call.de === app) known.add(call.para);
  return known.has(to);
}
