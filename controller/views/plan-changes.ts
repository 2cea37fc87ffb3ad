/** What each action is in a plan: which object it is about, and what a person should know of it. */
import type { Action, ActionOf, PackageTarget } from '../../reconcilers/actions.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';

type Change = PlanAnswer['changes'][number];

type Tellers = { readonly [Kind in Action['kind']]: (action: ActionOf<Kind>) => Omit<Change, 'action'> };

/** Exhaustive as the executors are: an action that a plan can't tell does not compile. */
const tellers: Tellers = {
  'server/kit': ({ server, id }) => ({ key: `Server/${server}`, detail: id }),
  'server/accounts': ({ server }) => ({ key: `Server/${server}`, detail: 'key, lingering and service manager of its accounts' }),
  'backend/start': ({ person, app, order }) => ({ key: `Backend/${person}/${app}`, detail: order.pinned ? 'estado: ligado' : '' }),
  'backend/stop': ({ person, app, reason }) => ({ key: `Backend/${person}/${app}`, detail: reason }),
  'backend/pin': ({ person, app, pinned }) => ({ key: `Backend/${person}/${app}`, detail: pinned ? 'pinned' : 'not pinned' }),
  'backend/probe': ({ person, app, attempt }) => ({ key: `Backend/${person}/${app}`, detail: `attempt ${attempt}` }),
  'supervisor/ensure': ({ person }) => ({ key: `Supervisor/${person}`, detail: '' }),
  'supervisor/end': ({ person }) => ({ key: `Supervisor/${person}`, detail: '' }),
  'package/install': (action) => ({ key: `Package/${action.app}`, detail: `${action.version} ${whereOf(action)}` }),
  'package/remove': (action) => ({ key: `Package/${action.app}`, detail: whereOf(action) }),
  'package/roll-back': (action) => ({ key: `Package/${action.app}`, detail: `to ${action.version} ${whereOf(action)}` }),
  'package/confirm': (action) => ({ key: `Package/${action.app}`, detail: whereOf(action) }),
  'package/cancel': (action) => ({ key: `Package/${action.app}`, detail: whereOf(action) }),
  'grant/create': ({ grant, app, sala, dona }) => ({ key: `Grant/${grant}`, detail: `room ${sala} of ${app}, owned by ${dona}` }),
  'grant/owner': ({ grant, dona }) => ({ key: `Grant/${grant}`, detail: `owner ${dona}` }),
  'grant/person': ({ grant, usuario, papel }) => ({ key: `Grant/${grant}`, detail: `${usuario} ${papel}` }),
  'grant/group': ({ grant, grupo, papel }) => ({ key: `Grant/${grant}`, detail: `group ${grupo} ${papel}` }),
  'grant/withdraw-person': ({ grant, usuario }) => ({ key: `Grant/${grant}`, detail: usuario }),
  'grant/withdraw-group': ({ grant, grupo }) => ({ key: `Grant/${grant}`, detail: `group ${grupo}` }),
  'engine/mend': ({ server, app, installed }) => ({ key: `Engine/${server}/${app}`, detail: installed ? '' : 'nothing declares it' }),
};

export function changeOf(action: Action): Change {
  const tell = tellers[action.kind] as (action: Action) => Omit<Change, 'action'>;
  return { action: action.kind, ...tell(action) };
}

function whereOf({ server, scope, person }: PackageTarget): string {
  return `on ${server} (${scope}${person === null ? '' : ` of ${person}`})`;
}
