/** Removing a document removes what it owned (design 4): packages from the server, and a person's apps, supervisor and sessions. */
import type { Context } from './context.ts';
import { execute } from '../execute/executors.ts';
import { packageDesired, packageObserved } from './inputs.ts';
import { applyInForce } from './refresh.ts';
import type { PackageEntry, PersonEntry } from '../world.ts';

/** True when nothing of the package is left to remove, or another document wants it. */
export async function leavePackage(context: Context, entry: PackageEntry): Promise<boolean> {
  const { world, source } = context;
  const same = targetOf(entry);
  // Only the document's name changed: another one wants what stands there.
  const taken = [...world.packages.values()].some((other) => !other.leaving && targetOf(other) === same);
  const seen = packageObserved(world, entry);
  const done =
    taken || !world.servers.has(entry.placed.document.spec.server) || (seen.host.status === 'reachable' && seen.installed === null);
  if (!done) return false;
  await source.finishLeaving(entry.key);
  await applyInForce(context);
  return true;
}

function targetOf(entry: PackageEntry): string {
  const { server, app, scope, person } = packageDesired(entry);
  return JSON.stringify([server, app, scope, person]);
}

/** Asked again at each resync until nothing of the person lives. */
export async function leavePerson(context: Context, person: PersonEntry): Promise<void> {
  const { world, source, options, executors } = context;
  await options.store.deleteSessionsOf(person.name);
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
  await source.finishLeaving(person.key);
  await applyInForce(context);
}
