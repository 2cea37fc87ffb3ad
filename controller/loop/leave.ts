/** Removing a document removes what it owned (design 4): packages from the server, and a person's apps, supervisor and sessions. */
import type { Context } from './context.ts';
import { execute } from '../execute/executors.ts';
import { installedAt } from './package-inputs.ts';
import { applyInForce } from './refresh.ts';
import { targetKey, type PackageEntry } from '../world-packages.ts';
import type { PersonEntry } from '../world.ts';

/** True when nothing of the package is left to remove, or another document wants it. */
export async function leavePackage(context: Context, entry: PackageEntry): Promise<boolean> {
  const { world, source } = context;
  const same = targetKey(entry.target);
  // Only the document's name changed, or its person wants it too: another one wants what stands there.
  const taken = [...world.packages.values()].some((other) => !other.leaving && targetKey(other.target) === same);
  const server = world.servers.get(entry.target.server);
  const gone = server?.sight.status === 'reachable' && installedAt(world, entry.target) === undefined && !world.tasks.has(same);
  if (!taken && server !== undefined && !gone) return false;
  await source.finishLeaving(entry.key);
  await applyInForce(context);
  return true;
}

/** Asked again at each resync until nothing of the person lives. */
export async function leavePerson(context: Context, person: PersonEntry): Promise<void> {
  const { world, source, options, executors } = context;
  await options.store.deleteSessionsOf(person.name);
  // Before the supervisor ends: the longer the person outlives it, the likelier it is started again.
  await options.store.rooms.forgetPerson(person.name, options.clock.nowMs());
  const taken = [...world.people.values()].some(
    (other) => !other.leaving && other.server.name === person.server.name && other.account === person.account,
  );
  if (!taken && person.accountSeen !== false) {
    const { link, name } = person;
    if (link.view().status !== 'up') await execute(executors, { kind: 'supervisor/ensure', person: name });
    if (link.view().status !== 'up') return;
    const living = link.snapshots().filter((snapshot) => snapshot.wanted || snapshot.process !== null);
    for (const { app } of living) {
      await execute(executors, { kind: 'backend/stop', person: name, app, requestId: `saida-${name}`, reason: 'Uninstalled' });
    }
    if (living.length > 0) return;
    await execute(executors, { kind: 'supervisor/end', person: name });
  }
  // What they asked for goes with them: whoever gets the name later is another one.
  for (const { person: whose, app, requestId } of world.wishes.values()) {
    if (whose === person.name) await options.store.deleteInstallWish(whose, app, requestId);
  }
  await source.finishLeaving(person.key);
  await applyInForce(context);
}
