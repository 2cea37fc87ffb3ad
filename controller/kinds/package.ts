/** `Package/<document>` and `Package/<person>/<app>`: what a document, or a person, wants installed. */
import type { PackageTarget } from '../../reconcilers/actions.ts';
import { aimedVersion } from '../../reconcilers/package-goal.ts';
import { packageMemory } from '../../reconcilers/package-memory.ts';
import { refusalOf } from '../../reconcilers/package-refusal.ts';
import { decidePackage } from '../../reconcilers/package.ts';
import { keepsSupervisor } from '../../reconcilers/supervisor-process.ts';
import type { PackageDecision, PackageDesired, PackageMemory, PackageObserved } from '../../reconcilers/package-types.ts';
import type { Offers } from '../../schema/shop-view.ts';
import type { InstalledPackage } from '../hosts/host.ts';
import type { Context } from '../context.ts';
import { publishState } from '../package-news.ts';
import { observeInventory } from '../observe/inventory.ts';
import { whyNotOffered } from '../../kit/repository/reading/source.ts';
import { refreshInstalls } from '../observe/wishes.ts';
import { repositoriesOf, repositoryFolders, type Repository } from '../../kit/repository/reading/location.ts';
import { unpackedNow } from '../../kit/repository/reading/unpacked-now.ts';
import { limits } from '../limits.ts';
import { installedAt, markRemoving, markUpdate, targetKey } from '../package-entries.ts';
import { isFor } from '../visible-packages.ts';
import type { PackageEntry, PackageTask, BackendEntry, Entries } from '../entries.ts';
import type { Kind, Report, Round } from './kind.ts';

type PackageRound = Round<PackageDesired, PackageObserved, PackageDecision>;

export const packageKind: Kind<PackageEntry, PackageDesired, PackageObserved, PackageMemory, PackageDecision> = {
  name: 'Package',
  entries: (entries) => entries.packages.values(),
  find: (entries, name) => entries.packages.get(name),
  keyOf: ({ key }) => key,
  lane: ({ target }) => target.server,
  observe: async (context, entry) => {
    // The first read covers all files, which may take long: beside the loop.
    void followSource(context, entry);
    await observeOffer(context, entry, packageDesired(entry));
    return true;
  },
  desired: (_context, entry) => packageDesired(entry),
  observed: ({ entries, options, offers }, entry) =>
    packageObserved(entries, entry, { shellVersion: options.shellVersion, offers: offers.last() }),
  decide: decidePackage,
  memory: packageMemory,
  keep: (entry, { decision }) => {
    entry.decision = decision;
    return decision;
  },
  last: ({ decision }) => decision,
  report,
  notify: (context, entry, { desired, decision }, { before }) => {
    endInstances(context, entry, desired, decision);
    tellUpdate(context, entry, desired, decision);
    if (differs(before, decision)) publishState(context.entries, context.options.bus, entry);
  },
  refresh: refreshInstalls,
  onEdge: async (context, key, urgent) => {
    await refreshInstalls(context);
    context.queue.add(key, urgent);
  },
};

function report(_context: Context, { wanted }: PackageEntry, { desired, observed, decision }: PackageRound): Report {
  const { app, server, scope, person, version, paused, rollback, generation } = desired;
  const { installed } = observed;
  const grupos = wanted.by === 'document' ? wanted.placed.document.spec.grupos : undefined;
  const details = {
    app,
    server,
    scope,
    ...(person === null ? {} : { person }),
    version,
    installed: installed?.version ?? null,
    previous: installed?.previous ?? decision.memory.before,
    drift: installed?.drift === true,
    ...(observed.otherSource === undefined ? {} : { source: observed.otherSource }),
    ...(paused ? { paused } : {}),
    ...(grupos === undefined ? {} : { grupos }),
    ...(desired.whenStopped === true ? { aplicar: 'ao-parar' } : {}),
    ...(rollback === null ? {} : { rollback: { from: rollback.from, to: rollback.to } }),
  };
  return { generation, details };
}

function differs(before: PackageDecision | null, { state, reason, message }: PackageDecision): boolean {
  return before?.state !== state || before.reason !== reason || before.message !== message;
}

/** The backends that run what goes are to end; they are decided by their own reconciler. */
function endInstances({ entries, queue }: Context, { target }: PackageEntry, desired: PackageDesired, decision: PackageDecision): void {
  if (!markRemoving(entries, target, desired.version === null && decision.state === 'removing')) return;
  for (const { key, app, person } of entries.backends.values()) {
    const isOf = app === target.app && person.server.name === target.server;
    if (isOf && (target.person === null || target.person === person.name)) queue.add(key, true);
  }
}

/** Notifies everybody who runs an app that an update waits for. */
function tellUpdate({ entries, options }: Context, { target }: PackageEntry, desired: PackageDesired, decision: PackageDecision): void {
  const version = decision.reason === 'UpdateWaits' ? aimedVersion(desired) : null;
  const running = version === null ? [] : backendsOf(entries, target).filter((instance) => lives(instance));
  const people = new Set(running.map(({ person }) => person.name));
  if (!markUpdate(entries, target, version === null ? null : { version, people })) return;
  for (const { app, person } of entries.backends.values()) {
    const isOf = app === target.app && person.server.name === target.server;
    if (isOf && (target.person === null || target.person === person.name)) options.bus.publish(person.name, { type: 'apps-changed' });
  }
}

/** The version that is aimed at as the repository offers it now. Only asked when something would be done with it. */
async function observeOffer(context: Context, entry: PackageEntry, desired: PackageDesired): Promise<void> {
  const { entries, options, offers } = context;
  const aim = aimedVersion(desired);
  const installed = installedAt(entries, entry.target);
  if (aim === null || (installed?.version === aim && installed.delivered !== null)) return;
  const repositories = repositoriesOf(options.dir, entries.portal);
  const read = await offers.read(repositories);
  const app = read.apps.find(({ id }) => id === desired.app);
  const versions = app?.versions ?? [];
  entry.repository = app?.repository ?? null;
  entry.offer = versions.find(({ version }) => version === aim) ?? null;
  entry.offered = versions.map(({ version }) => version);
  await observeTroubles(entry, repositories, read, versions.length > 0);
  const server = entries.servers.get(desired.server);
  const unasked = (entry.offer?.manifest.requiredPackages ?? []).some((one) => server?.inventoryOf.has(one) === false);
  if (server?.reachability.status === 'reachable' && unasked) await observeInventory(context, server);
}

/** Why the repository offers nothing of the app, or what it offered before. */
export async function observeTroubles(
  entry: PackageEntry,
  repositories: readonly Repository[],
  { unread }: Offers,
  isOffered: boolean,
): Promise<void> {
  entry.problem = unread ?? null;
  entry.refusedThere = unread === undefined && !isOffered ? await whyNotOffered(repositories, entry.target.app) : null;
}

async function followSource(context: Context, entry: PackageEntry): Promise<void> {
  const repositories = repositoriesOf(context.options.dir, context.entries.portal);
  const offers = repositories.length > 1 ? await context.offers.read(repositories) : null;
  const folders = sourceFolders(repositories, offers, entry.target.app);
  if (await observeSource(context, context.entries, entry, folders, limits.sourceAgeMs)) context.queue.add(entry.key, false);
}

/** Folders that an app may come from: that of the repository which offers it, or all while none is known to (null: nobody asked). */
export function sourceFolders(repositories: readonly Repository[], offers: Pick<Offers, 'apps'> | null, app: string): readonly string[] {
  const from = offers?.apps.find(({ id }) => id === app)?.repository.place;
  return repositoryFolders(from === undefined ? repositories : repositories.filter(({ place }) => place === from));
}

/** Reads the source of a package; one that can't be read keeps the last observation. True when it changed. */
export async function observeSource(
  { options }: Pick<Context, 'options'>,
  entries: Entries,
  entry: PackageEntry,
  folders: readonly string[],
  ageMsMax: number,
): Promise<boolean> {
  const { source: before, target } = entry;
  if (installedAt(entries, target) === undefined) return false;
  try {
    entry.source = await unpackedNow(folders, target.app, { nowMs: options.clock.monotonicMs(), ageMsMax });
  } catch {
    return false;
  }
  return before?.hash !== entry.source?.hash || before?.version !== entry.source?.version;
}

/** Null where it holds another version, the same files, or none that could be compared. */
function otherSource({ source }: PackageEntry, installed: InstalledPackage | undefined): string | null {
  if (source === null || installed === undefined || installed.delivered === null || installed.version !== source.version) return null;
  return installed.delivered === source.hash ? null : source.folder;
}

export function packageDesired({ name, wanted, target, place, leaving, rollback }: PackageEntry): PackageDesired {
  const common = {
    ...target,
    ...(place === undefined ? {} : { place }),
    name,
    leaving,
    rollback: rollback === null ? null : { from: rollback.from, to: rollback.to, requestId: rollback.requestId },
  };
  if (wanted.by === 'wish') {
    const { version, requestId, cancels = false } = wanted.wish;
    return { ...common, version, generation: 0, requestId, cancels, paused: false };
  }
  const { versao, paused, aplicar } = wanted.placed.document.spec;
  return {
    ...common,
    version: leaving ? null : versao,
    generation: wanted.placed.generation,
    requestId: null,
    cancels: false,
    paused: paused === true && !leaving,
    ...(aplicar === 'ao-parar' ? { whenStopped: true } : {}),
  };
}

/** An attempt may last much longer than the wait between two: what the one before said stays in sight. */
const taskMessage = ({ act, message }: PackageTask, failure: PackageEntry['failure']): string =>
  act !== 'install' || failure === null ? message : `${message}; the attempt before failed: ${failure.message}`;

export interface PackageSurroundings {
  readonly shellVersion: string;
  readonly offers: Offers | null;
}

export function packageObserved(entries: Entries, entry: PackageEntry, { shellVersion, offers }: PackageSurroundings): PackageObserved {
  const { target, offer, offered, problem, refusedThere, failure } = entry;
  const server = entries.servers.get(target.server);
  const installed = installedAt(entries, target);
  const instances = backendsOf(entries, target);
  const task = entries.tasks.get(targetKey(target));
  const other = otherSource(entry, installed);
  const refusal =
    offer &&
    refusalOf(offer.manifest, {
      scope: target.scope,
      reserved: reservedFor(entries, entry),
      unsigned: offer.signature !== undefined && 'refused' in offer.signature ? offer.signature.refused : null,
      shellVersion,
      provided: providedAt(entries, target),
      offering: (capability) => offering(offers, capability),
      lacks: (requirement) => server?.inventory?.missing.includes(requirement) === true,
    });
  return {
    host: server?.reachability ?? { status: 'unknown', message: `no Server document ${target.server}` },
    targetObserved: target.person === null || entries.people.get(target.person)?.accountSeen === true,
    // Only the name of the document changed, or its person wants it too.
    isOthers: server === undefined || entries.byTarget.get(targetKey(target))?.leaving === false,
    ...(server?.lost === true ? { lost: true } : {}),
    overruled: overruledBy(entries, entry),
    installed: installed
      ? {
          version: installed.version,
          hash: installed.hash,
          drift: installed.delivered === null && !beingSetUp(installed, instances),
          previous: installed.previous,
        }
      : null,
    ...(installed?.unread === undefined ? {} : { unread: installed.unread }),
    ...(other === null ? {} : { otherSource: other }),
    ...(installed?.manifest.escopo === 'servidor' && saysCeilings(entries, entry) ? { unbounded: true as const } : {}),
    offer: offer && { mark: offer.sha256 ?? offer.version },
    offered,
    problem,
    refusedThere,
    refusal,
    living: instances.filter((instance) => lives(instance)).length,
    answered: installed !== undefined && instances.some((instance) => answers(instance, installed.hash)),
    busy: task
      ? {
          act: task.act,
          version: task.version,
          cancelled: task.abort.signal.aborted,
          reason: task.reason,
          message: taskMessage(task, failure),
        }
      : null,
    failure,
  };
}

/** Documents are an administrator's, who gives what they like to whom they like. */
function reservedFor({ people }: Entries, { wanted, target, repository }: PackageEntry): readonly string[] | null {
  const person = wanted.by === 'wish' && target.person !== null ? people.get(target.person) : undefined;
  return person === undefined || repository === null || isFor(repository, person) ? null : repository.groups;
}

function saysCeilings({ portal }: Entries, { wanted }: PackageEntry): boolean {
  const { default: byDefault, ceiling } = portal?.document.spec.resources ?? {};
  return (
    byDefault !== undefined || ceiling !== undefined || (wanted.by === 'document' && wanted.placed.document.spec.resources !== undefined)
  );
}

function overruledBy({ wishes }: Entries, { wanted, leaving, target }: PackageEntry): PackageObserved['overruled'] {
  if (wanted.by === 'wish' || leaving || target.person === null) return null;
  const wish = wishes.get(`${target.person}/${target.app}`);
  return wish?.version === null ? { person: wish.person, requestId: wish.requestId } : null;
}

/** Backends that run, or would run, the package installed at the target. */
function backendsOf(entries: Entries, { server, app, scope, person }: PackageTarget): readonly BackendEntry[] {
  const known = person === null ? entries.backends.values() : (entries.people.get(person)?.backends.values() ?? []);
  const found: BackendEntry[] = [];
  for (const backend of known) {
    const { person: one } = backend;
    if (backend.app !== app || one.server.name !== server) continue;
    if ((one.packages.get(app)?.scope === 'pessoa') === (scope === 'pessoa')) found.push(backend);
  }
  return found;
}

/** Without a snapshot, by what was known last: its supervisor comes back and ends it. */
function lives({ person, app, starting, memory }: BackendEntry): boolean {
  return starting || keepsSupervisor(person.link.snapshot(app), memory);
}

/**
 * Files that installCommand writes into the folder at a person's first start belong to the version. Until the launcher has recorded them
 * they look like drift, and restoring them would remove the code under the running app.
 */
function beingSetUp({ manifest }: InstalledPackage, instances: readonly BackendEntry[]): boolean {
  if (manifest.backend.installCommand === undefined) return false;
  return instances.some(({ comesUp, comingUpAtMs, person }) => comesUp || person.server.observationStartedAtMs <= comingUpAtMs);
}

function answers({ person, app, decision }: BackendEntry, hash: string): boolean {
  return decision?.ready === true && person.link.snapshot(app)?.process?.hash === hash;
}

/** For everybody the system's apps, for one person their own, too. */
function providedAt(entries: Entries, { server, scope, person }: PackageTarget): ReadonlySet<string> {
  const shared = [...(entries.servers.get(server)?.system.values() ?? [])];
  const own = scope === 'pessoa' && person !== null ? [...(entries.people.get(person)?.packages.values() ?? [])] : [];
  return new Set([...shared, ...own].flatMap(({ manifest }) => manifest.provides ?? []));
}

function offering(offers: Offers | null, capability: string): readonly string[] {
  return (offers?.apps ?? []).flatMap(({ id, versions }) => (versions[0]?.manifest.provides?.includes(capability) === true ? [id] : []));
}
