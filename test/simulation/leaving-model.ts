/**
 * People, packages and servers whose documents go and come back while everything runs: their keys, decided by decidePerson, decidePackage and
 * decideServer, and what their actions bring about.
 */
import type { Action } from '../../reconcilers/actions.ts';
import type { Reachability } from '../../reconcilers/backend-types.ts';
import { livesOn } from '../../reconcilers/leaving.ts';
import { decidePackage } from '../../reconcilers/package.ts';
import { decidePerson } from '../../reconcilers/person.ts';
import { decideServer } from '../../reconcilers/server.ts';
import { keepsSupervisor } from '../../reconcilers/supervisor-process.ts';
import type { Reason } from '../../schema/backend.ts';
import { checkForgotten, checkRemoval, checkStopOrder } from './invariants.ts';
import { order } from './orders.ts';
import { closeAll } from './people-model.ts';
import {
  afterInPortal,
  countFault,
  violate,
  type AppModel,
  type Installed,
  type PersonModel,
  type ServerModel,
  type World,
} from './world.ts';
import { diesHere, enqueue, enqueuePerson, ensure, quit } from './portal-model.ts';
import { notice } from './server-model.ts';

export type Owner = PersonModel | Installed | ServerModel;

/** A folder that lost one document, and those that name it. */
export function removeDocument(world: World, owner: Owner): void {
  if (owner.document !== 'written') return;
  countFault(world, `${owner.kind} removed`);
  owner.document = 'leaving';
  if (owner.kind === 'server')
    for (const one of [...owner.people, ...owner.packages]) if (one.document === 'written') one.document = 'leaving';
  for (const app of appsOf(owner)) app.document = null;
  changed(world, owner);
}

function appsOf(owner: Owner): readonly AppModel[] {
  if (owner.kind === 'person') return owner.apps;
  return owner.kind === 'package' ? instancesOf(owner) : owner.people.flatMap(({ apps }) => apps);
}

/** It is there again, as if nothing had been, whether it was forgotten already or not. */
export function writeDocumentAgain(world: World, owner: Owner): void {
  if (owner.document === 'written') return;
  if (owner.kind !== 'server' && owner.server.document !== 'written') return;
  owner.document = 'written';
  if (owner.kind === 'server') for (const one of [...owner.people, ...owner.packages]) one.document = 'written';
  for (const person of owner.kind === 'server' ? owner.people : owner.kind === 'person' ? [owner] : [])
    person.signedOut = person.supervisorEnded = false;
  changed(world, owner);
}

function changed(world: World, owner: Owner): void {
  const server = owner.kind === 'server' ? owner : owner.server;
  askAll(world, server);
  for (const person of server.people) {
    enqueuePerson(world, person);
    for (const app of person.apps) enqueue(world, app);
  }
}

/** Asks the owners of these kinds that the resync could decide otherwise than before. */
export function askAll(world: World, server: ServerModel): void {
  for (const person of server.people) if (person.document === 'leaving') ask(world, person, workLeaver);
  for (const one of server.packages) if (one.document === 'leaving' || one.removing || !one.seen) ask(world, one, workPackage);
  if (server.document === 'leaving') ask(world, server, workServer);
}

export function askPackage(world: World, installed: Installed): void {
  ask(world, installed, workPackage);
}
export function askLeaver(world: World, person: PersonModel): void {
  if (person.document === 'leaving') ask(world, person, workLeaver);
}

/** Queues a key for its single worker. */
function ask<Key extends Owner>(world: World, owner: Key, work: (world: World, owner: Key) => void): void {
  if (world.portal === null || owner.asked) return;
  owner.asked = true;
  afterInPortal(world, 0, () => {
    owner.asked = false;
    work(world, owner);
  });
}

const hostOf = ({ seen }: ServerModel): Reachability => ({ status: seen, message: '' });

function workLeaver(world: World, person: PersonModel): void {
  if (person.document !== 'leaving' || person.ordered > 0) return;
  const { name, server } = person;
  const decision = decidePerson(
    { name, server: server.name, generation: 1, leaving: true, session: person.session !== null, everSignedIn: true },
    {
      host: hostOf(server),
      account: true,
      closed: null,
      lasts: null,
      left: {
        signedOut: person.signedOut,
        lost: false,
        shared: false,
        account: true,
        supervisor: person.link,
        living: person.apps.flatMap(({ id, snapshot, starting }) => (livesOn(snapshot, starting) ? [id] : [])),
        ended: person.supervisorEnded,
        packages: [],
      },
    },
    null,
    world.clock.nowMs(),
  );
  world.tally.decisions += 1;
  for (const action of decision.actions) {
    if (diesHere(world)) return;
    carryOut(world, person, action);
  }
}

function carryOut(world: World, person: PersonModel, action: Action): void {
  const app = action.kind === 'backend/stop' ? person.apps.find(({ id }) => id === action.app) : undefined;
  if (action.kind === 'person/sign-out') {
    person.session = null;
    for (const one of person.apps) closeAll(one);
    person.signedOut = true;
    ask(world, person, workLeaver);
  } else if (action.kind === 'supervisor/ensure') {
    person.supervisorEnded = false;
    if (!person.busy) ensure(world, person);
  } else if (action.kind === 'supervisor/end') {
    person.supervisorEnded = quit(world, person);
  } else if (action.kind === 'person/forget') forget(world, person);
  else if (action.kind === 'backend/stop' && app !== undefined) {
    checkStopOrder(world, app, action);
    person.ordered += 1;
    order(world, app, action, () => {
      person.ordered -= 1;
      ask(world, person, workLeaver);
    });
  } else violate(world, `Person/${person.name} is answered by ${action.kind}`);
}

function forget(world: World, owner: Owner): void {
  if (owner.document !== 'leaving') violate(world, `${owner.kind} ${nameOf(owner)} is forgotten and did not leave`);
  checkForgotten(world, owner);
  owner.document = 'gone';
  const server = owner.kind === 'server' ? owner : owner.server;
  ask(world, server, workServer);
  if (owner.kind !== 'person') return;
  for (const app of owner.apps) Object.assign(app, { memory: null, snapshot: null, intent: null, document: null, shown: null });
  owner.supervisorMemory = null;
}

export function nameOf(owner: Owner): string {
  return owner.kind === 'package' ? `${owner.server.name}/${owner.manifest.id}` : owner.name;
}

function workPackage(world: World, installed: Installed): void {
  const { server, manifest, task, document } = installed;
  if (document === 'gone') return;
  const target = { server: server.name, app: manifest.id, scope: 'sistema', person: null } as const;
  const instances = instancesOf(installed);
  const busy = task && { act: task.act, version: '1.0.0', cancelled: task.cancelled, reason: 'Installing' as Reason, message: '' };
  const wish = { requestId: null, cancels: false, paused: false, rollback: null, generation: 1 };
  const decision = decidePackage(
    { ...target, ...wish, name: manifest.id, leaving: document === 'leaving', version: document === 'leaving' ? null : '1.0.0' },
    {
      host: hostOf(server),
      targetObserved: true,
      isOthers: false,
      overruled: null,
      installed: installed.seen ? { version: '1.0.0', hash: installed.hash, drift: false, previous: null } : null,
      offer: { mark: 'mark' },
      offered: ['1.0.0'],
      problem: null,
      refusedThere: null,
      refusal: null,
      living: instances.filter(({ snapshot, memory, starting }) => starting || keepsSupervisor(snapshot, memory)).length,
      answered: false,
      busy,
      failure: null,
    },
    installed.memory,
    world.clock.nowMs(),
  );
  world.tally.decisions += 1;
  installed.memory = decision.memory;
  const removing = document === 'leaving' && decision.state === 'removing';
  if (removing !== installed.removing) {
    installed.removing = removing;
    for (const app of instances) enqueue(world, app);
  }
  if (decision.nextDeadlineMs !== null)
    afterInPortal(world, Math.min(60_000, decision.nextDeadlineMs - world.clock.nowMs()), () => ask(world, installed, workPackage));
  for (const action of decision.actions) {
    if (diesHere(world)) return;
    if (action.kind === 'object/forget') forget(world, installed);
    else if (action.kind === 'package/cancel' && installed.task !== null) installed.task.cancelled = true;
    else if (action.kind === 'package/remove' || action.kind === 'package/install')
      begin(world, installed, action.kind === 'package/remove' ? 'remove' : 'install');
  }
}

const instancesOf = ({ server, manifest }: Installed): readonly AppModel[] =>
  server.people.flatMap(({ apps }) => apps.filter(({ id }) => id === manifest.id));

/** A run of the installer, beside the key. It ends with its portal. */
function begin(world: World, installed: Installed, act: 'install' | 'remove'): void {
  if (installed.task !== null) return;
  if (act === 'remove') checkRemoval(world, installed, instancesOf(installed));
  const task = { act, cancelled: false };
  installed.task = task;
  afterInPortal(world, world.random.int(50, 5_000), () => {
    installed.task = null;
    if (installed.server.reachable && !task.cancelled) {
      installed.present = act === 'install';
      if (act === 'install') installed.hash = `hash-${world.clock.monotonicMs()}`;
      for (const app of instancesOf(installed)) notice(world, app);
    }
    installed.seen = installed.present;
    for (const app of instancesOf(installed)) enqueue(world, app);
    ask(world, installed, workPackage);
  });
}

function workServer(world: World, server: ServerModel): void {
  if (server.document === 'gone') return;
  const occupied = [...server.people, ...server.packages].some(({ document }) => document !== 'gone');
  const { actions } = decideServer(
    { name: server.name, generation: 1, leaving: server.document === 'leaving', lost: false, kit: null },
    { host: hostOf(server), occupied, kit: { status: 'unknown', message: '' }, busy: null, failure: null },
    null,
    world.clock.nowMs(),
  );
  world.tally.decisions += 1;
  for (const action of actions) {
    if (diesHere(world)) return;
    if (action.kind === 'object/forget') forget(world, server);
  }
}
