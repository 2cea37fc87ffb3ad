/** The part of `svc plan` about Grant documents: what they would change in rooms, and what people gave there and stays. */
import { decideGrant, type GrantObserved } from '../../reconcilers/grant.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
import { grantDesired, observeGrant } from '../loop/work-grants.ts';
import type { RoomStore } from '../store/rooms.ts';
import type { World } from '../world.ts';
import { changeOf } from './plan-changes.ts';

export interface GrantPlan {
  readonly changes: readonly PlanAnswer['changes'][number][];
  readonly notes: readonly string[];
}

export async function planGrants(rooms: RoomStore, world: World, nowMs: number): Promise<GrantPlan> {
  const changes: PlanAnswer['changes'][number][] = [];
  const notes: string[] = [];
  for (const entry of world.grants.values()) {
    const desired = grantDesired(entry);
    const { observed, details } = await observeGrant(rooms, world, entry);
    const { actions, state, message } = decideGrant(desired, observed, null, nowMs);
    // A room that would be made is followed one step: its roles belong to the plan.
    const made = actions.some(({ kind }) => kind === 'grant/create')
      ? decideGrant(desired, withRoom(observed, desired.spec?.dona ?? ''), null, nowMs)
      : null;
    changes.push(...[...actions, ...(made?.actions ?? [])].map(changeOf));
    const told = made ?? { state, message };
    if (told.state === 'waiting') notes.push(`${entry.key} ${told.message}`);
    const given = details['given'];
    if (Array.isArray(given) && given.length > 0) notes.push(`${entry.key} leaves what people gave: ${given.join(', ')}`);
  }
  return { changes, notes };
}

function withRoom(observed: GrantObserved, dona: string): GrantObserved {
  return { ...observed, room: { id: 'new', dona, people: [], groups: [] }, others: [] };
}
