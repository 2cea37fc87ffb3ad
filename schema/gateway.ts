/**
 * How the api reaches what the controller knows and does, without importing it: bin/ hands a `Gateway` to the api, which gives each
 * feature the view that it reads and, where it acts, its commands.
 *
 * A view changes nothing that is wanted, stored or running, and starts no process. Its immediate answers are the newest observations. Where it
 * answers a promise, it first observes a server, a supervisor that listens already, or a folder, and the loop gets the observation. Commands change
 * something, or start the person's supervisor when none listens.
 */
import type { ClusterForm } from './cluster-form.ts';
import type { DiffLine, OwnChange } from './desired/own-changes.ts';
import type { HeldOfPerson } from './erasure.ts';
import type { SpaceQuery, SpaceRow } from './space.ts';
import type { FilesCommands } from './files.ts';
import type { Words } from './texts/reasons.ts';
import type { Duplex } from 'node:stream';
import type { BackendState, Reason } from './backend.ts';
import type { SecretsView, AppProjection, ObjectView, UsageRow } from './wire/http.ts';
import type { JobLimits, JobState, QueueOff } from './jobs.ts';
import type { ClusterView } from './wire/jobs.ts';
import type { Extension } from './extensions/catalogue.ts';
import type { Manifest } from './manifest/manifest.ts';
import type { InstallView } from './packages.ts';
import type { AdminPackagesAnswer } from './wire/shop.ts';
import type { InstalledForStore, Offers, ShopServer } from './shop-view.ts';
import type { RemoteShell, TerminalSize } from './terminals.ts';

/** Everything the proxy needs for one request to a live backend. */
export interface BackendRoute {
  /** Changes when the process or the token changes: pooled connections of another generation are not reused. */
  readonly generation: string;
  /** Path for net.connect, or null when only `dial` reaches it. */
  readonly socketPath: string | null;
  readonly dial: () => Promise<Duplex>;
  /** Value of X-Svc-App-Token. Never logged, never answered. */
  readonly token: string;
  /** A server-scope app with a portal credential: it learns for which people it may act. Absent: no. */
  readonly speaksForPeople?: boolean;
  /** How long the last free connection is kept: it counts as use of the app (rules 3.3 rule 3). */
  readonly keepIdleMs: number;
  /** Called at each request to an app whose idle policy counts them; absent for every other app. */
  readonly used?: () => void;
  /** Called while a request waits long for its answer: the app's health is checked. */
  readonly doubted?: () => void;
}

export interface PersonRecord {
  readonly usuario: string;
  readonly nome: string;
  readonly login: string;
  readonly grupos: readonly string[];
  /** Name of the person's server, as its document says. */
  readonly servidor?: string;
  /** `Portal.spec.admins` names them, or a group of theirs: their sessions may do what an administrator's link allows. */
  readonly isAdmin?: boolean;
  /** The account on their server is locked or expired: they don't come in. */
  readonly isClosed?: boolean;
  /** A notice for the person about their account; null when there is none. */
  readonly notice?: { readonly reason: Reason; readonly message: string } | null;
}

/** The verdict of a server on a name and a password. `serverMessage` is its own text for the person, cleaned and cut; null when there is none. */
export type PasswordVerdict =
  | { readonly kind: 'accepted'; readonly usuario: string }
  | { readonly kind: 'refused'; readonly serverMessage: string | null }
  /** Right, but it must be changed first. */
  | { readonly kind: 'expired'; readonly serverMessage: string | null }
  /** Something that a password does not answer: a second factor. */
  | { readonly kind: 'asks-more'; readonly serverMessage: string | null };

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Reads it where the document says. Rejects SECRET_UNREADABLE. Never logged, never answered. */
  readonly clientSecret: () => Promise<string>;
  /** Where that is, as text: another place, another secret. */
  readonly clientSecretFrom: string;
  /** Claim that holds Person.spec.login. */
  readonly claim: string;
  /** Requested in addition to `openid`. */
  readonly scopes: readonly string[];
  /** Claims that People documents ask for: who has one of their values is a person. */
  readonly claimsOfPeople: readonly string[];
  /** Name of the provider on the button; null: its host. */
  readonly label: string | null;
}

/** The ways to sign in besides the one-time link, as the Portal document in force says. */
export interface SignInSettings {
  readonly ssh: boolean;
  readonly oidc: OidcSettings | null;
  readonly passkey: boolean;
}

export interface StoreSources {
  readonly offers: Offers;
  readonly installed: readonly InstalledForStore[];
  /** Installations that documents and the person's own requests want, with their progress. */
  readonly installs: readonly InstallView[];
  /**
   * By app id: which `requiredPackages` of the newest offer the server lacks, each as declared (`a|b`). Empty: it lacks none. An app
   * that is not in it: not known, the server was not asked or does not answer.
   */
  readonly missingPackages: Readonly<Record<string, readonly string[]>>;
  readonly server: ShopServer;
}

/** An app of a person as the controller knows it; the api adds the addresses. */
export type AppView = Omit<AppProjection, 'url' | 'icone' | 'loader'>;

export interface PeopleView {
  /** Null for an unknown person, and for one who leaves. */
  find(usuario: string): PersonRecord | null;
  /** Everyone, for the sign-in page and search. */
  all(): readonly PersonRecord[];
  signIn(): SignInSettings;
}

/** A person who signed in by the provider, as it names them. */
export interface Arrived {
  readonly login: string;
  /** '' when the provider says none. */
  readonly nome: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface PeopleCommands {
  /**
   * Compares the claims with the People documents and waits until what they say is in force: whoever is in a group has a person then, and whoever is
   * not any more has none. Answers why there is none although a claim would make one; null: there is nothing to say. Never rejects for a server.
   */
  arrived(who: Arrived): Promise<string | null>;
  /**
   * Lets the person's own server check the password of their account. For an unknown login some server is asked about an account that does
   * not exist, so that it takes as long. Rejects SERVER_UNREACHABLE, HOST_KEY_CHANGED (nothing was sent), RATE_LIMITED. The messages name
   * accounts and addresses: for the log, not for the client.
   */
  checkPassword(login: string, password: string): Promise<PasswordVerdict>;
  /**
   * A login shell of the person's account. Rejects NOT_FOUND, TERMINAL_AS_PORTAL (the account would be the portal's, and `isAdmin` is false),
   * SERVER_UNREACHABLE, SSH_SATURATED, SSH_REFUSED, HOST_KEY_CHANGED.
   */
  openShell(usuario: string, size: TerminalSize, isAdmin: boolean, folder: Uint8Array | null): Promise<RemoteShell>;
}

export interface AppsView {
  find(usuario: string, app: string): AppView | null;
  /** Whether `find` has something to say: asked at each request to an app. */
  has(usuario: string, app: string): boolean;
  /** Apps installed for the person, with state. */
  of(usuario: string): readonly AppView[];
  /** How many of all people's are in which state. */
  byState(): ReadonlyMap<BackendState, number>;
  /** Ids of the apps that are installed for the person; costs less than `of`. */
  installed(usuario: string): readonly string[];
  /** Whether it is installed for anybody. */
  isInstalled(app: string): boolean;
  manifest(usuario: string, app: string): Manifest | null;
  /** Whether the person's packages were read since the portal began: until then a missing manifest says nothing. */
  packagesRead(usuario: string): boolean;
  /** Whether an administrator installed it for all, or the person for themselves; null: it is not installed. */
  scope(usuario: string, app: string): 'sistema' | 'pessoa' | null;
  /** Bytes of a file of the installed package (icon…); null when missing. Path is checked to stay inside the package. */
  file(usuario: string, app: string, path: string): Promise<Uint8Array | null>;
  /** The cluster that it runs on as a job, and what may be asked of it; null: it runs on the person's server. */
  cluster(usuario: string, app: string): { readonly name: string; readonly form: ClusterForm } | null;
  /** Asks the person's supervisor what their apps use; `of` and `find` then say it. Resolves without it when it does not answer. */
  observeUsage(usuario: string): Promise<void>;
}

export interface AppCommands {
  /** Null unless a process is believed to answer on the socket. */
  route(usuario: string, app: string): BackendRoute | null;
  /** The backend refused the token of the route (rules 5): its supervisor is asked for the token again. */
  tokenRefused(usuario: string, app: string): void;
  log(usuario: string, app: string, options: { readonly tail: number; readonly previous: boolean }): Promise<string>;
  /** Yields text as it is written, first the tail. Ends when the signal fires. */
  followLog(usuario: string, app: string, options: { readonly tail: number; readonly signal: AbortSignal }): AsyncIterable<string>;
  /** Appends a line of ours to the log of a running app. Rejects SERVER_UNREACHABLE, and BAD_REQUEST for one of server scope, which has none. */
  note(usuario: string, app: string, text: string): Promise<void>;
  /** Names of an app's secrets, and which are set. */
  secretNames(usuario: string, app: string): Promise<SecretsView>;
  /** Rejects SECRET_UNDECLARED, SECRET_REFUSED, SECRETS_UNUSABLE, SERVER_UNREACHABLE; no error ever holds the value. */
  putSecret(usuario: string, app: string, name: string, value: string): Promise<SecretsView>;
  deleteSecret(usuario: string, app: string, name: string): Promise<SecretsView>;
}

export interface ShopView {
  /** Offers of the repository and the person's packages; rejects NOT_FOUND for an unknown person. */
  sources(usuario: string): Promise<StoreSources>;
  /** Browser extensions that apps may name. */
  extensions(): Promise<readonly Extension[]>;
  /** A file of a package that is only offered: its icon, as in the manifest, or a picture of its page; null when there is none. */
  file(app: string, version: string, path: string): Promise<{ readonly bytes: Uint8Array; readonly type: string } | null>;
}

/** State of the queue that is not stored with its jobs. */
export interface QueueView {
  /** Why it takes no job; null: it takes them. */
  off(): QueueOff | null;
  clusters(): readonly ClusterView[];
  /**
   * Finds a cluster that takes jobs: by name, or with null the one for jobs that name none; null when there is none. `limites`: the most that one
   * job may ask for.
   */
  cluster(name: string | null): { readonly nome: string; readonly limites: Partial<JobLimits> } | null;
  /** State of a job without an outcome. */
  stateOf(id: string): { readonly estado: JobState; readonly reason: Reason; readonly message: string; readonly lugar: number | null };
  /** As the Portal document says; null: it says nothing. */
  spaceBytesMax(): number | null;
}

/** For the command line over the 0600 control socket, and for administrators. */
export interface AdminView {
  objects(keyPrefix: string, page?: ObjectsPage): readonly ObjectView[];
  /** Answers with one causal sentence, what is waited for, the next deadline, log lines, the fix. */
  why(key: string): Promise<WhyAnswer | null>;
  /** Per server: what is missing, packages, engines, who runs what. */
  packages(): Promise<AdminPackagesAnswer>;
  /** Running apps with their usage, of all people or of one; rejects NOT_FOUND for an unknown person. */
  usage(usuario: string | null): Promise<readonly UsageRow[]>;
  /** Checks of a server as its administrator; rejects NOT_FOUND, and BAD_REQUEST for a local server. */
  serverChecks(name: string): Promise<readonly DoctorCheck[]>;
  /** The portal's own ssh key; null: it has none, and needs none. */
  sshKey(): Promise<SshKeyView | null>;
  /** Actions that a folder would cause now, by the very decide of the loop; null: the portal's own folder. */
  plan(dir: string | null): Promise<PlanAnswer>;
}

export interface AdminCommands extends OwnFileCommands {
  /** Reads the folder again; with prune also what the guard holds back. */
  apply(prune: boolean): Promise<PlanAnswer>;
  /**
   * Goes back to the version before, and holds it while the same version stays wanted. `key` is that of a Package object. Rejects
   * NOT_FOUND or NO_PREVIOUS_VERSION.
   */
  rollBack(key: string): Promise<RollbackAnswer>;
  /** Ends a held rollback: what is wanted is installed again. Rejects NOT_FOUND when none is held. */
  undoRollBack(key: string): Promise<RollbackAnswer>;
  /** Rejects as serverChecks does; later failures are events. Leaving the stream early stops nothing. */
  serverAct(name: string, act: ServerAct, force: boolean): AsyncIterable<ServerActEvent>;
  /** Lists the data held of a person, also on their server. Changes nothing. Rejects NOT_FOUND where nothing is. */
  heldOf(usuario: string): Promise<HeldOfPerson>;
  /** Lists the folders on the servers with the room that they take, of all people or of one, of all apps or of one. Never guesses. */
  space(query: SpaceQuery): Promise<readonly SpaceRow[]>;
  /** Nothing of them is kept when they leave. Rejects NOT_FOUND, and CONFLICT where others are in their rooms and nobody gets those. */
  askErasure(usuario: string, roomsTo: string | null): Promise<HeldOfPerson>;
  /** Waits until they are gone; the last events say what is left. */
  finishErasure(usuario: string): AsyncIterable<ServerActEvent>;
  /** Brings the apps of a person to another server, or removes the copy that they left behind; its failures are events. */
  movePerson(usuario: string, order: MoveOrder): AsyncIterable<ServerActEvent>;
  /** Another ssh key for the portal, on all servers or on one. Rejects as serverAct does. */
  rotateKey(server: string | null, isPlan: boolean): AsyncIterable<ServerActEvent>;
}

/** Keeper of the folder of desired state, for which the desktop does not write into it. */
export interface Managed {
  readonly why: 'checkout' | 'link' | 'readonly';
  readonly place: string;
}

export interface OwnFileView {
  readonly file: string;
  readonly dir: string;
  /** Null: the desktop may write its file. */
  readonly managed: Managed | null;
  /** As the file says, also what has errors; fields of people and packages alone. */
  readonly documents: readonly {
    readonly kind: string;
    readonly name: string;
    readonly line: number;
    readonly nome?: string;
    readonly login?: string;
    readonly account?: string;
    readonly server?: string;
    readonly grupos?: readonly string[];
    readonly app?: string;
    readonly versao?: string;
    readonly servers?: readonly string[];
    /** On all servers. */
    readonly everywhere?: boolean;
  }[];
  /** Names in force. */
  readonly servers: readonly string[];
  /** Groups that people are in. */
  readonly groups: readonly string[];
}

/** Shown before it is written. */
export interface OwnDraft {
  readonly file: string;
  /** SHA-256 of the file that the change was made from. */
  readonly digest: string;
  readonly diff: readonly DiffLine[];
  /** Plan of the whole folder with the changed file; its errors are those of the change. */
  readonly plan: PlanAnswer;
  /** The document stands there; `from`: the People document that makes it. Then it is not changed here. */
  readonly elsewhere: { readonly file: string; readonly line: number; readonly from: string | null } | null;
}

export interface OwnFileCommands {
  /** Rejects TOO_LARGE. */
  ownFile(): Promise<OwnFileView>;
  /** Writes nothing. Rejects DESIRED_MANAGED, NOT_FOUND (a document to be removed), TOO_LARGE, and DESIRED_INVALID for a file that is no YAML. */
  draftOwn(change: OwnChange): Promise<OwnDraft>;
  /** Rejects the same, FILE_CHANGED when the file is not that of the digest, CONFLICT for `elsewhere`, and DESIRED_INVALID. */
  writeOwn(change: OwnChange, digest: string): Promise<PlanAnswer>;
}

export interface Gateway {
  readonly people: PeopleView;
  readonly apps: AppsView;
  readonly shop: ShopView;
  readonly queue: QueueView;
  readonly admin: AdminView;
  readonly commands: {
    readonly people: PeopleCommands;
    readonly apps: AppCommands;
    readonly files: FilesCommands;
    readonly admin: AdminCommands;
  };
}

/** `from` is the version that is wanted and was left, `to` the one that is kept instead. */
export interface RollbackAnswer {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

export interface ObjectsPage {
  /** Only what comes after this key; '' begins. */
  readonly after: string;
  readonly limit: number;
}

export interface SshKeyView {
  /** SHA256:… */
  readonly fingerprint: string;
  readonly madeAtMs: number;
  /** It is being changed: to which, and who does not have it yet; `isMeant`: the change is for them, too. */
  readonly next: { readonly fingerprint: string; readonly left: readonly { readonly name: string; readonly isMeant: boolean }[] } | null;
}

/** A check of `svc doctor`. */
export interface DoctorCheck {
  readonly name: string;
  readonly ok: boolean;
  /** Not broken, but less than it could be. */
  readonly warning: boolean;
  readonly detail: Words;
  /** The remedy; null when there is nothing to mend. */
  readonly fix: Words | null;
}

/**
 * An administrator's action on the kit of a server; `plan` only lists. `forget` gives up a server whose document is gone and whose machine never
 * comes back: without `force` it only lists the things to forget.
 */
export type ServerAct = 'plan' | 'add' | 'rollback' | 'remove' | 'forget' | 'drain';

export interface MoveOrder {
  /** A Server document. */
  readonly to: string;
  /** `clean`: removes the copy that a move left behind. */
  readonly act: 'move' | 'clean';
  readonly isPlan: boolean;
}

/** Emitted as it happens, in this order; the last one is `done`, or the stream ends with `error`. */
export type ServerActEvent =
  /** Where the document is that a command is to change. In a move once more when it is to be changed now. */
  | { readonly event: 'document'; readonly file: string; readonly text: string }
  | { readonly event: 'plan'; readonly text: string }
  | { readonly event: 'step'; readonly text: string }
  | { readonly event: 'done'; readonly text: string }
  | { readonly event: 'error'; readonly code: string; readonly text: string };

export interface WhyAnswer {
  readonly key: string;
  readonly sentence: string;
  readonly waitsFor: string | null;
  readonly nextDeadlineMs: number | null;
  readonly lastLogLines: readonly string[];
  /** Id of the HTTP request behind it, as in the portal's log; null when none is known. */
  readonly requestId: string | null;
  readonly fix: string | null;
}

export interface PlanAnswer {
  readonly ok: boolean;
  /** In the order in which they happen; with the reason that an event shows later, where the act has one. */
  readonly changes: readonly { readonly key: string; readonly action: string; readonly detail: string; readonly reason?: Reason }[];
  /** Objects that are not as a document wants them and that nothing is done about; `waits`: it comes by itself, nobody has to mend anything. */
  readonly blocked: readonly { readonly key: string; readonly reason: Reason; readonly message: string; readonly waits: boolean }[];
  readonly errors: readonly string[];
  /** Names held back by the prune guard. */
  readonly pendingPrune: readonly string[];
  /** Sentences on things that a document changes but that stay for now, and what each waits for. */
  readonly notes?: readonly string[];
  /** Fields of the Portal document that are read when the portal is started again. */
  readonly restart?: readonly string[];
}
