/** Invariants of every step of the model world, and of the state once the faults stopped. A violation names seed, time and object. */
import { decideBackend } from '../../reconcilers/backend.ts';
import type { BackendDecision } from '../../reconcilers/backend-types.ts';
import type { ActionOf } from '../../reconcilers/actions.ts';
import type { Supervision, SupervisionEvent } from '../../machines/supervision.ts';
import type { BackendState, Reason } from '../../schema/backend.ts';
import { closePolicy } from '../../schema/manifest/manifest.ts';
import { desiredOf, observedOf } from './portal-model.ts';
import { nameOf, type Owner } from './leaving-model.ts';
import { violate, type AppModel, type Installed, type World } from './world.ts';

const failures: readonly Reason[] = ['Crashed', 'ExitedAtOnce', 'OutOfMemory'];

const stops: readonly Reason[] = [
  'Uninstalled',
  'Reinstalled',
  'PersonRemoved',
  'StoppedByPerson',
  'StoppedByAdmin',
  'LastWindowClosed',
  'Idle',
  'PinnedStopped',
  'WishDeleted',
  'EndedByItself',
];
const slow: readonly Reason[] = ['SlowStart', 'NeverBound', 'BoundTcp', 'AnswersError', 'RefusesToken'];

/** Written independently of the code: which reasons may explain which state. */
const allowed: Readonly<Record<BackendState, ReadonlySet<Reason>>> = {
  stopped: new Set(['NeverStarted', 'HashChanged', 'SupervisorLost', 'NotInstalled', 'PackageMissing', ...stops, ...failures]),
  starting: new Set([
    'StartRequested',
    'PinnedRunning',
    'ServiceStart',
    'SettingUp',
    'Probing',
    ...slow,
    'HashChanged',
    'NeverStarted',
    'Adopted',
    ...stops,
    ...failures,
  ]),
  running: new Set(['Healthy', 'Adopted']),
  stopping: new Set(['HashChanged', 'Healthy', 'Adopted', 'StartRequested', ...stops, ...failures]),
  backoff: new Set(failures),
  failed: new Set(failures),
  unknown: new Set(['ServerUnreachable', 'SupervisorStarting', 'NotObservedYet', 'FilesUnreadable']),
};

export function checkProcesses(world: World, app: AppModel): void {
  if (app.processes.length > 1) violate(world, `${app.key} has ${app.processes.length} processes`);
}

/** Spec 3.3: waits between attempts, and none in `failed` before 600 s unless somebody asks. Literals, not the code's constants. */
const waitsMs: readonly number[] = [0, 0, 2_000, 4_000, 8_000];

export function checkSupervision(world: World, app: AppModel, before: Supervision, event: SupervisionEvent): void {
  const next = app.supervision;
  // A process that is found alive after all is adopted with its count; its next death fails it again.
  if (next.failures >= 5 && next.state === 'backoff') violate(world, `${app.key} waits for another try after ${next.failures} failures`);
  const fifth = next.failures >= 5 && before.failures < next.failures;
  if (fifth && next.state !== 'failed') violate(world, `${app.key} is ${next.state} after failure ${next.failures}`);
  if (next.state !== 'starting' || (before.state !== 'backoff' && before.state !== 'failed')) return;
  if (event.type === 'START' || before.lastFailureAtMs === null) return;
  const waitedMs = world.clock.nowMs() - before.lastFailureAtMs;
  const neededMs = before.state === 'failed' ? 600_000 : (waitsMs[before.failures] ?? 0);
  if (app.processes.length === 0 && waitedMs < neededMs)
    violate(world, `${app.key} was launched ${waitedMs} ms after failure ${before.failures}`);
}

export function checkLaunch(world: World, app: AppModel): void {
  if (app.env === null) violate(world, `${app.key} is launched without an env file`);
}

/** An env file disappears only by an order or by idleness; in particular not by the portal's death. */
export function checkEnvDeletion(world: World, app: AppModel, reason: Reason): void {
  if (app.env === null || reason === 'Idle') return;
  if (world.clock.monotonicMs() - app.lastOrderAtMs > 0) violate(world, `${app.key} was stopped without an order (${reason})`);
}

export function checkStopOrder(world: World, app: AppModel, stop: ActionOf<'backend/stop'>): void {
  const { intent, windows, document } = app;
  const nowMs = world.clock.nowMs();
  const asked = intent !== null && stop.requestId.startsWith(intent.requestId);
  // A closing that lies far ahead was before the wall clock was set back.
  const sinceMs = nowMs - (windows.zeroSinceMs ?? nowMs);
  const closed = windows.open === 0 && (sinceMs >= 120_000 || sinceMs < -120_000) && document !== 'ligado';
  const justified: Readonly<Record<typeof stop.reason, boolean>> = {
    StoppedByPerson: asked && intent.wish !== 'start',
    StoppedByAdmin: asked && intent.wish !== 'start',
    HashChanged: asked && intent.wish === 'start',
    LastWindowClosed: closed && closePolicy(app.installed.manifest).kind === 'encerrar',
    PinnedStopped: document === 'desligado',
    Uninstalled: app.installed.document === 'leaving' || !app.installed.present,
    PersonRemoved: app.person.document === 'leaving',
    // No package of that world is for some groups only.
    NotInGroup: false,
    // And none has a longest time.
    TimeLimit: false,
  };
  if (!justified[stop.reason]) violate(world, `${app.key} is ordered to stop (${stop.reason}) without cause`);
}

/** Nothing of who is forgotten is left, and nobody who stays is meant. */
export function checkForgotten(world: World, owner: Owner): void {
  if (owner.kind === 'package' && owner.present) violate(world, `${nameOf(owner)} is forgotten and stands there`);
  if (owner.kind === 'server' && [...owner.people, ...owner.packages].some(({ document }) => document !== 'gone'))
    violate(world, `${nameOf(owner)} is forgotten and somebody is there`);
  if (owner.kind !== 'person') return;
  if (owner.session !== null) violate(world, `${owner.name} is forgotten and signed in`);
  if (owner.supervisor !== null) violate(world, `${owner.name} is forgotten and has a supervisor`);
  for (const app of owner.apps)
    if (app.env !== null || app.processes.length > 0) violate(world, `${app.key} lives and its person is forgotten`);
}

/** Its code goes after its instances, unless they do not end for half a minute or nobody can observe them. */
export function checkRemoval(world: World, installed: Installed, instances: readonly AppModel[]): void {
  if (installed.document !== 'leaving') violate(world, `${nameOf(installed)} is removed and did not leave`);
  const waitedMs = world.clock.nowMs() - (installed.memory?.endingSinceMs ?? -Infinity);
  if (waitedMs >= 30_000 && waitedMs !== Infinity) return;
  for (const app of instances) {
    const isSeen = app.person.link === 'up' && app.snapshot !== null && !world.unseen.has(app);
    if (isSeen && app.snapshot?.process !== null && app.processes.length > 0) violate(world, `${app.key} runs and its package is removed`);
  }
}

/** Once nothing goes wrong any more: whatever left is gone. */
export function checkLeft(world: World, afterMs: number): void {
  for (const owner of [...world.people, ...world.packages, ...world.servers]) {
    if (owner.document === 'leaving')
      violate(world, `${owner.kind} ${nameOf(owner)} still leaves ${afterMs / 1_000} s after the last fault`);
    if (owner.kind === 'package' && owner.document === 'written' && !owner.present)
      violate(world, `${nameOf(owner)} is wanted and not there ${afterMs / 1_000} s after the last fault`);
  }
}

export function checkDecision(world: World, app: AppModel, decision: BackendDecision): void {
  const { state, reason } = decision;
  if (!allowed[state].has(reason)) violate(world, `${app.key} is ${state} because of ${reason}`);
  const blind = app.person.server.seen !== 'reachable' || app.person.link !== 'up';
  const alive = app.processes.length > 0 || app.env !== null;
  if (blind && state === 'stopped' && alive) violate(world, `${app.key} is shown stopped while nobody can look and it lives`);
  if (blind && decision.actions.length > 0) violate(world, `${app.key} acts while nobody can look`);
  if (decision.nextDeadlineMs !== null && decision.nextDeadlineMs <= world.clock.nowMs())
    violate(world, `${app.key} sets a deadline in the past`);
  if (decision.actions.filter((action) => action.kind !== 'backend/probe').length > 1)
    violate(world, `${app.key} gives two orders at once`);
  if (app.shown === null || app.shown.state !== state || app.shown.reason !== reason) {
    world.tally.transitions += 1;
    app.shown = { state, reason, sinceMs: world.clock.monotonicMs() };
  }
}

/** An intent that ended as done was really carried out by the supervisor. */
export function checkFinished(world: World, app: AppModel, decision: BackendDecision): void {
  const { intent } = app;
  if (intent === null || decision.outcome !== 'done') return;
  if (intent.wish === 'stop' && app.env !== null) violate(world, `${app.key}: stop ${intent.requestId} is done and the env file stands`);
  if (intent.wish !== 'stop' && !app.startsTaken.has(intent.requestId))
    violate(world, `${app.key}: ${intent.requestId} is done and nobody took it`);
}

/** A clean key decides the same again: no action, the very same memory. */
export function checkIdempotent(world: World, app: AppModel): void {
  if (app.busy || app.again || app.memory === null || app.probing) return;
  const nowMs = world.clock.nowMs();
  if (app.alarmAtMs !== null && app.alarmAtMs <= nowMs) return;
  const decision = decideBackend(desiredOf(app), observedOf(app), app.memory, nowMs);
  if (decision.actions.length > 0) violate(world, `${app.key} is clean and still wants ${JSON.stringify(decision.actions)}`);
  if (decision.memory !== app.memory) violate(world, `${app.key} is clean and its memory changes`);
}

/** `afterMs`: time since the last fault and the last deed of a person. */
export function checkConverged(world: World, app: AppModel, afterMs: number): void {
  const { env, processes, launcher, supervision, document, person, shown, intent } = app;
  const say = (what: string): void =>
    violate(
      world,
      `${app.key} ${afterMs / 1_000} s after the last fault: ${what} (shown ${shown?.state} ${shown?.reason}, supervision ${supervision.state})`,
    );
  if (intent !== null) say(`intent ${intent.wish} ${intent.requestId} still pends`);
  if (document === 'ligado' && env === null) say('pinned running and not wanted');
  if (document === 'ligado' && env !== null && !env.pinned) say('pinned running and its env file is not');
  if (document === 'desligado' && env !== null) say('pinned stopped and wanted');
  if (env !== null && person.supervisor === null) say('wanted and no supervisor lives');
  if (afterMs < 45_000) return;
  // Windows closed before the rest may end an app within it: what moves has its own time.
  if (world.clock.monotonicMs() - app.movedAtMs < 20_000) return;
  if (env === null && (processes.length > 0 || launcher !== null)) say('not wanted and a process lives');
  const [process] = processes;
  if (env !== null && process === undefined && launcher === null && supervision.state !== 'backoff' && supervision.state !== 'failed')
    say('wanted and dead');
  const oldMs = process === undefined ? 0 : world.clock.nowMs() - process.startedAtMs;
  if (process?.behaviour === 'healthy' && oldMs > 20_000 && env !== null && shown?.state !== 'running')
    say('healthy and not shown running');
  if (process === undefined && shown?.state === 'running') say('dead and shown running');
  if (process === undefined && launcher === null && env === null && person.supervisor !== null && shown?.state !== 'stopped')
    say('stopped and not shown so');
  if (supervision.state === 'failed' && env !== null && process === undefined && shown?.state !== 'failed') say('failed and not shown so');
  // Somebody who came just now waits for the supervisor to come up.
  const isNew = person.session !== null && world.clock.nowMs() - person.session < 20_000;
  if (shown?.state === 'unknown' && !isNew) say('unknown though everybody answers');
}
