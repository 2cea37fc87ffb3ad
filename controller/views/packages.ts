/** Installed packages and their progress, as the shop and the panel of the administrator show them. From memory, no I/O. */
import { installLine } from '../../reconcilers/package-refusal.ts';
import { unseenReason } from '../../reconcilers/backend-types.ts';
import { readMemory } from '../../reconcilers/memory.ts';
import { packageMemory } from '../../reconcilers/package-memory.ts';
import type { InstalledForStore } from '../../schema/shop-view.ts';
import type { EngineState, InstallView, PackageState } from '../../schema/packages.ts';
import type { AdminPackage, AdminServer } from '../../schema/wire/shop.ts';
import type { Context } from '../context.ts';
import { packageDesired } from '../kinds/package.ts';
import { askingOn } from '../observe/inventory.ts';
import { installedAt, targetKey } from '../package-entries.ts';
import { isShut } from '../visible-packages.ts';
import type { PackageEntry, PersonEntry, ServerEntry } from '../entries.ts';

/** Null before its first observation. */
export function installView({ recorder, entries }: Context, entry: PackageEntry): InstallView | null {
  const status = recorder.last(entry.key);
  if (!status) return null;
  const { app, scope, version } = packageDesired(entry);
  const { state, reason, message } = status;
  const task = entries.tasks.get(targetKey(entry.target));
  return {
    key: entry.key,
    app,
    scope,
    wanted: version,
    state: state as PackageState,
    reason,
    message,
    progress: task?.act === 'install' ? task.progress : null,
  };
}

/** Documents for the whole server and for this person, and what they asked for. */
export function installsOf(context: Context, person: PersonEntry): readonly InstallView[] {
  const concern = [...context.entries.packages.values()].filter(
    ({ target }) =>
      target.server === person.server.name && (target.person === null || target.person === person.name) && !isShut(person, target.app),
  );
  return concern.flatMap((entry) => installView(context, entry) ?? []);
}

export function installedForStore(person: PersonEntry): readonly InstalledForStore[] {
  return [...person.packages].map(([id, { version, manifest, scope, delivered, previous }]) => ({
    id,
    version,
    provides: manifest.provides ?? [],
    scope,
    drift: delivered === null,
    previous,
  }));
}

/** Missing requirements of the newest offers; an app is absent while its requirements were not asked for. */
export function missingPackages({ offers }: Context, { inventory, inventoryOf }: ServerEntry): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const { id, versions } of offers.last().apps) {
    const required = versions[0]?.manifest.requiredPackages ?? [];
    if (required.length === 0) found[id] = [];
    else if (inventory !== null && required.every((one) => inventoryOf.has(one)))
      found[id] = required.filter((one) => inventory.missing.includes(one));
  }
  return found;
}

/** The version that a rollback goes back to: the one that the server keeps, else the one that was there before. */
export function versionBefore({ entries, recorder }: Context, entry: PackageEntry): string | null {
  const memory = readMemory(packageMemory, recorder.last(entry.key)?.memory);
  return installedAt(entries, entry.target)?.previous ?? memory?.before ?? null;
}

export function adminServer(context: Context, server: ServerEntry): AdminServer {
  const { entries, recorder } = context;
  const here = [...entries.packages.values()].filter(({ target }) => target.server === server.name);
  const engines = [...entries.engines.values()].filter((engine) => engine.server === server);
  const { reachability } = server;
  const isReached = reachability.status === 'reachable' && server.door === null;
  return {
    name: server.name,
    sight: isReached ? 'reachable' : (server.door?.message ?? (reachability.message || reachability.status)),
    reason: isReached ? 'Reachable' : server.door === null ? unseenReason(reachability) : (server.door.reason ?? 'ServerUnreachable'),
    missing: missingOn(context, server),
    packages: here.flatMap((entry) => adminPackage(context, entry) ?? []),
    engines: engines.map(({ key, app, nome, versao, present }) => {
      const state = (recorder.last(key)?.state ?? 'unknown') as EngineState;
      return { app, nome, versao, state, bytes: present?.bytes ?? null };
    }),
    running: runningOn(context, server),
  };
}

/** A row per Linux package, with every app that asks for it. */
function missingOn(context: Context, server: ServerEntry): AdminServer['missing'] {
  const asking = askingOn(context, server);
  return (server.inventory?.missing ?? []).flatMap((requirement) => {
    const apps = [...new Set(asking.flatMap(([app, required]) => (required.includes(requirement) ? [app] : [])))].sort();
    return apps.length === 0 ? [] : [{ package: requirement, apps, line: installLine([requirement]) }];
  });
}

function adminPackage(context: Context, entry: PackageEntry): AdminPackage | null {
  const view = installView(context, entry);
  if (!view) return null;
  const installed = installedAt(context.entries, entry.target);
  return {
    ...view,
    person: entry.target.person,
    installed: installed?.version ?? null,
    drift: installed?.delivered === null,
    previous: versionBefore(context, entry),
    paused: packageDesired(entry).paused,
  };
}

function runningOn({ entries }: Context, server: ServerEntry): AdminServer['running'] {
  const people = [...entries.people.values()].filter((person) => person.server === server);
  return people.flatMap((person) =>
    [...person.backends.values()].flatMap(({ app, decision, memory }) => {
      const snapshot = person.link.snapshot(app);
      if (!snapshot?.process || decision === null) return [];
      const version = decision.stale ? null : (snapshot.installed?.version ?? null);
      const sinceMs = memory?.context.sinceMs ?? snapshot.sinceMs;
      return [{ person: person.name, app, version, state: decision.state, sinceMs, stale: decision.stale }];
    }),
  );
}
