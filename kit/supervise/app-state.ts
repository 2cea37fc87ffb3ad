/**
 * kit/supervise: one supervisor per person and server (rules 3.3). The records of this file hold the knowledge of each app; the decisions are the
 * machine's (machines/supervision.ts), the other files observe and act: resume.ts (state of an earlier supervisor), launching.ts, coming-up.ts
 * (until it listens), ending.ts, observe.ts, scan.ts and calm.ts (the 10 s level), watch.ts (edges), readable-files.ts (can the files be read),
 * lock.ts (one supervisor), disk.ts (space), lost-socket.ts, snapshot.ts (status.json and pushes), vault.ts and hidden.ts (secrets), requests.ts +
 * operations.ts + server.ts (the socket).
 */
import type { ChildProcess } from 'node:child_process';
import type { ProcessIdentity } from '../../schema/backend.ts';
import type { AppSnapshot, LastExit } from '../../schema/supervisor-lines.ts';
import type { ClosePolicy, Manifest } from '../../schema/manifest/manifest.ts';
import { appPaths, type ServerPlace } from '../../schema/server-paths.ts';
import type { Health } from '../../machines/health.ts';
import { stoppedSupervision, type Supervision, type SupervisionEvent } from '../../machines/supervision.ts';
import type { Variables } from '../launch/env-file.ts';
import type { Fence } from './fence.ts';
import type { OomCounters } from './oom.ts';
import type { AppMark, ProcessWatch, StateWatch } from '../processes.ts';

export type SecretDeclaration = NonNullable<Manifest['secrets']>[number];

/** A process of an app, from its start (also while it still is the launcher) to its end. */
export interface Live {
  readonly identity: ProcessIdentity;
  /** Our own child, whose end is an event; null for an adopted one, which is watched. */
  readonly child: ChildProcess | null;
  readonly watch: ProcessWatch | null;
  readonly startedAtMs: number;
  /** SVC_APP_INSTALLED_HASH that it was started with; null while it is still the launcher. */
  hash: string | null;
  /** Still `svc-app-run`: an end now has another meaning than the end of the backend. */
  launcher: boolean;
  /** Leader of its own group, so that the group can be signalled. */
  readonly leader: boolean;
  /** Folder of its scope below /sys/fs/cgroup, when contained; known a moment after the start, when systemd-run has moved the process. */
  cgroup: string | null;
  /** OOM kills at the last observation. */
  oom: OomCounters;
  listened: boolean;
  /** The file that it listens on; null before it was seen. */
  socketInode: number | null;
  /** It was gone at the last observation; the next one confirms that. */
  isSocketMissed: boolean;
  /** Stamp of run.pid when it was seen to name this process; '' before. See lost-socket.ts. */
  recordStamp: string;
}

/** The env file as the supervisor reads it; `variables` is null when the file is there but can't be used. */
export interface Wish {
  readonly variables: Variables | null;
}

/** Changes with every file that is made, renamed or deleted in a folder, and with its mode. */
export interface FolderStamp {
  readonly inode: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** Whether its process is stopped and answers (health.ts). */
export interface Watched {
  readonly process: ProcessIdentity;
  readonly state: StateWatch;
  health: Health;
  /** Ends the question that is out; null when none is. */
  asking: (() => void) | null;
  /** A check before the next pass is scheduled already. */
  armed: boolean;
}

export interface App {
  readonly id: string;
  readonly paths: ReturnType<typeof appPaths>;
  readonly mark: AppMark;
  supervision: Supervision;
  sinceMs: number;
  /** A sentence on the state, when there is more to say than the reason. */
  message: string;
  wish: Wish | null;
  /** Why its files can't be read; '' when they can. While it is set, nothing is concluded from them. */
  unseen: string;
  /** The wish ended and its file could not be deleted yet. */
  wishEnds: boolean;
  /** The state of an earlier supervisor is still to be taken over. */
  resumeDue: boolean;
  requestId: string | null;
  installed: AppSnapshot['installed'];
  policy: ClosePolicy | null;
  /** Inode and times of the package; a change makes `installed` be read again. */
  packageStamp: string;
  /** Real folder of the version that the living process was started from; null when it was not to be had. */
  codeFolder: string | null;
  /** Whether the package was observed once: before that nothing is known about it. */
  packageObserved: boolean;
  /** Why the package can't be read; '' when it can. Its known facts stay. */
  packageUnseen: string;
  process: Live | null;
  /** Group of the leader that ended last, until it is known to be empty. */
  lastGroup: number | null;
  /** A launch being prepared inside the supervisor; cancelled when a stop overtakes it. */
  pending: { cancelled: boolean } | null;
  /** Resolves when what a dead leader left behind is gone. */
  swept: Promise<void> | null;
  socket: AppSnapshot['socket'];
  /** Its socket was deleted while it ran: how often recently, and when it was last restarted for that. */
  socketLosses: { readonly count: number; readonly atMs: number };
  tcpPorts: readonly number[];
  step: AppSnapshot['step'];
  restarts: number;
  lastExit: LastExit | null;
  connections: number | null;
  /** Inodes of the connections of the last pass. */
  lastRound: ReadonlySet<string>;
  lastUseMs: number;
  /** Whether the living process still answers (health.ts); null before the first check. */
  watched: Watched | null;
  /** The work that keeps it busy, by its last answer to a question of health (`ocupado` in /saude); null: nothing that it says. */
  busy: string | null;
  /** The job of a cluster that it runs as; null: it runs here, or nothing is known of its job yet. */
  job: NonNullable<AppSnapshot['job']> | null;
  /** `healthcheckPath` of the manifest. */
  healthPath: string;
  contained: boolean;
  containedReason: string;
  /** The service manager of the account ended the app that ran last: the next start does not lean on it. */
  managerLost: boolean;
  gpu: AppSnapshot['gpu'];
  /** Secrets that the installed manifest declares. */
  declaredSecrets: readonly SecretDeclaration[];
  secrets: AppSnapshot['secrets'];
  /** Values that were replaced or deleted and may still stand in a log; forgotten with the supervisor. */
  retiredSecrets: readonly string[];
  /** Values of the vault when it could be read last. */
  knownSecrets: readonly string[];
  /** Vault, manifest and process at the last observation. */
  secretsStamp: string;
  /** Stamp of the files that a terminal refusal waits for; null when it waits for none. */
  wakeStamp: string | null;
  /** A timer looks again soon whether the app that is being ended is gone. */
  isWatchedToEnd: boolean;
  timers: Set<NodeJS.Timeout>;
  /** Its folder before its files were last read; null: not there, or unknown. */
  folder: FolderStamp | null;
  /** Whether we get the changes in its folder (watch.ts), and whether there was one since its files were last read. */
  isFolderWatched: boolean;
  isTouched: boolean;
  /** Passes in a row that left its files alone (calm.ts). */
  calmRounds: number;
  /** JSON of the last published snapshot, and of the last one in status.json. */
  published: string;
  written: string;
  statusDue: boolean;
  /** status.json could not be written at the last try. */
  isUnwritten: boolean;
  /** Requests of one app are carried out one after the other; the record stays while any waits. */
  queue: Promise<unknown>;
  queued: number;
}

export interface Supervisor {
  readonly place: ServerPlace;
  readonly kitRoot: string;
  readonly binDir: string;
  readonly self: ProcessIdentity;
  readonly apps: Map<string, App>;
  readonly nowMs: () => number;
  /** Kernel counter of out-of-memory kills at the last pass. */
  oomKills: number;
  /** Times of the folders that hold packages and apps, at the last pass. */
  folderStamps: string;
  /** Why nothing can be written to the home; '' when it can. */
  disk: string;
  /** Once ~/.svc-apps could be listed: what an earlier supervisor left is known. */
  isResumed: boolean;
  /** Hands an event to the machine and carries out the effects. */
  readonly apply: (app: App, event: SupervisionEvent) => void;
  /** The record of an app may have changed: publish it in this turn, and look when the next deadline is. */
  readonly changed: (app: App) => void;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** Refuses an order of a portal that leads no more. */
  readonly fence: Fence;
}

export const noSecrets: AppSnapshot['secrets'] = { declared: 0, missing: [], restartNeeded: false };

export function newApp(place: ServerPlace, id: string, nowMs: number): App {
  const paths = appPaths(place, id);
  return {
    id,
    paths,
    mark: { app: id, socket: paths.socket },
    supervision: stoppedSupervision,
    sinceMs: nowMs,
    message: '',
    wish: null,
    unseen: '',
    wishEnds: false,
    resumeDue: false,
    requestId: null,
    installed: null,
    policy: null,
    packageStamp: '',
    codeFolder: null,
    packageObserved: false,
    packageUnseen: '',
    process: null,
    lastGroup: null,
    pending: null,
    swept: null,
    socket: 'absent',
    socketLosses: { count: 0, atMs: 0 },
    tcpPorts: [],
    step: null,
    restarts: 0,
    lastExit: null,
    connections: null,
    lastRound: new Set(),
    lastUseMs: nowMs,
    watched: null,
    busy: null,
    job: null,
    healthPath: '/',
    contained: false,
    containedReason: '',
    managerLost: false,
    gpu: null,
    declaredSecrets: [],
    secrets: noSecrets,
    retiredSecrets: [],
    knownSecrets: [],
    secretsStamp: '',
    wakeStamp: null,
    isWatchedToEnd: false,
    timers: new Set(),
    folder: null,
    isFolderWatched: false,
    isTouched: false,
    calmRounds: 0,
    published: '',
    written: '',
    statusDue: false,
    isUnwritten: false,
    queue: Promise.resolve(),
    queued: 0,
  };
}

/** The app of that id, known or new. */
export function appOf(supervisor: Supervisor, id: string): App {
  let app = supervisor.apps.get(id);
  if (!app) {
    app = newApp(supervisor.place, id, supervisor.nowMs());
    supervisor.apps.set(id, app);
  }
  return app;
}

/** An error with one app must not keep the others from being observed; the next pass retries. */
export function guarded(supervisor: Supervisor, app: App, doing: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    supervisor.log('app-failed', { app: app.id, doing, error: error instanceof Error ? error.message : String(error) });
  }
}

/** A timer that ends with the app's record and never keeps the supervisor alive. */
export function later(app: App, delayMs: number, run: () => void): void {
  const timer = setTimeout(() => {
    app.timers.delete(timer);
    run();
  }, delayMs);
  timer.unref();
  app.timers.add(timer);
}
