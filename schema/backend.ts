/**
 * Words for the life of a backend, shared by the supervisor (on the server), the controller and the pages: states, reasons,
 * conditions and the snapshot that a supervisor publishes. Source: spec 3.3 and 2.6; design 3 rules 5 to 7.
 */

/**
 * Spec 3.3 names stopped, starting, running and failed; the rest is ours. The same seven words are used in status.json, the API, the pages
 * and the command line. `backoff`: the process ended and the next start is due at `nextAttemptAtMs`. `unknown`: the server can't be seen,
 * which is never shown as `stopped`.
 */
export const backendStates = ['stopped', 'starting', 'running', 'stopping', 'backoff', 'failed', 'unknown'] as const;
export type BackendState = (typeof backendStates)[number];

/**
 * The closed list of reasons, in CamelCase as in Kubernetes. Every transition carries one; docs/reasons.md says what each means and how it
 * is mended. Pages translate them and have no state of their own.
 */
export const reasons = [
  // stopped
  'NeverStarted',
  'StoppedByPerson',
  'StoppedByAdmin',
  'LastWindowClosed',
  'Idle',
  'PinnedStopped',
  'HashChanged',
  'Uninstalled',
  'PersonRemoved',
  'DocumentRemoved',
  'Reinstalled',
  'WishDeleted',
  // starting
  'StartRequested',
  'PinnedRunning',
  'ServiceStart',
  'SettingUp',
  'Probing',
  'SlowStart',
  'SocketLost',
  // running
  'Healthy',
  'Adopted',
  'NotAnswering',
  'Suspended',
  // backoff and failed
  'Crashed',
  'ExitedAtOnce',
  'OutOfMemory',
  'NeverBound',
  'BoundTcp',
  'AnswersError',
  'RefusesToken',
  'InstallCommandFailed',
  'InvalidManifest',
  'InvalidEnvironment',
  'EnvFileDamaged',
  'EngineMissing',
  'PackageMissing',
  'NoGpu',
  'GpuBusy',
  'DiskFull',
  'SocketPathTooLong',
  'SocketRefused',
  'RuntimeMissing',
  'TooManyFailures',
  // unknown and infrastructure
  'ServerUnreachable',
  'SupervisorStarting',
  'SupervisorLost',
  'FilesUnreadable',
  'LingerBroken',
  'NotObservedYet',
  'NotInstalled',
  // other objects
  'Installed',
  'Installing',
  'Downloading',
  'Cancelled',
  'Outdated',
  'Drift',
  'Paused',
  'RolledBack',
  'SourceMissing',
  'CapabilityMissing',
  'ShellTooOld',
  'ScopeRefused',
  'InstallFailed',
  'Undeclared',
  'Provisioned',
  'NeverSignedIn',
  'SessionEnded',
  'Reachable',
  'Listening',
  'PendingPrune',
  'Granted',
  'Granting',
  'ReferenceMissing',
  'GrantRefused',
  'Invalid',
] as const;
export type Reason = (typeof reasons)[number];

export const conditionTypes = ['Ready', 'Progressing', 'Reachable', 'Contained', 'Stale', 'Installed', 'Drift', 'Paused'] as const;

/** Kubernetes-like condition. `sinceMs` is the wall time of the last change of `status`. */
export interface Condition {
  readonly type: (typeof conditionTypes)[number];
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
  readonly observedGeneration: number;
  readonly sinceMs: number;
}

/** Identity of a process: the pid alone proves nothing. Source: design 3 rule 9. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat, clock ticks after boot. */
  readonly startTicks: number;
  readonly bootId: string;
}

export const startSteps = ['package', 'install', 'gpu', 'spawn', 'socket', 'probe'] as const;
export type StartStep = (typeof startSteps)[number];

/** In the message of an app that left the process which is watched (spec 3.1 step 7: run.pid is the backend). */
export const wentToBackground = 'went to the background';

/** How the last process ended. */
export interface LastExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly atMs: number;
  readonly reason: Reason;
  /** At most 20 lines, secrets redacted. */
  readonly lastLogLines: readonly string[];
}

export function howItEnded({ code, signal }: Pick<LastExit, 'code' | 'signal'>): string {
  if (signal !== null) return `ended by ${signal}`;
  return code === null ? 'the process ended' : `exit code ${code}`;
}

/** What a supervisor says about one app of its person. The file `status.json` holds the same object. */
export interface AppSnapshot {
  readonly app: string;
  readonly state: BackendState;
  readonly reason: Reason;
  readonly message: string;
  readonly sinceMs: number;
  /** The env file exists: desired state running. Source: spec 2.6. */
  readonly wanted: boolean;
  readonly pinned: boolean;
  /** Id of the start or stop request that was carried out last; null when none is known. */
  readonly requestId: string | null;
  readonly installed: { readonly version: string; readonly hash: string; readonly scope: 'sistema' | 'pessoa' } | null;
  readonly process: (ProcessIdentity & { readonly startedAtMs: number; readonly hash: string | null }) | null;
  readonly socket: 'absent' | 'listening' | 'orphan';
  /** TCP ports that the process listens on; only looked for while the socket is missing. */
  readonly tcpPorts: readonly number[];
  readonly step: { readonly name: StartStep; readonly detail: string; readonly atMs: number } | null;
  /** Consecutive failures; 5 means failed. */
  readonly failures: number;
  readonly nextAttemptAtMs: number | null;
  /** How often it was relaunched after an unrequested end, since it was started last. */
  readonly restarts: number;
  readonly lastExit: LastExit | null;
  /** Open connections on the socket without our own probes; null when it could not be read. */
  readonly connections: number | null;
  readonly idleDeadlineMs: number | null;
  readonly contained: boolean;
  readonly containedReason: string;
  /** Of the manifest's `secrets` against the person's vault. Names only. Source: spec 2.1 `secrets`. */
  readonly secrets: SecretsSummary;
  /** The verdict of the last launch that got that far; null for an app that declares no GPU. Source: spec 3.1 step 6. */
  readonly gpu: GpuSummary | null;
}

export interface SecretsSummary {
  /** How many the manifest asks for. */
  readonly declared: number;
  /** Those marked `required` that the vault lacks: informative, the app starts without. */
  readonly missing: readonly string[];
  /** The process was started with other values than the vault holds now. */
  readonly restartNeeded: boolean;
}

export interface GpuSummary {
  readonly modo: 'opcional' | 'necessaria';
  readonly concedida: boolean;
  /** A sentence: which device, or why none. */
  readonly motivo: string;
}

/** One secret as it may be shown: everything but its value. */
export interface SecretView {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** False: the vault holds it and the installed manifest does not ask for it. It can only be removed. */
  readonly declared: boolean;
  readonly set: boolean;
}

/** What reading, writing and deleting a secret answer alike. */
export interface SecretsView {
  readonly secrets: readonly SecretView[];
  readonly restartNeeded: boolean;
}
