/** Inputs and memory of decideBackend, as plain JSON values, so that the loop, `svc plan`, the store and the simulator share them. */
import type { BackendState, Reason } from '../schema/backend.ts';
import type { Cause } from '../schema/cause.ts';
import type { AppSnapshot } from '../schema/supervisor-lines.ts';
import type { Manifest } from '../schema/manifest/manifest.ts';
import type { BackendLife, Saw } from '../machines/backend.ts';
import type { ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';

/** A pending intent; the same shape as the store's without `done`, person and app. Decision: docs/decisions/0026 */
export interface PendingIntent {
  readonly wish: 'start' | 'stop' | 'restart';
  readonly by: 'person' | 'admin' | 'navigation' | 'windows' | 'service';
  readonly requestId: string;
  readonly atMs: number;
}

export interface Reachability {
  /** `unknown` until the host was asked for the first time; `reachable` only after its packages were read too. */
  readonly status: 'reachable' | 'unreachable' | 'unknown';
  readonly message: string;
  /** Says more about `unreachable` than that the server does not answer. */
  readonly cause?: Cause;
}

/** The reason of an object on a server that is not `reachable`. */
export const unseenReason = ({ status, cause }: Reachability): Reason =>
  status === 'unreachable' ? (cause?.reason ?? 'ServerUnreachable') : 'NotObservedYet';

export interface Drain {
  readonly server: string;
  /** The apps of this person alone, which go to that server. Absent: all apps of the server. */
  readonly to?: string;
  /** Apps that still run at that time are stopped; null: each one runs until nobody uses it. */
  readonly deadlineMs: number | null;
}

export interface BackendDesired {
  readonly person: string;
  readonly app: string;
  /** Manifest of the installed package; null when the app is not installed for this person. */
  readonly manifest: Manifest | null;
  /** The document of its person is gone: what of it lives is ended by reconcilers/leaving.ts, and nothing is ordered here. */
  readonly leaving?: boolean;
  /** Its package is about to go: it is ended first. */
  readonly removing?: boolean;
  /** The groups that the app is for: its person is in none of them, and `manifest` is null; null or absent: they may use it. */
  readonly shutBy?: readonly string[] | null;
  /** Its server is drained: nothing is started there; null or absent: it is not. */
  readonly drain?: Drain | null;
  /** The longest that it may run at once, by its Package document; null or absent: as long as it is used. */
  readonly maximoMs?: number | null;
  /** Key of the Package object that wants it installed here; null or absent when none does. */
  readonly packageKey?: string | null;
  /** Hash of the package on disk; null with the manifest, or when it is not known. */
  readonly installedHash: string | null;
  /** `estado` of the Backend document; null without one. */
  readonly document: 'ligado' | 'desligado' | null;
  /** Generation of the document; 0 without one. */
  readonly generation: number;
  /** Newest intent that is not done. */
  readonly intent: PendingIntent | null;
  /** The newest stop by an administrator, when that is the newest intent, done or not; absent: there is none. */
  readonly stoppedBy?: { readonly requestId: string; readonly who: string } | null;
  readonly windows: { readonly open: number; readonly zeroSinceMs: number | null } | null;
  /** The person has a live session at the portal. */
  readonly session: boolean;
  /** When the person's present time at the portal began (several sessions in a row are one); services start once in it. */
  readonly sessionSinceMs: number | null;
}

export interface ProbeResult {
  readonly pid: number;
  readonly attempt: number;
  /** 0 is the spec's 000. */
  readonly code: number;
  /** The gate of the runtime refused the token (`X-Svc-Token: recusado`, rules 5). */
  readonly byGate: boolean;
  readonly atMs: number;
}

export interface BackendObserved {
  readonly host: Reachability;
  readonly supervisor: 'up' | 'starting' | 'down';
  /** Why it is not up, by the last attempt; null or absent: there was none, or it is up. */
  readonly trouble?: Cause | null;
  /** Why the supervisor can't write to its home: it takes no start. '' or absent: it can. */
  readonly disk?: string;
  /** The newest snapshot of the supervisor; null when it does not know the app or never reported. */
  readonly snapshot: AppSnapshot | null;
  /** Result of the newest probe, of whichever process. */
  readonly probe: ProbeResult | null;
  /** A probe is out. */
  readonly probing: boolean;
  /** An order that the supervisor refused for good (coded, terminal): it ends the intent with that id. */
  readonly refused?: { readonly requestId: string; readonly reason: Reason; readonly message: string } | null;
}

/** The published status. */
export interface BackendStatusMemory {
  readonly reason: Reason;
  readonly sinceMs: number;
  /** Last state that was really observed; shown in the message while the state is `unknown`. */
  readonly last: { readonly state: Exclude<BackendState, 'unknown'>; readonly reason: Reason } | null;
  /** The assessment at that time; null while it rests on an order that is under way. */
  readonly saw: Saw | null;
}

export interface Bound {
  readonly pid: number;
  readonly startTicks: number;
  /** The `maximo` that it was made of. */
  readonly msMax: number;
  /** The process is stopped then; told from `endToldMs` before on. */
  readonly endAtMs: number;
}

/** JSON; the very same object comes back when nothing changed. */
export interface BackendMemory extends Pick<BackendLife, 'state' | 'start' | 'sent'> {
  readonly context: BackendStatusMemory;
  /** `sessionSinceMs` of the session in which the service was started already. */
  readonly autostartedFor: number | null;
  /** Time of the newest start that was carried out: windows closed before it do not end the app. */
  readonly startedAtMs: number | null;
  /** Installed hash when the app failed: another one is worth another try. */
  readonly failedHash: string | null;
  /** When its `maximo` ends the process that lives; null: it has none. */
  readonly bound: Bound | null;
  readonly since: ConditionMemory;
}

export type IntentOutcome = 'done' | 'refused' | 'expired';

export interface BackendDecision extends Decision<BackendMemory> {
  readonly state: BackendState;
  /** A probe of the living process answered with a ready code. */
  readonly ready: boolean;
  /** When its `maximo` ends it, from the time on that its person is told; null: nothing is to be told. */
  readonly endsAtMs: number | null;
  /** Intent to mark done in the store, with any outcome. */
  readonly finishedIntent: string | null;
  readonly outcome: IntentOutcome | null;
  /** Runs other code than what is installed. */
  readonly stale: boolean;
}
