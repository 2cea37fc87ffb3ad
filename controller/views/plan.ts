/**
 * `svc plan`: decides a folder with the same functions as the loop, on a copy of the entries that shares the observations, and executes
 * nothing. The result of an action is followed one step: a package that would be installed counts as installed for the backends that a
 * document pins.
 */
import type { Action, PackageTarget } from '../../reconcilers/actions.ts';
import { unseenReason } from '../../reconcilers/backend-types.ts';
import { backendMemory } from '../../reconcilers/backend-memory.ts';
import { readMemory } from '../../reconcilers/memory.ts';
import { decideBackend } from '../../reconcilers/backend.ts';
import { decideEngine } from '../../reconcilers/engine.ts';
import { aimedVersion } from '../../reconcilers/package-goal.ts';
import { decidePackage } from '../../reconcilers/package.ts';
import { decidePerson } from '../../reconcilers/person.ts';
import type { Reason } from '../../schema/backend.ts';
import { kindOf } from '../../schema/keys.ts';
import { sourceChanged, sourceChangedFix } from '../../schema/texts/source-changed.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
import type { Offers } from '../../schema/shop-view.ts';
import { waitingForRestart } from '../desired/restart.ts';
import { withLost, type InForce, type Prune } from '../desired/in-force.ts';
import type { Instead } from '../desired/read-folder.ts';
import type { Host } from '../hosts/host.ts';
import type { Context } from '../context.ts';
import { limits } from '../limits.ts';
import { changeOf, type Blocked } from './plan-changes.ts';
import { explanationOf } from './explanations.ts';
import { planLeaving, planLeavingServer, type LeavingPlan } from './plan-leaving.ts';
import { personDesired, personObserved } from '../kinds/person.ts';
import { planPeople } from './plan-people.ts';
import { planJobs } from './plan-jobs.ts';
import { planGrants } from './plan-grants.ts';
import { backendDesired, backendObserved } from '../kinds/backend.ts';
import { engineDesired, engineObserved } from '../kinds/engine.ts';
import {
  observeSource,
  observeTroubles,
  packageDesired,
  packageObserved,
  sourceFolders,
  type PackageSurroundings,
} from '../kinds/package.ts';
import { observeServer } from '../observe/server.ts';
import { silentLink } from '../observe/silent-link.ts';
import { repositoriesOf } from '../../kit/repository/reading/location.ts';
import { decideServer } from '../../reconcilers/server.ts';
import { observeKit, serverDesired, serverObserved } from '../servers/kit-work.ts';
import { serverSight } from '../servers/rollout.ts';
import { newKitState } from '../hosts/server/kit-state.ts';
import { isShut } from '../visible-packages.ts';
import { serverOfCluster } from '../jobs/sync-clusters.ts';
import { isServerScope } from '../servers/services.ts';
import { createOffersReader } from '../../kit/repository/reading/offers.ts';
import { syncEngines } from '../package-entries.ts';
import { isSamePlace, syncEntries } from '../sync-entries.ts';
import {
  emptyEntries,
  backendOf,
  syncBackends,
  type EngineEntry,
  type OfferedVersion,
  type PackageEntry,
  type PersonEntry,
  type ServerEntry,
  type Entries,
  type EntryFactory,
} from '../entries.ts';

type Change = PlanAnswer['changes'][number];

/** Plan of one object: its acts, or why there can be none. */
interface Outcome {
  readonly changes: readonly Change[];
  readonly blocked: readonly Blocked[];
}

/** `dir` null: the portal's own folder. `instead`: as if a file of it had another text. */
export async function planFolder(context: Context, dir: string | null, prune: Prune, instead?: Instead): Promise<PlanAnswer> {
  const { source, options } = context;
  const folder = dir ?? options.dir;
  const { inForce: alone, errors } = await source.preview(folder, prune, undefined, instead);
  if (errors.length > 0) return { ok: false, changes: [], blocked: [], errors, pendingPrune: [] };
  const { lists, blocked } = await planPeople(context, alone);
  const { inForce } = lists === null ? { inForce: alone } : await source.preview(folder, prune, lists, instead);
  const changes = documentChanges(source.current(), inForce);
  return await imagining(
    context,
    inForce,
    ({ lost }) => !lost,
    async (entries) => await decideAll(context, dir, entries, inForce, changes, blocked),
  );
}

/** Runs `work` on a copy of the entries under these documents; only the servers in `seen` are observed. */
async function imagining<Result>(
  context: Context,
  inForce: InForce,
  seen: (server: ServerEntry) => boolean,
  decide: (entries: Entries) => Promise<Result>,
): Promise<Result> {
  const made: Host[] = [];
  try {
    return await decide(await imagine(context, inForce, seen, made));
  } finally {
    // A connection to a server that is not in force yet ends with this observation.
    await Promise.all(made.map((host) => host.close()));
  }
}

/** Plan for everything on a leaving server once its machine is given up. */
export async function planForgetting(context: Context, { key, name }: ServerEntry): Promise<readonly Change[]> {
  const inForce = withLost(context.source.current(), key);
  // Objects on the other servers have no part in it: none is observed.
  const entries = await imagining(
    context,
    inForce,
    () => false,
    async (imagined) => imagined,
  );
  const server = entries.servers.get(name);
  if (server === undefined) return [];
  const nowMs = context.options.clock.nowMs();
  const leaving = planLeaving(entries, surroundingsOf(context), () => '', nowMs);
  const here = new Set<string>();
  for (const person of entries.people.values()) if (person.server === server) here.add(person.key);
  for (const entry of entries.packages.values()) if (entry.target.server === name) here.add(entry.key);
  const clusters = [...context.entries.clusters.values()].filter(({ placed }) => serverOfCluster(placed.document) === name);
  const forgotten = clusters.map((cluster) => ({ key: cluster.key, action: 'object/forget', detail: 'its jobs are not waited for' }));
  const [desired, observed] = [serverDesired({ ...context, entries }, server), serverObserved(entries, server)];
  const last = planLeavingServer(leaving, entries, server, desired, observed, nowMs);
  return [...leaving.changes.filter((change) => here.has(change.key)), ...forgotten, ...last];
}

async function decideAll(
  context: Context,
  dir: string | null,
  entries: Entries,
  inForce: InForce,
  changes: Change[],
  lists: readonly Blocked[],
): Promise<PlanAnswer> {
  const { options } = context;
  const nowMs = options.clock.nowMs();
  const repositories = repositoriesOf(dir ?? options.dir, entries.portal);
  // Another folder may name other repositories, which the controller does not read.
  const reader = dir === null ? context.offers : createOffersReader(options.clock);
  const read = await reader.read(repositories);
  const offersOf: OffersOf = (app) => read.apps.find(({ id }) => id === app) ?? null;
  const blocked: Blocked[] = [...lists, ...blockedPeople(entries, nowMs)];
  const leaving = planLeaving(entries, surroundingsOf(context), (entry) => failingText(failedFor(context, entry, null)), nowMs);
  changes.push(...leaving.changes);
  blocked.push(...leaving.blocked);
  const add = (outcome: Outcome): void => {
    changes.push(...outcome.changes);
    blocked.push(...outcome.blocked);
  };
  for (const entry of entries.packages.values()) {
    if (entry.leaving) continue;
    // A source that can't be read now keeps its state.
    entry.source = context.entries.packages.get(entry.name)?.source ?? null;
    await observeSource(context, entries, entry, sourceFolders(repositories, read, entry.target.app), 0);
    await observeTroubles(entry, repositories, read, offersOf(entry.target.app) !== null);
    add(planPackage(context, entries, entry, offersOf));
  }
  for (const entry of entries.engines.values()) add(planEngine(entries, entry, nowMs));
  add(await planServers(context, entries, (server) => !server.leaving, leaving, nowMs));
  for (const entry of entries.backends.values()) {
    if (isServerScope(entry) || entry.person.leaving) continue;
    const desired = backendDesired(entry, entries);
    // Listed with its package.
    if (desired.removing === true) continue;
    const decision = decideBackend(desired, backendObserved(entry), entry.memory, nowMs);
    changes.push(...decision.actions.filter((action) => action.kind !== 'backend/probe').map(changeOf));
    // Pinned on, and nothing of it is there or comes.
    const isSeen = entry.person.server.reachability.status === 'reachable' && entry.person.accountSeen !== false;
    if (desired.document === 'ligado' && desired.manifest === null && isSeen)
      blocked.push({ key: entry.key, reason: 'PackageMissing', message: 'its package is not installed, and none is on its way' });
  }
  const grants = await planGrants(options.store.rooms, entries, nowMs);
  add(grants);
  add(await planServers(context, entries, (server) => server.leaving, leaving, nowMs));
  if (dir === null) changes.push(...planJobs(context, nowMs));
  const notes = [...leaving.notes, ...grants.notes];
  const restart = waitingForRestart(options.startedWith?.() ?? null, entries.portal?.document.spec ?? {});
  return {
    ok: true,
    changes,
    blocked: blocked.map(({ key, reason, message }) => ({
      key,
      reason,
      message,
      waits: explanationOf(kindOf(key), reason).fix === undefined,
    })),
    errors: [],
    pendingPrune: inForce.held,
    ...(notes.length === 0 ? {} : { notes }),
    ...(restart.length === 0 ? {} : { restart }),
  };
}

/** People whom no server can serve, and servers of which nothing can be said. */
function blockedPeople(entries: Entries, nowMs: number): Blocked[] {
  const blocked: Blocked[] = [];
  for (const { key, reachability, kit } of entries.servers.values())
    // The kit comes: a change, or reported with its obstacle.
    if (reachability.status === 'unreachable' && (kit === null || reachability.cause?.reason !== 'KitMissing'))
      blocked.push({ key, reason: unseenReason(reachability), message: reachability.message });
  for (const person of entries.people.values()) {
    if (person.accountSeen !== false || person.leaving) continue;
    const { reason, message } = decidePerson(personDesired(person), { ...personObserved(entries, person), lasts: null }, null, nowMs);
    blocked.push({ key: person.key, reason, message });
  }
  return blocked;
}

/** A copy of the entries under other documents. It shares hosts and supervisor links that are the same, and makes none that act. */
async function imagine(
  { entries: living, options, recorder }: Context,
  inForce: InForce,
  seen: (server: ServerEntry) => boolean,
  made: Host[],
): Promise<Entries> {
  const entries = emptyEntries(inForce);
  const factory: EntryFactory = {
    host: (document) => {
      const known = living.servers.get(document.metadata.name);
      if (known && isSamePlace(known.placed.document, document)) return known.host;
      const host = options.createHost(document, true);
      made.push(host);
      return host;
    },
    kit: (document) => {
      const known = living.servers.get(document.metadata.name);
      // The plan's observation must not change the portal's record of the server.
      if (known && isSamePlace(known.placed.document, document)) return known.kit && { ...known.kit };
      const admin = options.createAdmin?.(document) ?? null;
      return admin === null ? null : newKitState(admin);
    },
    link: (person) => living.people.get(person)?.link ?? silentLink(person),
    memory: (key) => living.backends.get(key)?.memory ?? readMemory(backendMemory, recorder.last(key)?.memory),
  };
  Object.assign(entries, { wishes: living.wishes, rollbacks: living.rollbacks, tasks: living.tasks });
  syncEntries(entries, inForce, factory);
  await askEach(
    [...entries.servers.values()].filter(seen),
    async (server) => await observeServer(entries, server, () => options.clock.nowMs()),
  );
  for (const server of entries.servers.values()) {
    const known = living.servers.get(server.name);
    if (known) Object.assign(server, { inventory: known.inventory, inventoryOf: known.inventoryOf, door: known.door });
    syncEngines(entries, server);
  }
  for (const person of entries.people.values()) {
    const same = living.people.get(person.name);
    copyPresence(person, same);
    for (const app of same?.backends.keys() ?? []) backendOf(entries, person, app, factory);
    syncBackends(entries, person, factory);
    for (const entry of person.backends.values()) {
      const known = living.backends.get(entry.key);
      if (known)
        Object.assign(entry, {
          intent: known.intent,
          windows: known.windows,
          probe: known.probe,
          probing: known.probing,
          refused: known.refused,
        });
    }
  }
  return entries;
}

/** Asks servers at once: a slow one keeps no other one waiting. */
async function askEach(servers: readonly ServerEntry[], ask: (server: ServerEntry) => Promise<unknown>): Promise<void> {
  const waiting = servers.values();
  const worker = async (): Promise<void> => {
    for (const server of waiting) await ask(server);
  };
  await Promise.all(Array.from({ length: limits.serversPlannedAtOnce }, worker));
}

/** Acts of the administrator's side of each server, and the servers that leave; a server that does not answer adds nothing. */
async function planServers(
  context: Context,
  entries: Entries,
  isMeant: (server: ServerEntry) => boolean,
  leaving: LeavingPlan,
  nowMs: number,
): Promise<Outcome> {
  const [changes, blocked]: [Change[], Blocked[]] = [[], []];
  const imagined = { ...context, entries };
  const servers = [...entries.servers.values()].filter(isMeant);
  await askEach(servers, async (server) => await observeKit(imagined, server));
  for (const server of servers) {
    const [desired, observed] = [serverDesired(imagined, server), serverSight(imagined, server)];
    if (server.leaving) changes.push(...planLeavingServer(leaving, entries, server, desired, observed, nowMs));
    else {
      const { actions, reason, message } = decideServer(desired, observed, null, nowMs);
      const { failure } = observed;
      const isStuck = ({ kind }: Action): boolean => failure !== null && (kind === 'server/accounts' || failure.retry === 'terminal');
      for (const action of actions.filter((each) => !isStuck(each))) {
        const change = changeOf(action);
        changes.push({ ...change, detail: `${change.detail}${failingText(failure)}` });
      }
      // It is tried again and again: what it lacks is for the administrator of the server to mend.
      if (actions.some(isStuck)) blocked.push({ key: server.key, reason: failure?.reason ?? reason, message: failure?.message ?? message });
      else if (reason === 'KitWaits') changes.push({ key: server.key, action: 'server/kit', detail: message });
      else if (server.door !== null || reason === 'KitStopped') blocked.push({ key: server.key, reason, message });
    }
    if (context.entries.servers.get(server.name)?.kit?.admin !== server.kit?.admin) server.kit?.admin.close();
  }
  return { changes, blocked };
}

function surroundingsOf({ options, offers }: Context): PackageSurroundings {
  return { shellVersion: options.shellVersion, offers: offers.last() };
}

function copyPresence(person: PersonEntry, known: PersonEntry | undefined): void {
  if (known) {
    const { session, sessionSinceMs, everSignedIn, signedOut, erasure, supervisorEnded } = known;
    Object.assign(person, { session, sessionSinceMs, everSignedIn, signedOut, erasure, supervisorEnded });
  }
}

function documentChanges(before: InForce, after: InForce): Change[] {
  const changes: Change[] = [];
  for (const [name, placed] of after.documents) {
    const known = before.documents.get(name);
    const where = `${placed.place.file}:${placed.place.line}`;
    if (!known) changes.push({ key: name, action: 'document/add', detail: where });
    else if (known.document !== placed.document) changes.push({ key: name, action: 'document/change', detail: where });
  }
  for (const name of before.documents.keys())
    if (!after.documents.has(name)) changes.push({ key: name, action: 'document/remove', detail: '' });
  return changes;
}

type OffersOf = (app: string) => Offers['apps'][number] | null;

function planPackage(context: Context, entries: Entries, entry: PackageEntry, offersOf: OffersOf): Outcome {
  const nowMs = context.options.clock.nowMs();
  const desired = packageDesired(entry);
  const offered = offersOf(desired.app);
  const versions = offered?.versions ?? [];
  const offer = versions.find(({ version }) => version === aimedVersion(desired)) ?? null;
  Object.assign(entry, { offer, repository: offered?.repository ?? null, offered: versions.map(({ version }) => version) });
  // A plan lists the final result: running tasks are taken as finished, and instances as ended, unless that is what it waits for.
  const seen = packageObserved(entries, entry, surroundingsOf(context));
  const observed = { ...seen, living: desired.whenStopped === true && desired.version !== null ? seen.living : 0, busy: null };
  const failed = failedFor(context, entry, offer);
  const decision = decidePackage(desired, observed, null, nowMs);
  const { state, reason, message } = failed?.retry === 'terminal' ? { state: 'failed', ...failed } : decision;
  const actions = state === 'failed' ? [] : decision.actions;
  const install = actions.find((action) => action.kind === 'package/install');
  if (install && offer) pretendInstalled(entries, desired, offer);
  const drift = state === 'drifted' ? '; files were changed there' : '';
  const changes = actions.map((action) => {
    const { action: kind, detail } = changeOf(action);
    return { key: entry.key, action: kind, detail: `${detail}${drift}${failingText(failed)}` };
  });
  if (changes.length > 0) return { changes, blocked: [] };
  const { otherSource } = observed;
  if (state === 'installed' && otherSource !== undefined) {
    const says = `${sourceChanged(otherSource).en}: ${sourceChangedFix(otherSource, entry.wanted.by === 'wish').en}`;
    return { changes, blocked: [{ key: entry.key, reason: 'SourceChanged', message: says }] };
  }
  return { changes, blocked: isBlocked(state, reason) ? [{ key: entry.key, reason, message }] : [] };
}

function failingText(failed: { readonly message: string } | null): string {
  return failed === null ? '' : `; the last attempt failed: ${failed.message}`;
}

/** How the last attempt at the very same thing failed; null for what was not tried yet. */
function failedFor({ entries: living }: Context, { name, wanted }: PackageEntry, offer: OfferedVersion | null): PackageEntry['failure'] {
  const known = living.packages.get(name);
  if (!known?.failure || known.wanted.by !== wanted.by) return null;
  const versionOf = (one: PackageEntry['wanted']): string | null =>
    one.by === 'wish' ? one.wish.version : one.placed.document.spec.versao;
  return versionOf(known.wanted) === versionOf(wanted) && known.offer?.sha256 === offer?.sha256 ? known.failure : null;
}

/** Differs from the desired state for a cause outside the folder. A person's hold (paused, rolled back) does not count. */
function isBlocked(state: string, reason: Reason): boolean {
  return state !== 'installed' && state !== 'removed' && reason !== 'Paused' && reason !== 'RolledBack';
}

/** For the backends that documents pin. The catalogue holds what a decision needs of the manifest but `backend`. */
function pretendInstalled(entries: Entries, { server, app, scope, person }: PackageTarget, { version, manifest }: OfferedVersion): void {
  for (const each of entries.people.values()) {
    if (each.server.name !== server || (person !== null && person !== each.name) || isShut(each, app)) continue;
    const kept = each.packages.get(app);
    const hash = kept?.hash ?? '';
    const backend = kept?.manifest.backend ?? { runtime: 'binary' as const, entrypoint: '' };
    const imagined = { app, version, hash, delivered: hash, scope, previous: null, manifest: { backend, ...manifest, id: app, version } };
    each.packages = new Map(each.packages).set(app, imagined);
  }
}

function planEngine(entries: Entries, entry: EngineEntry, nowMs: number): Outcome {
  const decision = decideEngine(engineDesired(entries, entry), engineObserved(entries, entry), null, nowMs);
  const changes = decision.actions.map((action) => {
    const { action: kind, detail } = changeOf(action);
    return { key: entry.key, action: kind, detail };
  });
  return { changes, blocked: [] };
}
