/**
 * What the controller knows, in memory: who and what is wanted, and what was seen of it last. Plain records that the observers
 * write and the reconcilers' inputs are built from; every value is replaced, never changed in place, so that "nothing changed" is
 * a comparison of references.
 */
import type { HostSight, ProbeResult, BackendDecision, BackendMemory, BackendObserved } from '../reconcilers/backend-types.ts';
import type { AppSnapshot } from '../schema/backend.ts';
import type { BackendDocument, GrantDocument, PersonDocument, Place, PortalDocument, ServerDocument } from '../schema/desired/documents.ts';
import type { ServerPlace } from '../schema/server-paths.ts';
import type { InForce, PlacedDocument } from './desired/in-force.ts';
import type { ServiceDecision, ServiceProbe } from '../reconcilers/service.ts';
import type { KitState } from './servers/kit-work.ts';
import type { Host, InstalledPackage, Inventory } from './hosts/host.ts';
import type { SupervisorLink } from './observe/supervisor-link.ts';
import type { HeldRollback, InstallWish, Intent, WindowCount } from './store/store.ts';
import { syncPackages, type EngineEntry, type PackageEntry, type PackageTask } from './world-packages.ts';

export interface PlacedOf<Document> {
  readonly document: Document;
  readonly place: Place;
  readonly generation: number;
}

export interface Token {
  readonly value: string;
  /** Another one for each token: goes into the generation of a route. */
  readonly serial: number;
  /** Identity of the process that it was last asked for; null when none lived then. */
  readonly process: string | null;
}

export interface ServerEntry {
  readonly key: string;
  readonly name: string;
  placed: PlacedOf<ServerDocument>;
  /** Its document is gone; it stays while something still has to leave it. */
  leaving: boolean;
  readonly host: Host;
  /** The administrator's side of it; null for a local server. */
  readonly kit: KitState | null;
  /** Server-scope apps, by id. */
  readonly services: Map<string, ServiceEntry>;
  sight: HostSight;
  /** System scope, by app. */
  system: ReadonlyMap<string, InstalledPackage>;
  /** Packages that stand there and can't be read. */
  bad: readonly string[];
  lookedAtMs: number;
  /** Looks are counted as they begin; `lookTold` is the youngest one that was believed. */
  looksBegun: number;
  lookTold: number;
  /** Engines, Linux packages that lack; null before the first look. */
  inventory: Inventory | null;
  /** The requirements that the inventory was asked for. */
  inventoryOf: ReadonlySet<string>;
  inventoryAtMs: number;
  /** Apps of the system scope whose instances end because the package goes. */
  removing: ReadonlySet<string>;
}

/** One backend for all people of a server (spec 2.1 `escopo: servidor`). */
export interface ServiceEntry {
  readonly key: string;
  readonly app: string;
  probe: ServiceProbe | null;
  probing: boolean;
  decision: ServiceDecision | null;
}

export interface PersonEntry {
  readonly key: string;
  readonly name: string;
  placed: PlacedOf<PersonDocument>;
  /** The document is gone: the apps end, then the supervisor, then the sessions. */
  leaving: boolean;
  server: ServerEntry;
  readonly account: string;
  readonly link: SupervisorLink;
  /** By app: the person's own before the server's. */
  packages: ReadonlyMap<string, InstalledPackage>;
  /** The youngest look at the server that told of these packages. */
  lookTold: number;
  place: ServerPlace | null;
  accountSeen: boolean | null;
  session: boolean;
  sessionSinceMs: number | null;
  /** Whether the two above were ever compared with the store. */
  sessionLooked: boolean;
  /** Apps of the person's own scope whose instances end because the package goes. */
  removing: ReadonlySet<string>;
  readonly backends: Map<string, BackendEntry>;
}

export interface BackendEntry {
  readonly key: string;
  readonly person: PersonEntry;
  readonly app: string;
  document: PlacedOf<BackendDocument> | null;
  intent: Intent | null;
  windows: WindowCount | null;
  probe: ProbeResult | null;
  probing: boolean;
  refused: BackendObserved['refused'];
  token: Token | null;
  /** The last step told to the person's pages. */
  step: AppSnapshot['step'];
  decision: BackendDecision | null;
  memory: BackendMemory | null;
  /** The inputs of the last decision, to see that nothing changed. */
  memo: readonly unknown[] | null;
}

/** One Grant document. */
export interface GrantEntry {
  readonly key: string;
  readonly name: string;
  placed: PlacedOf<GrantDocument>;
  leaving: boolean;
  /** What the last attempt was refused with. */
  refused: string | null;
}

export interface World {
  inForce: InForce;
  portal: PlacedOf<PortalDocument> | null;
  /** Backend documents, by person and app. */
  pinned: ReadonlyMap<string, ReadonlyMap<string, PlacedOf<BackendDocument>>>;
  readonly servers: Map<string, ServerEntry>;
  readonly people: Map<string, PersonEntry>;
  /** By name: that of the document, or `<person>/<app>`. */
  readonly packages: Map<string, PackageEntry>;
  byTarget: ReadonlyMap<string, PackageEntry>;
  readonly engines: Map<string, EngineEntry>;
  /** Runs of the installer, by target: one at a time for each. */
  readonly tasks: Map<string, PackageTask>;
  /** As the api left them in the store: by `<person>/<app>`, and by key. */
  wishes: ReadonlyMap<string, InstallWish>;
  rollbacks: ReadonlyMap<string, HeldRollback>;
  readonly backends: Map<string, BackendEntry>;
  /** By name of the document. */
  readonly grants: Map<string, GrantEntry>;
}

/** Makes what a document needs to be worked on; `svc plan` gives one that makes nothing new act. */
export interface WorldFactory {
  host(document: ServerDocument): Host;
  kit?(document: ServerDocument): KitState | null;
  link(person: string, account: string, host: Host): SupervisorLink;
  memory(key: string): BackendMemory | null;
}

export function emptyWorld(inForce: InForce): World {
  return {
    inForce,
    portal: null,
    pinned: new Map(),
    servers: new Map(),
    people: new Map(),
    packages: new Map(),
    byTarget: new Map(),
    engines: new Map(),
    tasks: new Map(),
    wishes: new Map(),
    rollbacks: new Map(),
    backends: new Map(),
    grants: new Map(),
  };
}

/** Brings the records in line with what is in force. Answers the keys that went, whose statuses are to be forgotten. */
export function syncWorld(world: World, inForce: InForce, factory: WorldFactory): readonly string[] {
  const before = keysOf(world);
  world.inForce = inForce;
  world.portal = wantedOf<PortalDocument>(inForce, 'Portal')[0]?.placed ?? null;
  syncServers(world, inForce, factory);
  syncPeople(world, inForce, factory);
  syncPackages(world);
  world.pinned = pinnedOf(inForce);
  syncGrants(world, inForce);
  for (const person of world.people.values()) syncBackends(world, person, factory);
  const after = keysOf(world);
  return [...before].filter((key) => !after.has(key));
}

/** Of everything but engines, which follow the looks at their server. */
function keysOf(world: World): Set<string> {
  const keys = new Set<string>(world.backends.keys());
  for (const name of world.servers.keys()) keys.add(`Server/${name}`);
  for (const name of world.packages.keys()) keys.add(`Package/${name}`);
  for (const name of world.grants.keys()) keys.add(`Grant/${name}`);
  for (const name of world.people.keys()) keys.add(`Person/${name}`).add(`Supervisor/${name}`);
  return keys;
}

function syncGrants(world: World, inForce: InForce): void {
  const wanted = new Map(wantedOf<GrantDocument>(inForce, 'Grant').map((one) => [one.placed.document.metadata.name, one]));
  for (const name of world.grants.keys()) if (!wanted.has(name)) world.grants.delete(name);
  for (const [name, { placed, leaving }] of wanted) {
    const entry = world.grants.get(name) ?? { key: `Grant/${name}`, name, placed, leaving, refused: null };
    // What another content was refused with says nothing of this one.
    world.grants.set(name, Object.assign(entry, { placed, leaving, refused: entry.placed === placed ? entry.refused : null }));
  }
}

interface Wanted<Document> {
  readonly placed: PlacedOf<Document>;
  readonly leaving: boolean;
}

export function wantedOf<Document extends PlacedDocument['document']>(inForce: InForce, kind: Document['kind']): Wanted<Document>[] {
  const of = (from: Iterable<PlacedDocument>, leaving: boolean): Wanted<Document>[] =>
    [...from]
      .filter((placed) => placed.document.kind === kind)
      .map((placed) => ({ placed: placed as unknown as PlacedOf<Document>, leaving }));
  return [...of(inForce.documents.values(), false), ...of(inForce.leaving.values(), true)];
}

function syncServers(world: World, inForce: InForce, factory: WorldFactory): void {
  const wanted = new Map(wantedOf<ServerDocument>(inForce, 'Server').map((one) => [one.placed.document.metadata.name, one]));
  for (const [name, entry] of world.servers) {
    if (wanted.get(name)?.placed.document === entry.placed.document) continue;
    entry.kit?.admin.close();
    // Connections of a document that is not in force any more: a key that was taken back opens nothing from here on.
    void entry.host.close();
    world.servers.delete(name);
  }
  for (const [name, { placed, leaving }] of wanted) {
    const entry: ServerEntry = world.servers.get(name) ?? {
      key: `Server/${name}`,
      name,
      placed,
      leaving,
      host: factory.host(placed.document),
      kit: factory.kit?.(placed.document) ?? null,
      services: new Map(),
      sight: { status: 'unknown', message: 'not looked at yet' },
      system: new Map(),
      bad: [],
      lookedAtMs: 0,
      looksBegun: 0,
      lookTold: 0,
      inventory: null,
      inventoryOf: new Set(),
      inventoryAtMs: 0,
      removing: new Set(),
    };
    world.servers.set(name, Object.assign(entry, { placed, leaving }));
  }
}

function syncPeople(world: World, inForce: InForce, factory: WorldFactory): void {
  const wanted = new Map(wantedOf<PersonDocument>(inForce, 'Person').map((one) => [one.placed.document.metadata.name, one]));
  for (const [name, entry] of world.people) {
    const document = wanted.get(name)?.placed.document;
    const host = document && world.servers.get(document.spec.server)?.host;
    if (document && host === entry.server.host && accountOf(document) === entry.account) continue;
    entry.link.close();
    for (const backend of entry.backends.values()) world.backends.delete(backend.key);
    world.people.delete(name);
  }
  for (const [name, { placed, leaving }] of wanted) {
    const server = world.servers.get(placed.document.spec.server);
    if (!server) continue;
    const entry = world.people.get(name) ?? newPerson(name, placed, server, factory);
    world.people.set(name, Object.assign(entry, { placed, leaving, server }));
  }
}

function newPerson(name: string, placed: PlacedOf<PersonDocument>, server: ServerEntry, factory: WorldFactory): PersonEntry {
  const account = accountOf(placed.document);
  return {
    key: `Person/${name}`,
    name,
    placed,
    leaving: false,
    server,
    account,
    link: factory.link(name, account, server.host),
    packages: new Map(),
    lookTold: 0,
    place: null,
    accountSeen: null,
    session: false,
    sessionSinceMs: null,
    sessionLooked: false,
    removing: new Set(),
    backends: new Map(),
  };
}

function accountOf(document: PersonDocument): string {
  return document.spec.account ?? document.metadata.name;
}

function pinnedOf(inForce: InForce): World['pinned'] {
  const pinned = new Map<string, Map<string, PlacedOf<BackendDocument>>>();
  for (const { placed, leaving } of wantedOf<BackendDocument>(inForce, 'Backend')) {
    if (leaving) continue;
    const { pessoa, app } = placed.document.spec;
    const ofPerson = pinned.get(pessoa) ?? new Map<string, PlacedOf<BackendDocument>>();
    pinned.set(pessoa, ofPerson.set(app, placed));
  }
  return pinned;
}

/** The backends of a person are what is installed, what is pinned, what the supervisor knows and what was asked for. */
export function syncBackends(world: World, person: PersonEntry, factory: Pick<WorldFactory, 'memory'>): void {
  const pinned = world.pinned.get(person.name) ?? new Map<string, PlacedOf<BackendDocument>>();
  const live = person.link.snapshots().filter(isLive);
  const apps = new Set([...person.packages.keys(), ...pinned.keys(), ...live.map((snapshot) => snapshot.app)]);
  // What was never looked at is not known to be gone.
  const seen = person.server.sight.status === 'reachable' && person.accountSeen === true;
  for (const [app, entry] of person.backends) {
    if (!seen || apps.has(app) || entry.intent !== null) continue;
    person.backends.delete(app);
    world.backends.delete(entry.key);
  }
  for (const app of apps) backendOf(world, person, app, factory).document = pinned.get(app) ?? null;
}

/** Something of it is on the server still: what is only remembered there is no object here. */
export function isLive(snapshot: AppSnapshot): boolean {
  return snapshot.wanted || snapshot.process !== null || snapshot.installed !== null;
}

/** The entry of a backend, made when it is first asked for. */
export function backendOf(world: World, person: PersonEntry, app: string, factory: Pick<WorldFactory, 'memory'>): BackendEntry {
  const found = person.backends.get(app);
  if (found) return found;
  const key = `Backend/${person.name}/${app}`;
  const made: BackendEntry = {
    key,
    person,
    app,
    document: null,
    intent: null,
    windows: null,
    probe: null,
    probing: false,
    refused: null,
    token: null,
    step: null,
    decision: null,
    memory: factory.memory(key),
    memo: null,
  };
  person.backends.set(app, made);
  world.backends.set(key, made);
  return made;
}
