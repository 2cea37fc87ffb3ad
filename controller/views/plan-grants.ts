/** The part of `svc plan` about Grant documents: what they would change in rooms, what they wait for, and what people gave there and stays. */
import { decideGrant, type GrantObserved } from '../../reconcilers/grant.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
import { grantDesired, observeGrant } from '../kinds/grant.ts';
import type { RoomStore } from '../../store/rooms.ts';
import { documentsOf, type Entries } from '../entries.ts';
import { changeOf, type Blocked } from './plan-changes.ts';

export interface GrantPlan {
  readonly changes: readonly PlanAnswer['changes'][number][];
  /** Grants that wait for a person or app that does not exist. */
  readonly blocked: readonly Blocked[];
  readonly notes: readonly string[];
}

export async function planGrants(rooms: RoomStore, entries: Entries, nowMs: number): Promise<GrantPlan> {
  const changes: PlanAnswer['changes'][number][] = [];
  const blocked: Blocked[] = [];
  const notes: string[] = [];
  for (const entry of documentsOf(entries, 'Grant')) {
    const desired = grantDesired(entry);
    const { observed, details } = await observeGrant(rooms, entries, entry);
    const first = decideGrant(desired, observed, null, nowMs);
    // Followed one step: the roles of a room that would be made belong to the plan, and so does the end of a document that is gone.
    const next = desired.spec === null ? withdrawn(observed) : withRoom(observed, desired.spec.dona);
    const isFollowed = first.actions.some(({ kind }) => kind === 'grant/create' || (desired.spec === null && kind !== 'object/forget'));
    const decision = isFollowed ? decideGrant(desired, next, null, nowMs) : first;
    for (const action of [...first.actions, ...(isFollowed ? decision.actions : [])]) {
      const change = changeOf(action);
      changes.push(desired.spec === null ? Object.assign(change, { reason: decision.reason }) : change);
    }
    if (decision.state === 'waiting') blocked.push({ key: entry.key, reason: decision.reason, message: decision.message });
    const given = details['given'];
    if (Array.isArray(given) && given.length > 0) notes.push(`${entry.key} leaves what people gave: ${given.join(', ')}`);
  }
  return { changes, blocked, notes };
}

function withdrawn(observed: GrantObserved): GrantObserved {
  return { ...observed, room: null, others: [] };
}

function withRoom(observed: GrantObserved, dona: string): GrantObserved {
  return { ...observed, room: { id: 'new', dona, people: [], groups: [] }, others: [] };
}
