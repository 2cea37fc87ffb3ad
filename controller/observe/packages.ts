/** Observes the packages of a server and updates its people's backends. */
import type { Context } from '../context.ts';
import { syncEngines } from '../package-entries.ts';
import { createBreath } from '../clock/slices.ts';
import { documentsOf, isUntouched, touchedPeople, type ServerEntry } from '../entries.ts';
import { observeServer } from './server.ts';
import { enqueuePerson, tookPackages } from './people.ts';

/** Observes the packages of a server and updates the backends. */
export async function observePackages(context: Context, name: string): Promise<void> {
  const { entries, queue, options, recorder } = context;
  const server = entries.servers.get(name);
  if (!server) return;
  const before = server.reachability;
  const changed = await observeServer(entries, server, () => options.clock.nowMs());
  await observeMark(server);
  const breath = createBreath();
  const written: Promise<void>[] = [];
  for (const person of changed) {
    // Nothing depends on the packages of a person who never came.
    if (isUntouched(person)) continue;
    queue.add(person.key, false);
    written.push(tookPackages(context, person));
    await breath();
  }
  await Promise.all(written);
  // A Grant document waits for its app.
  if (changed.length > 0) for (const { key } of documentsOf(entries, 'Grant')) queue.add(key, false);
  for (const key of syncEngines(entries, server)) recorder.forget(key);
  for (const entry of entries.packages.values()) if (entry.target.server === name) queue.add(entry.key, false);
  if (before === server.reachability) return;
  for (const person of touchedPeople(entries)) if (person.server === server) enqueuePerson(context, person, false);
}

/** The stamp changed since the inventory was taken: it is due, regardless of its age. */
async function observeMark(server: ServerEntry): Promise<void> {
  if (server.reachability.status !== 'reachable') return;
  const mark = await server.host.inventoryMark().catch(() => null);
  if (mark !== null && mark !== server.inventoryMark) server.inventoryAtMs = 0;
}
