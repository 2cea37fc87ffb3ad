/**
 * A small model of the loop: keys, one worker a key, deadlines, edges and the 10 s resync, a store that survives and a memory that does
 * not. It calls the real decideBackend and decideSupervisor and executes their actions against the model servers, with faults between.
 * Clean keys are not decided again at a resync (an unchanged world gives an unchanged decision); a sample of them is, to prove it.
 */
import { decideBackend } from '../../reconcilers/backend.ts';
import type { Action } from '../../reconcilers/actions.ts';
import type { BackendDecision, BackendDesired, BackendObserved } from '../../reconcilers/backend-types.ts';
import { livesOn } from '../../reconcilers/leaving.ts';
import { isOthersToStop, looks } from '../../controller/execute/watching.ts';
import { decideSupervisor, keepsSupervisor } from '../../reconcilers/supervisor-process.ts';
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import { limits } from '../../schema/limits.ts';
import { checkDecision, checkFinished, checkIdempotent, checkStopOrder } from './invariants.ts';
import { askAll, askLeaver, askPackage } from './leaving-model.ts';
import { order, probe } from './orders.ts';
import { bootSupervisor, snapshotOf } from './server-model.ts';
import { after, afterInPortal, countFault, type AppModel, type PersonModel, type ServerModel, type World } from './world.ts';

export function observe(world: World, app: AppModel, snapshot: AppSnapshot, seq: number): void {
  if (seq < app.snapshotSeq || app.person.link !== 'up') return;
  const kept = keepsSupervisor(app.snapshot, app.memory);
  app.snapshot = snapshot;
  app.snapshotSeq = seq;
  enqueue(world, app);
  askLeaver(world, app.person);
  if (app.installed.removing) askPackage(world, app.installed);
  if (kept !== keepsSupervisor(snapshot, app.memory)) enqueuePerson(world, app.person);
}

/** An effect boundary: true when the portal dies exactly here. */
export function diesHere(world: World): boolean {
  const { mischief } = world;
  if (mischief.crashAfterBoundaries === 0) return false;
  mischief.crashAfterBoundaries -= 1;
  if (mischief.crashAfterBoundaries > 0) return false;
  killPortal(world);
  return true;
}

export function enqueue(world: World, app: AppModel): void {
  if (world.several !== null && world.among === null) return world.several.changed(app);
  if (world.portal === null || app.person.document === 'gone') return;
  if (app.busy) {
    app.again = true;
    return;
  }
  app.busy = true;
  app.again = false;
  afterInPortal(world, 0, () => work(world, app));
}

export function release(world: World, app: AppModel): void {
  app.busy = false;
  if (app.again) enqueue(world, app);
}

export function desiredOf(app: AppModel): BackendDesired {
  const { person, installed, document, intent, windows } = app;
  return {
    person: person.name,
    app: app.id,
    manifest: installed.seen ? installed.manifest : null,
    installedHash: installed.seen ? installed.hash : null,
    leaving: person.document === 'leaving',
    removing: installed.removing && person.document === 'written',
    packageKey: !installed.seen && installed.document === 'written' ? `Package/${app.id}` : null,
    document,
    generation: 0,
    intent,
    windows,
    session: person.session !== null,
    sessionSinceMs: person.session,
  };
}

export function observedOf(app: AppModel): BackendObserved {
  const { person, snapshot, probe, probing } = app;
  return {
    host: { status: person.server.seen, message: person.server.seen === 'unreachable' ? 'no route to host' : '' },
    supervisor: person.link,
    snapshot,
    probe,
    probing,
  };
}

function work(world: World, app: AppModel): void {
  if (app.person.document === 'gone') {
    app.busy = false;
    return;
  }
  const nowMs = world.clock.nowMs();
  const desired = desiredOf(app);
  const decision = decideBackend(desired, observedOf(app), app.memory, nowMs);
  world.tally.decisions += 1;
  if (world.among?.leads() === false && app.memory !== null && isOthersToStop(decision.actions)) {
    release(world, app);
    return;
  }
  checkDecision(world, app, decision);
  alarm(world, app, decision.nextDeadlineMs);
  // Whether the memory is written before or after the effects must not matter.
  const writeFirst = world.random.chance(0.5);
  if (diesHere(world)) return;
  if (writeFirst) app.memory = decision.memory;
  const actions = decision.actions.filter((action) => does(world, action));
  for (const action of actions) {
    if (diesHere(world)) return;
    execute(world, app, action, () => {
      if (!diesHere(world)) release(world, app);
    });
  }
  if (diesHere(world)) return;
  app.memory = decision.memory;
  if (world.among?.leads() !== false) finishIntent(world, app, decision);
  if (!actions.some((action) => action.kind !== 'backend/probe')) release(world, app);
}

/** The product's own choice of what a portal that does not lead does. */
const does = ({ among }: World, { kind }: Action): boolean => among === null || among.leads() || looks.has(kind);

function finishIntent(world: World, app: AppModel, decision: BackendDecision): void {
  if (decision.finishedIntent === null || app.intent?.requestId !== decision.finishedIntent) return;
  if (diesHere(world)) return;
  if (world.among === null) {
    checkFinished(world, app, decision);
    app.intent = null;
  } else world.among.finish(app, decision);
  enqueuePerson(world, app.person);
  app.again = true;
}

function alarm(world: World, app: AppModel, atMs: number | null): void {
  if (app.alarmAtMs === atMs) return;
  app.alarm?.();
  app.alarmAtMs = atMs;
  app.alarm = null;
  if (atMs === null) return;
  const leftMs = atMs - world.clock.nowMs();
  app.alarm = afterInPortal(world, Math.min(60_000, Math.max(0, leftMs)), () => {
    app.alarmAtMs = null;
    // As controller/clock/alarms.ts: a wall clock that was set is noticed within a minute.
    if (world.clock.nowMs() < atMs) alarm(world, app, atMs);
    else enqueue(world, app);
  });
}

function execute(world: World, app: AppModel, action: Action, done: () => void): void {
  if (action.kind === 'backend/probe') probe(world, app, action.attempt);
  if (action.kind === 'backend/stop') checkStopOrder(world, app, action);
  if (action.kind === 'backend/start' || action.kind === 'backend/stop' || action.kind === 'backend/pin') {
    app.starting = action.kind === 'backend/start';
    order(world, app, action, () => {
      app.starting = false;
      askLeaver(world, app.person);
      done();
    });
  }
}

export function enqueuePerson(world: World, person: PersonModel): void {
  if (world.several !== null && world.among === null) return world.several.personChanged(person);
  if (world.portal === null || person.document === 'gone') return;
  askLeaver(world, person);
  if (person.busy) {
    person.again = true;
    return;
  }
  person.busy = true;
  person.again = false;
  afterInPortal(world, 0, () => workPerson(world, person));
}

function workPerson(world: World, person: PersonModel): void {
  if (person.document === 'gone') {
    person.busy = false;
    return;
  }
  const desired = {
    person: person.name,
    session: person.session !== null,
    leaving: person.document === 'leaving',
    everSignedIn: true,
    wished: person.apps.some((app) => app.intent !== null || app.document === 'ligado'),
    wanted: person.apps.some((app) => keepsSupervisor(app.snapshot, app.memory)),
  };
  const host = { status: person.server.seen, message: '' };
  const decision = decideSupervisor(desired, { host, status: person.link, message: '' }, person.supervisorMemory, world.clock.nowMs());
  world.tally.decisions += 1;
  person.supervisorMemory = decision.memory;
  if (decision.nextDeadlineMs !== null)
    afterInPortal(world, decision.nextDeadlineMs - world.clock.nowMs(), () => enqueuePerson(world, person));
  const [action] = decision.actions;
  if (diesHere(world)) return;
  if (action?.kind === 'supervisor/ensure') {
    person.supervisorEnded = false;
    ensure(world, person);
    return;
  }
  if (action?.kind === 'supervisor/end' && does(world, action)) quit(world, person);
  releasePerson(world, person);
}

function releasePerson(world: World, person: PersonModel): void {
  person.busy = false;
  if (person.again) enqueuePerson(world, person);
}

export function ensure(world: World, person: PersonModel): void {
  person.busy = true;
  setLink(world, person, 'starting');
  // The account's process comes up whether or not the portal lives to see it; one that does not lead waits for it.
  after(world.ground, world.random.int(30, 120), () => {
    if (!person.server.reachable || world.among?.leads() === false) return;
    if (world.mischief.failingEnsures > 0) {
      world.mischief.failingEnsures -= 1;
      countFault(world, 'supervisor does not start');
      return;
    }
    if (person.supervisor === null) bootSupervisor(world.ground, person.ground);
  });
  afterInPortal(world, 130, () => {
    if (diesHere(world)) return;
    if (person.supervisor !== null && person.server.reachable) connect(world, person);
    else setLink(world, person, 'down');
    releasePerson(world, person);
    enqueuePerson(world, person);
  });
}

/** Whether it confirmed that it ends. Running apps are asked for first: a push may be under way. */
export function quit(world: World, person: PersonModel): boolean {
  if (!person.server.reachable) return false;
  const isThere = person.supervisor !== null;
  if (isThere) seeAll(world, person);
  if (isThere && person.apps.some(({ snapshot }) => livesOn(snapshot, false))) return false;
  person.supervisor = null;
  setLink(world, person, 'down');
  return isThere;
}

export function setLink(world: World, person: PersonModel, link: PersonModel['link']): void {
  if (world.several !== null && world.among === null) return world.several.lineEnded(person);
  if (person.link === link) return;
  person.link = link;
  for (const app of person.apps) enqueue(world, app);
  enqueuePerson(world, person);
}

function seeAll(world: World, person: PersonModel): void {
  for (const app of person.apps) {
    world.unseen.delete(app);
    world.seq += 1;
    observe(world, app, snapshotOf(app), world.seq);
  }
}

function connect(world: World, person: PersonModel): void {
  if (world.among !== null) world.several?.seen(person.ground, world.among);
  person.link = 'up';
  seeAll(world, person);
  enqueuePerson(world, person);
}

/** The portal finds out about a server, late by up to 5 s. */
export function noticeServer(world: World, server: ServerModel): void {
  if (world.several !== null && world.among === null) return world.several.serverChanged(server);
  afterInPortal(world, world.random.int(10, 5_000), () => look(world, server));
}

function look(world: World, server: ServerModel): void {
  server.seen = server.reachable ? 'reachable' : 'unreachable';
  if (server.reachable) for (const one of server.packages) if (one.task === null) one.seen = one.present;
  askAll(world, server);
  for (const person of server.people) {
    if (server.reachable && person.supervisor !== null) connect(world, person);
    else {
      person.link = 'down';
      for (const app of person.apps) enqueue(world, app);
      enqueuePerson(world, person);
    }
  }
}

export function startPortal(world: World): void {
  world.portalLives += 1;
  world.portal = world.portalLives;
  for (const server of world.servers) {
    server.seen = 'unknown';
    afterInPortal(world, world.random.int(10, 100), () => look(world, server));
  }
  // Memories come back out of the store as JSON; for a sample, because it costs more than everything else.
  for (let n = 0; world.among === null && n < 100; n += 1) {
    const app = world.random.pick(world.apps);
    if (app.memory !== null) app.memory = JSON.parse(JSON.stringify(app.memory)) as typeof app.memory;
  }
  afterInPortal(world, limits.resyncMs, () => resync(world));
}

export function killPortal(world: World): void {
  if (world.among !== null) return world.among.die();
  countFault(world, 'portal killed');
  world.portal = null;
  world.unseen.clear();
  for (const person of world.people) {
    person.link = 'down';
    Object.assign(person, { busy: false, again: false, asked: false, ordered: 0, signedOut: false, supervisorEnded: false });
    for (const app of person.apps) forget(app);
  }
  for (const server of world.servers) server.asked = false;
  for (const one of world.packages) Object.assign(one, { asked: false, task: null, removing: false });
  after(world, world.random.int(300, 5_000), () => startPortal(world));
}

function forget(app: AppModel): void {
  app.snapshot = null;
  app.snapshotSeq = 0;
  app.probe = null;
  app.probing = false;
  app.starting = false;
  app.busy = false;
  app.again = false;
  app.alarm?.();
  app.alarm = null;
  app.alarmAtMs = null;
}

/** The level: what an edge missed is seen now, at the latest. */
function resync(world: World): void {
  world.among?.refresh();
  for (const app of world.unseen) {
    if (!app.person.server.reachable || app.person.link !== 'up') continue;
    world.unseen.delete(app);
    world.seq += 1;
    observe(world, app, snapshotOf(app), world.seq);
  }
  for (const person of world.people) {
    if (person.link === 'up' && person.supervisor === null && person.server.reachable) setLink(world, person, 'down');
  }
  for (const server of world.servers) askAll(world, server);
  // Every key is decided at each resync; here only where that can decide otherwise than before.
  if (world.clockMoved || world.among !== null) for (const app of world.apps) enqueue(world, app);
  else for (let n = 0; n < 3; n += 1) checkIdempotent(world, world.random.pick(world.apps));
  world.clockMoved = false;
  afterInPortal(world, limits.resyncMs, () => resync(world));
}
