/** Observes one app: its wish, process and socket. Starts and ends nothing. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProcessIdentity, Reason } from '../../schema/backend.ts';
import { limits } from './limits.ts';
import { closePolicy, healthPath } from '../../schema/manifest/manifest.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import { containmentSentences } from '../../schema/texts/containment.ts';
import { errorCode } from '../../schema/system-error.ts';
import { isMissing, pathState, readRecord } from '../atomic-file.ts';
import { readEnvFile, requestVariable } from '../launch/env-file.ts';
import { readMarker } from '../launch/marker.ts';
import { cachedPackageHash } from '../launch/package-hash-cache.ts';
import { findPackage, readManifest } from '../launch/package.ts';
import { LaunchRefused } from '../launch/refusal.ts';
import { givenSecrets } from '../launch/secrets.ts';
import { probeSocket } from '../launch/socket.ts';
import {
  familyOf,
  isOfApp,
  markedEnviron,
  readPidFile,
  readStat,
  sameProcess,
  startedAtMs,
  watchProcess,
  type Marked,
} from '../processes.ts';
import { isJob } from './cluster-job.ts';
import { observeScope } from './ending.ts';
import { detectLostSocket } from './lost-socket.ts';
import { oomCountersOf } from './oom.ts';
import { scopeOf } from './scope.ts';
import { observeSecrets } from './secrets.ts';
import { listeningPorts } from './tcp-ports.ts';
import { readUnixSockets, type SocketUse } from './unix-sockets.ts';
import { later, type App, type Live, type Supervisor, type Wish } from './app-state.ts';

/** Null when the app is not wanted. A file that can't be used is a wish all the same; the launch says what is wrong with it. Throws for a failing disk. */
export function readWish(app: App): Wish | null {
  try {
    const variables = readEnvFile(app.paths.env);
    return variables === null ? null : { variables };
  } catch (error) {
    // A file that the disk does not let us read may say anything.
    if (!(error instanceof LaunchRefused)) throw error;
    return { variables: null };
  }
}

/**
 * Takes the wish on disk over; true when there is one. While its process lives, what the supervisor wrote counts: the environment of a process can't
 * be changed, and the next pass writes the file again. Decision: docs/decisions/0347-what-is-in-an-env-file.md
 */
export function observeWish(app: App): boolean {
  const wish = readWish(app);
  if (wish === null || app.process === null || (app.wish?.variables ?? null) === null) app.wish = wish;
  app.requestId = app.wish?.variables?.get(requestVariable) ?? app.requestId;
  return app.wish !== null;
}

/**
 * The living process of the app: the recorded one, the launcher that is at work, or (after a supervisor was killed between the
 * start and the record) the leader in the process table that runs the app's entrypoint.
 */
export function findLive(supervisor: Supervisor, app: App): Live | null {
  const recorded = readPidFile(app.paths.runPid);
  if (recorded !== null && isOfApp(recorded, app.mark)) return adopted(app, recorded, false);
  const marker = readMarker(app.paths.comingUp);
  const isLauncher = marker !== null && !sameProcess(marker.process, supervisor.self) && isOfApp(marker.process, app.mark);
  return isLauncher ? adopted(app, marker.process, true) : null;
}

/** Leaders in the process table that run the entrypoint, in whichever version of the package they began: a walk, so only where a record may be missing. */
export function unrecordedLeaders(supervisor: Supervisor, app: App, marked: readonly Marked[]): readonly ProcessIdentity[] {
  if (marked.length === 0) return [];
  let entrypoint: string;
  try {
    const folder = findPackage(supervisor.place, app.id);
    if (folder === null) return [];
    entrypoint = resolve('/', readManifest(folder.dir, app.id).backend.entrypoint);
  } catch (error) {
    if (!(error instanceof LaunchRefused)) throw error;
    return [];
  }
  const runsIt = (pid: number): boolean =>
    commandLine(pid).some((argument) => argument.endsWith(entrypoint) && argument.includes(`/${app.id}/`));
  return marked.filter(({ identity, leader }) => leader && runsIt(identity.pid)).map(({ identity }) => identity);
}

function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** A process that we did not start ourselves; null when it ended in the meantime. */
export function adopted(app: App, identity: ProcessIdentity, launcher: boolean): Live | null {
  const environ = markedEnviron(identity.pid, app.mark);
  const stat = readStat(identity.pid);
  const watch = watchProcess(identity);
  if (watch === null || environ === null || stat === null) {
    watch?.close();
    return null;
  }
  const cgroup = scopeOf(identity.pid);
  return {
    identity,
    child: null,
    watch,
    startedAtMs: startedAtMs(identity),
    hash: environ.get('SVC_APP_INSTALLED_HASH') ?? null,
    launcher,
    leader: stat.group === identity.pid,
    cgroup,
    oom: oomCountersOf(cgroup),
    listened: false,
    socketInode: null,
    isSocketMissed: false,
    recordStamp: '',
  };
}

/**
 * Token that the living process was started with; null when unknown. `isSecret`: it is the person's, from their vault, and says nothing of the start.
 * Source: rules 3.1 step 2.
 */
export function tokenOfProcess(app: App): { readonly token: string; readonly isSecret: boolean } | null {
  const environ = app.process === null ? null : markedEnviron(app.process.identity.pid, app.mark);
  if (environ === null) return null;
  const secret = givenSecrets(environ, []).get('SVC_APP_TOKEN');
  const token = secret ?? environ.get('SVC_APP_TOKEN');
  return token === undefined ? null : { token, isSecret: secret !== undefined };
}

/** Reads version, hash and policy again when the package is another one. Bytes are only read when a file changed. */
export async function observePackage(supervisor: Supervisor, app: App): Promise<void> {
  const stamp = packageStamp(supervisor, app.id);
  if (stamp === app.packageStamp) return;
  app.packageStamp = stamp;
  try {
    const folder = findPackage(supervisor.place, app.id);
    if (folder === null) {
      app.installed = null;
      app.policy = null;
      app.declaredSecrets = [];
    } else {
      const manifest = readManifest(folder.dir, app.id);
      const hash = await cachedPackageHash(folder.dir, null);
      app.installed = { version: manifest.version, hash, scope: folder.scope };
      app.policy = closePolicy(manifest);
      app.healthPath = healthPath(manifest.backend);
      app.declaredSecrets = manifest.secrets ?? [];
    }
  } catch (error) {
    supervisor.log('package-not-readable', { app: app.id, error: error instanceof Error ? error.message : String(error) });
    // A package that the disk does not let us read counts as unchanged.
    if (!(error instanceof LaunchRefused)) {
      app.packageUnseen = error instanceof Error ? error.message : String(error);
      app.packageStamp = '';
      supervisor.changed(app);
      return;
    }
    app.installed = null;
    app.policy = null;
  }
  app.packageUnseen = '';
  app.packageObserved = true;
  observeSecrets(supervisor, app);
  supervisor.changed(app);
}

/** Reads the idle policy alone, at once: a resumed deadline needs it before the whole package is observed. */
export function observePolicy(supervisor: Supervisor, app: App): void {
  try {
    const folder = findPackage(supervisor.place, app.id);
    const manifest = folder === null ? null : readManifest(folder.dir, app.id);
    app.policy = manifest === null ? null : closePolicy(manifest);
    if (manifest !== null) app.healthPath = healthPath(manifest.backend);
  } catch {
    // The whole package is observed right after this.
  }
}

/** Changes with every install: packages are put in place as a whole, so the folder and its manifest show it. */
function packageStamp(supervisor: Supervisor, app: string): string {
  const paths = accountPaths(supervisor.place);
  return [paths.personApps, paths.systemApps]
    .map((folder) => `${stampOf(`${folder}/${app}`)} ${stampOf(`${folder}/${app}/svc-app.json`)}`)
    .join('; ');
}

function stampOf(path: string): string {
  try {
    const stat = statSync(path);
    return `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`;
  } catch (error) {
    return isMissing(error) ? '-' : errorCode(error);
  }
}

/**
 * Stamp of the files that a terminal refusal may wait for: package, secrets, wish, engines. A missing GPU waits for a person (rules 2.1), a taken
 * one for its lease (gpu-wait.ts).
 */
export function wakeStamp(supervisor: Supervisor, app: App, reason: Reason, inputs = inputsStamp(supervisor, app)): string | null {
  if (reason === 'NoGpu' || reason === 'GpuBusy') return null;
  return `${inputs}; ${stampOf(app.paths.socket)}`;
}

/** Stamp of the files that a start reads and does not write. Taken before the start, so that a repair during it is noticed afterwards. */
export function inputsStamp(supervisor: Supervisor, app: App): string {
  const engines = `${accountPaths(supervisor.place).engines}/${app.id}`;
  const files = [app.paths.secrets, app.paths.env, engines].map(stampOf);
  return [packageStamp(supervisor, app.id), ...files, enginesStamp(engines)].join('; ');
}

/** Engines are put in place two levels down. */
function enginesStamp(folder: string): string {
  try {
    return String(statSync(folder).nlink);
  } catch {
    return '-';
  }
}

/** The sockets of the person's apps, as the kernel lists them now. */
export function socketsOf({ place }: Supervisor): ReadonlyMap<string, SocketUse> | null {
  return readUnixSockets(accountPaths(place).root);
}

/** Waits between checks of a socket file that nothing listens on yet: bind and listen are microseconds apart, a slow app takes longer. */
const socketPollsMs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] as const;

/**
 * Whether a process listens, by the kernel's list; a socket bound under another name is tested by a connection. Sends changes to the
 * machine. Repeats while the file is there and the app comes up.
 */
export async function observeSocket(supervisor: Supervisor, app: App, table = socketsOf(supervisor), attempt = 0): Promise<void> {
  const before = app.socket;
  app.socket = await socketState(app, table);
  if (app.socket === 'listening') {
    app.tcpPorts = [];
    if (app.process !== null) {
      app.process.listened = true;
      observeScope(app);
      if (app.process.hash === null) {
        app.process.hash = markedEnviron(app.process.identity.pid, app.mark)?.get('SVC_APP_INSTALLED_HASH') ?? null;
        // It came up through its set-up, which may have made files deep in the folder: the package is observed again.
        app.packageStamp = '';
      }
    }
    if (app.step?.name === 'socket') app.step = null;
    if (app.process !== null && app.supervision.state === 'starting') supervisor.apply(app, { type: 'PROCESS_SEEN', listening: true });
  } else if (app.socket === 'orphan' && app.process !== null && attempt < socketPollsMs.length) {
    later(app, socketPollsMs[attempt] ?? 1_000, () => void observeSocket(supervisor, app, socketsOf(supervisor), attempt + 1));
  }
  if (app.socket !== before) supervisor.changed(app);
  detectLostSocket(supervisor, app, table);
}

async function socketState(app: App, table: ReadonlyMap<string, SocketUse> | null): Promise<App['socket']> {
  const file = pathState(app.paths.socket);
  if (file.kind === 'unknown') return app.socket;
  if (file.kind === 'absent' || !file.stat.isSocket()) return 'absent';
  if (table?.get(app.paths.socket)?.listening === true) return 'listening';
  if (app.process === null) return 'orphan';
  try {
    return (await probeSocket(app.paths.socket)) === 'answers' ? 'listening' : 'orphan';
  } catch (error) {
    return error instanceof LaunchRefused ? 'orphan' : app.socket;
  }
}

/** While the socket is missing: is it a port instead? Source: rules 7 `backend binds a port`. */
export function observeTcpPorts(supervisor: Supervisor, app: App): void {
  if (app.process === null || app.process.launcher || isJob(app) || app.socket === 'listening' || app.supervision.state !== 'starting')
    return;
  const ageMs = supervisor.nowMs() - app.process.startedAtMs;
  if (ageMs < limits.neverBoundMs || ageMs > limits.neverBoundWindowMs) return;
  const ports = listeningPorts(familyOf(app.process.identity.pid));
  if (ports.join() === app.tcpPorts.join()) return;
  app.tcpPorts = ports;
  supervisor.changed(app);
}

/** From limits.json, or from the launcher itself. */
export function gpuSummary(value: unknown): App['gpu'] {
  if (typeof value !== 'object' || value === null) return null;
  const { modo, concedida, motivo, dispositivos } = value as Record<string, unknown>;
  if ((modo !== 'opcional' && modo !== 'necessaria') || typeof motivo !== 'string') return null;
  const cards = Array.isArray(dispositivos) ? dispositivos.slice(0, 64).map(gpuCard) : [];
  return { modo, concedida: concedida === true, motivo: motivo.slice(0, 4_096), dispositivos: cards };
}

function gpuCard(value: unknown): { dispositivo: string; fornecedor: string; modelo: string; driver: string } {
  const card = Object(value) as Record<string, unknown>;
  const name = (field: string): string => {
    const found = card[field];
    return typeof found === 'string' ? found.slice(0, 256) : '';
  };
  return { dispositivo: name('dispositivo'), fornecedor: name('fornecedor'), modelo: name('modelo'), driver: name('driver') };
}

/** Ceilings and the verdict on the GPU, as the launcher wrote them. */
export function observeLimits(app: App): void {
  let text: string | null;
  try {
    text = readRecord(app.paths.limits);
  } catch {
    return;
  }
  try {
    const value = JSON.parse(text ?? 'null') as { contained?: unknown; reason?: unknown; gpu?: unknown } | null;
    app.contained = value?.contained === true;
    app.containedReason = typeof value?.reason === 'string' ? value.reason : '';
    app.gpu = gpuSummary(value?.gpu);
  } catch {
    app.contained = false;
    app.containedReason = containmentSentences.damagedRecord.en;
    app.gpu = null;
  }
}
