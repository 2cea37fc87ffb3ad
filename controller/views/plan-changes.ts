/** Describes each action of a plan: the object that it is about, and the facts that a person should know. */
import { keys } from '../../schema/keys.ts';
import type { Action, ActionOf, PackageTarget } from '../../reconcilers/actions.ts';
import { columnOf } from '../execute/guarded.ts';
import { ownActs } from '../kinds/all.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';

type Change = PlanAnswer['changes'][number];
/** Whether it only waits is reported for all of them at once (plan.ts). */
export type Blocked = Omit<PlanAnswer['blocked'][number], 'waits'>;

type Describers = { readonly [Kind in Action['kind']]: (action: ActionOf<Kind>) => Omit<Change, 'action'> };

/** Exhaustive as the executors are: an action that a plan can't tell does not compile. */
const describers: Describers = {
  ...columnOf(ownActs, 'change'),
  'object/forget': ({ key, stays = 'nothing that it owned is left' }) => ({ key, detail: stays }),
  'server/kit': ({ server, id }) => ({ key: keys.server(server), detail: id }),
  'server/roll-back': ({ server }) => ({ key: keys.server(server), detail: 'the server kit before comes back' }),
  'server/take-off': ({ server, force }) => ({ key: keys.server(server), detail: force ? 'although apps run there' : '' }),
  'server/accounts': ({ server }) => ({ key: keys.server(server), detail: 'key, lingering and service manager of its accounts' }),
  'server/key': ({ server }) => ({ key: keys.server(server), detail: 'the new ssh key of the portal; the old one comes off' }),
  'service/give': ({ server, app }) => ({ key: keys.service(server, app), detail: 'a portal credential for its next start' }),
  'service/take': ({ server, app }) => ({ key: keys.service(server, app), detail: 'its portal credential ends' }),
  'service/restart': ({ server, app }) => ({ key: keys.service(server, app), detail: 'to start with its portal credential' }),
  'backend/start': ({ person, app, order }) => ({ key: keys.backend(person, app), detail: order.pinned ? 'estado: ligado' : '' }),
  'backend/stop': ({ person, app, reason }) => ({ key: keys.backend(person, app), detail: reason, reason }),
  'backend/pin': ({ person, app, pinned }) => ({ key: keys.backend(person, app), detail: pinned ? 'pinned' : 'not pinned' }),
  'backend/probe': ({ person, app, attempt }) => ({ key: keys.backend(person, app), detail: `attempt ${attempt}` }),
  'person/end-sessions': ({ person }) => ({ key: keys.person(person), detail: 'the account is closed' }),
  'person/sign-out': ({ person }) => ({ key: keys.person(person), detail: 'sessions and rooms' }),
  'person/erase': ({ person }) => ({ key: keys.person(person), detail: 'what svc made on their server; account and home stay' }),
  'person/forget': ({ person, stays = 'none of their apps runs' }) => ({ key: keys.person(person), detail: stays }),
  'supervisor/ensure': ({ person }) => ({ key: keys.supervisor(person), detail: '' }),
  'supervisor/end': ({ person }) => ({ key: keys.supervisor(person), detail: '' }),
  'package/install': (action) => ({ key: keys.package(action.app), detail: `${action.version} ${whereOf(action)}` }),
  'package/remove': (action) => ({ key: keys.package(action.app), detail: whereOf(action) }),
  'package/roll-back': (action) => ({ key: keys.package(action.app), detail: `to ${action.version} ${whereOf(action)}` }),
  'package/confirm': (action) => ({ key: keys.package(action.app), detail: whereOf(action) }),
  'package/cancel': (action) => ({ key: keys.package(action.app), detail: whereOf(action) }),
  'rollback/end': ({ key }) => ({ key, detail: 'another version is wanted' }),
  'wish/end': ({ person, app, outcome }) => ({ key: keys.package(`${person}/${app}`), detail: outcome }),
  'wish/keep': ({ person, app, version }) => ({ key: keys.package(`${person}/${app}`), detail: `${version} stays` }),
  'job/release': ({ cluster, jobs }) => ({ key: keys.cluster(cluster), detail: jobs.join(', ') }),
  'job/submit': ({ job }) => ({ key: keys.job(job), detail: '' }),
  'job/cancel': ({ job }) => ({ key: keys.job(job), detail: '' }),
  'job/settle': ({ job, outcome }) => ({ key: keys.job(job), detail: outcome.message, reason: outcome.reason }),
  'job/forget': ({ job }) => ({ key: keys.job(job), detail: 'its cluster keeps nothing of it' }),
  'job/drop': ({ job }) => ({ key: keys.job(job), detail: 'its time is over' }),
  'engine/mend': ({ server, app, installed }) => ({ key: keys.enginesOf(server, app), detail: installed ? '' : 'nothing declares it' }),
};

export function changeOf(action: Action): Change {
  const describe = describers[action.kind] as (action: Action) => Omit<Change, 'action'>;
  return { action: action.kind, ...describe(action) };
}

function whereOf({ server, scope, person }: PackageTarget): string {
  return `on ${server} (${scope}${person === null ? '' : ` of ${person}`})`;
}
