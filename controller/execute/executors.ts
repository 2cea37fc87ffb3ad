/**
 * Actions become acts here, and nowhere else. The map is exhaustive by type: an action without an executor does not compile
 * (style rule 2). What an act brings about comes back as observation; its failure is remembered on the entry it was for.
 */
import { randomBytes } from 'node:crypto';
import type { Action, ActionOf } from '../../reconcilers/actions.ts';
import type { Reason } from '../../schema/backend.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError, type ErrorCode } from '../../schema/errors.ts';
import { appPaths } from '../../schema/server-paths.ts';
import { faultPoint } from '../faults.ts';
import type { Bus } from '../events/bus.ts';
import type { Log } from '../loop/record.ts';
import type { RoomStore } from '../store/rooms.ts';
import type { PackageEntry, PackageTask } from '../world-packages.ts';
import type { BackendEntry, World } from '../world.ts';
import { grantExecutors } from './grant-acts.ts';
import { packageExecutors } from './package-acts.ts';
import type { PortalCredentials } from './portal-credentials.ts';
import { probe } from './probe.ts';
import { askToken } from './tokens.ts';

export type Executors = { readonly [Kind in Action['kind']]: (action: ActionOf<Kind>) => Promise<void> };

export interface ExecutorOptions {
  readonly world: World;
  readonly rooms: RoomStore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly credentials: PortalCredentials;
  /** Folder of the YAML files: a repository is relative to it. */
  readonly dir: string;
  /** Something that a key depends on changed. */
  readonly onChange: (key: string) => void;
  /** Packages of a server changed: looks at them. */
  readonly onPackages: (server: string) => Promise<void>;
  /** Begins an act of the administrator on a server; it goes on beside the loop. */
  readonly onServer: (server: string, act: 'kit' | 'accounts') => void;
  /** An installation goes on. */
  readonly onProgress: (entry: PackageEntry, task: PackageTask) => void;
}

/** Runs one action; never rejects. */
export async function execute(executors: Executors, action: Action): Promise<void> {
  // The map is exhaustive and each executor takes its own kind: the index type can't say so.
  await (executors[action.kind] as (action: Action) => Promise<void>)(action);
}

export function createExecutors(options: ExecutorOptions): Executors {
  const { world } = options;
  const backend = (person: string, app: string): BackendEntry => {
    const entry = world.backends.get(`Backend/${person}/${app}`);
    if (!entry) throw new SvcError('NOT_FOUND', `no backend ${app} of ${person}`);
    return entry;
  };
  return {
    'backend/start': (action) => startBackend(options, backend(action.person, action.app), action),
    'backend/stop': (action) => stopBackend(options, backend(action.person, action.app), action),
    'backend/pin': async ({ person, app, pinned }) => {
      faultPoint('pin/before-send');
      await guarded(options, `Backend/${person}/${app}`, () => backend(person, app).person.link.ask({ op: 'pin', app, pinned }));
      faultPoint('pin/confirmed');
    },
    'backend/probe': async (action) => {
      probeBackend(options, backend(action.person, action.app), action.attempt);
    },
    'supervisor/ensure': async ({ person }) => {
      await guarded(options, `Supervisor/${person}`, async () => world.people.get(person)?.link.ensure());
    },
    'supervisor/end': async ({ person }) => {
      faultPoint('supervisor/before-end');
      await guarded(options, `Supervisor/${person}`, async () => world.people.get(person)?.link.ask({ op: 'quit' }));
    },
    'server/kit': async ({ server }) => options.onServer(server, 'kit'),
    'server/accounts': async ({ server }) => options.onServer(server, 'accounts'),
    ...packageExecutors(options),
    ...grantExecutors(options),
  };
}

/** Infrastructure may fail at any time: it is told, and the level brings the next attempt. Null when it failed. */
export async function guarded<Result>(options: ExecutorOptions, key: string, act: () => Promise<Result>): Promise<SvcError | null> {
  try {
    await act();
    return null;
  } catch (error) {
    const coded = error instanceof SvcError ? error : new SvcError('INTERNAL', (error as Error).message, {}, { cause: error });
    options.log.warn({ key, code: coded.code, error: coded.message, ...(coded.code === 'INTERNAL' ? { err: error } : {}) }, 'act failed');
    return coded;
  }
}

async function startBackend(options: ExecutorOptions, entry: BackendEntry, { order }: ActionOf<'backend/start'>): Promise<void> {
  const { app, person } = entry;
  const failed = await guarded(options, entry.key, async () => {
    faultPoint('start/before-send');
    const basePath = options.world.portal?.document.spec.origins === 'path' ? `/proxy/app/${app}/` : '/';
    const token = randomBytes(32).toString('base64url');
    const variables = await options.credentials.issue(entry, token, order.requestId);
    const reply = person.link.ask({ op: 'start', app, token, basePath, ...order, variables });
    faultPoint('start/sent');
    await reply;
    // A process that lives keeps the token it was started with: the supervisor knows which one rules.
    const ruling = await askToken(entry);
    if (ruling !== null) await options.credentials.keep(entry, ruling.value);
    faultPoint('start/confirmed');
  });
  rememberRefusal(options, entry, order.requestId, failed);
}

async function stopBackend(options: ExecutorOptions, entry: BackendEntry, action: ActionOf<'backend/stop'>): Promise<void> {
  const { app, person } = entry;
  const failed = await guarded(options, entry.key, async () => {
    faultPoint('stop/before-send');
    const reply = person.link.ask({ op: 'stop', app, requestId: action.requestId, reason: action.reason });
    faultPoint('stop/sent');
    await reply;
    faultPoint('stop/confirmed');
  });
  rememberRefusal(options, entry, action.requestId, failed);
}

/** Only what asking again can't mend ends the request; the rest is asked again after the reply deadline. */
function rememberRefusal(options: ExecutorOptions, entry: BackendEntry, requestId: string, failed: SvcError | null): void {
  if (failed === null || failed.retry === 'transient') return;
  entry.refused = { requestId, reason: reasonOf(failed.code), message: failed.message };
  options.onChange(entry.key);
}

function reasonOf(code: ErrorCode): Reason {
  if (code === 'MANIFEST_INVALID') return 'InvalidManifest';
  if (code === 'SOCKET_PATH_TOO_LONG') return 'SocketPathTooLong';
  return code === 'NOT_FOUND' ? 'NotInstalled' : 'Invalid';
}

/** Runs beside the loop: a probe takes up to its time-out, and a click must not wait for that. */
function probeBackend(options: ExecutorOptions, entry: BackendEntry, attempt: number): void {
  const { person, app } = entry;
  const manifest = person.packages.get(app)?.manifest;
  const pid = person.link.snapshot(app)?.process?.pid;
  if (entry.probing || pid === undefined || !person.place) return;
  const socketPath = appPaths(person.place, app).socket;
  entry.probing = true;
  faultPoint('probe/before');
  const ask = async (): Promise<number> => {
    const token = entry.token ?? (await askToken(entry));
    const dial = () => person.server.host.dial(person.account, socketPath);
    return probe({ dial, path: manifest?.backend.healthcheckPath ?? '/', token: token?.value ?? '', clock: options.clock });
  };
  const finish = (code: number): void => {
    entry.probing = false;
    // A token that is refused may be another process's: the supervisor is asked for the right one before the next attempt.
    if (code === 401 || code === 403) entry.token = null;
    entry.probe = { pid, attempt, code, atMs: options.clock.nowMs() };
    faultPoint('probe/answered');
    options.onChange(entry.key);
  };
  ask().then(finish, () => finish(0));
}
