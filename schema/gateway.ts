/**
 * How the api reaches running backends without importing the controller: bin/ hands an implementation of this to the api.
 * All methods answer from what the controller observed last; none starts anything.
 */
import type { Duplex } from 'node:stream';
import type { SecretsView, Reason } from './backend.ts';
import type { Manifest } from './manifest/manifest.ts';
import type { Scope } from './install-events.ts';
import type { AdminPackages, InstallView } from './packages.ts';
import type { Offers } from './repository/store-view.ts';
import type { AppProjection, ObjectView } from './wire/http.ts';

/** Everything the proxy needs for one request to a live backend. */
export interface BackendRoute {
  /** Changes when the process or the token changes: pooled connections of another generation are not reused. */
  readonly generation: string;
  /** Path for net.connect, or null when only `dial` reaches it. */
  readonly socketPath: string | null;
  readonly dial: () => Promise<Duplex>;
  /** Value of X-Svc-App-Token. Never logged, never answered. */
  readonly token: string;
  /** How long the last free connection is kept: it counts as use of the app (spec 3.3 rule 3). */
  readonly keepIdleMs: number;
}

export interface PersonRecord {
  readonly usuario: string;
  readonly nome: string;
  readonly login: string;
  readonly grupos: readonly string[];
  /** What the person should know about their account; null: nothing. */
  readonly notice?: { readonly reason: Reason; readonly message: string } | null;
}

/** What a server said about a name and a password. `told` is its own text for the person, cleaned and cut; null when it said nothing. */
export type PasswordVerdict =
  | { readonly kind: 'accepted'; readonly usuario: string }
  | { readonly kind: 'refused'; readonly told: string | null }
  /** Right, but it must be changed first. */
  | { readonly kind: 'expired'; readonly told: string | null }
  /** Something that a password does not answer: a second factor. */
  | { readonly kind: 'asks-more'; readonly told: string | null };

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Reads it where the document says. Rejects SECRET_UNREADABLE. Never logged, never answered. */
  readonly clientSecret: () => Promise<string>;
  /** Claim that holds Person.spec.login. */
  readonly claim: string;
  /** Asked for besides `openid`. */
  readonly scopes: readonly string[];
  /** Name of the provider on the button; null: its host. */
  readonly label: string | null;
}

/** The ways to sign in besides the one-time link, as the Portal document in force says. */
export interface SignInSettings {
  readonly ssh: boolean;
  readonly oidc: OidcSettings | null;
}

export interface StoreSources {
  readonly offers: Offers;
  readonly installed: readonly InstalledForStore[];
  /** What documents and the person's own wishes want for this person, and how it goes. */
  readonly installs: readonly InstallView[];
  /**
   * By app id: which `requiredPackages` of the newest offer the server lacks, each as declared (`a|b`). Empty: it lacks none. An app
   * that is not in it: not known, the server was not asked or does not answer.
   */
  readonly missingPackages: Readonly<Record<string, readonly string[]>>;
}

export interface InstalledForStore {
  readonly id: string;
  readonly version: string;
  readonly provides: readonly string[];
  readonly scope: Scope;
  /** Files were changed on the server. */
  readonly drift: boolean;
  /** The version before, as long as the server keeps it. */
  readonly previous: string | null;
}

export interface Gateway {
  person(usuario: string): PersonRecord | null;
  /** Everyone, for the sign-in page and search. */
  people(): readonly PersonRecord[];
  signIn(): SignInSettings;
  /**
   * Lets the person's own server judge the password of their account. For nobody's login some server is asked about an account that
   * is not there, so that it takes as long. Rejects SERVER_UNREACHABLE, HOST_KEY_CHANGED (nothing was sent), RATE_LIMITED. The messages name
   * accounts and addresses: for the log, not for whoever asks.
   */
  checkPassword(login: string, password: string): Promise<PasswordVerdict>;
  /** Apps installed for the person, with state; `url` is filled in by the api. */
  apps(usuario: string): readonly Omit<AppProjection, 'url' | 'icone'>[];
  app(usuario: string, app: string): Omit<AppProjection, 'url' | 'icone'> | null;
  manifest(usuario: string, app: string): Manifest | null;
  /** Null unless a process is believed to answer on the socket. */
  route(usuario: string, app: string): BackendRoute | null;
  /** The backend refused the token of the route (spec 5.1): its supervisor is asked for the token again. */
  tokenRefused(usuario: string, app: string): void;
  /** Bytes of a file of the installed package (icon…); null when missing. Path is checked to stay inside the package. */
  packageFile(usuario: string, app: string, path: string): Promise<Uint8Array | null>;
  /** What the repository offers and what the person has, for the store; rejects NOT_FOUND for nobody. */
  store(usuario: string): Promise<StoreSources>;
  /** A file of a package that is only offered (its icon); null when there is none. `path` as in the manifest. */
  offerFile(app: string, version: string, path: string): Promise<{ readonly bytes: Uint8Array; readonly type: string } | null>;
  /** Per server: what is missing, packages, engines, who runs what. */
  adminPackages(): Promise<AdminPackages>;
  /**
   * Goes back to the version before, and holds it while the same version stays wanted. `key` is that of a Package object. Rejects
   * NOT_FOUND or NO_PREVIOUS_VERSION.
   */
  rollBack(key: string): Promise<RollbackAnswer>;
  /** Ends a held rollback: what is wanted is installed again. Rejects NOT_FOUND when none is held. */
  undoRollBack(key: string): Promise<RollbackAnswer>;
  log(usuario: string, app: string, options: { readonly tail: number; readonly previous: boolean }): Promise<string>;
  /** Yields text as it is written, first the tail. Ends when the signal fires. */
  followLog(usuario: string, app: string, options: { readonly tail: number; readonly signal: AbortSignal }): AsyncIterable<string>;
  /** Names of an app's secrets, and which are set. These three ask the supervisor, and start it when nobody listens. */
  secretNames(usuario: string, app: string): Promise<SecretsView>;
  /** Rejects SECRET_UNDECLARED, SECRET_REFUSED, SECRETS_UNUSABLE, SERVER_UNREACHABLE; no error ever holds the value. */
  putSecret(usuario: string, app: string, name: string, value: string): Promise<SecretsView>;
  deleteSecret(usuario: string, app: string, name: string): Promise<SecretsView>;
  /** For the CLI over the 0600 control socket. */
  objects(keyPrefix: string, page?: ObjectsPage): Promise<readonly ObjectView[]>;
  /** One causal sentence, what it waits for, the next deadline, log lines, the fix. */
  why(key: string): Promise<WhyAnswer | null>;
  /** What the administrator's look says of a server, judged; rejects NOT_FOUND, and BAD_REQUEST for a local one. */
  serverChecks(name: string): Promise<readonly DoctorCheck[]>;
  /** Rejects as serverChecks does; what goes wrong afterwards is told as an event. Leaving the stream early stops nothing. */
  serverAct(name: string, act: ServerAct, force: boolean): AsyncIterable<ServerActEvent>;
  /** Actions that a folder would cause now, by the very decide of the loop. */
  plan(dir: string | null): Promise<PlanAnswer>;
  /** Reads the folder again; with prune also what the guard holds back. */
  apply(prune: boolean): Promise<PlanAnswer>;
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

/** One check of `svc doctor`. */
export interface DoctorCheck {
  readonly name: string;
  readonly ok: boolean;
  /** Not broken, but less than it could be. */
  readonly warning: boolean;
  readonly detail: string;
  /** What to do; null when there is nothing to mend. */
  readonly fix: string | null;
}

/** What an administrator does with the kit of a server; `plan` only tells. */
export type ServerAct = 'plan' | 'add' | 'rollback' | 'remove';

/** Told while it goes on, in this order; the last one is `done`, or the stream ends with `error`. */
export type ServerActEvent =
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
  readonly fix: string | null;
}

export interface PlanAnswer {
  readonly ok: boolean;
  readonly changes: readonly { readonly key: string; readonly action: string; readonly detail: string }[];
  readonly errors: readonly string[];
  /** Names held back by the prune guard. */
  readonly pendingPrune: readonly string[];
  /** What stays as it is although a document says something of it, and what is waited for. */
  readonly notes?: readonly string[];
}
