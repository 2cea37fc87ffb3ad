/**
 * Actions become acts here, and in the rows of kinds that have their own (`Acts`). The map of both is exhaustive by type (controller/loop/loop.ts):
 * an action without an executor does not compile. The result of an act comes back as an observation; its failure is remembered on the entry it
 * was for.
 */
import { originsOf } from '../desired/restart.ts';
import { keys } from '../../schema/keys.ts';
import { randomBytes } from 'node:crypto';
import type { Action, ActionOf } from '../../reconcilers/actions.ts';
import type { Reason } from '../../schema/backend.ts';
import { SvcError, type ErrorCode } from '../../schema/errors.ts';
import { healthPath } from '../../schema/manifest/manifest.ts';
import { appPaths } from '../../schema/server-paths.ts';
import { ceilingsVariable } from '../../schema/supervisor-protocol.ts';
import { clusterVariables } from '../cluster-starts.ts';
import { faultPoint } from '../faults.ts';
import { livesOn } from '../../reconcilers/leaving.ts';
import type { BackendEntry, PersonEntry } from '../entries.ts';
import { endOfErased, erase, signOut } from './erase-acts.ts';
import { jobExecutors } from './job-acts.ts';
import { packageExecutors } from './package-acts.ts';
import { serviceExecutors } from './service-acts.ts';
import { wishExecutors } from './wish-acts.ts';
import { followOrder } from './orders.ts';
import { outcomeOf, takeReport } from './outcome.ts';
import { noAnswer, probe, type ProbeAnswer } from './probe.ts';
import { guarded, type ExecutorOptions, type Executors } from './guarded.ts';
import { siteResources } from '../site-resources.ts';
import { noteOrder } from '../start-steps.ts';
import { askToken } from './tokens.ts';

/** Runs one action; never rejects. */
export async function execute(executors: Executors, action: Action): Promise<void> {
  // The map is exhaustive and each executor takes its own kind: the index type can't say so.
  await (executors[action.kind] as (action: Action) => Promise<void>)(action);
}

export function createExecutors(options: ExecutorOptions) {
  const { entries } = options;
  const backend = (person: string, app: string): BackendEntry => {
    const entry = entries.backends.get(keys.backend(person, app));
    if (!entry) throw new SvcError('NOT_FOUND', `no backend ${app} of ${person}`);
    return entry;
  };
  return {
    'object/forget': ({ key }) => options.onForgotten(key),
    'backend/start': (action) => startBackend(options, backend(action.person, action.app), action),
    'backend/stop': (action) => stopBackend(options, backend(action.person, action.app), action),
    'backend/pin': async ({ person, app, pinned }) => {
      faultPoint('pin/before-send');
      await guarded(options, keys.backend(person, app), () => backend(person, app).person.link.ask({ op: 'pin', app, pinned }));
      faultPoint('pin/confirmed');
    },
    'backend/probe': async (action) => {
      probeBackend(options, backend(action.person, action.app), action.attempt);
    },
    'person/end-sessions': async ({ person }) => await options.store.deleteSessionsOf(person),
    'person/sign-out': (action) => signOut(options, action),
    'person/erase': (action) => erase(options, action),
    'person/forget': (action) => forgetPerson(options, action),
    'supervisor/ensure': async ({ person }) => {
      const entry = entries.people.get(person);
      if (entry) entry.supervisorEnded = false;
      await guarded(options, keys.supervisor(person), async () => entry?.link.ensure());
    },
    'supervisor/end': async ({ person }) => {
      faultPoint('supervisor/before-end');
      const entry = entries.people.get(person);
      await guarded(options, keys.supervisor(person), async () => {
        if (entry !== undefined) entry.supervisorEnded = await endSupervisor(entry);
      });
    },
    'server/kit': async (action) => options.onServer(action),
    'server/accounts': async (action) => options.onServer(action),
    'server/key': async (action) => options.onServer(action),
    'server/roll-back': async (action) => options.onServer(action),
    'server/take-off': async (action) => options.onServer(action),
    ...serviceExecutors(options),
    ...packageExecutors(options),
    ...wishExecutors(options),
    ...jobExecutors(options),
  } satisfies Partial<Executors>;
}

/** An app that was started a moment ago must not lose its supervisor: what runs is asked for first, and seen. True: it said that it ends. */
async function endSupervisor({ link }: PersonEntry): Promise<boolean> {
  await link.look();
  if (link.snapshots().some((snapshot) => livesOn(snapshot, false))) return false;
  await link.ask({ op: 'quit' });
  return true;
}

async function forgetPerson(options: ExecutorOptions, { person }: ActionOf<'person/forget'>): Promise<void> {
  const { entries, store, queue, clock, onForgotten } = options;
  for (const { person: whose, app, requestId } of entries.wishes.values()) {
    if (whose === person) await store.deleteInstallWish(whose, app, requestId);
  }
  // Whoever gets the name next holds back no version.
  for (const { key } of await store.rollbacks()) if (key.startsWith(keys.package(`${person}/`))) await store.deleteRollback(key);
  await store.deletePreferences(person);
  await store.deleteAppErrorsOf(person);
  await queue.jobs.forgetJobsOf(person, clock.nowMs());
  await endOfErased(options, person);
  await onForgotten(keys.person(person));
}

async function startBackend(options: ExecutorOptions, entry: BackendEntry, { order }: ActionOf<'backend/start'>): Promise<void> {
  const { app, person } = entry;
  const report = takeReport();
  entry.starting = true;
  const taken = noteOrder(options.figures, entry);
  const failed = await guarded(options, entry.key, async () => {
    faultPoint('start/before-send');
    const basePath = originsOf(options, options.entries.portal) === 'path' ? `/proxy/app/${app}/` : '/';
    const token = randomBytes(32).toString('base64url');
    const variables = await options.credentials.issue(entry, token, order.requestId);
    const site = siteResources(options.entries, person, app);
    const ceilings = site === null ? {} : { [ceilingsVariable]: JSON.stringify(site) };
    const { entries, store, queue } = options;
    const cluster = await clusterVariables({ entries, store, portalUrl: queue.portalUrl }, person, app);
    const reply = person.link.ask({ op: 'start', app, token, basePath, ...order, variables: { ...variables, ...ceilings, ...cluster } });
    faultPoint('start/sent');
    await reply;
    // A process that lives keeps the token it was started with: the supervisor knows which one rules.
    const ruling = await askToken(entry);
    if (ruling !== null) await options.credentials.keep(entry, ruling.value);
    faultPoint('start/confirmed');
  });
  entry.starting = false;
  if (failed === null) taken(options.clock.nowMs());
  if (failed === null) followOrder(options.entries, entry, { op: 'start', requestId: order.requestId, report });
  else report(outcomeOf(failed));
  // Publishes the start, so that callers that wait for the end see a beginning.
  if (person.leaving) options.onChange(person.key);
  rememberRefusal(options, entry, order.requestId, failed);
}

async function stopBackend(options: ExecutorOptions, entry: BackendEntry, action: ActionOf<'backend/stop'>): Promise<void> {
  const { app, person } = entry;
  const report = takeReport();
  const failed = await guarded(options, entry.key, async () => {
    faultPoint('stop/before-send');
    const reply = person.link.ask({ op: 'stop', app, requestId: action.requestId, reason: action.reason });
    faultPoint('stop/sent');
    await reply;
    faultPoint('stop/confirmed');
  });
  if (failed === null) followOrder(options.entries, entry, { op: 'stop', requestId: action.requestId, report });
  else report(outcomeOf(failed));
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
  if (code === 'DISK_FULL') return 'DiskFull';
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
  const ask = async (): Promise<ProbeAnswer> => {
    const token = entry.token ?? (await askToken(entry));
    const dial = () => person.server.host.dial(person.account, socketPath);
    return probe({ dial, path: healthPath(manifest?.backend ?? {}), token: token?.value ?? '', clock: options.clock });
  };
  const finish = (answer: ProbeAnswer): void => {
    entry.probing = false;
    options.figures.probed(answer);
    // A token that is refused may be another process's: the supervisor is asked for the right one before the next attempt.
    if (answer.code === 401 || answer.code === 403) entry.token = null;
    entry.probe = { pid, attempt, ...answer, atMs: options.clock.nowMs() };
    faultPoint('probe/answered');
    options.onChange(entry.key);
  };
  ask().then(finish, () => finish(noAnswer));
}
