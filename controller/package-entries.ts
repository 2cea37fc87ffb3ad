/**
 * Entries of packages and engines: `Package/<document>`, `Package/<person>/<app>` (what a person asked for) and
 * `Engine/<server>/<app>/<nome>/<versao>`. The types, and the rules for them, are in entries.ts.
 */
import { keys } from '../schema/keys.ts';
import type { PackageTarget } from '../reconcilers/actions.ts';
import type { PackageDocument } from '../schema/desired/documents.ts';
import type { Motor } from '../schema/manifest/manifest.ts';
import type { InstalledPackage } from './hosts/host.ts';
import {
  wantedOf,
  type EngineEntry,
  type PackageEntry,
  type PackageWanted,
  type ServerEntry,
  type Entries,
  type WaitingUpdate,
} from './entries.ts';

export function targetKey({ server, app, scope, person }: PackageTarget): string {
  return scope === 'sistema' ? `${server}\0${app}` : `${server}\0${app}\0${person}`;
}

function targetOf(wanted: PackageWanted): PackageTarget {
  if (wanted.by === 'wish') return { server: wanted.server, app: wanted.wish.app, scope: 'pessoa', person: wanted.wish.person };
  const { server, app, instalacao, pessoa } = wanted.placed.document.spec;
  const scope = instalacao ?? 'sistema';
  return { server, app, scope, person: scope === 'pessoa' ? (pessoa ?? null) : null };
}

/** Makes the entries follow documents, orders and held rollbacks. */
export function syncPackages(entries: Entries): void {
  const documents = wantedOf<PackageDocument>(entries.inForce, 'Package');
  const all = documents.map(({ placed, leaving }) => ({
    name: placed.document.metadata.name,
    wanted: { by: 'document', placed } as PackageWanted,
    leaving,
  }));
  // Documents win: an order for the same waits until the document is gone.
  const covered = new Set(all.filter(({ leaving }) => !leaving).map(({ wanted }) => targetKey(targetOf(wanted))));
  for (const wish of entries.wishes.values()) {
    const person = entries.people.get(wish.person);
    if (!person || person.leaving) continue;
    const wanted: PackageWanted = { by: 'wish', wish, server: person.server.name };
    if (!covered.has(targetKey(targetOf(wanted)))) all.push({ name: `${wish.person}/${wish.app}`, wanted, leaving: false });
  }
  const names = new Set(all.map(({ name }) => name));
  for (const [name, entry] of entries.packages) {
    if (names.has(name)) continue;
    entries.packages.delete(name);
    markRemoving(entries, entry.target, false);
    markUpdate(entries, entry.target, null);
  }
  for (const { name, wanted, leaving } of all) {
    const key = keys.package(name);
    const target = targetOf(wanted);
    const place = entries.servers.get(target.server)?.place;
    const rollback = entries.rollbacks.get(key) ?? null;
    const known = entries.packages.get(name);
    const entry: PackageEntry = known ?? { ...emptyEntry, key, name, wanted, target, place, leaving };
    // A new order retries, regardless of how the last attempt ended.
    if (!sameWanted(entry.wanted, wanted)) entry.failure = null;
    if (targetKey(entry.target) !== targetKey(target)) {
      markRemoving(entries, entry.target, false);
      markUpdate(entries, entry.target, null);
    }
    entries.packages.set(name, Object.assign(entry, { wanted, target, place, leaving, rollback }));
  }
  // Entries that leave come first, so that another entry with the same target replaces them.
  const sorted = [...entries.packages.values()].sort((one, other) => Number(other.leaving) - Number(one.leaving));
  entries.byTarget = new Map(sorted.map((entry) => [targetKey(entry.target), entry]));
}

const emptyEntry = {
  rollback: null,
  failure: null,
  offer: null,
  repository: null,
  offered: [],
  problem: null,
  refusedThere: null,
  source: null,
  decision: null,
};

function sameWanted(a: PackageWanted, b: PackageWanted): boolean {
  if (a.by === 'wish') return b.by === 'wish' && a.wish.requestId === b.wish.requestId && a.wish.version === b.wish.version;
  return b.by === 'document' && a.placed.document === b.placed.document;
}

/** Whether instances of the package are to end because it goes. True when that changed. */
export function markRemoving(entries: Entries, { server, app, scope, person }: PackageTarget, on: boolean): boolean {
  const holder = scope === 'sistema' ? entries.servers.get(server) : entries.people.get(person ?? '');
  if (!holder || holder.removing.has(app) === on) return false;
  const next = new Set(holder.removing);
  if (on) next.add(app);
  else next.delete(app);
  holder.removing = next;
  return true;
}

/** The update that waits until nobody runs what is there; null: none does. True when that changed. */
export function markUpdate(entries: Entries, { server, app, scope, person }: PackageTarget, update: WaitingUpdate | null): boolean {
  const holder = scope === 'sistema' ? entries.servers.get(server) : entries.people.get(person ?? '');
  const before = holder?.updates.get(app);
  if (!holder || wordsOf(before ?? null) === wordsOf(update)) return false;
  const next = new Map(holder.updates);
  if (update === null) next.delete(app);
  else next.set(app, update);
  holder.updates = next;
  return true;
}

const wordsOf = (update: WaitingUpdate | null): string => (update === null ? '' : [update.version, ...update.people].join(' '));

/** The package installed at a target; undefined: none. */
export function installedAt(entries: Entries, { server, app, scope, person }: PackageTarget): InstalledPackage | undefined {
  if (scope === 'sistema') return entries.servers.get(server)?.system.get(app);
  // Also what they may not use.
  return person === null ? undefined : entries.people.get(person)?.own.find((one) => one.app === app);
}

/** The object that wants the app to be there for the person; null when none does. */
export function wantedPackageOf(entries: Entries, server: string, app: string, person: string): string | null {
  const wants = ({ wanted, leaving }: PackageEntry): boolean => !leaving && (wanted.by === 'document' || wanted.wish.version !== null);
  return entriesOfApp(entries, server, app, person).find(wants)?.key ?? null;
}

/** The packages of an app that a person can run: their own and the server's. */
export function entriesOfApp(entries: Pick<Entries, 'byTarget'>, server: string, app: string, person: string): readonly PackageEntry[] {
  const own = entries.byTarget.get(targetKey({ server, app, scope: 'pessoa', person }));
  const shared = entries.byTarget.get(targetKey({ server, app, scope: 'sistema', person: null }));
  return [own, shared].filter((entry) => entry !== undefined);
}

/** Engines that are declared or installed there, one entry each; none before the first observation. Returns the keys that are gone. */
export function syncEngines(entries: Entries, server: ServerEntry): readonly string[] {
  const { inventory } = server;
  if (inventory === null) return [];
  const found = new Map<string, EngineEntry>();
  const entry = (app: string, nome: string, versao: string): EngineEntry => {
    const key = keys.engine(server.name, app, nome, versao);
    const known = found.get(key) ?? entries.engines.get(key);
    const one = known?.server === server ? known : { key, server, app, nome, versao, declared: false, present: null, failure: null };
    if (!found.has(key)) Object.assign(one, { declared: false, present: null });
    found.set(key, one);
    return one;
  };
  for (const [app, { manifest }] of server.system) {
    for (const motor of manifest.motores ?? [])
      if (belongsThere(motor, inventory.gpu)) entry(app, motor.nome, motor.versao).declared = true;
  }
  for (const { app, nome, versao, bytes } of inventory.engines) entry(app, nome, versao).present = { bytes };
  const gone = [...entries.engines.values()].filter((one) => one.server.name === server.name && !found.has(one.key));
  for (const { key } of gone) entries.engines.delete(key);
  for (const [key, one] of found) entries.engines.set(key, one);
  return gone.map(({ key }) => key);
}

/** Source: rules 2.3 `quando`. */
function belongsThere({ quando }: Motor, gpu: boolean): boolean {
  return quando !== 'gpu' || gpu;
}
