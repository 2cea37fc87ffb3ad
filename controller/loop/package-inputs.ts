/** Builds what the reconcilers of packages and engines take from the records of the world. No I/O. */
import type { EngineDesired, EngineObserved } from '../../reconcilers/engine.ts';
import { refusalOf } from '../../reconcilers/package-refusal.ts';
import type { PackageDesired, PackageObserved } from '../../reconcilers/package-types.ts';
import type { PackageTarget } from '../../reconcilers/actions.ts';
import type { Offers } from '../../schema/repository/store-view.ts';
import type { InstalledPackage } from '../hosts/host.ts';
import { targetKey, type EngineEntry, type PackageEntry } from '../world-packages.ts';
import type { BackendEntry, ServerEntry, World } from '../world.ts';

export function packageDesired({ wanted, target, leaving, rollback }: PackageEntry): PackageDesired {
  const common = {
    ...target,
    rollback: rollback === null ? null : { from: rollback.from, to: rollback.to, requestId: rollback.requestId },
  };
  if (wanted.by === 'wish') {
    const { version, requestId } = wanted.wish;
    return { ...common, version, generation: 0, requestId, paused: false };
  }
  const { versao, paused } = wanted.placed.document.spec;
  return {
    ...common,
    version: leaving ? null : versao,
    generation: wanted.placed.generation,
    requestId: null,
    paused: paused === true && !leaving,
  };
}

/** What stands at a target; undefined when nothing does. */
export function installedAt(world: World, { server, app, scope, person }: PackageTarget): InstalledPackage | undefined {
  if (scope === 'sistema') return world.servers.get(server)?.system.get(app);
  const own = person === null ? undefined : world.people.get(person)?.packages.get(app);
  return own?.scope === 'pessoa' ? own : undefined;
}

export interface PackageSurroundings {
  readonly shellVersion: string;
  readonly offers: Offers | null;
}

export function packageObserved(world: World, entry: PackageEntry, { shellVersion, offers }: PackageSurroundings): PackageObserved {
  const { target, offer, offered, problem, failure } = entry;
  const server = world.servers.get(target.server);
  const installed = installedAt(world, target);
  const instances = backendsOf(world, target);
  const task = world.tasks.get(targetKey(target));
  const refusal =
    offer &&
    refusalOf(offer.manifest, {
      scope: target.scope,
      shellVersion,
      provided: providedAt(world, target),
      offering: (capability) => offering(offers, capability),
      lacks: (requirement) => server?.inventory?.missing.includes(requirement) === true,
    });
  return {
    host: server?.sight ?? { status: 'unknown', message: `no Server document ${target.server}` },
    installed: installed
      ? { version: installed.version, hash: installed.hash, drift: installed.delivered === null, previous: installed.previous }
      : null,
    offer: offer && { mark: offer.sha256 ?? offer.version },
    offered,
    problem,
    refusal,
    living: instances.filter((instance) => lives(instance)).length,
    answered: installed !== undefined && instances.some((instance) => answers(instance, installed.hash)),
    busy: task
      ? { act: task.act, version: task.version, cancelled: task.abort.signal.aborted, reason: task.reason, message: task.message }
      : null,
    failure,
  };
}

/** Backends that run, or would run, what stands at the target. */
function backendsOf(world: World, { server, app, scope, person }: PackageTarget): readonly BackendEntry[] {
  const people = person === null ? [...world.people.values()] : [world.people.get(person)].filter((one) => one !== undefined);
  return people.flatMap((one) => {
    const backend = one.backends.get(app);
    const own = one.packages.get(app)?.scope === 'pessoa';
    return backend !== undefined && one.server.name === server && own === (scope === 'pessoa') ? [backend] : [];
  });
}

function lives({ person, app }: BackendEntry): boolean {
  const snapshot = person.link.snapshot(app);
  return snapshot !== null && (snapshot.wanted || snapshot.process !== null);
}

function answers({ person, app, decision }: BackendEntry, hash: string): boolean {
  return decision?.ready === true && person.link.snapshot(app)?.process?.hash === hash;
}

/** For everybody the system's apps, for one person their own, too. */
function providedAt(world: World, { server, scope, person }: PackageTarget): ReadonlySet<string> {
  const shared = [...(world.servers.get(server)?.system.values() ?? [])];
  const own = scope === 'pessoa' && person !== null ? [...(world.people.get(person)?.packages.values() ?? [])] : [];
  return new Set([...shared, ...own].flatMap(({ manifest }) => manifest.provides ?? []));
}

function offering(offers: Offers | null, capability: string): readonly string[] {
  return (offers?.apps ?? []).flatMap(({ id, versions }) => (versions[0]?.manifest.provides?.includes(capability) === true ? [id] : []));
}

export function engineDesired(world: World, { server, app, nome, versao, declared }: EngineEntry): EngineDesired {
  const owner = world.byTarget.get(targetKey(systemTarget(server, app)));
  const paused = owner !== undefined && packageDesired(owner).paused;
  return { server: server.name, app, nome, versao, declared, appInstalled: server.system.has(app), paused };
}

export function engineObserved(world: World, { server, app, present, failure }: EngineEntry): EngineObserved {
  const task = world.tasks.get(targetKey(systemTarget(server, app)));
  return {
    host: server.sight,
    present: present !== null,
    busy: task ? { reason: task.reason, message: task.message } : null,
    failure,
  };
}

export function systemTarget(server: ServerEntry, app: string): PackageTarget {
  return { server: server.name, app, scope: 'sistema', person: null };
}
