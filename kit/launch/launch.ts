/**
 * The seven steps of spec 3.1, in that order, up to the command that becomes the backend. Used by `svc-app-run` (which then
 * replaces itself) and by the supervisor (which spawns the command): one path for every start.
 */
import { chmodSync, closeSync, mkdirSync, unlinkSync } from 'node:fs';
import type { ProcessIdentity, StartStep } from '../../schema/backend.ts';
import { limits } from '../../schema/limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { appPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { errorCode, readEvidence, unlinkIfThere, writeFileAtomic } from '../atomic-file.ts';
import { faultPoint } from '../faults.ts';
import { findExecutable, searchPath } from '../place.ts';
import { ceilingsOf, containment, scopeArgv, scopeUnit, type Containment } from './ceiling.ts';
import { engineVariables } from './engines.ts';
import { parseEnvText, type Variables } from './env-file.ts';
import { accountFolders, backendEnvironment } from './environment.ts';
import { gpuInventory, gpuMode, gpuVerdict, type GpuVerdict } from './gpu.ts';
import { writeMarker } from './marker.ts';
import { cachedPackageHash } from './package-hash-cache.ts';
import { entrypointOf, findPackage, readManifest, type InstalledFolder } from './package.ts';
import { readPrivateFile } from './private-file.ts';
import { LaunchRefused, refusalOf, type Refusal } from './refusal.ts';
import { appendToRunLog, rotateRunLog } from './run-log.ts';
import { readSecrets } from './secrets.ts';
import { runSetUp, setUpDue } from './set-up.ts';
import { checkSocketPath, probeSocket } from './socket.ts';

export interface LaunchRequest {
  readonly place: ServerPlace;
  readonly app: string;
  readonly kitRoot: string;
  readonly nodeExecutable: string;
  /** The caller's environment; only a few names of it are taken over. */
  readonly caller: Readonly<Record<string, string | undefined>>;
  /** Who stands in the marker while the steps are under way. */
  readonly self: ProcessIdentity;
  readonly nowMs: () => number;
  /** The supervisor must not wait for an installCommand: it hands such a start to `svc-app-run`. */
  readonly maySetUp: boolean;
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
  /** Open for appending on the new run.log; whoever gets the launch closes it. */
  readonly logFd: number;
}

export type LaunchResult =
  | Launch
  /** Somebody answers on the socket. */
  | { readonly kind: 'up' }
  | { readonly kind: 'set-up-due' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Steps 1 to 6 and the command of step 7. Never throws; a refusal is also written to run.log. */
export async function prepareLaunch(request: LaunchRequest): Promise<LaunchResult> {
  try {
    return await steps(request);
  } catch (error) {
    const refusal = asRefusal(error);
    tellInRunLog(request, refusal);
    return { kind: 'refused', refusal };
  }
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof LaunchRefused) return error.refusal;
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS') return refusalOf('DiskFull', `the home can't be written: ${code}`);
  const message = `the start could not be prepared: ${error instanceof Error ? error.message : String(error)}`;
  // EMFILE, EAGAIN…: not the app's fault and passes by itself, so it costs no failure.
  return refusalOf(code === 'EACCES' || code === 'EPERM' ? 'InvalidEnvironment' : 'DiskFull', message);
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
  const command = commandOf(request, folder, manifest);
  faultPoint('package-read');

  // 2. The wish, then the vault.
  const wish = readWish(paths.env);
  const secrets = readSecrets(paths.secrets);
  faultPoint('environment-read');

  // 3. The address.
  checkSocketPath(paths.socket);
  const socket = await probeSocket(paths.socket);
  faultPoint('socket-checked');
  if (socket === 'answers') return { kind: 'up' };
  if (socket === 'orphan') unlinkSync(paths.socket);
  faultPoint('orphan-deleted');

  const hash = await cachedPackageHash(folder.dir, `${paths.dir}/package.hash`);
  const due = setUpDue(paths.setUpHash, hash, manifest.backend.installCommand, wish.get('SVC_APP_REBUILD') === '1');
  if (due && !request.maySetUp) return { kind: 'set-up-due' };

  // 4. The marker.
  const mark = (step: StartStep, detail: string): void => {
    request.onStep(step, detail);
    writeMarker(paths.comingUp, { process: request.self, step, detail, atMs: request.nowMs(), refusal: null });
  };
  mark(due ? 'install' : 'gpu', '');
  faultPoint('marked');
  const logFd = rotateRunLog(paths);
  faultPoint('log-rotated');
  try {
    mkdirSync(wish.get('SVC_APP_DATA_DIR') ?? paths.data, { recursive: true, mode: 0o700 });
    const mode = gpuMode(manifest);
    const environment = backendEnvironment({
      ...request,
      wish,
      secrets,
      engines: engineVariables(place, manifest),
      hash,
      gpuDeclared: mode !== null,
    });

    // 5. The person's part of the set-up.
    if (due) {
      await runSetUp(manifest.backend.installCommand ?? '', { cwd: folder.dir, environment, logFd });
      faultPoint('set-up-run');
      writeFileAtomic(paths.setUpHash, `${hash}\n`);
      faultPoint('set-up-marked');
      mark('gpu', '');
    }

    // 6. The GPU, and the ceilings that step 7 applies.
    const gpu = mode === null ? null : gpuVerdict(mode, gpuInventory(request.gpuRoot ?? ''));
    const held = await containment(request.caller['XDG_RUNTIME_DIR'], environment['PATH'] ?? '');
    writeLimits(paths.limits, manifest, held, gpu);
    if (gpu?.modo === 'necessaria' && !gpu.concedida) throw new LaunchRefused('NoGpu', `the app needs a GPU: ${gpu.motivo}`);
    faultPoint('gpu-decided');

    const scope = held.contained ? scopeArgv(held.systemdRun, scopeUnit(app, request.nowMs()), ceilingsOf(manifest)) : [];
    return {
      kind: 'ready',
      argv: [...scope, ...command] as unknown as [string, ...string[]],
      environment: held.contained ? { ...environment, ...Object.fromEntries(held.variables) } : environment,
      cwd: folder.dir,
      installed: { version: manifest.version, hash, scope: folder.scope },
      manifest,
      contained: held.contained,
      containedReason: held.contained ? '' : held.reason,
      logFd,
    };
  } catch (error) {
    closeSync(logFd);
    throw error;
  }
}

/** The runtime and the entrypoint. Source: spec 2.1 `backend`. */
function commandOf(request: LaunchRequest, folder: InstalledFolder, manifest: Manifest): readonly [string, ...string[]] {
  const entrypoint = entrypointOf(folder.dir, manifest);
  if (manifest.backend.runtime === 'binary') return [entrypoint];
  if (manifest.backend.runtime === 'node') return [request.nodeExecutable, entrypoint];
  const python = findExecutable('python3', searchPath(request.place, request.nodeExecutable));
  if (python === null) throw new LaunchRefused('RuntimeMissing', 'python3 is not installed on this server: ask the administrator for it');
  // -u: what the app prints stands in run.log at once, also when it dies.
  return [python, '-u', entrypoint];
}

/** The env file is the wish; without one the app is not wanted and nothing is started. Source: spec 2.6. */
function readWish(path: string): Variables {
  const bytes = readPrivateFile(path, limits.envFileBytesMax);
  if (bytes === null) {
    throw new LaunchRefused('InvalidEnvironment', 'the app is not wanted (it has no env file): start it through the portal');
  }
  return parseEnvText(bytes);
}

/** Creates it 0700; one that others may look into is closed again. Source: spec 5.2. */
function privateFolder(path: string): void {
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) === undefined) chmodSync(path, 0o700);
}

function writeLimits(path: string, manifest: Manifest, held: Containment, gpu: GpuVerdict | null): void {
  const text = `${JSON.stringify(
    {
      contained: held.contained,
      reason: held.contained ? '' : held.reason,
      limits: held.contained ? ceilingsOf(manifest) : null,
      gpu,
    },
    null,
    2,
  )}\n`;
  if (readEvidence(path) !== text) writeFileAtomic(path, text);
}

function tellInRunLog(request: LaunchRequest, refusal: Refusal): void {
  const paths = appPaths(request.place, request.app);
  try {
    appendToRunLog(paths.runLog, `not started (${refusal.reason}): ${refusal.message}`);
    unlinkIfThere(paths.comingUp);
  } catch {
    // A home that can't be written can't tell why either; the caller still gets the refusal.
  }
}
