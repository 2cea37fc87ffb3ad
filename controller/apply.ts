/** Puts a folder in force: updates the entries from the documents and decides every key again. */
import { setImmediate as turn } from 'node:timers/promises';
import { endOrders } from './execute/orders.ts';
import { observePackages } from './observe/packages.ts';
import { adopt, divideStrangers } from './observe/strangers.ts';
import { syncEntries } from './sync-entries.ts';
import { touchedPeople } from './entries.ts';
import { keys } from '../schema/keys.ts';
import type { Context } from './context.ts';
import type { Prune } from './desired/in-force.ts';
import type { Log } from './work/record.ts';
import { createBreath } from './clock/slices.ts';

/** Reads the folder if it changed and takes it in force. */
export async function rereadFolder(context: Context, prune: Prune): Promise<void> {
  const { source, options } = context;
  const before = { errors: source.errors(), held: source.current().held };
  const changed = await source.reread(prune);
  if (changed) logFolder(options.log, before, { errors: source.errors(), held: source.current().held });
  if (context.entries.inForce !== context.source.current()) await applyInForce(context);
}

interface FolderNews {
  readonly errors: readonly string[];
  readonly held: readonly string[];
}

/** `tell`: also to who sits before a terminal (bin/up/terminal-log.ts). */
function logFolder(log: Log, before: FolderNews, now: FolderNews): void {
  if (now.errors.length > 0) log.error({ errors: now.errors }, 'the folder has errors; the last good state stays in force');
  else if (before.errors.length > 0) log.info({ tell: true }, 'the errors of the folder are mended; it is in force');
  if (now.held.length > 0 && now.held.join() !== before.held.join())
    log.warn(
      { tell: true, held: now.held },
      'documents are gone from the folder, or people from their group: nothing is removed until svc apply --prune',
    );
  else if (now.held.length === 0 && before.held.length > 0) log.info({ tell: true }, 'nothing is held back any more');
}

/** Updates the entries from the documents in force. */
export async function applyInForce(context: Context): Promise<void> {
  const { source, entries, factory, recorder, queue, options } = context;
  const shut: (readonly [string, string])[] = [];
  for (const key of syncEntries(entries, source.current(), factory, (person, app) => shut.push([person, app]))) recorder.forget(key);
  endOrders(entries);
  // Ends their connections, also those to a server-scope app, which runs on for others.
  for (const [person, app] of shut)
    options.bus.publish(person, { type: 'app-status', app, status: 'stopped', ready: false, reason: 'NotInGroup', message: '' });
  await context.credentials.endOfGoneServers(entries);
  await turn();
  // New people are observed before the first decision, so that a running app is never taken for stopped.
  const strangers = await divideStrangers(context);
  const unseen = [...entries.servers.values()].filter((server) => server.observedAtMs === 0 && !server.lost).map((server) => server.name);
  const names = new Set([...unseen, ...strangers.map((person) => person.server.name)]);
  await Promise.all([...names].map((name) => observePackages(context, name)));
  await adopt(strangers);
  await context.refresh();
  options.bus.peopleChanged();
  // The other portals take what is in force from the store.
  if (options.leads ?? true) options.bus.enqueue(keys.portal(entries.portal?.document.metadata.name ?? 'portal'), false);
  const breath = createBreath();
  // A person who never came has no page, and runs nothing that calls.
  for (const person of touchedPeople(entries)) {
    options.bus.publish(person.name, { type: 'apps-changed' });
    await breath();
  }
  for (const key of context.everyKey()) {
    queue.add(key, false);
    await breath();
  }
}
