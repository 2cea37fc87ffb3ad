/** Observes the servers beside packages: their engines, and which Linux packages they lack. */
import { ageMs } from '../clock/age.ts';
import { limits } from '../limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { Context } from '../context.ts';
import { syncEngines } from '../package-entries.ts';
import type { ServerEntry } from '../entries.ts';

/** Which apps ask for Linux packages on the server, and for which: what is installed, wanted or offered. */
export function askingOn(
  { entries, offers }: Context,
  server: ServerEntry,
): readonly (readonly [app: string, required: readonly string[]])[] {
  const asking: (readonly [string, readonly string[]])[] = [];
  const add = (app: string, manifest: Pick<Manifest, 'requiredPackages'> | undefined): void => {
    const required = (manifest?.requiredPackages ?? []).filter(isRequirement);
    if (required.length > 0) asking.push([app, required]);
  };
  for (const { app, manifest } of server.system.values()) add(app, manifest);
  for (const person of entries.people.values()) {
    if (person.server === server) for (const { app, manifest } of person.own) add(app, manifest);
  }
  for (const { target, offer } of entries.packages.values()) if (target.server === server.name) add(target.app, offer?.manifest);
  for (const { id, versions } of offers.last().apps) add(id, versions[0]?.manifest);
  return asking;
}

export function requirementsOn(context: Context, server: ServerEntry): ReadonlySet<string> {
  return new Set(askingOn(context, server).flatMap(([, required]) => required));
}

/** Names as in `requiredPackages` (rules 2.1): any other text never reaches an argv. */
const isRequirement = (text: string): boolean => /^[a-z0-9][a-z0-9+.-]*(?:\s*\|\s*[a-z0-9][a-z0-9+.-]*)*$/.test(text);

/** Reads engines and Linux packages of a server; if it does not answer, the last result is kept. */
export async function observeInventory(context: Context, server: ServerEntry): Promise<void> {
  const { entries, options, queue, recorder } = context;
  const asked = requirementsOn(context, server);
  server.inventoryAtMs = options.clock.nowMs();
  try {
    // Before the answer, so that what changes meanwhile makes it due again.
    const mark = await server.host.inventoryMark();
    const seen = await server.host.inventory([...asked]);
    server.inventoryMark = mark;
    const same = JSON.stringify(seen) === JSON.stringify(server.inventory);
    server.inventoryOf = asked;
    if (!same) server.inventory = seen;
    for (const key of syncEngines(entries, server)) recorder.forget(key);
    for (const { key, server: of } of entries.engines.values()) if (of === server) queue.add(key, false);
    if (!same) for (const { key, target } of entries.packages.values()) if (target.server === server.name) queue.add(key, false);
  } catch (error) {
    options.log.warn({ key: server.key, error: (error as Error).message }, 'the server could not be asked for engines and Linux packages');
  }
}

/** Whether engines or Linux packages changed (each observation of the server compares their mark, and sets the age to 0), or the answer is old. */
export function inventoryDue({ options }: Context, server: ServerEntry): boolean {
  if (server.reachability.status !== 'reachable') return false;
  const sinceMs = ageMs(options.clock.nowMs(), server.inventoryAtMs);
  return server.inventory === null || sinceMs >= limits.inventoryPollMs;
}
