/** What a worker does with one key: look, decide by the pure function of its kind, record, act. */
import { decideBackend } from '../../reconcilers/backend.ts';
import type { BackendDecision } from '../../reconcilers/backend-types.ts';
import { decidePerson, type PersonMemory } from '../../reconcilers/person.ts';
import { decideServer, type ServerMemory } from '../../reconcilers/server.ts';
import { decideService, decideShared } from '../../reconcilers/service.ts';
import { decideSupervisor, type SupervisorMemory } from '../../reconcilers/supervisor-process.ts';
import { limits } from '../../schema/limits.ts';
import type { Context } from './context.ts';
import { execute } from '../execute/executors.ts';
import { followToken } from '../execute/tokens.ts';
import { faultPoint } from '../faults.ts';
import { backendDesired, backendInputs, backendObserved, isDue, supervisorDesired, supervisorObserved } from './inputs.ts';
import { leavePerson } from './leave.ts';
import { portalFinding } from './portal-status.ts';
import { accountLasts, lookAtKit, serverDesired, serverObserved } from '../servers/kit-work.ts';
import { followServices, isServerScope, leaveAlone, probeService } from '../servers/services.ts';
import { lookAtPackages, rereadFolder } from './refresh.ts';
import { inventoryDue, lookAtInventory } from './refresh-installs.ts';
import { nextRound, settle } from './settle.ts';
import type { BackendEntry, PersonEntry, ServerEntry } from '../world.ts';
import { workOnGrant } from './work-grants.ts';
import { wakePackages, workOnEngine, workOnPackage } from './work-packages.ts';

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
    Engine: () => workIf(world.engines.get(key), (entry) => workOnEngine(context, entry)),
    Server: () => workIf(world.servers.get(name), (entry) => workOnServer(context, entry)),
    Grant: () => workIf(world.grants.get(name), (entry) => workOnGrant(context, entry)),
    Service: () => workOnService(context, key),
    Portal: () => workOnPortal(context),
  };
  return workers[key.slice(0, slash)]?.();
}

function workIf<Entry>(entry: Entry | undefined, work: (entry: Entry) => Promise<void> | undefined): Promise<void> | undefined {
  return entry === undefined ? undefined : work(entry);
}

function workOnBackend(context: Context, entry: BackendEntry): Promise<void> | undefined {
  const nowMs = context.options.clock.nowMs();
  if (!isServerScope(entry)) void followToken(entry);
  context.credentials.follow(entry);
  if (!isDue(entry, nowMs)) return undefined;
  context.alarm(entry.key);
  entry.memo = backendInputs(entry);
  const shared = isServerScope(entry);
  const decision = shared
    ? decideShared(backendDesired(entry), entry.person.server.services.get(entry.app)?.decision ?? null, entry.memory, nowMs)
    : decideBackend(backendDesired(entry), backendObserved(entry), entry.memory, nowMs);
  const before = entry.decision;
  entry.decision = decision;
  entry.memory = decision.memory;
  context.queue.wake(entry.key, decision.nextDeadlineMs);
  const details = { ready: decision.ready, stale: decision.stale, wanted: entry.person.link.snapshot(entry.app)?.wanted ?? null };
  context.recorder.record(entry.key, decision, entry.document?.generation ?? 0, details, nextRound());
  tellPages(context, entry, before, decision);
  if (before?.ready !== decision.ready || entry.memo.at(-1) === true) wakePackages(context, entry);
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
  const decision = decidePerson(
    desired,
    { host: server.sight, account: accountSeen, lasts: accountLasts(person) },
    memory,
    context.options.clock.nowMs(),
  );
  await settle(context, person.key, decision, placed.generation, { server: server.name, account: person.account, leaving: person.leaving });
  if (person.leaving) await leavePerson(context, person);
}

async function workOnServer(context: Context, server: ServerEntry): Promise<void> {
  const { clock } = context.options;
  await lookAtKit(context, server);
  const isOff = server.kit?.wish?.removed === true;
  const fresh = server.sight.status === 'reachable' && clock.nowMs() - server.lookedAtMs < limits.packageLookMs;
  // Where the kit was taken off nothing is looked at and nothing begun: nobody can be served from there.
  if (isOff) leaveAlone(context, server);
  else if (!fresh) await lookAtPackages(context, server.name);
  followServices(context, server);
  if (!isOff && inventoryDue(context, server)) await lookAtInventory(context, server);
  const memory = (context.recorder.last(server.key)?.memory ?? null) as ServerMemory | null;
  const decision = decideServer(serverDesired(context, server), serverObserved(server), memory, clock.nowMs());
  await settle(context, server.key, decision, server.placed.generation, {
    packages: server.system.size,
    ...(server.kit === null ? {} : { kit: server.kit.facts?.kit ?? null, portalKit: server.kit.wanted?.id ?? null }),
  });
}

/** Looks at one server-scope app, and tells its people. */
async function workOnService(context: Context, key: string): Promise<void> {
  const [, name = '', app = ''] = key.split('/');
  const server = context.world.servers.get(name);
  const service = server?.services.get(app);
  if (!server || !service) return;
  await probeService(context, server, service);
  const { app: id } = service;
  const decision = decideService(
    { server: name, app: id },
    { host: server.sight, probe: service.probe },
    service.decision?.memory ?? null,
    context.options.clock.nowMs(),
  );
  const isSame = service.decision !== null && service.decision.memory === decision.memory && service.decision.message === decision.message;
  if (!isSame) {
    service.decision = decision;
    for (const person of context.world.people.values()) {
      const entry = person.server === server ? person.backends.get(app) : undefined;
      if (entry) context.queue.add(entry.key, true);
    }
  }
  await settle(context, key, service.decision ?? decision, 0, { server: name, app, version: server.system.get(app)?.version ?? null });
}

async function workOnPortal(context: Context): Promise<void> {
  await rereadFolder(context, false);
  const { world, recorder, options } = context;
  const key = `Portal/${world.portal?.document.metadata.name ?? 'portal'}`;
  const finding = portalFinding(context.source, recorder.last(key), world.portal?.generation ?? 0, options.clock.nowMs());
  recorder.record(key, finding, world.portal?.generation ?? 0, finding.details, nextRound());
}
