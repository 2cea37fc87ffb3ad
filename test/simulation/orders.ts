/** Acts of the portal's executors on a server of the model: orders to a supervisor with their reply, and health probes. */
import type { Action } from '../../reconcilers/actions.ts';
import { limits } from '../../machines/limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { noAnswer, type ProbeAnswer } from '../../controller/execute/probe.ts';
import { diesHere, enqueue, setLink } from './portal-model.ts';
import { push } from './pushes.ts';
import { supervise } from './server-model.ts';
import { after, afterInPortal, countFault, type AppModel, type World } from './world.ts';

type Order = Extract<Action, { kind: 'backend/start' | 'backend/stop' | 'backend/pin' }>;

/** `done` is called once: on the reply, on a closed connection, or when the reply deadline passed. Never when the portal died. */
export function order(world: World, app: AppModel, action: Order, done: () => void): void {
  const { mischief, random } = world;
  const { person } = app;
  const lost = mischief.lostOrders > 0;
  if (lost) {
    mischief.lostOrders -= 1;
    countFault(world, 'lost order');
  }
  const lostAck = !lost && mischief.lostAcks > 0;
  if (lostAck) {
    mischief.lostAcks -= 1;
    countFault(world, 'lost ack');
  }
  const { ground, among, several } = world;
  const wayMs = random.int(1, 10) + (several?.lateMs() ?? 0);
  const sender = world.portal;
  const arrives = (): void => {
    if (person.server.reachable && person.supervisor !== null) {
      if (among === null || several?.accepts(person.ground, among) !== false) take(ground, app.ground, action);
    } else if (person.server.reachable && world.portal === sender) setLink(world, person, 'down');
  };
  // On its way the order outlives its sender; one that stands still sends what it was about to send once it goes on.
  if (!lost && among === null) after(world, wayMs, arrives);
  else if (!lost) after(world, random.int(0, 3), () => after(ground, wayMs, arrives));
  afterInPortal(world, lost || lostAck || !person.server.reachable ? limits.supervisorReplyMsMax : wayMs + random.int(1, 10), () => {
    if (!diesHere(world)) done();
  });
}

/** The supervisor's act on receipt. Source: schema/supervisor-protocol.ts. */
export function take(world: World, app: AppModel, action: Order): void {
  if (action.kind === 'backend/pin') {
    if (app.env !== null) app.env = { pinned: action.pinned };
    push(world, app);
    return;
  }
  if (action.kind === 'backend/stop') {
    app.requestId = action.requestId;
    app.lastOrderAtMs = world.clock.monotonicMs();
    supervise(world, app, { type: 'STOP', reason: action.reason });
    push(world, app);
    return;
  }
  app.requestId = action.order.requestId;
  app.startsTaken.add(action.order.requestId);
  app.env = { pinned: action.order.pinned };
  const [process] = app.processes;
  if (process !== undefined && process.hash !== app.installed.hash && app.supervision.state === 'running') {
    supervise(world, app, { type: 'REPLACE', reason: 'HashChanged' });
  } else supervise(world, app, { type: 'START', reason: 'StartRequested' });
  push(world, app);
}

/** Sends a probe; without a way to the server there is no result at all, because that is not the app's failure. */
export function probe(world: World, app: AppModel, attempt: number): void {
  const pid = app.snapshot?.process?.pid ?? 0;
  app.probing = true;
  const [process] = app.processes;
  const reachable = app.person.server.reachable;
  const hangs = !reachable || (process?.listening === true && process.behaviour === 'slow' && world.random.chance(0.2));
  afterInPortal(world, hangs ? sharedLimits.probeTimeoutMs : world.random.int(1, 30), () => {
    app.probing = false;
    if (reachable && app.person.server.reachable)
      app.probe = { pid, attempt, ...(hangs ? noAnswer : answerOf(app)), atMs: world.clock.nowMs() };
    enqueue(world, app);
  });
}

export function answerOf(app: AppModel): ProbeAnswer {
  const [process] = app.processes;
  if (process === undefined || !process.listening) return noAnswer;
  if (process.behaviour === 'answersError') return { code: 500, byGate: false };
  if (process.behaviour === 'refusesToken') return { code: 403, byGate: true };
  return { code: 200, byGate: false };
}
