/** What people asked for and which rollbacks are held, as the api left it in the store, and what the servers lack. */
import { limits } from '../../schema/limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { HeldRollback, InstallWish } from '../store/store.ts';
import { syncEngines, syncPackages, targetKey } from '../world-packages.ts';
import type { ServerEntry } from '../world.ts';
import type { Context } from './context.ts';
import { installedAt } from './package-inputs.ts';
import { tellGone } from './package-news.ts';

/** Reads both levels and makes the entries follow. Answers whether anything changed. */
export async function refreshInstalls(context: Context): Promise<boolean> {
  const { world, options, queue, recorder } = context;
  const { store } = options;
  const [wishes, rollbacks] = await Promise.all([store.installWishes(), store.rollbacks()]);
  const kept: InstallWish[] = [];
  for (const wish of wishes) {
    const next = await settleWish(context, wish);
    if (next !== null) kept.push(next);
  }
  const byName = new Map(kept.map((wish) => [`${wish.person}/${wish.app}`, wish]));
  const byKey = new Map(rollbacks.map((rollback) => [rollback.key, rollback]));
  if (sameWishes(world.wishes, byName) && sameRollbacks(world.rollbacks, byKey)) return false;
  const before = new Map(world.packages);
  world.wishes = byName;
  world.rollbacks = byKey;
  syncPackages(world);
  for (const [name, { key }] of before) if (!world.packages.has(name)) recorder.forget(key);
  for (const entry of world.packages.values()) queue.add(entry.key, entry.wanted.by === 'wish');
  return true;
}

/**
 * The wish that is in force; null when it ended. "Cancel", and "remove" while its installation runs, mean: what is there now is wanted
 * again, and nothing if there is nothing. Nobody knows what is there before the server was looked at.
 */
async function settleWish({ world, options }: Context, wish: InstallWish): Promise<InstallWish | null> {
  const { person, app, version, requestId, cancels } = wish;
  const entry = world.people.get(person);
  if (version !== null || !entry) return wish;
  if (entry.accountSeen !== true || entry.server.sight.status !== 'reachable') return cancels === true ? null : wish;
  const target = { server: entry.server.name, app, scope: 'pessoa', person } as const;
  const task = world.tasks.get(targetKey(target));
  const decided = world.byTarget.get(targetKey(target))?.wanted.by === 'document';
  if (task?.act !== 'install' && !decided && cancels !== true) return wish;
  if (task?.act === 'install' && !decided) task.abort.abort();
  const before = installedAt(world, target)?.version ?? null;
  if (before !== null && !decided) {
    const kept: InstallWish = { person, app, version: before, requestId, atMs: wish.atMs };
    await options.store.putInstallWish(kept);
    return kept;
  }
  await options.store.deleteInstallWish(person, app, requestId);
  if (!decided) tellGone(options.bus, person, app, true);
  return null;
}

function sameWishes(a: ReadonlyMap<string, InstallWish>, b: ReadonlyMap<string, InstallWish>): boolean {
  if (a.size !== b.size) return false;
  return [...b].every(([name, { requestId, version }]) => a.get(name)?.requestId === requestId && a.get(name)?.version === version);
}

function sameRollbacks(a: ReadonlyMap<string, HeldRollback>, b: ReadonlyMap<string, HeldRollback>): boolean {
  if (a.size !== b.size) return false;
  return [...b].every(([key, { requestId }]) => a.get(key)?.requestId === requestId);
}

/** Which apps ask for Linux packages on the server, and for which: what is installed, wanted or offered. */
export function askingOn(
  { world, offers }: Context,
  server: ServerEntry,
): readonly (readonly [app: string, required: readonly string[]])[] {
  const asking: (readonly [string, readonly string[]])[] = [];
  const add = (app: string, manifest: Pick<Manifest, 'requiredPackages'> | undefined): void => {
    const required = (manifest?.requiredPackages ?? []).filter(isRequirement);
    if (required.length > 0) asking.push([app, required]);
  };
  for (const { app, manifest } of server.system.values()) add(app, manifest);
  for (const person of world.people.values()) {
    if (person.server === server) for (const { app, manifest } of person.packages.values()) add(app, manifest);
  }
  for (const { target, offer } of world.packages.values()) if (target.server === server.name) add(target.app, offer?.manifest);
  for (const { id, versions } of offers.last().apps) add(id, versions[0]?.manifest);
  return asking;
}

export function requirementsOn(context: Context, server: ServerEntry): ReadonlySet<string> {
  return new Set(askingOn(context, server).flatMap(([, required]) => required));
}

/** Source: spec 2.1 `requiredPackages`: what is no name never reaches an argv. */
const isRequirement = (text: string): boolean => /^[a-z0-9][a-z0-9+.-]*(?:\s*\|\s*[a-z0-9][a-z0-9+.-]*)*$/.test(text);

/** Looks at engines and Linux packages of a server; one that does not answer keeps what was known. */
export async function lookAtInventory(context: Context, server: ServerEntry): Promise<void> {
  const { world, options, queue, recorder } = context;
  const asked = requirementsOn(context, server);
  server.inventoryAtMs = options.clock.nowMs();
  try {
    const seen = await server.host.inventory([...asked]);
    const same = JSON.stringify(seen) === JSON.stringify(server.inventory);
    server.inventoryOf = asked;
    if (!same) server.inventory = seen;
    for (const key of syncEngines(world, server)) recorder.forget(key);
    for (const { key, server: of } of world.engines.values()) if (of === server) queue.add(key, false);
    if (!same) for (const { key, target } of world.packages.values()) if (target.server === server.name) queue.add(key, false);
  } catch (error) {
    options.log.warn({ key: server.key, error: (error as Error).message }, 'the server could not be asked for engines and Linux packages');
  }
}

/** Whether somebody waits for a Linux package, or the answer is older than the look at the server itself. */
export function inventoryDue({ world, options }: Context, server: ServerEntry): boolean {
  if (server.sight.status !== 'reachable') return false;
  const ageMs = options.clock.nowMs() - server.inventoryAtMs;
  if (server.inventory === null || ageMs >= limits.packageLookMs) return true;
  const waiting = [...world.packages.values()].some(
    ({ target, decision }) => target.server === server.name && decision?.reason === 'PackageMissing',
  );
  return waiting && ageMs >= limits.inventoryMs;
}
