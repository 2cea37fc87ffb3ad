/** What a worker does with one key: look, decide by the pure function of its kind, record, act. */
import { decideBackend } from '../../reconcilers/backend.ts';
import type { BackendDecision } from '../../reconcilers/backend-types.ts';
import type { Decision } from '../../reconcilers/decision.ts';
import { decidePackage, type PackageMemory } from '../../reconcilers/package.ts';
import { decidePerson, type PersonMemory } from '../../reconcilers/person.ts';
import { decideServer, type ServerMemory } from '../../reconcilers/server.ts';
import { decideSupervisor, type SupervisorMemory } from '../../reconcilers/supervisor-process.ts';
import { limits } from '../../schema/limits.ts';
import type { Context } from './context.ts';
import { execute } from '../execute/executors.ts';
import { followToken } from '../execute/tokens.ts';
import { faultPoint } from '../faults.ts';
import {
  backendDesired,
  backendInputs,
  backendObserved,
  isDue,
  packageDesired,
  packageObserved,
  supervisorDesired,
  supervisorObserved,
} from './inputs.ts';
import { leavePackage, leavePerson } from './leave.ts';
import { readSource, sourceFolder } from '../observe/repository.ts';
import { portalFinding } from './portal-status.ts';
import { lookAtPackages, rereadFolder } from './refresh.ts';
import type { BackendEntry, PackageEntry, PersonEntry, ServerEntry } from '../world.ts';

let rounds = 0;
const run = Date.now().toString(36);
/** Names one look at one key: in its log lines and events. */
function nextRound(): string {
  rounds += 1;
  return `${run}-${rounds.toString(36)}`;
}

/** Resolves when the key needs no more for now. Infrastructure that fails is recorded, not thrown. */
export function workOn(context: Context, key: string): Promise<void> | undefined {
  const { world } = context;
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  const workers: Record<string, () => Promise<void> | undefined> = {
    Backend: () => workIf(world.backends.get(key), (entry) => workOnBackend(context, entry)),
    Supervisor: () => workIf(world.people.get(name), (entry) => workOnSupervisor(context, entry)),
    Person: () => workIf(world.people.get(name), (entry) => workOnPerson(context, entry)),
    Package: () => workIf(world.packages.get(name), (entry) => workOnPackage(context, entry)),
    Server: () => workIf(world.servers.get(name), (entry) => workOnServer(context, entry)),
    Portal: () => workOnPortal(context),
  };
  return workers[key.slice(0, slash)]?.();
}

function workIf<Entry>(entry: Entry | undefined, work: (entry: Entry) => Promise<void> | undefined): Promise<void> | undefined {
  return entry === undefined ? undefined : work(entry);
}

function workOnBackend(context: Context, entry: BackendEntry): Promise<void> | undefined {
  const nowMs = context.options.clock.nowMs();
  void followToken(entry);
  if (!isDue(entry, nowMs)) return undefined;
  context.alarm(entry.key);
  entry.memo = backendInputs(entry);
  const decision = decideBackend(backendDesired(entry), backendObserved(entry), entry.memory, nowMs);
  const before = entry.decision;
  entry.decision = decision;
  entry.memory = decision.memory;
  context.queue.wake(entry.key, decision.nextDeadlineMs);
  const details = { ready: decision.ready, stale: decision.stale, wanted: entry.person.link.snapshot(entry.app)?.wanted ?? null };
  context.recorder.record(entry.key, decision, entry.document?.generation ?? 0, details, nextRound());
  tellPages(context, entry, before, decision);
  if (decision.actions.length === 0 && decision.finishedIntent === null) return undefined;
  return actOnBackend(context, entry, decision);
}

/** The person's pages hear of everything that they show. */
function tellPages({ options }: Context, entry: BackendEntry, before: BackendDecision | null, now: BackendDecision): void {
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

async function actOnBackend(context: Context, entry: BackendEntry, decision: BackendDecision): Promise<void> {
  for (const action of decision.actions) await execute(context.executors, action);
  const requestId = decision.finishedIntent;
  if (requestId === null) return;
  faultPoint('intent/before-finish');
  await context.options.store.finishIntent(entry.person.name, entry.app, requestId);
  faultPoint('intent/finished');
  if (entry.intent?.requestId === requestId) entry.intent = null;
  context.queue.add(entry.key, false);
  context.queue.add(`Supervisor/${entry.person.name}`, false);
}

/** Records a decision and carries out its actions: the same for every kind but backends, which have more to tell. */
async function settle<Memory>(
  context: Context,
  key: string,
  decision: Decision<Memory>,
  generation: number,
  details: object,
): Promise<void> {
  context.alarm(key);
  context.queue.wake(key, decision.nextDeadlineMs);
  context.recorder.record(key, decision, generation, { ...details }, nextRound());
  for (const action of decision.actions) await execute(context.executors, action);
}

async function workOnSupervisor(context: Context, person: PersonEntry): Promise<void> {
  const key = `Supervisor/${person.name}`;
  const memory = (context.recorder.last(key)?.memory ?? null) as SupervisorMemory | null;
  const decision = decideSupervisor(supervisorDesired(person), supervisorObserved(person), memory, context.options.clock.nowMs());
  const supervisor = person.link.view().supervisor;
  await settle(context, key, decision, 0, supervisor ? { pid: supervisor.pid, version: supervisor.version } : {});
}

async function workOnPerson(context: Context, person: PersonEntry): Promise<void> {
  const memory = (context.recorder.last(person.key)?.memory ?? null) as PersonMemory | null;
  const { name, session, server, accountSeen, placed } = person;
  const desired = { name, server: server.name, generation: placed.generation, session };
  const decision = decidePerson(desired, { host: server.sight, account: accountSeen }, memory, context.options.clock.nowMs());
  await settle(context, person.key, decision, placed.generation, { server: server.name, account: person.account, leaving: person.leaving });
  if (person.leaving) await leavePerson(context, person);
}

async function workOnServer(context: Context, server: ServerEntry): Promise<void> {
  const { clock } = context.options;
  const fresh = server.sight.status === 'reachable' && clock.nowMs() - server.lookedAtMs < limits.packageLookMs;
  if (!fresh) await lookAtPackages(context, server.name);
  const memory = (context.recorder.last(server.key)?.memory ?? null) as ServerMemory | null;
  const desired = { name: server.name, generation: server.placed.generation };
  const decision = decideServer(desired, { host: server.sight }, memory, clock.nowMs());
  await settle(context, server.key, decision, server.placed.generation, { packages: server.system.size });
}

async function workOnPackage(context: Context, entry: PackageEntry): Promise<void> {
  const { world, options, recorder } = context;
  if (entry.leaving && (await leavePackage(context, entry))) return;
  await lookAtSource(context, entry);
  const memory = (recorder.last(entry.key)?.memory ?? null) as PackageMemory | null;
  const desired = packageDesired(entry);
  const decision = decidePackage(desired, packageObserved(world, entry), memory, options.clock.nowMs());
  const { app, server, scope } = desired;
  await settle(context, entry.key, decision, entry.placed.generation, { app, server, scope, version: desired.version });
}

/** What the repository holds of the app; a package that is broken there is told as the failure it will be. */
async function lookAtSource({ world, options }: Context, entry: PackageEntry): Promise<void> {
  const folder = world.portal && sourceFolder(options.dir, world.portal, entry.placed.document.spec.app);
  try {
    const manifest = folder === null ? null : await readSource(folder);
    entry.source = manifest && { version: manifest.version };
  } catch (error) {
    entry.source = null;
    options.log.warn({ key: entry.key, error: (error as Error).message }, 'the package in the repository is refused');
  }
}

async function workOnPortal(context: Context): Promise<void> {
  await rereadFolder(context, false);
  const { world, recorder, options } = context;
  const key = `Portal/${world.portal?.document.metadata.name ?? 'portal'}`;
  const finding = portalFinding(context.source, recorder.last(key), world.portal?.generation ?? 0, options.clock.nowMs());
  recorder.record(key, finding, world.portal?.generation ?? 0, finding.details, nextRound());
}
