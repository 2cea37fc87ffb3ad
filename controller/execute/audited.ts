/**
 * The acts of the loop in the audit record: one line when an act has ended, whatever its kind. The person's order has a line from the API
 * (api/audit/); its id is in both. Decision: docs/decisions/0401-the-audit-record.md
 */
import type { Action, ActionOf } from '../../reconcilers/actions.ts';
import type { Audit } from '../../schema/audit.ts';
import { keys } from '../../schema/keys.ts';
import type { Executors, Recorded } from './guarded.ts';
import { codedError, followed, outcomeOf, type Outcome } from './outcome.ts';

export type Table = { readonly [Kind in Action['kind']]: Recorded<Kind> | { readonly none: string } };

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

/** Rows of the actions that have no row of their own (`Acts`). */
export const actionRows = {
  'object/forget': { action: 'object/forget', of: ({ key }) => ({ object: key }) },
  'server/kit': { action: 'server/kit', of: (action) => ({ ...server(action), details: { kit: action.id } }), ends: 'beside' },
  'server/roll-back': { action: 'server/roll-back', of: server, ends: 'beside' },
  'server/take-off': {
    action: 'server/take-off',
    of: (action) => ({ ...server(action), details: { force: action.force } }),
    ends: 'beside',
  },
  'server/accounts': { action: 'server/accounts', of: server, ends: 'beside' },
  'server/key': { action: 'server/key', of: server, ends: 'beside' },
  'service/give': { action: 'credential/give', of: service },
  'service/take': { action: 'credential/take', of: service },
  'service/restart': { action: 'app/restart', of: service, ends: 'unseen' },
  'backend/start': {
    action: 'app/start',
    of: (action) => ({
      ...backend(action),
      ...(action.order.isMend === true ? { reason: 'mended' } : {}),
      details: { wish: action.order.requestId },
    }),
    ends: 'beside',
  },
  'backend/stop': {
    action: 'app/stop',
    of: (action) => ({ ...backend(action), reason: action.reason, details: { wish: action.requestId } }),
    ends: 'beside',
  },
  'backend/pin': { action: 'app/pin', of: (action) => ({ ...backend(action), details: { pinned: action.pinned } }) },
  'backend/probe': { none: 'asks an app how it is' },
  'person/sign-out': { action: 'session/revoke', of: ({ person }) => ({ person, reason: 'PersonRemoved' }) },
  'person/end-sessions': { action: 'session/revoke', of: ({ person }) => ({ person, reason: 'AccountClosed' }) },
  'person/erase': { action: 'person/erase', of: ({ person }) => ({ object: keys.person(person), person }), ends: 'beside' },
  'person/forget': { action: 'person/forget', of: ({ person }) => ({ object: keys.person(person), person }) },
  'supervisor/ensure': { none: 'connects to what keeps the apps of a person; what it starts there is recorded' },
  'supervisor/end': { none: 'ends what keeps the apps of a person when there are none' },
  'package/install': { action: 'package/install', of: versioned, ends: 'beside' },
  'package/remove': { action: 'package/remove', of: target, ends: 'beside' },
  'package/roll-back': { action: 'package/roll-back', of: versioned, ends: 'beside' },
  'package/confirm': { action: 'package/confirm', of: target, ends: 'beside' },
  'package/cancel': { action: 'package/cancel', of: target },
  'engine/mend': { action: 'package/engines', of: ({ server: on, app }) => ({ object: `Package/${on}/${app}` }), ends: 'beside' },
  'rollback/end': { action: 'package/roll-back-end', of: ({ key }) => ({ object: key }) },
  'wish/end': { none: 'ends the record of a wish; what came of it is recorded' },
  'wish/keep': { none: 'keeps the record of a wish; what came of it is recorded' },
  'job/release': { none: 'lets jobs go to their cluster; each submission is recorded' },
  'job/submit': { action: 'job/submit', of: job },
  'job/cancel': { action: 'job/cancel', of: job, ends: 'unseen' },
  'job/settle': { action: 'job/end', of: (action) => ({ ...job(action), reason: action.outcome.reason }) },
  'job/forget': { none: 'removes what a cluster keeps of a job whose end is recorded' },
  'job/drop': { none: 'removes what is left of a job once its time is over' },
} satisfies Partial<Table>;

/** `rows` has one for each action: a missing one does not compile. */
export function auditedExecutors(all: Executors, rows: Table, audit: Audit): Executors {
  const audited = Object.entries(all).map(([kind, act]) => {
    const row = rows[kind as Action['kind']] as Recorded<Action['kind']> | { readonly none: string };
    return [kind, 'none' in row ? act : actAudited(row, act as (action: Action) => Promise<void>, audit)];
  });
  return Object.fromEntries(audited);
}

function actAudited(
  { action: name, of, ends }: Recorded<Action['kind']>,
  act: (action: Action) => Promise<void>,
  audit: Audit,
): (action: Action) => Promise<void> {
  return async (action) => {
    let isTold = false;
    let failure: Outcome | null = null;
    const tell = (outcome: Outcome): void => {
      if (isTold) return;
      isTold = true;
      audit.record({ by: { kind: 'controller' }, action: name, ...of(action), ...outcome });
    };
    // The first report ends an act beside the loop; other acts keep their first failure until they return.
    const report = (outcome: Outcome): void => {
      if (ends === 'beside') tell(outcome);
      else if (outcome.result !== 'ok') failure ??= outcome;
    };
    try {
      await followed(report, () => act(action));
    } catch (error) {
      tell(outcomeOf(codedError(error)));
      throw error;
    }
    if (ends !== 'beside') tell(failure ?? { result: ends === 'unseen' ? 'begun' : 'ok' });
  };
}
