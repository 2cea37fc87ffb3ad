/**
 * Acts on packages and engines: runs of svc-app-install that go on beside the loop, one at a time for each target. The records in
 * entries.tasks hold what runs and its progress; the outcome is remembered on the entries it was for.
 */
import { keys } from '../../schema/keys.ts';
import type { ActionOf, PackageTarget } from '../../reconcilers/actions.ts';
import type { PackageObserved } from '../../reconcilers/package-types.ts';
import type { Reason } from '../../schema/backend.ts';
import { SvcError, type ErrorCode, type RetryClass } from '../../schema/errors.ts';
import type { InstallEvent } from '../../schema/install-events.ts';
import { faultPoint } from '../faults.ts';
import type { Host } from '../hosts/host.ts';
import { offeredSource } from '../../kit/repository/reading/source.ts';
import { repositoriesOf } from '../../kit/repository/reading/location.ts';
import { targetKey } from '../package-entries.ts';
import type { PackageTask, Entries } from '../entries.ts';
import { guarded, type ExecutorOptions, type Executors } from './guarded.ts';

type PackageKinds = 'package/install' | 'package/remove' | 'package/roll-back' | 'package/confirm' | 'package/cancel' | 'engine/mend';

export function packageExecutors(options: ExecutorOptions): Pick<Executors, PackageKinds> {
  const { entries } = options;
  return {
    'package/install': async (action) => begin(options, action, 'install', action.version, (task) => install(options, action, task)),
    'package/remove': async (action) =>
      begin(options, action, 'remove', null, async () => {
        faultPoint('remove/before');
        await hostOf(entries, action).remove(action.app, action.scope, accountOf(entries, action.person));
        faultPoint('remove/done');
      }),
    'package/roll-back': async (action) =>
      begin(options, action, 'roll-back', action.version, async () => {
        faultPoint('roll-back/before');
        await hostOf(entries, action).rollBack(action.app, action.scope, accountOf(entries, action.person));
        faultPoint('roll-back/done');
      }),
    'package/confirm': async (action) =>
      begin(options, action, 'confirm', null, async () => {
        faultPoint('confirm/before');
        await hostOf(entries, action).confirm(action.app, action.scope, accountOf(entries, action.person));
        faultPoint('confirm/done');
      }),
    'package/cancel': async (action) => entries.tasks.get(targetKey(action))?.abort.abort(),
    'engine/mend': async ({ server, app, installed }) => {
      const target: PackageTarget = { server, app, scope: 'sistema', person: null };
      begin(options, target, 'mend', null, async (task) => {
        faultPoint('mend/before');
        const host = hostOf(entries, target);
        if (installed) await host.mendEngines(app, runOf(options, target, task));
        // Engines of an app that is not there: what a removal that died left.
        else await host.remove(app, 'sistema', null);
        faultPoint('mend/done');
      });
    },
  };
}

/** Starts it unless something is done to that target already: then the level asks again. */
function begin(
  options: ExecutorOptions,
  target: PackageTarget,
  act: PackageTask['act'],
  version: string | null,
  run: (task: PackageTask) => Promise<void>,
): void {
  const { entries } = options;
  const key = targetKey(target);
  if (entries.tasks.has(key)) return;
  const abort = new AbortController();
  const [reason, message] = beginnings[act];
  const task: PackageTask = { act, version, abort, progress: null, reason, message, publishedAtMs: 0, ended: Promise.resolve() };
  entries.tasks.set(key, task);
  const name = entries.byTarget.get(key)?.key ?? keys.package(target.app);
  const work = async (): Promise<void> => {
    const failed = await guarded(options, name, () => run(task));
    remember(options, target, task, failed);
    // The result is observed before the next action on this target starts.
    await guarded(options, name, () => options.onPackages(target.server));
    entries.tasks.delete(key);
    enqueueKeys(options, target);
  };
  task.ended = work();
  enqueueKeys(options, target);
}

const beginnings: { readonly [Act in PackageTask['act']]: readonly [Reason, string] } = {
  install: ['Installing', 'it begins'],
  remove: ['Uninstalled', 'its code is being deleted'],
  'roll-back': ['RolledBack', 'the version before comes back'],
  confirm: ['Installed', 'the version before is dropped'],
  mend: ['Installing', 'its engines are looked after'],
};

function enqueueKeys({ entries, onChange }: ExecutorOptions, target: PackageTarget): void {
  const entry = entries.byTarget.get(targetKey(target));
  if (entry) onChange(entry.key);
  if (target.scope !== 'sistema') return;
  for (const { key, server, app } of entries.engines.values()) if (server.name === target.server && app === target.app) onChange(key);
}

function remember({ entries, clock }: ExecutorOptions, target: PackageTarget, task: PackageTask, failed: SvcError | null): void {
  // The run was cancelled on request: not a failure. The order that follows decides.
  const cancelled = failed?.code === 'CANCELLED';
  const failure: PackageObserved['failure'] =
    failed === null || cancelled
      ? null
      : { reason: reasonOf(failed.code), message: failed.message, retry: retryOf(failed), atMs: clock.nowMs() };
  if (task.act === 'mend') {
    for (const engine of entries.engines.values())
      if (engine.server.name === target.server && engine.app === target.app) engine.failure = failure;
    return;
  }
  const entry = entries.byTarget.get(targetKey(target));
  if (entry && task.act !== 'confirm') entry.failure = failure;
}

/**
 * Refusals of an account's rights, and unforeseen errors on a server, are mended there without a new order: they are retried. Decision:
 * docs/decisions/0366-what-a-server-forbids.md
 */
export const retryOf = ({ code, retry }: SvcError): RetryClass => (code === 'FORBIDDEN' || code === 'INTERNAL' ? 'waiting' : retry);

function reasonOf(code: ErrorCode): Reason {
  const reasons: Partial<Record<ErrorCode, Reason>> = {
    PACKAGE_SOURCE_MISSING: 'SourceMissing',
    SIGNATURE_MISSING: 'SignatureRefused',
    SIGNATURE_REFUSED: 'SignatureRefused',
    MISSING_PACKAGE: 'PackageMissing',
    MISSING_CAPABILITY: 'CapabilityMissing',
    SCOPE_REFUSED: 'ScopeRefused',
    DISK_FULL: 'DiskFull',
    INSTALL_COMMAND_FAILED: 'InstallCommandFailed',
    MANIFEST_INVALID: 'InvalidManifest',
    SERVER_UNREACHABLE: 'ServerUnreachable',
  };
  return reasons[code] ?? 'InstallFailed';
}

async function install(options: ExecutorOptions, action: ActionOf<'package/install'>, task: PackageTask): Promise<void> {
  const { entries } = options;
  const entry = entries.byTarget.get(targetKey(action));
  if (entry?.offer?.version !== action.version)
    throw new SvcError('PACKAGE_SOURCE_MISSING', `${action.app} ${action.version} is not offered any more`);
  const { offer, repository } = entry;
  const { sha256, signature } = offer;
  const offered = { app: action.app, version: action.version, sha256, signature, place: repository?.place ?? null };
  const source = await offeredSource(repositoriesOf(options.dir, entries.portal), offered);
  faultPoint('install/before');
  await hostOf(entries, action).install(source, action.scope, accountOf(entries, action.person), runOf(options, action, task));
  faultPoint('install/done');
}

function runOf(options: ExecutorOptions, target: PackageTarget, task: PackageTask) {
  return {
    signal: task.abort.signal,
    onEvent: (event: InstallEvent): void => {
      const { reason, message } = task;
      follow(task, event);
      if (reason !== task.reason || message !== task.message) enqueueKeys(options, target);
      const entry = options.entries.byTarget.get(targetKey(target));
      if (entry) options.onProgress(entry, task);
    },
  };
}

const stepWords = {
  fetch: ['Downloading', 'Downloading the package'],
  stage: ['Installing', 'copying the package'],
  check: ['Installing', 'checking the package'],
  engines: ['Installing', 'looking after its engines'],
  'set-up': ['Installing', 'running its installCommand'],
  swap: ['Installing', 'taking its place'],
  'end-instances': ['Installing', 'ending instances of the code before'],
  clean: ['Installing', 'removing what is not needed any more'],
} as const satisfies Record<string, readonly [Reason, string]>;

/** Words change with the step and with each whole percent, so that a status is written a hundred times and not ten thousand. */
function follow(task: PackageTask, event: InstallEvent): void {
  const none = { nome: null, bytes: null, total: null, etaMs: null };
  if (event.event === 'step') {
    task.progress = { step: event.step, ...none };
    [task.reason, task.message] = stepWords[event.step];
  } else if (event.event === 'download') {
    const { nome, bytes, total, etaMs } = event;
    task.progress = { step: task.progress?.step ?? 'engines', nome, bytes, total, etaMs };
    task.reason = 'Downloading';
    task.message = `Downloading ${nome} ${Math.floor((bytes / Math.max(1, total)) * 100)} %`;
  } else if (event.step === 'extract') {
    task.progress = { step: 'engines', ...none, nome: event.nome };
    [task.reason, task.message] = ['Installing', `extracting ${event.nome} ${event.versao}`];
  }
}

function hostOf(entries: Entries, { server }: PackageTarget): Host {
  const entry = entries.servers.get(server);
  if (!entry) throw new SvcError('NOT_FOUND', `no Server document ${server}`);
  return entry.host;
}

function accountOf(entries: Entries, person: string | null): string | null {
  if (person === null) return null;
  const entry = entries.people.get(person);
  if (!entry) throw new SvcError('NOT_FOUND', `no person ${person}`);
  return entry.account;
}
