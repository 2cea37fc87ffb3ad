/** A server: reachable or not, with the reason; no action, the host driver reconnects by itself (design 3 rule 6). */
import type { Reason } from '../schema/backend.ts';
import type { HostSight } from './backend-types.ts';
import { stampConditions, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';

export interface ServerDesired {
  readonly name: string;
  readonly generation: number;
}
export interface ServerMemory {
  readonly since: ConditionMemory;
}

export function decideServer(
  desired: ServerDesired,
  observed: { readonly host: HostSight },
  memory: ServerMemory | null,
  nowMs: number,
): Decision<ServerMemory> {
  const { status, message } = observed.host;
  const sight = sights[status];
  const stamped = stampConditions(
    [
      { type: 'Ready', status: sight.truth, reason: sight.reason, message },
      { type: 'Reachable', status: sight.truth, reason: sight.reason, message },
    ],
    memory?.since,
    desired.generation,
    nowMs,
  );
  return {
    actions: [],
    state: sight.state,
    reason: sight.reason,
    message,
    conditions: stamped.conditions,
    nextDeadlineMs: null,
    memory: memory !== null && memory.since === stamped.memory ? memory : { since: stamped.memory },
  };
}

const sights = {
  reachable: { state: 'ready', truth: 'True', reason: 'Reachable' },
  unreachable: { state: 'unknown', truth: 'False', reason: 'ServerUnreachable' },
  unknown: { state: 'unknown', truth: 'Unknown', reason: 'NotObservedYet' },
} as const satisfies Record<HostSight['status'], { state: string; truth: 'True' | 'False' | 'Unknown'; reason: Reason }>;
