/** `Backend/<person>/<app>`: one app of one person. */
import { backendMemory, neverStarted } from '../../reconcilers/backend-memory.ts';
import { readMemory } from '../../reconcilers/memory.ts';
import { decideBackend } from '../../reconcilers/backend.ts';
import type { BackendDecision, BackendDesired, BackendMemory, Drain } from '../../reconcilers/backend-types.ts';
import { decideShared } from '../../reconcilers/service.ts';
import { howItEnded } from '../../schema/backend.ts';
import { causeOf, type Cause } from '../../schema/cause.ts';
import type { AppSnapshot, LastExit } from '../../schema/supervisor-lines.ts';
import { keys, readKey } from '../../schema/keys.ts';
import type { Intent, StoredEvent } from '../../store/store.ts';
import type { InstalledPackage } from '../hosts/host.ts';
import { noteOutcome } from '../execute/orders.ts';
import { followToken } from '../execute/tokens.ts';
import { faultPoint } from '../faults.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { enqueuePerson, followPackages } from '../observe/people.ts';
import { rereadPresence } from '../observe/presence.ts';
import { noteStop, observeIntent } from '../observe/server.ts';
import type { SupervisorLink } from '../observe/supervisor-link.ts';
import { isServerScope } from '../servers/services.ts';
import { runBoundMs } from '../run-bounds.ts';
import { groupsShutting } from '../visible-packages.ts';
import { noteSeen } from '../start-steps.ts';
import { entriesOfApp, wantedPackageOf } from '../package-entries.ts';
import { backendOf, sightOf, type BackendEntry, type BackendKindObserved, type Entries, type PersonEntry } from '../entries.ts';
import type { Inputs } from '../work/inputs.ts';
import type { Kind, News, Report, Round } from './kind.ts';

type BackendRound = Round<BackendDesired, BackendKindObserved, BackendDecision>;

export const backendKind: Kind<BackendEntry, BackendDesired, BackendKindObserved, BackendMemory, BackendDecision> = {
  name: 'Backend',
  entries: backendsInRounds,
  find: (entries, _name, key) => entries.backends.get(key),
  keyOf: ({ key }) => key,
  lane: ({ person }) => person.server.name,
  observe: (context, entry) => {
    if (!isServerScope(entry)) void followToken(entry);
    context.credentials.follow(entry);
    return undefined;
  },
  desired: ({ entries }, entry) => backendDesired(entry, entries),
  observed: (_context, entry) => backendObserved(entry),
  decide: (desired, observed, memory, nowMs) =>
    observed.service === undefined
      ? decideBackend(desired, observed, memory, nowMs)
      : decideShared(desired, observed.service, memory, nowMs),
  memory: backendMemory,
  keep: (entry, { desired, observed, atMs, decision }) => {
    Object.assign(entry, { inputs: { desired, observed, atMs }, decision, memory: decision.memory });
    return decision;
  },
  last: ({ decision }) => decision,
  lastInputs: ({ inputs }) => inputs,
  sameInputs: sameBackendInputs,
  // A probe has attempts of its own, and each process is asked anew.
  paces: {
    'backend/probe': 0,
    'backend/start': limits.orderWaitMsMax,
    'backend/stop': limits.orderWaitMsMax,
    'backend/pin': limits.orderWaitMsMax,
  },
  report,
  notify: (context, entry, round, news) => {
    noteEnd(context, entry, round.decision, news);
    noteSeen(context.figures, entry, round.decision, round.atMs);
    noteOutcome(context.entries, entry, round.decision);
    publishStatus(context, entry, news.before, round.decision);
    if ((news.before?.endsAtMs ?? null) !== round.decision.endsAtMs)
      context.options.bus.publish(entry.person.name, { type: 'apps-changed' });
    // The first observation of an app that does not answer is no news for its package.
    const isAwaited = round.desired.removing === true || entry.person.server.updates.has(entry.app) || entry.person.updates.has(entry.app);
    if ((news.before?.ready ?? false) !== round.decision.ready || isAwaited) wakePackages(context, entry);
  },
  finish: (context, entry, { decision }) =>
    decision.finishedIntent === null ? undefined : finishIntent(context, entry, decision.finishedIntent),
  refresh,
  onEdge,
  remembers: recall,
};

export function backendDesired(entry: BackendEntry, entries: Entries): BackendDesired {
  const { person, app, document, intent, windows } = entry;
  const installed = person.packages.get(app);
  return {
    person: person.name,
    app,
    manifest: installed?.manifest ?? null,
    leaving: person.leaving,
    removing: isRemoving(entry),
    shutBy: groupsShutting(person, app),
    drain: drainFor(person),
    maximoMs: runBoundMs(person, app),
    packageKey: packageKey(entry, entries),
    installedHash: installedHash(installed, person.link.snapshot(app)),
    document: document?.document.spec.estado ?? null,
    generation: document?.generation ?? 0,
    intent: pending(intent),
    stoppedBy: entry.stoppedBy ?? null,
    windows,
    session: person.session,
    sessionSinceMs: person.sessionSinceMs,
  };
}

const drainFor = ({ moving, server }: PersonEntry): Drain | null => moving?.drain ?? server.drain;

/** Why the supervisor of a person is not up, by the last attempt. */
export function linkTrouble(link: Pick<SupervisorLink, 'view'>): Cause | null {
  const { error } = link.view();
  return error === null ? null : causeOf(error);
}

/** Only asked for while nothing of it is there. */
function packageKey({ person, app }: BackendEntry, entries: Entries): string | null {
  return person.packages.has(app) ? null : wantedPackageOf(entries, person.server.name, app, person.name);
}

function installedHash(installed: InstalledPackage | undefined, snapshot: AppSnapshot | null): string | null {
  if (installed === undefined) return null;
  // The supervisor checks the folder and its manifest only: the portal detects other changed files.
  if (installed.delivered === null) return installed.hash;
  // The server's own observation of its disk is newer than the portal's.
  return snapshot?.installed?.hash ?? installed.hash;
}

function pending(intent: Intent | null): Intent | null {
  return intent === null || intent.done ? null : intent;
}

/** Its package is about to be removed. The apps of a person who leaves are ended by reconcilers/leaving.ts: one order, one reason. */
function isRemoving({ person, app }: BackendEntry): boolean {
  const { server } = person;
  if (person.leaving) return false;
  if (server.removing.size === 0 && person.removing.size === 0) return false;
  return person.packages.get(app)?.scope === 'pessoa' ? person.removing.has(app) : server.removing.has(app);
}

export function backendObserved(entry: BackendEntry): BackendKindObserved {
  const { person, app } = entry;
  return {
    host: sightOf(person),
    supervisor: person.link.view().status,
    trouble: linkTrouble(person.link),
    disk: person.link.view().supervisor?.disk ?? '',
    snapshot: person.link.snapshot(app),
    probe: entry.probe,
    probing: entry.probing,
    refused: entry.refused ?? null,
    service: isServerScope(entry) ? (person.server.services.get(app)?.decision ?? null) : undefined,
  };
}

/** `backendDesired` and `backendObserved` as questions: each resync asks them of every app, and two records a time are most of its price. */
function sameBackendInputs(
  { entries }: Context,
  entry: BackendEntry,
  { desired, observed }: Inputs<BackendDesired, BackendKindObserved>,
): boolean {
  const { person, app, document } = entry;
  const { server, link } = person;
  const installed = person.packages.get(app);
  const snapshot = link.snapshot(app);
  return (
    observed.snapshot === snapshot &&
    desired.leaving === person.leaving &&
    observed.host === sightOf(person) &&
    observed.supervisor === link.view().status &&
    observed.trouble === linkTrouble(link) &&
    observed.disk === (link.view().supervisor?.disk ?? '') &&
    observed.probe === entry.probe &&
    observed.probing === entry.probing &&
    observed.refused === (entry.refused ?? null) &&
    observed.service === (isServerScope(entry) ? (server.services.get(app)?.decision ?? null) : undefined) &&
    desired.person === person.name &&
    desired.app === app &&
    desired.manifest === (installed?.manifest ?? null) &&
    desired.installedHash === installedHash(installed, snapshot) &&
    desired.removing === isRemoving(entry) &&
    desired.shutBy === groupsShutting(person, app) &&
    desired.drain === drainFor(person) &&
    desired.maximoMs === runBoundMs(person, app) &&
    desired.packageKey === packageKey(entry, entries) &&
    desired.document === (document?.document.spec.estado ?? null) &&
    desired.generation === (document?.generation ?? 0) &&
    desired.intent === pending(entry.intent) &&
    desired.stoppedBy === (entry.stoppedBy ?? null) &&
    desired.windows === entry.windows &&
    desired.session === person.session &&
    desired.sessionSinceMs === person.sessionSinceMs
  );
}

function report({ recorder }: Context, entry: BackendEntry, { decision }: BackendRound): Report {
  const snapshot = entry.person.link.snapshot(entry.app);
  // Without a snapshot the value that was recorded last is kept.
  const lastExitAtMs = snapshot?.lastExit?.atMs ?? recordedExit(recorder.last(entry.key)?.details) ?? null;
  const details = { ready: decision.ready, stale: decision.stale, wanted: snapshot?.wanted ?? null, lastExitAtMs };
  return { generation: entry.document?.generation ?? 0, details };
}

function recordedExit(details: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const before = details?.['lastExitAtMs'];
  return typeof before === 'number' ? before : undefined;
}

/**
 * A first crash is restarted at once (rules 3.3), often before a state other than running is seen: its end is recorded as an event all the
 * same, once, identified by its time.
 */
function noteEnd({ recorder }: Context, { key, person, app }: BackendEntry, decision: BackendDecision, news: News<BackendDecision>): void {
  const snapshot = person.link.snapshot(app);
  const exit = snapshot?.lastExit ?? null;
  if (exit === null || news.change === null || news.change.before === null) return;
  // Undefined: not observed before, and an end long ago is no news.
  const before = news.change.before.details['lastExitAtMs'];
  if (before === undefined || before === exit.atMs) return;
  if (news.change.transition && decision.reason === exit.reason) return;
  recorder.note(key, endEvent(exit, snapshot?.restarts ?? 0), news.round);
}

function endEvent(exit: LastExit, restarts: number): Pick<StoredEvent, 'type' | 'reason' | 'message'> {
  const again = restarts === 0 ? '' : `; restarted, ${restarts === 1 ? 'the first time' : `${restarts} times`} since it was started`;
  return { type: exit.reason === 'HashChanged' ? 'Normal' : 'Warning', reason: exit.reason, message: `${howItEnded(exit)}${again}` };
}

/** The person's pages are notified of everything that they show. */
function publishStatus({ options }: Context, entry: BackendEntry, before: BackendDecision | null, now: BackendDecision): void {
  const same =
    before !== null &&
    before.state === now.state &&
    before.reason === now.reason &&
    before.ready === now.ready &&
    before.message === now.message;
  if (same) return;
  const { state: status, ready, reason, message } = now;
  options.bus.publish(entry.person.name, { type: 'app-status', app: entry.app, status, ready, reason, message });
}

/** A backend answered for the first time, or ended while its package waits for that. */
function wakePackages({ entries, queue }: Context, { person, app }: BackendEntry): void {
  for (const { key } of entriesOfApp(entries, person.server.name, app, person.name)) queue.add(key, true);
}

async function finishIntent(context: Context, entry: BackendEntry, requestId: string): Promise<void> {
  faultPoint('intent/before-finish');
  await context.options.store.finishIntent(entry.person.name, entry.app, requestId);
  faultPoint('intent/finished');
  if (entry.intent?.requestId === requestId) entry.intent = null;
  // While the order existed the object was kept, even if nothing else was known of the app.
  if (!entry.person.packages.has(entry.app)) followPackages(context, entry.person);
  context.queue.add(entry.key, false);
  context.queue.add(keys.supervisor(entry.person.name), false);
}

/** Orders and windows as the api left them. */
async function refresh({ entries, options, factory }: Context): Promise<void> {
  const { store } = options;
  const [intents, windows] = await Promise.all([store.intents(), store.windows()]);
  for (const intent of intents) {
    const person = entries.people.get(intent.person);
    if (!person || (intent.done && !person.backends.has(intent.app))) continue;
    const entry = backendOf(entries, person, intent.app, factory);
    noteStop(entry, intent);
    const pending = intent.done ? null : intent;
    if (entry.intent?.requestId !== pending?.requestId) entry.intent = pending;
  }
  for (const one of windows) {
    const entry = entries.people.get(one.person)?.backends.get(one.app);
    if (entry && (entry.windows?.open !== one.open || entry.windows.zeroSinceMs !== one.zeroSinceMs)) entry.windows = one;
  }
}

async function onEdge(context: Context, key: string, urgent: boolean): Promise<void> {
  const { entries, queue, options, factory } = context;
  const [whose, app = ''] = readKey(key).parts;
  const person = entries.people.get(whose);
  if (!person) return;
  const arrived = await rereadPresence(context, person);
  const entry = backendOf(entries, person, app, factory);
  await observeIntent(options.store, entry);
  // A window of an app that is gone was closed: nothing else would take the object away again.
  if (entry.intent === null && !person.packages.has(app)) followPackages(context, person);
  queue.add(entry.key, urgent);
  queue.add(keys.supervisor(whose), urgent);
  if (arrived) enqueuePerson(context, person, urgent);
}

/** Restores an earlier run's record of apps that were in use, and of apps on servers that can't be observed now: they are unknown, not gone. */
function recall(context: Context, key: string): boolean {
  const { entries, factory, recorder } = context;
  const [whose, app] = readKey(key).parts;
  const person = entries.people.get(whose);
  if (!person || app === undefined) return false;
  if (person.backends.has(app)) return true;
  const isReachable = person.server.reachability.status === 'reachable';
  const isNew = neverStarted(readMemory(backendMemory, recorder.last(key)?.memory));
  // An installed app that was never started is decided anew whenever it is asked for.
  if (isReachable && (isNew || !person.packages.has(app))) return false;
  const entry = backendOf(entries, person, app, factory);
  entry.lastManifest = person.packages.get(app)?.manifest ?? entry.lastManifest;
  if (!person.waits) enqueuePerson(context, person, false);
  return true;
}

function* backendsInRounds({ backends }: Entries): Generator<BackendEntry> {
  for (const entry of backends.values()) if (!entry.person.waits) yield entry;
}
