/**
 * A person: whether their account on their server can serve them. No action here: the supervisor is decided by itself, and an account that does
 * not last is mended by the server (reconcilers/server.ts). Decision: docs/decisions/0074-session-provision.md
 */
import type { Reason } from '../schema/backend.ts';
import type { HostSight } from './backend-types.ts';
import { stampConditions, type ConditionDraft, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';

export interface PersonDesired {
  readonly name: string;
  readonly server: string;
  readonly generation: number;
  readonly session: boolean;
}
export interface PersonObserved {
  readonly host: HostSight;
  /** The account exists on the server; null while nobody looked. */
  readonly account: boolean | null;
  /** Whether what runs as the account outlives its logins; null where nobody can say, or where the question has no meaning. */
  readonly lasts: boolean | null;
}
export interface PersonMemory {
  readonly since: ConditionMemory;
}

export function decidePerson(
  desired: PersonDesired,
  observed: PersonObserved,
  memory: PersonMemory | null,
  nowMs: number,
): Decision<PersonMemory> {
  const sight = sightOf(desired, observed);
  const { host, lasts } = observed;
  const reached = host.status === 'reachable' ? 'True' : host.status === 'unreachable' ? 'False' : 'Unknown';
  const stamped = stampConditions(
    [
      { type: 'Ready', status: sight.ready, reason: sight.reason, message: sight.message },
      { type: 'Reachable', status: reached, reason: reached === 'True' ? 'Reachable' : sight.reason, message: host.message },
      ...(lasts === null || host.status !== 'reachable' ? [] : [contained(lasts, desired)]),
    ],
    memory?.since,
    desired.generation,
    nowMs,
  );
  return {
    actions: [],
    state: sight.state,
    reason: sight.reason,
    message: sight.message,
    conditions: stamped.conditions,
    nextDeadlineMs: null,
    memory: memory !== null && memory.since === stamped.memory ? memory : { since: stamped.memory },
  };
}

interface Sight {
  readonly state: 'present' | 'away' | 'missing' | 'unknown';
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
}

function contained(lasts: boolean, { server }: PersonDesired): ConditionDraft {
  return lasts
    ? { type: 'Contained', status: 'True', reason: 'Provisioned', message: '' }
    : { type: 'Contained', status: 'False', reason: 'LingerBroken', message: endsWithLogin(server) };
}

/** Told to the person too (gateway). */
export const endsWithLogin = (server: string): string => `what runs on ${server} ends with the last login there, and has no limits`;

function sightOf({ name, server, session }: PersonDesired, { host, account, lasts }: PersonObserved): Sight {
  if (host.status === 'unreachable') {
    return { state: 'unknown', ready: 'Unknown', reason: 'ServerUnreachable', message: `${server} does not answer: ${host.message}` };
  }
  if (host.status === 'unknown' || account === null) {
    return { state: 'unknown', ready: 'Unknown', reason: 'NotObservedYet', message: `${server} was not looked at yet` };
  }
  if (!account) return { state: 'missing', ready: 'False', reason: 'Invalid', message: `${name} has no account on ${server}` };
  if (!session) return { state: 'away', ready: 'True', reason: 'SessionEnded', message: '' };
  // It serves all the same: nobody is kept out because of it.
  if (lasts === false) return { state: 'present', ready: 'True', reason: 'LingerBroken', message: endsWithLogin(server) };
  return { state: 'present', ready: 'True', reason: 'Provisioned', message: '' };
}
