/**
 * The seven steps of rules 3.1, in that order, up to the command that becomes the backend. Used by `svc-app-run` (which then replaces itself) and by
 * the supervisor (which spawns the command): one path for every start.
 */
import { chmodSync, closeSync, mkdirSync, unlinkSync } from 'node:fs';
import type { ProcessIdentity, StartStep } from '../../schema/backend.ts';
import { readInstalledRecord } from '../../schema/installed-record.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { SiteResources } from '../../schema/resources.ts';
import { menuOf } from '../../schema/manifest/menu.ts';
import { appPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { errorCode } from '../../schema/system-error.ts';
import { readEvidence, unlinkIfThere, writeFileAtomic } from '../atomic-file.ts';
import { faultPoint } from '../faults.ts';
import { findExecutable, importFlags, searchPath } from '../place.ts';
import { ceilingsOf, containment, lostManager, scopeArgv, scopeUnit, sliceOf, unheld, type Ceilings, type Containment } from './ceiling.ts';
import { clusterOrderOf, jobArgv } from './cluster-job.ts';
import { engineVariables } from './engines.ts';
import { readEnvFile, type Variables } from './env-file.ts';
import { accountFolders, backendEnvironment } from './environment.ts';
import { gpuMode } from './gpu.ts';
import type { GpuLease } from './gpu-lease.ts';
import { decideGpu, type GpuDecision, type GpuVerdict } from './gpu-verdict.ts';
import { writeMarker } from './marker.ts';
import { cachedPackageHash } from './package-hash-cache.ts';
import { entrypointOf, findPackage, mayMakeEntrypoint, readManifest, type InstalledFolder } from './package.ts';
import { asRefusal, LaunchRefused, type Refusal } from './refusal.ts';
import { appendToRunLog, rotateRunLog } from './run-log.ts';
import { passSecrets, readSecrets } from './secrets.ts';
import { runSetUp, setUpDue } from './set-up.ts';
import { readSiteCeilings } from './site-ceilings.ts';
import { checkSocketPath, probeSocket } from './socket.ts';

export interface LaunchRequest {
  readonly place: ServerPlace;
  readonly app: string;
  readonly kitRoot: string;
  readonly nodeExecutable: string;
  /** The caller's environment; only a few names of it are taken over. */
  readonly caller: Readonly<Record<string, string | undefined>>;
  /** The process that the marker names while the steps are under way. */
  readonly self: ProcessIdentity;
  readonly nowMs: () => number;
  /** The supervisor must not wait for an installCommand: it hands such a start to `svc-app-run`. */
  readonly maySetUp: boolean;
  /** The service manager of the account is ending: it would refuse a scope. */
  readonly managerLost?: boolean;
  readonly onStep: (step: StartStep, detail: string) => void;
  /** '' on a server; tests plant a /sys below it. */
  readonly gpuRoot?: string;
}

export interface Launch {
  readonly kind: 'ready';
  /** Absolute program first. */
  readonly argv: readonly [string, ...string[]];
  readonly environment: Record<string, string>;
  readonly cwd: string;
  readonly installed: { readonly version: string; readonly hash: string; readonly scope: InstalledFolder['scope'] };
  readonly manifest: Manifest;
  readonly contained: boolean;
  readonly containedReason: string;
  readonly gpu: GpuVerdict | null;
  /** The card of the backend. The receiver of the launch hands the descriptor on and closes it, like that of the log. */
  readonly lease: GpuLease | null;
  /** Open for appending to the new run.log; the receiver of the launch closes it. */
  readonly logFd: number;
}

export type LaunchResult =
  | Launch
  /** A process answers on the socket. */
  | { readonly kind: 'up' }
  | { readonly kind: 'set-up-due' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Steps 1 to 6 and the command of step 7. Never throws; a refusal is also written to run.log. */
export async function prepareLaunch(request: LaunchRequest): Promise<LaunchResult> {
  try {
    return await steps(request);
  } catch (error) {
    const refusal = asRefusal(error);
    writeToRunLog(request, refusal);
    return { kind: 'refused', refusal };
  }
}

async function steps(request: LaunchRequest): Promise<LaunchResult> {
  const { place, app } = request;
  const paths = appPaths(place, app);
  for (const folder of accountFolders(place, app)) privateFolder(folder);

  // 1. The manifest.
  request.onStep('package', '');
  const folder = findPackage(place, app);
  if (folder === null) throw new LaunchRefused('NotInstalled', `the app ${app} is not installed on this server`);
  const manifest = readManifest(folder.dir, app);
  const commandOf = (): Launch['argv'] => runtimeCommand(place, request, folder.dir, manifest);
  // An entrypoint that installCommand may make is checked after it ran.
  if (!mayMakeEntrypoint(manifest)) commandOf();
  faultPoint('package-read');

  // 2. The wish, then the vault.
  const wish = readWish(paths.env);
  const site = readSiteCeilings(wish);
  const job = clusterOrderOf(wish);
  const { secrets, reserved } = readVault(paths.secrets);
  faultPoint('environment-read');

  // 3. The address.
  checkSocketPath(paths.socket);
  const socket = await probeSocket(paths.socket);
  faultPoint('socket-checked');
  if (socket === 'answers') return { kind: 'up' };
  if (socket === 'orphan') unlinkSync(paths.socket);
  faultPoint('orphan-deleted');

  let hash = await cachedPackageHash(folder.dir, `${paths.dir}/package.hash`);
  const due = setUpDue(paths.setUpHash, hash, manifest.backend.installCommand, wish.get('SVC_APP_REBUILD') === '1');
  if (due && !request.maySetUp) return { kind: 'set-up-due' };
  if (!due) commandOf();

  // 4. The marker.
  const mark = markerOf(request, paths.comingUp);
  mark(due ? 'install' : 'gpu', '');
  for (const left of [paths.endedByItself, paths.jobState]) unlinkIfThere(left);
  faultPoint('marked');
  const logFd = newRunLog(paths, [...reserved.map(unusedSecret), ...menuOf(manifest).omitted]);
  let lease: GpuLease | null = null;
  faultPoint('log-rotated');
  try {
    mkdirSync(wish.get('SVC_APP_DATA_DIR') ?? paths.data, { recursive: true, mode: 0o700 });
    const mode = gpuMode(manifest);
    const engines = engineVariables(place, manifest);
    const environment = backendEnvironment({ ...request, wish, engines, hash, gpuDeclared: mode !== null });

    // 5. The person's part of the set-up.
    if (due) {
      const at = { cwd: folder.dir, environment: { ...environment, ...Object.fromEntries(secrets) }, logFd };
      environment['SVC_APP_INSTALLED_HASH'] = hash = await setUpOnce(manifest, paths, hash, at, commandOf);
      mark('gpu', '');
    }

    // 6. The GPU, and the ceilings that step 7 applies.
    // The cards of a job are on its node: the scheduler gives them out.
    const gpu = mode === null || job !== null ? null : decideGpu(mode, request.gpuRoot ?? '');
    lease = gpu?.lease ?? null;
    const bounds = await boundsOf(request, manifest, site);
    writeLimits(paths.limits, bounds, gpu?.verdict ?? null);
    refuseWithoutGpu(gpu);
    faultPoint('gpu-decided');

    const passed = passSecrets(secrets, manifest.secrets !== undefined, commandOf());
    return {
      kind: 'ready',
      argv: inScope(bounds, scopeUnit(app, request.nowMs()), job === null ? passed.argv : jobArgv(request.kitRoot, job, passed.argv)),
      environment: { ...environment, ...gpu?.variables, ...scopeVariables(bounds.held), ...passed.variables },
      cwd: folder.dir,
      installed: { version: manifest.version, hash, scope: folder.scope },
      manifest,
      contained: bounds.held.contained,
      containedReason: bounds.unheld,
      gpu: gpu?.verdict ?? null,
      lease,
      logFd,
    };
  } catch (error) {
    closeSync(logFd);
    if (lease !== null) closeSync(lease.fd);
    throw error;
  }
}

/** Reports each step, and writes it down for later readers. */
function markerOf({ onStep, self, nowMs }: LaunchRequest, file: string): (step: StartStep, detail: string) => void {
  return (step, detail) => {
    onStep(step, detail);
    writeMarker(file, { process: self, step, detail, atMs: nowMs(), refusal: null });
  };
}

/** Marked as done for this code only when it is, and `check` finds what it should make. Answers the hash of the folder after it. */
async function setUpOnce(
  manifest: Manifest,
  paths: ReturnType<typeof appPaths>,
  before: string,
  options: Parameters<typeof runSetUp>[1],
  check: () => unknown,
): Promise<string> {
  await runSetUp(manifest.backend.installCommand ?? '', options);
  check();
  faultPoint('set-up-run');
  const hash = await adoptSetUp(options.cwd, paths.dir, before);
  writeFileAtomic(paths.setUpHash, `${hash}\n`);
  faultPoint('set-up-marked');
  return hash;
}

/** Finds the containment that step 7 can use. */
async function holdOf({ managerLost, caller, place, nodeExecutable }: LaunchRequest): Promise<Containment> {
  return managerLost === true ? lostManager : await containment(caller['XDG_RUNTIME_DIR'], searchPath(place, nodeExecutable));
}

/** Source: rules 2.1 `recursos.gpu`. */
export function refuseWithoutGpu(gpu: GpuDecision | null): void {
  if (gpu === null || gpu.verdict.modo === 'opcional' || gpu.verdict.concedida) return;
  throw new LaunchRefused(gpu.busy ? 'GpuBusy' : 'NoGpu', `the app needs a GPU: ${gpu.verdict.motivo}`);
}

const scopeVariables = (held: Containment): Record<string, string> => (held.contained ? Object.fromEntries(held.variables) : {});

/** Bounds that step 7 applies, and the sentence on those that can't be enforced. */
interface Bounds {
  readonly held: Containment;
  readonly ceilings: Ceilings;
  readonly slice: string | null;
  readonly unheld: string;
}

async function boundsOf(request: LaunchRequest, manifest: Manifest, site: SiteResources): Promise<Bounds> {
  const held = await holdOf(request);
  const ceilings = ceilingsOf(manifest, site);
  const path = searchPath(request.place, request.nodeExecutable);
  return { held, ceilings, slice: sliceOf(site), unheld: await unheld(held, ceilings, site, path) };
}

function inScope({ held, ceilings, slice }: Bounds, unit: string, command: Launch['argv']): Launch['argv'] {
  if (!held.contained) return command;
  return [...scopeArgv(held.systemdRun, unit, ceilings, slice), ...command] as unknown as Launch['argv'];
}

/**
 * Files that installCommand made in the folder belong to the version, as in the root phase: the record beside it says so, when the person may write
 * it (their own package). Otherwise these files would look like drift. Returns the new hash.
 */
async function adoptSetUp(folder: string, appDir: string, before: string): Promise<string> {
  const hash = await cachedPackageHash(folder, `${appDir}/package.hash`);
  if (hash === before) return hash;
  const record = readInstalledRecord(readEvidence(`${folder}.json`) ?? '');
  if (record?.installedHash !== before) return hash;
  try {
    writeFileAtomic(`${folder}.json`, `${JSON.stringify({ ...record, installedHash: hash })}\n`, { mode: 0o644 });
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error))) throw error;
  }
  return hash;
}

/** The runtime and the entrypoint. Source: rules 2.1 `backend`. */
export function runtimeCommand(
  place: ServerPlace,
  { nodeExecutable, kitRoot }: Pick<LaunchRequest, 'nodeExecutable' | 'kitRoot'>,
  dir: string,
  manifest: Manifest,
): readonly [string, ...string[]] {
  const entrypoint = entrypointOf(dir, manifest);
  if (manifest.backend.runtime === 'binary') return [entrypoint];
  if (manifest.backend.runtime === 'node') return [nodeExecutable, ...importFlags(kitRoot), entrypoint];
  const python = findExecutable('python3', searchPath(place, nodeExecutable));
  if (python === null) throw new LaunchRefused('RuntimeMissing', 'python3 is not installed on this server: ask the administrator for it');
  // -u: output of the app is in run.log at once, also when it dies.
  return [python, '-u', entrypoint];
}

/** The env file is the wish; without one the app is not wanted and nothing is started. Source: rules 2.6. */
function readWish(path: string): Variables {
  const variables = readEnvFile(path);
  if (variables !== null) return variables;
  throw new LaunchRefused('InvalidEnvironment', 'the app is not wanted (it has no env file): start it through the portal');
}

function readVault(path: string): { readonly secrets: Variables; readonly reserved: readonly string[] } {
  const reserved: string[] = [];
  return { secrets: readSecrets(path, (name) => reserved.push(name)), reserved };
}

const unusedSecret = (name: string): string => `the secret ${name} does not reach the app: by that name the system finds or addresses it`;

/** It begins with what of the vault and of the manifest does not count. Source: rules 2.2, 7: an invalid item is omitted. */
function newRunLog(paths: ReturnType<typeof appPaths>, notes: readonly string[]): number {
  const logFd = rotateRunLog(paths);
  for (const note of notes) appendToRunLog(paths.runLog, note);
  return logFd;
}

/** Creates it 0700; one that others may look into is closed again. Source: rules 5. */
function privateFolder(path: string): void {
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) === undefined) chmodSync(path, 0o700);
}

function writeLimits(path: string, { held: { contained }, ceilings, unheld: reason }: Bounds, gpu: GpuVerdict | null): void {
  const text = `${JSON.stringify({ contained, reason, limits: contained ? ceilings : null, gpu }, null, 2)}\n`;
  if (readEvidence(path) !== text) writeFileAtomic(path, text);
}

function writeToRunLog(request: LaunchRequest, refusal: Refusal): void {
  const paths = appPaths(request.place, request.app);
  try {
    appendToRunLog(paths.runLog, `not started (${refusal.reason}): ${refusal.message}`);
    unlinkIfThere(paths.comingUp);
  } catch {
    // A home that can't be written can't hold the reason either; the caller still gets the refusal.
  }
}
