/** The folder of desired state: in force, broken (the last good state stays), or waiting for `--prune` or a restart. No actions: status only. */
import type { Reason } from '../schema/backend.ts';
import { stampConditions, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';
import { fields, remember, since, type MemoryShape } from './memory.ts';

export interface PortalDesired {
  /** Generation of the Portal document; 0 without one. */
  readonly generation: number;
}

export interface PortalObserved {
  /** Errors of the folder as it is now. */
  readonly errors: readonly string[];
  /** Names of documents that are gone from the folder and stay in force until `--prune`. */
  readonly held: readonly string[];
  /** Why they are held; null when none is. */
  readonly why: string | null;
  /** Fields of the Portal document that this portal reads when it is started again. */
  readonly waiting: readonly string[];
}

export interface PortalMemory {
  readonly since: ConditionMemory;
}

export const portalMemory: MemoryShape<PortalMemory> = { version: 1, read: fields<PortalMemory>({ since }) };

export function decidePortal(
  desired: PortalDesired,
  observed: PortalObserved,
  memory: PortalMemory | null,
  nowMs: number,
): Decision<PortalMemory> {
  const { state, reason, message } = standing(observed);
  const status = reason === 'Listening' || reason === 'RestartNeeded' ? 'True' : 'False';
  const stamped = stampConditions([{ type: 'Ready', status, reason, message }], memory?.since, desired.generation, nowMs);
  return {
    actions: [],
    state,
    reason,
    message,
    conditions: stamped.conditions,
    nextDeadlineMs: null,
    memory: remember(memory, { since: stamped.memory }),
  };
}

function standing({ errors, held, why, waiting }: PortalObserved): {
  readonly state: string;
  readonly reason: Reason;
  readonly message: string;
} {
  const [first] = errors;
  if (first !== undefined) {
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    return { state: 'invalid', reason: 'Invalid', message: `the last good state stays in force: ${first.split('\n')[0]}${more}` };
  }
  if (held.length > 0) {
    return {
      state: 'waiting',
      reason: 'PendingPrune',
      message: `${why ?? ''}; nothing is removed until svc apply --prune: ${held.slice(0, 5).join(', ')}${held.length > 5 ? '…' : ''}`,
    };
  }
  if (waiting.length > 0) {
    return { state: 'waiting', reason: 'RestartNeeded', message: `${waiting.join(', ')}: as before until the portal is started again` };
  }
  return { state: 'listening', reason: 'Listening', message: '' };
}
