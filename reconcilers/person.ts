/**
 * A person: whether their account on their server can serve them, and, once their document is gone, what has to end and in which order
 * (reconcilers/leaving.ts). A person who stays needs no action here: the supervisor has its own key, and an account without lingering is
 * repaired by the server (reconcilers/server.ts). Decision: docs/decisions/0068-lingering.md
 */
import type { Reason } from '../schema/backend.ts';
import type { Action } from './actions.ts';
import { unseenReason, type Reachability } from './backend-types.ts';
import { stampConditions, type ConditionDraft, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';
import { decideLeaving, type LeavingObserved } from './leaving.ts';
import { fields, remember, since, type MemoryShape } from './memory.ts';

export interface PersonDesired {
  readonly name: string;
  readonly server: string;
  readonly generation: number;
  /** Their document is gone. */
  readonly leaving: boolean;
  readonly session: boolean;
  /** False: the store knows of no sign-in of this person. */
  readonly everSignedIn: boolean;
}
export interface PersonObserved {
  readonly host: Reachability;
  /** The account exists on the server; null before the first observation. */
  readonly account: boolean | null;
  /** An administrator of the server locked it, or let it expire. */
  readonly closed: 'locked' | 'expired' | null;
  /** Whether processes of the account outlive its logins; null where that is unknown or meaningless. */
  readonly lasts: boolean | null;
  /** Remains of a leaving person; null while they stay. */
  readonly left: LeavingObserved | null;
}
export interface PersonMemory {
  readonly since: ConditionMemory;
}

export const personMemory: MemoryShape<PersonMemory> = { version: 1, read: fields<PersonMemory>({ since }) };

export function decidePerson(
  desired: PersonDesired,
  observed: PersonObserved,
  memory: PersonMemory | null,
  nowMs: number,
): Decision<PersonMemory> {
  const leaving = observed.left === null ? null : leavingStep(desired, observed.host, observed.left);
  const status = leaving?.status ?? statusOf(desired, observed);
  const { host, lasts } = observed;
  const reached = host.status === 'reachable' ? 'True' : host.status === 'unreachable' ? 'False' : 'Unknown';
  const stamped = stampConditions(
    [
      { type: 'Ready', status: status.ready, reason: status.reason, message: status.message },
      { type: 'Reachable', status: reached, reason: reached === 'True' ? 'Reachable' : status.reason, message: host.message },
      ...(lasts === null || host.status !== 'reachable' ? [] : [contained(lasts, desired)]),
    ],
    memory?.since,
    desired.generation,
    nowMs,
  );
  return {
    actions: leaving?.actions ?? (isShutOut(desired, observed) ? [{ kind: 'person/end-sessions', person: desired.name }] : []),
    state: status.state,
    reason: status.reason,
    message: status.message,
    conditions: stamped.conditions,
    nextDeadlineMs: null,
    memory: remember(memory, { since: stamped.memory }),
  };
}

/** Level, not event: also who came in since. Decision: docs/decisions/0335-closed-accounts.md */
const isShutOut = ({ session }: PersonDesired, { host, closed }: PersonObserved): boolean =>
  session && closed !== null && host.status === 'reachable';

/** Shown to the person too (gateway). */
export const closedMessage = (closed: 'locked' | 'expired', server: string): string =>
  `the account on ${server} is ${closed}: ${closed === 'locked' ? 'usermod -U' : 'chage -E -1'} opens it again`;

interface Status {
  readonly state: 'present' | 'away' | 'closed' | 'missing' | 'unknown' | 'leaving';
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
}

interface Leaving {
  readonly status: Status;
  readonly actions: readonly Action[];
}

/** Sessions and rooms go first: the longer the person outlives them, the likelier the supervisor is started again. */
function leavingStep({ name: person, server }: PersonDesired, host: Reachability, left: LeavingObserved): Leaving {
  const unseen = host.status === 'unreachable' ? `; ${server} does not answer: ${host.message}` : '';
  const signOut: readonly Action[] = left.signedOut ? [] : [{ kind: 'person/sign-out', person }];
  const is = (message: string, ...actions: readonly Action[]): Leaving => ({
    status: { state: 'leaving', ready: 'False', reason: 'PersonRemoved', message },
    actions: [...signOut, ...actions],
  });
  const step = decideLeaving(left);
  if (step.kind === 'wait') return is('their supervisor is being started, to know what runs');
  if (step.kind === 'wait-for-packages') return is(`their packages go: ${step.packages.join(', ')}`);
  if (step.kind === 'find-out') return is(`their supervisor is needed to know what runs${unseen}`, { kind: 'supervisor/ensure', person });
  if (step.kind === 'end-supervisor') return is('their supervisor ends', { kind: 'supervisor/end', person });
  // The sign-out also reads whether they are to be erased.
  if (step.kind === 'forget' && !left.signedOut) return is('their sessions end');
  if (step.kind === 'forget' && left.toErase === true)
    return is(`what svc made of them on ${server} is removed${unseen}`, { kind: 'person/erase', person });
  if (step.kind === 'forget' && left.lost)
    return is(`${server} was given up: they are forgotten`, { kind: 'person/forget', person, stays: 'what ran there is not ended' });
  if (step.kind === 'forget') return is('none of their apps runs: they are forgotten', { kind: 'person/forget', person });
  const stops = step.apps.map((app): Action => ({
    kind: 'backend/stop',
    person,
    app,
    requestId: `saida-${person}`,
    reason: 'PersonRemoved',
  }));
  return is(`their apps end: ${step.apps.join(', ')}`, ...stops);
}

function contained(lasts: boolean, { server }: PersonDesired): ConditionDraft {
  return lasts
    ? { type: 'Contained', status: 'True', reason: 'Provisioned', message: '' }
    : { type: 'Contained', status: 'False', reason: 'LingerBroken', message: endsWithLogin(server) };
}

/** Shown to the person too (gateway). */
export const endsWithLogin = (server: string): string => `what runs on ${server} ends with the last login there, and has no limits`;

function statusOf({ name, server, session, everSignedIn }: PersonDesired, { host, account, closed, lasts }: PersonObserved): Status {
  if (host.status === 'unreachable') {
    const message = host.cause?.reason == null ? `${server} does not answer: ${host.message}` : host.message;
    return { state: 'unknown', ready: 'Unknown', reason: unseenReason(host), message };
  }
  if (host.status === 'unknown' || account === null) {
    return { state: 'unknown', ready: 'Unknown', reason: 'NotObservedYet', message: `${server} was not looked at yet` };
  }
  if (!account) return { state: 'missing', ready: 'False', reason: 'AccountMissing', message: `${server} has no account for ${name}` };
  if (closed !== null) return { state: 'closed', ready: 'False', reason: 'AccountClosed', message: closedMessage(closed, server) };
  if (!session && !everSignedIn) return { state: 'away', ready: 'True', reason: 'NeverSignedIn', message: `${name} has not signed in yet` };
  if (!session) return { state: 'away', ready: 'True', reason: 'SessionEnded', message: '' };
  // The account works nevertheless: sign-in stays possible.
  if (lasts === false) return { state: 'present', ready: 'True', reason: 'LingerBroken', message: endsWithLogin(server) };
  return { state: 'present', ready: 'True', reason: 'Provisioned', message: '' };
}
