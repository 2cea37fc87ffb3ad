/**
 * A People document: whether its people are known. The people go into the documents in force (controller/desired/derived.ts) as soon as they were
 * read; a failed read changes nothing. No actions: status only. Decision: docs/decisions/0398-people-of-the-system.md
 */
import type { Condition, Reason } from '../schema/backend.ts';
import { unseenReason, type Reachability } from './backend-types.ts';
import { stampConditions, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';
import type { LeftOut } from './members.ts';
import { fields, remember, since, type MemoryShape } from './memory.ts';

export interface PeopleDesired {
  readonly generation: number;
  readonly server: string;
  /** Null: people come by a claim of the provider. */
  readonly group: string | null;
}

/** Result of the newest observation of the system's people. */
export type PeopleSeen =
  | { readonly kind: 'seen' }
  | { readonly kind: 'no-group' }
  | { readonly kind: 'unreadable'; readonly message: string };

export interface PeopleObserved {
  readonly host: Reachability;
  /** Null before the first observation. */
  readonly seen: PeopleSeen | null;
  /** People in force by this document. */
  readonly count: number;
  readonly leftOut: readonly LeftOut[];
  /** Why people who are gone from the list stay until `--prune`; null: none do. */
  readonly waiting: string | null;
}

export interface PeopleMemory {
  readonly since: ConditionMemory;
}

export const peopleMemory: MemoryShape<PeopleMemory> = { version: 1, read: fields<PeopleMemory>({ since }) };

export function decidePeople(
  desired: PeopleDesired,
  observed: PeopleObserved,
  memory: PeopleMemory | null,
  nowMs: number,
): Decision<PeopleMemory> {
  const { state, ready, reason, message } = statusOf(desired, observed);
  const stamped = stampConditions([{ type: 'Ready', status: ready, reason, message }], memory?.since, desired.generation, nowMs);
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

interface Status {
  readonly state: 'listed' | 'waiting' | 'unknown';
  readonly ready: Condition['status'];
  readonly reason: Reason;
  readonly message: string;
}

function statusOf({ server, group }: PeopleDesired, { host, seen, count, leftOut, waiting }: PeopleObserved): Status {
  const stay = count === 0 ? 'nobody is a person by it yet' : `no change for its ${people(count)}`;
  const unknown = (reason: Reason, message: string): Status => ({ state: 'unknown', ready: 'Unknown', reason, message });
  if (host.status === 'unreachable') return unknown(unseenReason(host), `${server} does not answer: ${host.message}; ${stay}`);
  if (host.status === 'unknown' || seen === null) return unknown('NotObservedYet', `${server} was not asked yet; ${stay}`);
  if (seen.kind === 'no-group') return unknown('GroupMissing', `${server} has no group ${group}; ${stay}`);
  if (seen.kind === 'unreadable') return unknown('ListUnreadable', `${seen.message}; ${stay}`);
  if (waiting !== null)
    return { state: 'waiting', ready: 'False', reason: 'PendingPrune', message: `${waiting}; nobody is removed until svc apply --prune` };
  return { state: 'listed', ready: 'True', reason: 'Listed', message: `${people(count)}${outText(leftOut)}` };
}

const people = (count: number): string => (count === 1 ? '1 person' : `${count} people`);

const namedMax = 3;

function outText(leftOut: readonly LeftOut[]): string {
  if (leftOut.length === 0) return '';
  const named = leftOut.slice(0, namedMax).map(({ name, why }) => `${name} (${why})`);
  return `; left out: ${named.join(', ')}${leftOut.length > namedMax ? `, and ${leftOut.length - namedMax} more` : ''}`;
}
