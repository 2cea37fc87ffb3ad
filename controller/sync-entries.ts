/** Updates the entries from the documents in force. */
import { createHash } from 'node:crypto';
import { keys } from '../schema/keys.ts';
import type { BackendDocument, DesiredKind, PersonDocument, PortalDocument, ServerDocument } from '../schema/desired/documents.ts';
import type { Drain } from '../reconcilers/backend-types.ts';
import type { InForce } from './desired/in-force.ts';
import type { PlacedDocument } from './desired/placed-document.ts';
import {
  backendOf,
  notObserved,
  reachabilityOf,
  syncBackends,
  wantedOf,
  type PersonEntry,
  type PlacedOf,
  type ServerEntry,
  type Entries,
  type EntryFactory,
} from './entries.ts';
import { limits } from './limits.ts';
import { syncClusters } from './jobs/sync-clusters.ts';
import { syncPackages } from './package-entries.ts';
import { syncRunBounds } from './run-bounds.ts';
import { isShut, syncGroups, takePackages } from './visible-packages.ts';

/** Called for each app that a person could run so far and may not use any more. */
type OnShut = (person: string, app: string) => void;

/** Updates the entries. Returns the keys that are gone, whose statuses are to be deleted. */
export function syncEntries(
  entries: Entries,
  inForce: InForce,
  factory: EntryFactory,
  onShut: OnShut = () => undefined,
): readonly string[] {
  const before = keysOf(entries);
  entries.inForce = inForce;
  entries.portal = wantedOf<PortalDocument>(inForce, 'Portal')[0]?.placed ?? null;
  syncServers(entries, inForce, factory);
  syncPeople(entries, inForce, factory);
  syncPackages(entries);
  syncGroups(entries);
  syncRunBounds(entries);
  shutAway(entries, onShut);
  entries.pinned = pinnedOf(inForce);
  syncDocuments(entries, inForce);
  syncClusters(entries, inForce, factory);
  for (const person of entries.people.values()) syncBackends(entries, person, factory);
  const after = keysOf(entries);
  return [...before].filter((key) => !after.has(key));
}

/** The groups of people, or those of a package, changed. People who were not observed yet have no packages. */
function shutAway(entries: Entries, onShut: OnShut): void {
  for (const person of entries.people.values()) {
    if (!person.waits && person.accountSeen !== true) continue;
    const before = person.packages;
    if (!takePackages(person, person.own)) continue;
    for (const app of before.keys()) if (isShut(person, app)) onShut(person.name, app);
  }
}

/** All but engines, which are updated by observations of their server. */
function keysOf(entries: Entries): Set<string> {
  const found = new Set<string>([...entries.backends.keys(), ...entries.documents.keys()]);
  for (const name of entries.servers.keys()) found.add(keys.server(name));
  for (const name of entries.packages.keys()) found.add(keys.package(name));
  for (const name of entries.clusters.keys()) found.add(keys.cluster(name));
  for (const name of entries.people.keys()) found.add(keys.person(name)).add(keys.supervisor(name));
  return found;
}

/** Kinds with entries of their own. */
const apart: ReadonlySet<string> = new Set<DesiredKind>(['Portal', 'Server', 'Person', 'Package', 'Backend', 'Cluster']);

function syncDocuments({ documents }: Entries, { documents: written, leaving }: InForce): void {
  const isPlain = ([, { document }]: [string, PlacedDocument]): boolean => !apart.has(document.kind);
  for (const key of documents.keys()) if (!written.has(key) && !leaving.has(key)) documents.delete(key);
  for (const [key, placed] of [...written, ...leaving].filter(isPlain)) {
    const known = documents.get(key);
    const entry = known?.placed === placed ? known : { key, name: placed.document.metadata.name, placed, leaving: false };
    documents.set(key, Object.assign(entry, { leaving: leaving.has(key) }));
  }
}

function syncServers(entries: Entries, inForce: InForce, factory: EntryFactory): void {
  const wanted = new Map(wantedOf<ServerDocument>(inForce, 'Server').map((one) => [one.placed.document.metadata.name, one]));
  for (const [name, entry] of entries.servers) {
    const document = wanted.get(name)?.placed.document;
    if (document !== undefined && isSamePlace(document, entry.placed.document)) continue;
    entry.kit?.admin.close();
    // Connections of a document that is not in force any more: a key that was taken back opens nothing from here on.
    void entry.host.close();
    entries.servers.delete(name);
  }
  for (const [name, { placed, leaving, lost }] of wanted) {
    const entry: ServerEntry = entries.servers.get(name) ?? {
      key: keys.server(name),
      name,
      placed,
      place: createHash('sha256').update(placeOf(placed.document)).digest('base64url').slice(0, 12),
      leaving,
      drain: null,
      lost,
      host: factory.host(placed.document),
      kit: factory.kit?.(placed.document) ?? null,
      services: new Map(),
      credentialsSwept: false,
      seen: notObserved,
      get reachability() {
        return reachabilityOf(this);
      },
      system: new Map(),
      bad: [],
      observedAtMs: 0,
      door: null,
      doorSeenAtMs: 0,
      observationStartedAtMs: 0,
      observationsStarted: 0,
      lastObservation: 0,
      nextAway: 0,
      nextResting: 0,
      everybody: false,
      inventory: null,
      inventoryOf: new Set(),
      inventoryAtMs: 0,
      inventoryMark: null,
      removing: new Set(),
      updates: new Map(),
      groupsOf: new Map(),
      maximoOf: new Map(),
    };
    const drain = drainOf(placed.document);
    const isSame = drain?.deadlineMs === entry.drain?.deadlineMs;
    entries.servers.set(name, Object.assign(entry, { placed, leaving, lost, ...(isSame ? {} : { drain }) }));
  }
}

/** Whether it goes on with the connections of the other document. */
export function isSamePlace(one: ServerDocument, other: ServerDocument): boolean {
  return one === other || placeOf(one) === placeOf(other);
}

const placeOf = ({ spec }: ServerDocument): string => JSON.stringify({ ...spec, drain: undefined });

function drainOf({ metadata, spec: { drain } }: ServerDocument): Drain | null {
  if (drain === undefined) return null;
  return { server: metadata.name, deadlineMs: drain.deadline === undefined ? null : Date.parse(drain.deadline) };
}

function syncPeople(entries: Entries, inForce: InForce, factory: EntryFactory): void {
  const wanted = new Map(wantedOf<PersonDocument>(inForce, 'Person').map((one) => [one.placed.document.metadata.name, one]));
  const known = new Map<string, PersonEntry>();
  for (const [name, entry] of entries.people) {
    const document = wanted.get(name)?.placed.document;
    const host = document && entries.servers.get(document.spec.server)?.host;
    if (document && host === entry.server.host && accountOf(document) === entry.account) continue;
    // Only the way to the server is another one: what was known of it holds until it is looked at.
    if (document?.spec.server === entry.server.name && accountOf(document) === entry.account) known.set(name, entry);
    entry.link.close();
    for (const backend of entry.backends.values()) entries.backends.delete(backend.key);
    entries.people.delete(name);
  }
  for (const [name, { placed, leaving }] of wanted) {
    const server = entries.servers.get(placed.document.spec.server);
    if (!server) continue;
    const entry = entries.people.get(name) ?? newPerson(name, placed, server, factory, entries.people.size % limits.restingLooks);
    // A person who came back before the removal was complete signs in again, and a later removal starts over.
    const anew = leaving ? {} : { signedOut: false, supervisorEnded: false };
    entries.people.set(name, Object.assign(entry, { placed, leaving, server, ...anew }));
    const before = known.get(name);
    if (before !== undefined) takeOver(entries, entry, before, factory);
  }
}

/** Its apps stay in sight, as unknown. */
function takeOver(entries: Entries, entry: PersonEntry, { own, packages, backends }: PersonEntry, factory: EntryFactory): void {
  Object.assign(entry, { own, packages });
  for (const { app, lastManifest } of backends.values()) backendOf(entries, entry, app, factory).lastManifest = lastManifest;
}

/** `uncheckedResyncs`: another one for each, since the supervisors that an earlier run left are met all at once. */
function newPerson(
  name: string,
  placed: PlacedOf<PersonDocument>,
  server: ServerEntry,
  factory: EntryFactory,
  uncheckedResyncs: number,
): PersonEntry {
  const account = accountOf(placed.document);
  return {
    key: keys.person(name),
    name,
    placed,
    leaving: false,
    server,
    account,
    link: factory.link(name, account, server.host),
    packages: new Map(),
    own: [],
    lookDue: false,
    lastObservation: 0,
    place: null,
    accountSeen: null,
    closed: null,
    waits: false,
    decided: false,
    session: false,
    sessionSinceMs: null,
    everSignedIn: false,
    sessionObserved: false,
    removing: new Set(),
    updates: new Map(),
    signedOut: false,
    erasure: null,
    moving: null,
    supervisorEnded: false,
    backends: new Map(),
    uncheckedResyncs,
    lastRounds: { person: null, supervisor: null },
  };
}

function accountOf(document: PersonDocument): string {
  return document.spec.account ?? document.metadata.name;
}

function pinnedOf(inForce: InForce): Entries['pinned'] {
  const pinned = new Map<string, Map<string, PlacedOf<BackendDocument>>>();
  for (const { placed, leaving } of wantedOf<BackendDocument>(inForce, 'Backend')) {
    if (leaving) continue;
    const { pessoa, app } = placed.document.spec;
    const ofPerson = pinned.get(pessoa) ?? new Map<string, PlacedOf<BackendDocument>>();
    pinned.set(pessoa, ofPerson.set(app, placed));
  }
  return pinned;
}
