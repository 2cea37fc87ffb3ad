/**
 * `svc plan`: a folder is decided by the very functions of the loop, on a world of its own that shares what was observed and
 * carries nothing out (design 3 rule 2). What an action would bring about is followed one step: a package that would be installed
 * counts as installed for the backends that a document pins.
 */
import type { PackageTarget } from '../../reconcilers/actions.ts';
import { decideBackend } from '../../reconcilers/backend.ts';
import { decideEngine } from '../../reconcilers/engine.ts';
import { aimedVersion } from '../../reconcilers/package-goal.ts';
import { decidePackage } from '../../reconcilers/package.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import type { Offers } from '../../schema/repository/store-view.ts';
import type { InForce } from '../desired/in-force.ts';
import type { Host } from '../hosts/host.ts';
import type { Context } from '../loop/context.ts';
import { changeOf } from './plan-changes.ts';
import { planGrants } from './plan-grants.ts';
import { backendDesired, backendObserved } from '../loop/inputs.ts';
import { engineDesired, engineObserved, packageDesired, packageObserved } from '../loop/package-inputs.ts';
import { lookAtServer } from '../observe/look.ts';
import { silentLink } from '../observe/silent-link.ts';
import { repositoryLocation } from '../repository/location.ts';
import { decideServer } from '../../reconcilers/server.ts';
import { lookAtKit, newKitState, serverDesired, serverObserved } from '../servers/kit-work.ts';
import { isServerScope } from '../servers/services.ts';
import { createOffersReader } from '../repository/offers.ts';
import { syncEngines, type OfferedVersion, type PackageEntry } from '../world-packages.ts';
import { emptyWorld, syncBackends, syncWorld, type PersonEntry, type World, type WorldFactory } from '../world.ts';

type Change = PlanAnswer['changes'][number];

export async function planFolder(context: Context, dir: string | null, prune: boolean): Promise<PlanAnswer> {
  const { source, options } = context;
  const { inForce, errors } = await source.preview(dir ?? options.dir, prune);
  if (errors.length > 0) return { ok: false, changes: [], errors, pendingPrune: [] };
  const changes = documentChanges(source.current(), inForce);
  const made: Host[] = [];
  try {
    return await decideAll(context, dir, inForce, changes, made);
  } finally {
    // A connection to a server that nobody serves yet ends with the look.
    await Promise.all(made.map((host) => host.close()));
  }
}

async function decideAll(context: Context, dir: string | null, inForce: InForce, changes: Change[], made: Host[]): Promise<PlanAnswer> {
  const { options } = context;
  const world = await imagine(context, inForce, made);
  const nowMs = options.clock.nowMs();
  const location = world.portal && repositoryLocation(dir ?? options.dir, world.portal);
  const { apps } = await createOffersReader(options.clock).read(location);
  const offersOf: OffersOf = (app) => apps.find(({ id }) => id === app)?.versions ?? [];
  for (const entry of world.packages.values()) changes.push(...packageChanges(context, world, entry, offersOf));
  changes.push(...engineChanges(world, nowMs));
  changes.push(...(await kitChanges(context, world, nowMs)));
  for (const entry of world.backends.values()) {
    if (isServerScope(entry)) continue;
    const decision = decideBackend(backendDesired(entry), backendObserved(entry), entry.memory, nowMs);
    changes.push(...decision.actions.filter((action) => action.kind !== 'backend/probe').map(changeOf));
  }
  const grants = await planGrants(options.store.rooms, world, nowMs);
  changes.push(...grants.changes);
  return { ok: true, changes, errors: [], pendingPrune: inForce.held, ...(grants.notes.length === 0 ? {} : { notes: grants.notes }) };
}

/** The world under other documents: hosts and lines of the living one where they are the same, none that acts where they aren't. */
async function imagine({ world: living, options, recorder }: Context, inForce: InForce, made: Host[]): Promise<World> {
  const world = emptyWorld(inForce);
  const factory: WorldFactory = {
    host: (document) => {
      const known = living.servers.get(document.metadata.name);
      const same = known && JSON.stringify(known.placed.document) === JSON.stringify(document);
      if (same) return known.host;
      const host = options.createHost(document, true);
      made.push(host);
      return host;
    },
    kit: (document) => {
      const known = living.servers.get(document.metadata.name);
      if (known && JSON.stringify(known.placed.document) === JSON.stringify(document)) return known.kit;
      const admin = options.createAdmin?.(document) ?? null;
      return admin === null ? null : newKitState(admin);
    },
    link: (person) => living.people.get(person)?.link ?? silentLink(person),
    memory: (key) => living.backends.get(key)?.memory ?? ((recorder.last(key)?.memory ?? null) as ReturnType<WorldFactory['memory']>),
  };
  Object.assign(world, { wishes: living.wishes, rollbacks: living.rollbacks, tasks: living.tasks });
  syncWorld(world, inForce, factory);
  for (const server of world.servers.values()) {
    await lookAtServer(world, server, () => options.clock.nowMs());
    const known = living.servers.get(server.name);
    if (known) Object.assign(server, { inventory: known.inventory, inventoryOf: known.inventoryOf });
    syncEngines(world, server);
  }
  for (const person of world.people.values()) {
    copyPresence(person, living.people.get(person.name));
    syncBackends(world, person, factory);
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
  return world;
}

/** What the administrator's side of each server would do; a server that does not answer has nothing to tell. */
async function kitChanges(context: Context, world: World, nowMs: number): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const server of world.servers.values()) {
    if (server.kit === null) continue;
    await lookAtKit({ ...context, world }, server);
    changes.push(...decideServer(serverDesired({ ...context, world }, server), serverObserved(server), null, nowMs).actions.map(changeOf));
    if (context.world.servers.get(server.name)?.kit !== server.kit) server.kit.admin.close();
  }
  return changes;
}

function copyPresence(person: PersonEntry, known: PersonEntry | undefined): void {
  if (known) Object.assign(person, { session: known.session, sessionSinceMs: known.sessionSinceMs });
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

type OffersOf = (app: string) => Offers['apps'][number]['versions'];

function packageChanges(context: Context, world: World, entry: PackageEntry, offersOf: OffersOf): readonly Change[] {
  const { options, offers } = context;
  const nowMs = options.clock.nowMs();
  const desired = packageDesired(entry);
  const versions = offersOf(desired.app);
  const offer = versions.find(({ version }) => version === aimedVersion(desired)) ?? null;
  Object.assign(entry, { offer, offered: versions.map(({ version }) => version) });
  // A plan tells what comes in the end: what is under way is over by then, instances ended, and a changed file was seen for its round.
  const observed = {
    ...packageObserved(world, entry, { shellVersion: options.shellVersion, offers: offers.last() }),
    living: 0,
    busy: null,
  };
  const first = decidePackage(desired, observed, null, nowMs);
  const decision = first.state === 'drifted' ? decidePackage(desired, observed, first.memory, nowMs + limits.resyncMs) : first;
  const install = decision.actions.find((action) => action.kind === 'package/install');
  if (install && offer) pretendInstalled(world, desired, offer);
  const drift = decision.state === 'drifted' ? '; files were changed there' : '';
  return decision.actions.map((action) => {
    const { action: kind, detail } = changeOf(action);
    return { key: entry.key, action: kind, detail: `${detail}${drift}` };
  });
}

/** For the backends that documents pin. The catalogue holds what a decision needs of the manifest but `backend`. */
function pretendInstalled(world: World, { server, app, scope, person }: PackageTarget, { version, manifest }: OfferedVersion): void {
  for (const each of world.people.values()) {
    if (each.server.name !== server || (person !== null && person !== each.name)) continue;
    const kept = each.packages.get(app);
    const hash = kept?.hash ?? '';
    const backend = kept?.manifest.backend ?? { runtime: 'binary' as const, entrypoint: '' };
    const imagined = { app, version, hash, delivered: hash, scope, previous: null, manifest: { backend, ...manifest, id: app, version } };
    each.packages = new Map(each.packages).set(app, imagined);
  }
}

function engineChanges(world: World, nowMs: number): readonly Change[] {
  return [...world.engines.values()].flatMap((entry) => {
    const decision = decideEngine(engineDesired(world, entry), engineObserved(world, entry), null, nowMs);
    return decision.actions.map((action) => {
      const { action: kind, detail } = changeOf(action);
      return { key: entry.key, action: kind, detail };
    });
  });
}
