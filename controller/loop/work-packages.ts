/** What a worker does with the key of a package or of an engine: look, decide, record, act. */
import { decideEngine, type EngineMemory } from '../../reconcilers/engine.ts';
import { aimedVersion } from '../../reconcilers/package-goal.ts';
import { decidePackage } from '../../reconcilers/package.ts';
import type { PackageDecision, PackageDesired, PackageMemory } from '../../reconcilers/package-types.ts';
import path from 'node:path';
import { readSource } from '../observe/repository.ts';
import { repositoryLocation } from '../repository/location.ts';
import { entriesOfApp, markRemoving, type EngineEntry, type PackageEntry } from '../world-packages.ts';
import type { BackendEntry } from '../world.ts';
import type { Context } from './context.ts';
import { leavePackage } from './leave.ts';
import { engineDesired, engineObserved, installedAt, packageDesired, packageObserved } from './package-inputs.ts';
import { tellGone, tellState } from './package-news.ts';
import { lookAtInventory, refreshInstalls } from './refresh-installs.ts';
import { settle } from './settle.ts';

export async function workOnPackage(context: Context, entry: PackageEntry): Promise<void> {
  const { world, options, recorder, offers } = context;
  if (entry.leaving && (await leavePackage(context, entry))) return;
  const desired = packageDesired(entry);
  if (await endRollback(context, entry, desired)) return;
  await lookAtOffer(context, entry, desired);
  const memory = (recorder.last(entry.key)?.memory ?? null) as PackageMemory | null;
  const observed = packageObserved(world, entry, { shellVersion: options.shellVersion, offers: offers.last() });
  const decision = decidePackage(desired, observed, memory, options.clock.nowMs());
  const before = entry.decision;
  entry.decision = decision;
  const { app, server, scope, person, version, paused, rollback } = desired;
  const { installed } = observed;
  const details = {
    app,
    server,
    scope,
    ...(person === null ? {} : { person }),
    version,
    installed: installed?.version ?? null,
    previous: installed?.previous ?? decision.memory.before,
    drift: installed?.drift === true,
    ...(paused ? { paused } : {}),
    ...(rollback === null ? {} : { rollback: { from: rollback.from, to: rollback.to } }),
  };
  endInstances(context, entry, desired, decision);
  if (differs(before, decision)) tellState(world, options.bus, entry);
  await settle(context, entry.key, decision, desired.generation, details);
  if (desired.version === null && decision.state === 'removed') await endWish(context, entry);
}

function differs(before: PackageDecision | null, { state, reason, message }: PackageDecision): boolean {
  return before?.state !== state || before.reason !== reason || before.message !== message;
}

/** Another version is wanted than the one that was left: nothing is held any more. */
async function endRollback(context: Context, { key, rollback }: PackageEntry, desired: PackageDesired): Promise<boolean> {
  if (rollback === null || rollback.from === desired.version) return false;
  await context.options.store.deleteRollback(key);
  return await refreshInstalls(context);
}

/** What was asked to go is gone: so is the wish. */
async function endWish(context: Context, { wanted }: PackageEntry): Promise<void> {
  if (wanted.by !== 'wish') return;
  const { person, app, requestId } = wanted.wish;
  await context.options.store.deleteInstallWish(person, app, requestId);
  tellGone(context.options.bus, person, app, false);
  await refreshInstalls(context);
}

/** The backends that run what goes are to end; they are decided by their own reconciler. */
function endInstances({ world, queue }: Context, { target }: PackageEntry, desired: PackageDesired, decision: PackageDecision): void {
  if (!markRemoving(world, target, desired.version === null && decision.state === 'removing')) return;
  for (const person of world.people.values()) {
    if (person.server.name === target.server && (target.person === null || target.person === person.name))
      queue.add(`Backend/${person.name}/${target.app}`, true);
  }
}

/** A backend answered for the first time, or ended while its package waits to go. */
export function wakePackages({ world, queue }: Context, { person, app }: BackendEntry): void {
  for (const { key } of entriesOfApp(world, person.server.name, app, person.name)) queue.add(key, true);
}

/** The version that is aimed at as the repository offers it now. Only asked when something would be done with it. */
async function lookAtOffer(context: Context, entry: PackageEntry, desired: PackageDesired): Promise<void> {
  const { world, options, offers } = context;
  const aim = aimedVersion(desired);
  const installed = installedAt(world, entry.target);
  if (aim === null || (installed?.version === aim && installed.delivered !== null)) return;
  const location = world.portal && repositoryLocation(options.dir, world.portal);
  const { apps, problem } = await offers.read(location);
  const versions = apps.find(({ id }) => id === desired.app)?.versions ?? [];
  entry.offer = versions.find(({ version }) => version === aim) ?? null;
  entry.offered = versions.map(({ version }) => version);
  entry.problem =
    problem ?? (versions.length === 0 && location?.kind === 'folder' ? await problemIn(path.join(location.folder, desired.app)) : null);
  const server = world.servers.get(desired.server);
  const unasked = (entry.offer?.manifest.requiredPackages ?? []).some((one) => server?.inventoryOf.has(one) === false);
  if (server?.sight.status === 'reachable' && unasked) await lookAtInventory(context, server);
}

/** Why an unpacked package is not offered; null when there is none. */
async function problemIn(folder: string): Promise<string | null> {
  return await readSource(folder).then(
    () => null,
    (error: unknown) => `it is refused there: ${(error as Error).message.split('\n')[0]}`,
  );
}

export async function workOnEngine(context: Context, entry: EngineEntry): Promise<void> {
  const { world, recorder, options } = context;
  const memory = (recorder.last(entry.key)?.memory ?? null) as EngineMemory | null;
  const decision = decideEngine(engineDesired(world, entry), engineObserved(world, entry), memory, options.clock.nowMs());
  const { app, nome, versao, declared, server, present } = entry;
  await settle(context, entry.key, decision, 0, { server: server.name, app, nome, versao, declared, bytes: present?.bytes ?? null });
}
