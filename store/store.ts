/**
 * Facts that the portal must not lose: intents, statuses, events, sessions, windows. Truth about processes stays on the servers; the store
 * keeps a cache of it with the time it was seen. SQLite (WAL) is the embedded default, PostgreSQL the other one.
 */
import type { Condition, Reason } from '../schema/backend.ts';
import type { JobStore } from './jobs.ts';
import type { RoomStore } from './rooms.ts';

/** Desired state of a backend, posted by a person, the CLI or the portal itself; the newest per backend counts until it was carried out. */
export interface Intent {
  readonly person: string;
  readonly app: string;
  readonly wish: 'start' | 'stop' | 'restart';
  readonly by: 'person' | 'admin' | 'navigation' | 'windows' | 'service';
  /** Actor of an `admin` intent: a person, or the user of a command line; absent where it is unknown. */
  readonly who?: string;
  readonly requestId: string;
  readonly atMs: number;
  /** Set when the supervisor confirmed the request; a done intent no longer drives anything. */
  readonly done: boolean;
}

export interface StoredStatus {
  /** `Backend/ana/notas`, `Server/casa`, `Supervisor/ana`, `Package/notas-casa`… */
  readonly key: string;
  readonly kind: string;
  readonly state: string;
  readonly reason: Reason;
  readonly message: string;
  readonly conditions: readonly Condition[];
  readonly generation: number;
  readonly nextDeadlineMs: number | null;
  readonly seenAtMs: number;
  /** Reconciler memory and what the views show; JSON. */
  readonly memory: unknown;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface StoredEvent {
  readonly seq: number;
  readonly atMs: number;
  readonly key: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: Reason;
  readonly message: string;
  /** Id of the reconcile pass that wrote it. */
  readonly round: string;
  readonly from: string | null;
  readonly to: string | null;
}

export interface StoredSession {
  /** sha256 of the cookie value, hex: the value itself is never stored. */
  readonly tokenHash: string;
  readonly person: string;
  readonly admin: boolean;
  /** 'portal' for the shell; `<app>@<tokenHash of the portal session>` for an app origin: it ends with that session. */
  readonly audience: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Last use that was written down; limits.sessionSeenMs says how fine that is. */
  readonly seenAtMs: number;
  /** How the person signed in; '' for an app's origin. */
  readonly method: SignInMethod | '';
  /** Where from: address and User-Agent, both cut; for the person's own list, '' when not known. */
  readonly address: string;
  readonly agent: string;
}

/** `link`: a one-time link; `ssh`: the password of the account; `oidc`: a provider; `passkey`: one of the portal's own. Decision: docs/decisions/0070-signing-in.md */
export type SignInMethod = 'link' | 'ssh' | 'oidc' | 'passkey';

/** A passkey of a person. Decision: docs/decisions/0384-passkeys.md */
export interface StoredPasskey {
  /** Id of the credential, as its authenticator made it: base64url. */
  readonly id: string;
  readonly person: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  /** Signatures that its authenticator counted; 0: it counts none. */
  readonly counter: number;
  /** How a browser reaches it, as it said. */
  readonly transports: readonly string[];
  /** Kept by a service of its maker too, so that other devices have it. */
  readonly isBackedUp: boolean;
  /** Given by the person. */
  readonly name: string;
  readonly madeAtMs: number;
  /** 0: never. */
  readonly usedAtMs: number;
}

/** One-time pass: sign-in link or hand-over to an app origin. */
export interface StoredPass {
  readonly passHash: string;
  readonly person: string;
  readonly admin: boolean;
  readonly audience: string;
  readonly expiresAtMs: number;
}

/** Windows of one app of one person, over all pages of all portals. */
export interface WindowCount {
  readonly person: string;
  readonly app: string;
  readonly open: number;
  /** Wall time when the count last fell to zero; null while windows are open or when none ever was. */
  readonly zeroSinceMs: number | null;
}

/** Desired installation that a person requested for themself in the shop: a level that stays until it is removed. */
export interface InstallWish {
  readonly person: string;
  readonly app: string;
  /** Null: remove it; while its installation runs: cancel that, and what was there before stays. */
  readonly version: string | null;
  /** With null: give up what was asked for, whether it runs, waits or failed; what is installed stays. */
  readonly cancels?: boolean;
  /** A new one means: retry now, regardless of earlier failures. */
  readonly requestId: string;
  readonly atMs: number;
}

/** While `from` stays wanted, `to` is kept instead. Decision: docs/decisions/0080-rollback-is-held.md */
export interface HeldRollback {
  /** Key of a Package object. */
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly requestId: string;
  readonly atMs: number;
}

/**
 * Consent of a person to one app using a capability of another. `pendente`: a backend asked for it while no page of the person was open to
 * answer. Decision: docs/decisions/0201-consent.md
 */
export interface StoredConsent {
  readonly id: string;
  readonly usuario: string;
  /** The app that asks. */
  readonly de: string;
  /** The app that provides. */
  readonly para: string;
  readonly capacidade: string;
  readonly resposta: 'sim' | 'nao' | 'pendente';
  readonly atMs: number;
}

/** Errors of one app of one person that have the same stack. */
export interface StoredAppError {
  readonly usuario: string;
  readonly app: string;
  /** Id of the stack. */
  readonly id: string;
  readonly tipo: string;
  /** Message of the last one; the fields below are the last one's, too. */
  readonly mensagem: string;
  readonly pilha: string;
  readonly versao: string;
  readonly de: 'backend' | 'pagina';
  readonly n: number;
  readonly primeiroEm: number;
  readonly ultimoEm: number;
}

/** A desired document that was taken. */
export interface InForceRow {
  /** `Backend/ana-notas` */
  readonly name: string;
  /** Removed from the folder, and what it owned is still there. */
  readonly leaving: boolean;
  readonly body: string;
}

/** Preferences of a person in the desktop. */
export interface StoredPreferences {
  /** Counts changes, from 1. */
  readonly version: number;
  /** JSON, as api/preferences wrote it. */
  readonly body: string;
}

/** Passkeys, and the challenges that were answered. */
export interface PasskeyStore {
  /** `many`: the person has limits.passkeysPerPersonMax; `taken`: a passkey with this id is there. */
  addPasskey(passkey: StoredPasskey): Promise<'added' | 'many' | 'taken'>;
  /** The oldest first. */
  passkeys(person: string): Promise<readonly StoredPasskey[]>;
  passkey(id: string): Promise<StoredPasskey | null>;
  /** Writes a sign-in down, whose counter must be larger than the one before, unless both are 0. False: it is not, or the passkey went. */
  usePasskey(id: string, use: Pick<StoredPasskey, 'counter' | 'isBackedUp' | 'usedAtMs'>): Promise<boolean>;
  /** False: the person has none with this id. */
  renamePasskey(person: string, id: string, name: string): Promise<boolean>;
  deletePasskey(person: string, id: string): Promise<boolean>;
  deletePasskeysOf(person: string): Promise<void>;
  /** True once for each challenge, by its hash, until it expires. */
  spendChallenge(hash: string, expiresAtMs: number, nowMs: number): Promise<boolean>;
}

export interface Store extends PasskeyStore {
  putIntent(intent: Omit<Intent, 'done'>): Promise<void>;
  intents(): Promise<readonly Intent[]>;
  intent(person: string, app: string): Promise<Intent | null>;
  /** Marks the intent done only if it is still the one with this request id. */
  finishIntent(person: string, app: string, requestId: string): Promise<void>;

  putStatus(status: StoredStatus): Promise<void>;
  status(key: string): Promise<StoredStatus | null>;
  /** All statuses whose key starts with `prefix`, by key. */
  statuses(prefix: string): Promise<readonly StoredStatus[]>;
  deleteStatus(key: string): Promise<void>;

  appendEvent(event: Omit<StoredEvent, 'seq'>): Promise<number>;
  /** Events of the key `under` and of all below it, newest last, whether or not it ends with a slash: `ana/notas` is not `ana/notas2`. */
  events(filter: { readonly under?: string; readonly afterSeq?: number; readonly limit: number }): Promise<readonly StoredEvent[]>;

  putSession(session: StoredSession): Promise<void>;
  /** Writes down a use; a session that ended meanwhile stays ended, a later use stays the later one. */
  touchSession(tokenHash: string, seenAtMs: number, expiresAtMs: number): Promise<void>;
  session(tokenHash: string, nowMs: number): Promise<StoredSession | null>;
  sessionsOf(person: string, nowMs: number): Promise<readonly StoredSession[]>;
  /** Everybody with a session of the audience `portal`. */
  present(nowMs: number): Promise<ReadonlySet<string>>;
  deleteSession(tokenHash: string): Promise<void>;
  deleteSessionsOf(person: string): Promise<void>;
  /** The oldest go when a person has more than limits.passesPerPersonMax: any page may ask for one, and need not use it. */
  putPass(pass: StoredPass): Promise<void>;
  /** Reads it without using it up; null as for `takePass`. */
  pass(passHash: string, nowMs: number): Promise<StoredPass | null>;
  /** Returns and deletes the pass in one step; null when unknown, used or expired. */
  takePass(passHash: string, nowMs: number): Promise<StoredPass | null>;

  /** Replaces the intent of that person and app. */
  putInstallWish(wish: InstallWish): Promise<void>;
  installWishes(): Promise<readonly InstallWish[]>;
  installWish(person: string, app: string): Promise<InstallWish | null>;
  /** Only if it is still the one with this request id. */
  deleteInstallWish(person: string, app: string, requestId: string): Promise<void>;
  putRollback(rollback: HeldRollback): Promise<void>;
  rollbacks(): Promise<readonly HeldRollback[]>;
  deleteRollback(key: string): Promise<void>;

  preferences(person: string): Promise<StoredPreferences | null>;
  /** Only over this version (0: there are none yet). False when another one is stored. */
  putPreferences(person: string, body: string, version: number): Promise<boolean>;
  deletePreferences(person: string): Promise<void>;
  /**
   * Puts the answer for a person, asking app, providing app and capability: another answer replaces the one before and keeps its id, which
   * is returned.
   */
  putConsent(consent: StoredConsent): Promise<string>;
  /** `pendente`, unless there is a row; true when there was none. The oldest go when a person has more than limits.consentsPerPersonMax. */
  noteConsentAsked(consent: Omit<StoredConsent, 'resposta'>): Promise<boolean>;
  /** The newest first. */
  consents(usuario: string): Promise<readonly StoredConsent[]>;
  consent(asked: Pick<StoredConsent, 'usuario' | 'de' | 'para' | 'capacidade'>): Promise<StoredConsent['resposta'] | null>;
  /** Deletes and returns the consent; null when the person has none with this id. */
  deleteConsent(usuario: string, id: string): Promise<StoredConsent | null>;
  /** Forgets those in which an app has a part that is none of these. */
  keepConsents(usuario: string, apps: ReadonlySet<string>): Promise<void>;

  /**
   * Adds each to the group with its id and answers how many that has then; all of them or none. The groups that were not seen for longest go when an
   * app of a person has more than limits.appErrorsPerAppMax.
   */
  addAppErrors(
    errors: readonly (Omit<StoredAppError, 'primeiroEm' | 'ultimoEm'> & { readonly atMs: number })[],
  ): Promise<readonly number[]>;
  /** The latest first. */
  appErrors(usuario: string, app: string): Promise<readonly StoredAppError[]>;
  deleteAppErrorsOf(usuario: string): Promise<void>;

  /** As one portal counts its own pages; '' while there are no others. */
  putWindows(portal: string, windows: WindowCount): Promise<void>;
  /** The pages of the portals that are `isOf` these, or of all others, went with them: they have no windows open. Answers whose were open. */
  closeWindows(isOf: boolean, portals: readonly string[], nowMs: number): Promise<readonly Pick<WindowCount, 'person' | 'app'>[]>;
  windows(): Promise<readonly WindowCount[]>;
  windowsOf(person: string, app: string): Promise<WindowCount | null>;

  /** How much there is of a person, by what it is, in words; what there is none of is left out. */
  personal(person: string): Promise<readonly { readonly what: string; readonly count: number }[]>;
  /** Ends all of that but their rooms and jobs, which have acts of their own. */
  endPersonal(person: string): Promise<void>;

  /** Documents in force and leaving, as controller/desired wrote them. */
  inForce(): Promise<readonly InForceRow[]>;
  changeInForce(change: { readonly put: readonly InForceRow[]; readonly gone: readonly string[] }): Promise<void>;
  /** Small named values: portal key, desired hash. */
  value(name: string): Promise<string | null>;
  /** Values whose names begin so, by name. */
  values(prefix: string): Promise<ReadonlyMap<string, string>>;
  putValue(name: string, value: string): Promise<void>;
  /** Stores it unless there is one, and answers the one that is stored: of two portals that begin at once, the same to both. */
  keepValue(name: string, value: string): Promise<string>;
  /** Rooms, the bell and credentials of backends, in the same file and in the same transactions. */
  readonly rooms: RoomStore;
  /** The queue, likewise. */
  readonly jobs: JobStore;
  /** The file is not what it was: from now on every change rejects STORE_FAILED with `why`, and nothing is written, not even by `close`. */
  giveUp(why: string): void;
  close(): Promise<void>;
}
