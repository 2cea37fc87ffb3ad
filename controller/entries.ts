/**
 * The controller's memory: the desired state of each key and what was last observed of it. Plain records: the observers write them, the
 * inputs of the reconcilers are built from them. Values are replaced, never mutated, so a comparison of references shows whether something
 * changed.
 */
import type { Erasure } from '../schema/erasure.ts';
import type { AccountClosed } from '../schema/list-lines.ts';
import { neverStarted } from '../reconcilers/backend-memory.ts';
import { keys, kindOf } from '../schema/keys.ts';
import { createBoard, type JobBoard } from './jobs/board.ts';
import type { ClusterEntry } from './jobs/cluster-entry.ts';
import type { Cluster } from './clusters/cluster.ts';
import type {
  Reachability,
  ProbeResult,
  BackendDecision,
  BackendDesired,
  BackendMemory,
  BackendObserved,
  Drain,
} from '../reconcilers/backend-types.ts';
import type { UnpackedNow } from '../kit/repository/reading/unpacked-now.ts';
import type { Reason } from '../schema/backend.ts';
import type { Cause } from '../schema/cause.ts';
import type { AppSnapshot } from '../schema/supervisor-lines.ts';
import type {
  BackendDocument,
  ClusterDocument,
  DesiredKind,
  Document,
  PackageDocument,
  PersonDocument,
  Place,
  PortalDocument,
  ServerDocument,
} from '../schema/desired/documents.ts';
import type { Manifest } from '../schema/manifest/manifest.ts';
import type { ServerPlace } from '../schema/server-paths.ts';
import type { LeftOut } from '../reconcilers/members.ts';
import type { PeopleLook } from './desired/people-look.ts';
import type { InForce } from './desired/in-force.ts';
import type { PlacedDocument } from './desired/placed-document.ts';
import type { Kept } from './work/inputs.ts';
import type { PersonDesired, PersonObserved } from '../reconcilers/person.ts';
import type { SupervisorDesired, SupervisorObserved } from '../reconcilers/supervisor-process.ts';
import type { GrantObserved } from '../reconcilers/grant.ts';
import type { ServiceCredential, ServiceDecision, ServiceProbe } from '../reconcilers/service.ts';
import type { PortalSeen } from '../schema/portals.ts';
import type { KitState } from './hosts/server/kit-state.ts';
import type { Host, InstalledPackage, Inventory } from './hosts/host.ts';
import type { LinkView, SupervisorLink } from './observe/supervisor-link.ts';
import type { PackageTarget } from '../reconcilers/actions.ts';
import type { PackageDecision, PackageObserved } from '../reconcilers/package-types.ts';
import type { PackageProgress } from '../schema/packages.ts';
import type { OfferingRepository, Offers } from '../schema/shop-view.ts';
import type { HeldRollback, InstallWish, Intent, WindowCount } from '../store/store.ts';

export interface PlacedOf<Document> {
  readonly document: Document;
  readonly place: Place;
  readonly generation: number;
  /** See PlacedDocument. */
  readonly from?: string;
}

export interface Token {
  readonly value: string;
  /** Another one for each token: goes into the generation of a route. */
  readonly serial: number;
  /** Identity of the process that it was last asked for; null when none lived then. */
  readonly process: string | null;
}

export interface WaitingUpdate {
  /** The one that comes. */
  readonly version: string;
  /** People who run the version that is there. */
  readonly people: ReadonlySet<string>;
}

export interface ServerEntry {
  readonly key: string;
  readonly name: string;
  placed: PlacedOf<ServerDocument>;
  /** Its document is gone; it stays while something still has to leave it. */
  leaving: boolean;
  /** Mark of its document but for what changes no connection: where it is and how it is reached. */
  readonly place: string;
  /** By its document; the same value until that says otherwise. */
  drain: Drain | null;
  /** Its machine never comes back: nothing on it is asked for, ended or waited for any more. */
  lost: boolean;
  readonly host: Host;
  /** The administrator's side of it; null for a local server. */
  readonly kit: KitState | null;
  /** Server-scope apps, by id. */
  readonly services: Map<string, ServiceEntry>;
  /** Credentials of apps that are not there any more were looked for. */
  credentialsSwept: boolean;
  /** By the last observation. */
  seen: Reachability;
  /** Reachability that decisions use. */
  readonly reachability: Reachability;
  /** System scope, by app. */
  system: ReadonlyMap<string, InstalledPackage>;
  /** Packages that are on the disk and can't be read. */
  bad: readonly string[];
  observedAtMs: number;
  /** Why it takes no new connection, though those that are there go on; null: it does, or nobody knows. */
  door: Cause | null;
  doorSeenAtMs: number;
  /** Start time of the observation that the fields above come from. */
  observationStartedAtMs: number;
  /** Observations are numbered as they start; `lastObservation` is the newest one whose result was taken. */
  observationsStarted: number;
  lastObservation: number;
  /** Index of the person at whom the next observation of those who are away begins. */
  nextAway: number;
  /** The same of those who are here and at rest. */
  nextResting: number;
  /** The next observation is of everybody: an administrator asked for it. */
  everybody: boolean;
  /** Engines, Linux packages that lack; null before the first observation. */
  inventory: Inventory | null;
  /** The requirements that the inventory was asked for. */
  inventoryOf: ReadonlySet<string>;
  inventoryAtMs: number;
  /** As it was when the inventory was asked for; null before. */
  inventoryMark: string | null;
  /** Apps of the system scope whose instances end because the package goes. */
  removing: ReadonlySet<string>;
  /** Apps of the system scope whose update waits until nobody runs them. */
  updates: ReadonlyMap<string, WaitingUpdate>;
  /** The longest that an app runs at once, by `boundKey`. */
  maximoOf: ReadonlyMap<string, number>;
  /** Apps that only people in one of these groups see. */
  groupsOf: ReadonlyMap<string, readonly string[]>;
}

/** A backend for all people of a server (rules 2.1 `escopo: servidor`). */
export interface ServiceEntry {
  readonly key: string;
  readonly server: ServerEntry;
  readonly app: string;
  probe: ServiceProbe | null;
  probing: boolean;
  /** Its portal credential as it was seen last; null: to be observed. */
  credential: ServiceCredential | null;
  /** When it was observed or acted on last; 0: to be observed now. */
  credentialSeenMs: number;
  /** Package that it was seen with. */
  credentialOf: string;
  decision: ServiceDecision | null;
}

export interface Moving {
  readonly to: string;
  /** Once their apps are to end. */
  readonly drain: Drain | null;
  /** Nothing runs there any more, and their supervisor is not started again. */
  readonly ends: boolean;
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
  /** The packages among them that the person installed. */
  own: readonly InstalledPackage[];
  /** Their supervisor knows another package than the observation of their home did. */
  lookDue: boolean;
  /** Number of the server observation that these packages come from. */
  lastObservation: number;
  place: ServerPlace | null;
  accountSeen: boolean | null;
  /** An administrator of the server locked it, or let it expire. */
  closed: AccountClosed | null;
  /** They are observed after the people who are needed at once (observe/strangers.ts): until then they are unknown. */
  waits: boolean;
  /** A decision about them or their supervisor was recorded in this run. */
  decided: boolean;
  session: boolean;
  sessionSinceMs: number | null;
  /** False: the store knows of no sign-in. */
  everSignedIn: boolean;
  /** Whether the three above were ever compared with the store. */
  sessionObserved: boolean;
  /** Apps of the person's own scope whose instances end because the package goes. */
  removing: ReadonlySet<string>;
  /** The same whose update waits until they stop. */
  updates: ReadonlyMap<string, WaitingUpdate>;
  /** True once the sessions of a leaving person were ended and they were taken out of the rooms. */
  signedOut: boolean;
  /** The erasure that an administrator asked for, once it was read from the store; null: none. */
  erasure: Erasure | null;
  /** Their apps are on the way to another server (people/move.ts): in this run alone, since a killed move has to be given again. */
  moving: Moving | null;
  /** The supervisor confirmed that it ends; none was started since. */
  supervisorEnded: boolean;
  readonly backends: Map<string, BackendEntry>;
  /** Resyncs since their supervisor was asked whether it answers. */
  uncheckedResyncs: number;
  /** The last decisions about the person and their supervisor, to see that nothing changed. */
  readonly lastRounds: {
    person: Kept<PersonDesired, PersonObserved> | null;
    supervisor: (Kept<SupervisorDesired, SupervisorObserved> & { readonly view: LinkView }) | null;
  };
}

export interface BackendEntry {
  readonly key: string;
  readonly person: PersonEntry;
  readonly app: string;
  /** Manifest of the package that was installed last: a running backend outlives the code on disk. */
  lastManifest: Manifest | null;
  document: PlacedOf<BackendDocument> | null;
  intent: Intent | null;
  /** See BackendDesired. */
  stoppedBy: BackendDesired['stoppedBy'];
  windows: WindowCount | null;
  probe: ProbeResult | null;
  probing: boolean;
  refused: BackendObserved['refused'];
  /** A start was sent and not answered yet. */
  starting: boolean;
  token: Token | null;
  /** When it was last seen coming up: its installCommand may have been at work in its folder. */
  comingUpAtMs: number;
  comesUp: boolean;
  /** The last step that was published to the person's pages. */
  step: AppSnapshot['step'];
  decision: BackendDecision | null;
  memory: BackendMemory | null;
  /** Inputs of the last decision, to see that nothing changed. */
  inputs: { readonly desired: BackendDesired; readonly observed: BackendKindObserved; readonly atMs: number } | null;
}

/** Observation of a backend; for a server-scope app, only its server's answer about it. */
export interface BackendKindObserved extends BackendObserved {
  /** null before its server said anything; undefined for an app of the person's own. */
  readonly service: ServiceDecision | null | undefined;
}

/** The order for a package: by a document, or by a person. */
export type PackageWanted =
  | { readonly by: 'document'; readonly placed: PlacedOf<PackageDocument> }
  | { readonly by: 'wish'; readonly wish: InstallWish; readonly server: string };

export type OfferedVersion = Offers['apps'][number]['versions'][number];

export interface PackageEntry {
  readonly key: string;
  readonly name: string;
  wanted: PackageWanted;
  target: PackageTarget;
  /** The place of its server; undefined: there is no server. */
  place: string | undefined;
  /** Its document is gone: what it installed goes too. */
  leaving: boolean;
  rollback: HeldRollback | null;
  failure: PackageObserved['failure'];
  /** The offer of the version that is wanted; `offered`, `problem` and `refusedThere` are from the last time the repository was read for it. */
  offer: OfferedVersion | null;
  /** The repository that offers the app; null: none does. */
  repository: OfferingRepository | null;
  offered: readonly string[];
  problem: string | null;
  refusedThere: string | null;
  /** The app's unpacked state in the repository, as far as it could be read last. */
  source: UnpackedNow | null;
  decision: PackageDecision | null;
}

/** A run of svc-app-install: it goes on beside the key, since it may take hours and a cancel must not wait for it. */
export interface PackageTask {
  readonly act: 'install' | 'remove' | 'roll-back' | 'confirm' | 'mend';
  readonly version: string | null;
  readonly abort: AbortController;
  progress: PackageProgress | null;
  reason: Reason;
  message: string;
  /** When progress was last published to the pages. */
  publishedAtMs: number;
  /** Resolves when the run is over, also after a failure. */
  ended: Promise<void>;
}

/** State of an object that is one document. A kind adds what it observed, which says nothing of another content: that has a new entry. */
export interface DocumentEntry<Kind extends DesiredKind> {
  readonly key: string;
  readonly name: string;
  readonly placed: PlacedOf<Document<Kind>>;
  leaving: boolean;
}

export interface PeopleEntry extends DocumentEntry<'People'> {
  /** Absent before the first. */
  look?: PeopleLook;
  /** People left out by the last read that listed them. */
  leftOut?: readonly LeftOut[];
  /** On the clock that nobody sets; absent: at once. */
  nextLookAtMs?: number;
}

export interface EngineEntry {
  readonly key: string;
  readonly server: ServerEntry;
  readonly app: string;
  readonly nome: string;
  readonly versao: string;
  declared: boolean;
  /** Null: it is not on the disk. */
  present: { readonly bytes: number | null } | null;
  failure: PackageObserved['failure'];
}

export interface GrantEntry extends DocumentEntry<'Grant'> {
  /** Refusal of the last attempt. */
  refused?: string | null;
  /** The rooms that it concerns, as they were read last. */
  seen?: {
    readonly observed: GrantObserved;
    /** For `svc describe`: what is there by documents, and what people gave. */
    readonly details: Readonly<Record<string, unknown>>;
  };
}

export interface Entries {
  inForce: InForce;
  portal: PlacedOf<PortalDocument> | null;
  /** As the database knew them last; empty: there are no others. */
  portals: readonly PortalSeen[];
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
  readonly clusters: Map<string, ClusterEntry>;
  /** Objects that are documents and nothing else, by key. */
  readonly documents: Map<string, DocumentEntry<DesiredKind>>;
  readonly jobs: JobBoard;
  /** The name of our jobs on clusters; null before the store was read. */
  portalOfJobs: string | null;
}

/** Makes what a document needs to be worked on; `svc plan` gives one that makes nothing new act. */
export interface EntryFactory {
  host(document: ServerDocument): Host;
  kit?(document: ServerDocument): KitState | null;
  link(person: string, account: string, host: Host): SupervisorLink;
  memory(key: string): BackendMemory | null;
  /** Absent: clusters are not observed. */
  cluster?(document: ClusterDocument): Cluster;
}

export function emptyEntries(inForce: InForce): Entries {
  return {
    inForce,
    portal: null,
    portals: [],
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
    clusters: new Map(),
    documents: new Map(),
    jobs: createBoard(),
    portalOfJobs: null,
  };
}

/** Entries of a kind whose objects are documents and nothing else. */
export function documentsOf<Kind extends DesiredKind>(entries: Entries, kind: Kind): readonly DocumentEntry<Kind>[] {
  return [...entries.documents.values()].filter(({ key }) => kindOf(key) === kind) as unknown as readonly DocumentEntry<Kind>[];
}

interface Wanted<Document> {
  readonly placed: PlacedOf<Document>;
  readonly leaving: boolean;
  readonly lost: boolean;
}

export function wantedOf<Document extends PlacedDocument['document']>(inForce: InForce, kind: Document['kind']): Wanted<Document>[] {
  const of = (from: Iterable<PlacedDocument>, leaving: boolean): Wanted<Document>[] =>
    [...from]
      .filter((placed) => placed.document.kind === kind)
      .map((placed) => ({ placed: placed as unknown as PlacedOf<Document>, leaving, lost: placed.isLost === true }));
  return [...of(inForce.documents.values(), false), ...of(inForce.leaving.values(), true)];
}

/**
 * The backends of a person are what is installed, what is pinned, what the supervisor knows and what was asked for. While the person is away,
 * what was never started has no entry (views/resting.ts). Decision: docs/decisions/0253-what-is-skipped.md
 */
export function syncBackends(entries: Entries, person: PersonEntry, factory: Pick<EntryFactory, 'memory'>): void {
  const pinned = entries.pinned.get(person.name) ?? new Map<string, PlacedOf<BackendDocument>>();
  const live = person.link.snapshots().filter(isLive);
  const apps = new Set([...pinned.keys(), ...live.map((snapshot) => snapshot.app)]);
  const awake = isAwake(person);
  for (const app of person.packages.keys()) {
    const entry = person.backends.get(app);
    if (awake || (entry !== undefined && !rests(entry))) apps.add(app);
  }
  // Backends of an account that was never observed are kept: they are not known to be gone.
  const seen = person.server.reachability.status === 'reachable' && person.accountSeen === true;
  for (const [app, entry] of person.backends) {
    if (!seen || apps.has(app) || entry.intent !== null) continue;
    person.backends.delete(app);
    entries.backends.delete(entry.key);
  }
  for (const app of apps) {
    const entry = backendOf(entries, person, app, factory);
    entry.document = pinned.get(app) ?? null;
    entry.lastManifest = person.packages.get(app)?.manifest ?? entry.lastManifest;
  }
}

/** Somebody may use the apps of the person now, or something does. */
export function isHere({ session, leaving, link }: PersonEntry): boolean {
  return session || leaving || link.view().status !== 'down';
}

/** The same, or a report about their apps was received since the portal began. */
export function isAwake(person: PersonEntry): boolean {
  return isHere(person) || person.link.snapshots().length > 0;
}

/**
 * Nothing is known of the person but their document and their account, and nothing is desired: no key, no row, no event. Their shown state
 * is derived on request (views/resting.ts).
 */
export function isUntouched(person: PersonEntry): boolean {
  const { decided, session, everSignedIn, leaving, accountSeen, backends, link } = person;
  if (decided || session || everSignedIn || leaving || accountSeen === false || backends.size > 0) return false;
  const { status, error } = link.view();
  return status === 'down' && error === null;
}

/** People whose keys are reconciled in each resync. For people who wait, the last run's findings stand. */
export function* touchedPeople({ people }: Entries): Generator<PersonEntry> {
  for (const person of people.values()) if (!person.waits && !isUntouched(person)) yield person;
}

/** Reachability for decisions about a person: unknown until their home was observed. */
export function sightOf({ waits, server }: PersonEntry): Reachability {
  return waits && server.reachability.status === 'reachable' ? notObserved : server.reachability;
}

/** Nothing is known of it and nothing wanted. */
function rests({ intent, document, starting, probing, memory }: BackendEntry): boolean {
  return intent === null && document === null && !starting && !probing && neverStarted(memory);
}

/** Something of it is on the server still: what is only remembered there is no object here. */
export function isLive(snapshot: AppSnapshot): boolean {
  return snapshot.wanted || snapshot.process !== null || snapshot.installed !== null;
}

const isLost: Reachability = { status: 'unreachable', message: 'it was given up: svc server forget' };

/** Reachability for decisions: the machine that was given up, the kit that was taken off, or the observation. */
export function reachabilityOf({ lost, kit, seen }: Pick<ServerEntry, 'lost' | 'kit' | 'seen'>): Reachability {
  return lost ? isLost : (kit?.off ?? seen);
}

export const notObserved: Reachability = { status: 'unknown', message: 'not looked at yet' };

/** The entry of a backend, made when it is first asked for. */
export function backendOf(entries: Entries, person: PersonEntry, app: string, factory: Pick<EntryFactory, 'memory'>): BackendEntry {
  const found = person.backends.get(app);
  if (found) return found;
  const made = newBackend(person, app, factory.memory(keys.backend(person.name, app)));
  person.backends.set(app, made);
  entries.backends.set(made.key, made);
  return made;
}

export function newBackend(person: PersonEntry, app: string, memory: BackendMemory | null): BackendEntry {
  return {
    key: keys.backend(person.name, app),
    person,
    app,
    lastManifest: person.packages.get(app)?.manifest ?? null,
    document: null,
    intent: null,
    stoppedBy: null,
    windows: null,
    probe: null,
    probing: false,
    refused: null,
    starting: false,
    token: null,
    comingUpAtMs: 0,
    comesUp: false,
    step: null,
    decision: null,
    memory,
    inputs: null,
  };
}
