/**
 * The acts of the loop in the audit record: one line when an act has ended, whatever its kind. The person's order has a line from the API
 * (api/audit/); its id is in both. Decision: docs/decisions/0401-the-audit-record.md
 */
import type { Action, ActionOf } from '../../reconcilers/actions.ts';
import type { Audit, AuditAction, AuditEntry } from '../../schema/audit.ts';
import { SvcError } from '../../schema/errors.ts';
import { keys } from '../../schema/keys.ts';
import type { Executors } from './guarded.ts';
import { followed } from './outcome.ts';

/** The audit line of an action. `beside`: it goes on beside the loop, and the line is written when it has ended. */
interface Recorded<Kind extends Action['kind']> {
  readonly action: AuditAction;
  readonly of: (action: ActionOf<Kind>) => Pick<AuditEntry, 'object' | 'person' | 'reason' | 'details'>;
  readonly beside?: true;
}

type Table = { readonly [Kind in Action['kind']]: Recorded<Kind> | { readonly none: string } };

type OfApp = { readonly person: string; readonly app: string };
type OfPackage = ActionOf<'package/remove'>;

const backend = ({ person, app }: OfApp) => ({ object: keys.backend(person, app), person });
const service = ({ server, app }: { readonly server: string; readonly app: string }) => ({ object: keys.service(server, app) });
const server = (action: { readonly server: string }) => ({ object: keys.server(action.server) });
const job = (action: { readonly job: string }) => ({ object: keys.job(action.job) });
const target = ({ server: on, app, person }: Omit<OfPackage, 'kind'>) =>
  person === null ? { object: `Package/${on}/${app}` } : { object: `Package/${person}/${app}`, person };
const versioned = (action: Omit<OfPackage, 'kind'> & { readonly version: string }) => ({
  ...target(action),
  details: { version: action.version },
});
const room = (action: { readonly room: string }) => `Room/${action.room}`;

/** Exhaustive by type: an action without a row does not compile. */
export const actionRows: Table = {
  'object/forget': { action: 'object/forget', of: ({ key }) => ({ object: key }) },
  'server/kit': { action: 'server/kit', of: (action) => ({ ...server(action), details: { kit: action.id } }) },
  'server/roll-back': { action: 'server/roll-back', of: server },
  'server/take-off': { action: 'server/take-off', of: (action) => ({ ...server(action), details: { force: action.force } }) },
  'server/accounts': { action: 'server/accounts', of: server },
  'server/key': { action: 'server/key', of: server },
  'service/give': { action: 'credential/give', of: service },
  'service/take': { action: 'credential/take', of: service },
  'service/restart': { action: 'app/restart', of: service },
  'backend/start': {
    action: 'app/start',
    of: (action) => ({
      ...backend(action),
      ...(action.order.isMend === true ? { reason: 'mended' } : {}),
      details: { wish: action.order.requestId },
    }),
  },
  'backend/stop': {
    action: 'app/stop',
    of: (action) => ({ ...backend(action), reason: action.reason, details: { wish: action.requestId } }),
  },
  'backend/pin': { action: 'app/pin', of: (action) => ({ ...backend(action), details: { pinned: action.pinned } }) },
  'backend/probe': { none: 'asks an app how it is' },
  'person/sign-out': { action: 'session/revoke', of: ({ person }) => ({ person, reason: 'PersonRemoved' }) },
  'person/end-sessions': { action: 'session/revoke', of: ({ person }) => ({ person, reason: 'AccountClosed' }) },
  'person/erase': { action: 'person/erase', of: ({ person }) => ({ object: keys.person(person), person }) },
  'person/forget': { action: 'person/forget', of: ({ person }) => ({ object: keys.person(person), person }) },
  'supervisor/ensure': { none: 'connects to what keeps the apps of a person; what it starts there is recorded' },
  'supervisor/end': { none: 'ends what keeps the apps of a person when there are none' },
  'package/install': { action: 'package/install', of: versioned, beside: true },
  'package/remove': { action: 'package/remove', of: target, beside: true },
  'package/roll-back': { action: 'package/roll-back', of: versioned, beside: true },
  'package/confirm': { action: 'package/confirm', of: target, beside: true },
  'package/cancel': { action: 'package/cancel', of: target },
  'engine/mend': { action: 'package/engines', of: ({ server: on, app }) => ({ object: `Package/${on}/${app}` }), beside: true },
  'grant/create': {
    action: 'room/create',
    of: ({ grant, dona }) => ({ object: keys.grant(grant), person: dona }),
  },
  'grant/owner': {
    action: 'room/owner',
    of: (action) => ({ object: room(action), person: action.dona, details: { grant: action.grant } }),
  },
  'grant/person': {
    action: 'room/grant',
    of: (action) => ({ object: room(action), person: action.usuario, details: { grant: action.grant, role: action.papel } }),
  },
  'grant/group': {
    action: 'room/grant',
    of: (action) => ({ object: room(action), details: { grant: action.grant, group: action.grupo, role: action.papel } }),
  },
  'grant/withdraw-person': {
    action: 'room/withdraw',
    of: (action) => ({ object: room(action), person: action.usuario, details: { grant: action.grant } }),
  },
  'grant/withdraw-group': {
    action: 'room/withdraw',
    of: (action) => ({ object: room(action), details: { grant: action.grant, group: action.grupo } }),
  },
  'rollback/end': { action: 'package/roll-back-end', of: ({ key }) => ({ object: key }) },
  'wish/end': { none: 'ends the record of a wish; what came of it is recorded' },
  'wish/keep': { none: 'keeps the record of a wish; what came of it is recorded' },
  'job/release': { none: 'lets jobs go to their cluster; each submission is recorded' },
  'job/submit': { action: 'job/submit', of: job },
  'job/cancel': { action: 'job/cancel', of: job },
  'job/settle': { action: 'job/end', of: (action) => ({ ...job(action), reason: action.outcome.reason }) },
  'job/forget': { none: 'removes what a cluster keeps of a job whose end is recorded' },
  'job/drop': { none: 'removes what is left of a job once its time is over' },
};

export function auditedExecutors(all: Executors, audit: Audit): Executors {
  const audited = Object.entries(all).map(([kind, act]) => {
    const row = actionRows[kind as Action['kind']] as Recorded<Action['kind']> | { readonly none: string };
    return [kind, 'none' in row ? act : actAudited(row, act as (action: Action) => Promise<void>, audit)];
  });
  return Object.fromEntries(audited);
}

function actAudited(
  { action: name, of, beside }: Recorded<Action['kind']>,
  act: (action: Action) => Promise<void>,
  audit: Audit,
): (action: Action) => Promise<void> {
  return async (action) => {
    let isTold = false;
    let failure: SvcError | null = null;
    const tell = (failed: SvcError | null): void => {
      if (isTold) return;
      isTold = true;
      const how: Pick<AuditEntry, 'result' | 'code'> = failed === null ? { result: 'ok' } : { result: 'failed', code: failed.code };
      audit.record({ by: { kind: 'controller' }, action: name, ...of(action), ...how });
    };
    // The first report ends an act beside the loop; other acts keep their first failure until they return.
    const report = (failed: SvcError | null): void => {
      if (beside === true) tell(failed);
      else failure ??= failed;
    };
    try {
      await followed(report, () => act(action));
    } catch (error) {
      tell(error instanceof SvcError ? error : new SvcError('INTERNAL', (error as Error).message, {}, { cause: error }));
      throw error;
    }
    if (beside !== true) tell(failure);
  };
}
