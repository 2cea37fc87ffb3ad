/**
 * kit/install/: `svc-app-install` (rules 2.1, 2.3, 3.3). After a kill at any moment the version before or the new one is whole, and the next run
 * removes what was left. versions.ts says how; faults.ts names every step for the tests. This file: the order of the steps.
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { readPlainFileSync } from '../../schema/plain-file.ts';
import { limits } from '../../schema/limits.ts';
import { healthPath, type Manifest } from '../../schema/manifest/manifest.ts';
import { parseManifest } from '../../schema/manifest/minimum.ts';
import { accountPaths, appPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { identityOf } from '../processes.ts';
import { dropUndeclared, ensureEngines, wantedEngines, type EngineFolders } from './engines.ts';
import type { InstallResult, OnEvent, Scope } from '../../schema/install-events.ts';
import { faultPoint } from './faults.ts';
import { isConfirmed } from './evidence.ts';
import { endOutdated } from './instances.ts';
import { takeLock } from './lock.ts';
import { checkCapabilities, checkEntrypoint, checkFolder, checkPackages, checkScope } from './requirements.ts';
import { checkServerScope, followServerScope, leaveServerScope } from '../service/server-scope.ts';
import { runRootPhase } from './root-phase.ts';
import { stage, type Found } from './source.ts';
import { hashTree, setModes } from './tree.ts';
import {
  currentManifest,
  currentTag,
  dropDeadStagings,
  dropLeftovers,
  dropOwnStagings,
  dropPrevious,
  folderOf,
  makeStaging,
  previousTag,
  recordOf,
  recover,
  removeAll,
  swapBack,
  swapIn,
  versionsOf,
  writeRecord,
  type Versions,
} from './versions.ts';

export interface Target {
  readonly place: ServerPlace;
  readonly scope: Scope;
  /** Ends what runs another code; replaces another version. */
  readonly force: boolean;
  /** SVC_APP_REBUILD: also the same bytes are installed again. */
  readonly rebuild: boolean;
  readonly onEvent: OnEvent;
  /** Folder with svc-app-serve. */
  readonly binDir: string;
  /** Tests plant a /sys below it. */
  readonly gpuRoot?: string;
}

function parentOf({ place, scope }: Target): string {
  return scope === 'sistema' ? accountPaths(place).systemApps : accountPaths(place).personApps;
}

function enginesOf(target: Target, app: string): EngineFolders {
  return { root: accountPaths(target.place).engines, app, ...(target.gpuRoot === undefined ? {} : { gpuRoot: target.gpuRoot }) };
}

/** Rejects a coded error; then what was installed is as it was. */
export async function install(target: Target, found: Found): Promise<InstallResult> {
  if (found.source.kind === 'installed') return await mend(target, found.app ?? '');
  const parent = parentOf(target);
  await mkdir(parent, { recursive: true, mode: 0o755 });
  const staging = await makeStaging(parent, newTag(), identityOf(process.pid)?.startTicks ?? 0);
  faultPoint('staging-made');
  try {
    target.onEvent({ event: 'step', step: found.source.kind === 'url' ? 'fetch' : 'stage' });
    const folder = await stage({ ...found, source: found.source }, staging, (path) => mkdir(path, { mode: 0o700 }), target.onEvent);
    const manifest = judge(target, found, folder);
    await setModes(folder);
    faultPoint('staged');
    target.onEvent({ event: 'step', step: 'check' });
    await checkPackages(manifest);
    checkCapabilities(manifest, parentsFor(target), found.offers);
    faultPoint('checked');
    const staged: Staged = { folder, manifest, hash: await hashTree(folder) };
    return await locked(target, manifest.id, (versions) => enter(target, versions, staged));
  } finally {
    dropOwnStagings();
  }
}

/** Folders whose apps may offer a capability: for everybody the system's apps, for one person their own, too. */
function parentsFor({ place, scope }: Target): readonly string[] {
  const paths = accountPaths(place);
  return scope === 'sistema' ? [paths.systemApps] : [paths.systemApps, paths.personApps];
}

interface Staged {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Hash of the delivered files. */
  readonly hash: string;
}

function judge(target: Target, found: Found, folder: string): Manifest {
  const path = join(folder, 'svc-app.json');
  const there = statSync(path, { throwIfNoEntry: false });
  const size = there?.isFile() === true ? there.size : undefined;
  if (size === undefined) throw new SvcError('PACKAGE_REFUSED', 'the package is refused: it holds no svc-app.json');
  if (size > limits.manifestBytesMax) throw new SvcError('MANIFEST_INVALID', 'svc-app.json is larger than the limit');
  const manifest = parseManifest(readPlainFileSync(path));
  if ((found.app !== null && manifest.id !== found.app) || (found.version !== null && manifest.version !== found.version))
    throw new SvcError(
      'PACKAGE_REFUSED',
      `the package is refused: it calls itself ${manifest.id} ${manifest.version}, asked for was ${found.app} ${found.version ?? ''}`,
    );
  checkScope(manifest, target.scope);
  checkServerScope(manifest, target.place.prefix);
  checkFolder(folder, manifest);
  return manifest;
}

const newTag = (): string => randomBytes(6).toString('hex');

async function locked<Result>(target: Target, app: string, act: (versions: Versions) => Promise<Result>): Promise<Result> {
  const versions = versionsOf(parentOf(target), app);
  await mkdir(versions.root, { recursive: true, mode: 0o755 });
  const release = await takeLock(join(versions.root, `${app}.lock`));
  try {
    faultPoint('locked');
    await dropDeadStagings(versions.parent);
    await recover(versions);
    faultPoint('recovered');
    return await act(versions);
  } finally {
    release();
  }
}

interface Standing {
  readonly version: string | null;
  /** Hash of what was delivered, while no file of it was changed; otherwise null. */
  readonly hash: string | null;
  /** Hash of the folder as the launcher sees it. */
  readonly runtimeHash: string;
}

/** Reads the installed version; null when there is none. */
async function standing(versions: Versions): Promise<Standing | null> {
  const bytes = currentManifest(versions);
  if (bytes === null && currentTag(versions) === null) return null;
  let version: string | null = null;
  try {
    version = bytes === null ? null : parseManifest(bytes).version;
  } catch {
    // A broken manifest is replaced like any other version.
  }
  const runtimeHash = await hashTree(versions.link, { othersAllowed: true }).catch(() => '');
  const tag = currentTag(versions);
  const record = tag === null ? null : recordOf(versions, tag);
  if (record === null) return { version, hash: runtimeHash, runtimeHash };
  return { version, hash: record.installedHash === runtimeHash ? record.deliveredHash : null, runtimeHash };
}

function mayReplace(target: Target, staged: Staged, now: Standing): void {
  if (target.force) return;
  const { id, version } = staged.manifest;
  if (now.version !== version)
    throw new SvcError('INSTALLED', `${id} is installed in version ${now.version ?? '(unreadable)'}: --force replaces it by ${version}`);
  throw new SvcError(
    now.hash === null ? 'INSTALLED' : 'VERSION_CHANGED',
    now.hash === null
      ? `files of ${id} ${version} were changed on this server: --force puts them back`
      : `${id} ${version} is installed with other bytes: each release has a version of its own; --force replaces it all the same`,
  );
}

/** Under the lock: the staged package becomes the current one. */
async function enter(target: Target, versions: Versions, staged: Staged): Promise<InstallResult> {
  const { manifest } = staged;
  const now = await standing(versions);
  const same = now !== null && now.version === manifest.version && now.hash === staged.hash && !target.rebuild;
  if (now !== null && !same) mayReplace(target, staged, now);
  const done = { event: 'done', app: manifest.id, scope: target.scope, version: manifest.version, hash: staged.hash } as const;
  if (same) {
    const ended = await finish(target, manifest, now.runtimeHash, false);
    return { ...done, result: 'unchanged', before: manifest.version, ended };
  }
  const tag = newTag();
  let entered = false;
  try {
    await mkdir(versions.store, { recursive: true, mode: 0o755 });
    faultPoint('store-made');
    const folder = folderOf(versions, tag);
    await rename(staged.folder, folder);
    faultPoint('staging-moved');
    const installedHash = await setUp(target, versions, staged, folder);
    const { version } = manifest;
    writeRecord(versions, tag, { version, deliveredHash: staged.hash, installedHash, installedAtMs: Date.now() });
    faultPoint('record-written');
    target.onEvent({ event: 'step', step: 'swap' });
    // A version that was changed on the server is not kept.
    await swapIn(versions, tag, now?.hash !== null);
    entered = true;
    await dropLeftovers(versions);
    faultPoint('old-deleted');
    const ended = await finish(target, manifest, installedHash, true);
    return { ...done, result: 'installed', before: now?.version ?? null, ended };
  } finally {
    // A failed one: nothing points to its folder.
    if (!entered) await recover(versions).catch(() => undefined);
  }
}

/** Engines, then the root phase, in the folder where the package will stay. The result is the hash that instances will carry. */
async function setUp(target: Target, versions: Versions, staged: Staged, folder: string): Promise<string> {
  const { manifest } = staged;
  // A person's package needs no root: its installCommand runs at the first start. Source: rules 2.1 `instalacao`.
  if (target.scope === 'pessoa') {
    if (target.rebuild) await rm(appPaths(target.place, manifest.id).setUpHash, { force: true });
    return staged.hash;
  }
  target.onEvent({ event: 'step', step: 'engines' });
  const engines = await ensureEngines(enginesOf(target, manifest.id), manifest, target.onEvent);
  if ((manifest.backend.installCommand ?? '').trim() === '') return staged.hash;
  target.onEvent({ event: 'step', step: 'set-up' });
  const { home } = target.place;
  const log = join(versions.store, 'install.log');
  await runRootPhase({ manifest, folder, hash: staged.hash, log, home, rebuild: target.rebuild, engines });
  await chmod(folder, 0o755);
  // Their phase of installCommand cannot write here: whatever it should make is there now.
  checkEntrypoint(folder, manifest);
  faultPoint('root-phase-run');
  return await hashTree(folder, { othersAllowed: true });
}

/**
 * After the swap: with --force no instance of another version stays, and if the same version was there already every instance is ended, since rules
 * 3.3 knows no exception. Engines that are no longer declared are removed.
 */
async function finish(target: Target, manifest: Manifest, hash: string, isOther: boolean): Promise<number> {
  const app = manifest.id;
  let ended = 0;
  if (target.force) {
    target.onEvent({ event: 'step', step: 'end-instances' });
    // Instances already started with the new version are not stopped.
    ended = await endOutdated({ app, scope: target.scope, ...target.place, hash: isOther ? hash : '' });
    faultPoint('instances-ended');
  }
  if (target.scope === 'sistema') {
    target.onEvent({ event: 'step', step: 'clean' });
    await ensureEngines(enginesOf(target, app), manifest, target.onEvent);
    await dropUndeclared(enginesOf(target, app), wantedEngines(manifest, target.gpuRoot ?? ''));
    if (target.place.prefix === '') await followServerScope(manifest, target.binDir, isOther || target.force);
  }
  return ended;
}

/** `svc-app-install ID` without a repository: what is installed gets the engines that it lacks. */
async function mend(target: Target, app: string): Promise<InstallResult> {
  const nothing = (): never => {
    throw new SvcError('PACKAGE_SOURCE_MISSING', `${app} is not installed, and no repository was given (--repository, SVC_REPOSITORY)`, {
      unknown: app,
    });
  };
  if (currentManifest(versionsOf(parentOf(target), app)) === null) nothing();
  return await locked(target, app, async (versions) => {
    const manifest = parseManifest(currentManifest(versions) ?? nothing());
    const now = await standing(versions);
    await checkPackages(manifest);
    const ended = await finish(target, manifest, now?.runtimeHash ?? '', false);
    const { version } = manifest;
    return { event: 'done', result: 'unchanged', app, scope: target.scope, version, hash: now?.hash ?? null, before: version, ended };
  });
}

/** The version before is current again, and its engines with it. Rejects NO_PREVIOUS_VERSION. */
export async function rollBack(target: Target, app: string): Promise<InstallResult> {
  return await locked(target, app, async (versions) => {
    const now = await standing(versions);
    const tag = previousTag(versions);
    if (tag === null)
      throw new SvcError(
        'NO_PREVIOUS_VERSION',
        `${app} has no version to go back to: it was dropped when the current one answered, or there never was one`,
      );
    const manifest = parseManifest(readPlainFileSync(join(folderOf(versions, tag), 'svc-app.json')));
    if (target.scope === 'sistema') await ensureEngines(enginesOf(target, app), manifest, target.onEvent);
    target.onEvent({ event: 'step', step: 'swap' });
    await swapBack(versions);
    const after = await standing(versions);
    // A rollback is for a version that does not work: its instances are ended for all accounts.
    const ended = await finish({ ...target, force: true }, manifest, after?.runtimeHash ?? '', true);
    const { version } = manifest;
    return {
      event: 'done',
      result: 'rolled-back',
      app,
      scope: target.scope,
      version,
      hash: after?.hash ?? null,
      before: now?.version ?? null,
      ended,
    };
  });
}

/** With --force its instances are ended too; people's data stays. */
export async function remove(target: Target, app: string): Promise<InstallResult> {
  return await locked(target, app, async (versions) => {
    const now = await standing(versions);
    // The process first: nothing runs without its code.
    if (target.scope === 'sistema' && target.place.prefix === '') await leaveServerScope(app);
    const instances = { app, scope: target.scope, ...target.place, hash: '' };
    // Before its code is removed, and once more for instances started in between.
    let ended = 0;
    if (target.force && now !== null) {
      target.onEvent({ event: 'step', step: 'end-instances' });
      ended = await endOutdated(instances);
    }
    const was = await removeAll(versions);
    if (target.force) ended += await endOutdated(instances);
    if (target.scope === 'sistema') await dropUndeclared(enginesOf(target, app), []);
    const result = was ? 'removed' : 'absent';
    return { event: 'done', result, app, scope: target.scope, version: null, hash: null, before: now?.version ?? null, ended };
  });
}

/** Drops the version before, once there is evidence that the current one runs. Rejects NOT_CONFIRMED. */
export async function confirm(target: Target, app: string): Promise<InstallResult> {
  return await locked(target, app, async (versions) => {
    const now = await standing(versions);
    if (now === null) throw new SvcError('NOT_FOUND', `${app} is not installed`);
    const path = healthPath(parseManifest(currentManifest(versions) ?? '').backend);
    if (!(await isConfirmed({ app, scope: target.scope, ...target.place, hash: now.runtimeHash, healthPath: path })))
      throw new SvcError(
        'NOT_CONFIRMED',
        `no instance of ${app} ${now.version ?? ''} answers yet: the version before is kept for --rollback`,
      );
    dropPrevious(versions);
    await dropLeftovers(versions);
    return { event: 'done', result: 'confirmed', app, scope: target.scope, version: now.version, hash: now.hash, before: null, ended: 0 };
  });
}
