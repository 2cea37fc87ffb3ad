/** Carries out the requests. The env file is the desired state: a start writes it first, a stop deletes it first (rules 2.6, 3.3). */
import { mkdirSync } from 'node:fs';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';
import type { SupervisorRequest } from '../../schema/supervisor-lines.ts';
import type { StartOrder } from '../../schema/supervisor-protocol.ts';
import { writeFileAtomic } from '../atomic-file.ts';
import { faultPoint } from '../faults.ts';
import { pinnedVariable, requestVariable, writeEnvText, type Variables } from '../launch/env-file.ts';
import { findPackage, readManifest } from '../launch/package.ts';
import { LaunchRefused } from '../launch/refusal.ts';
import { cachedPackageHash } from '../launch/package-hash-cache.ts';
import { appendToRunLog, lastLines, redact } from '../launch/run-log.ts';
import { hiddenValues } from './hidden.ts';
import { observeWish, readWish, tokenOfProcess } from './observe.ts';
import { checkReadable } from './readable-files.ts';
import { appOf, type App, type Supervisor } from './app-state.ts';

type RequestOf<Op extends SupervisorRequest['op']> = Extract<SupervisorRequest, { readonly op: Op }>;

/** Runs the requests of an app one at a time, in the order they came. */
export function inTurn<T>(app: App, run: () => Promise<T>): Promise<T> {
  app.queued += 1;
  const result = app.queue.then(run).finally(() => {
    app.queued -= 1;
  });
  app.queue = result.catch(() => undefined);
  return result;
}

/**
 * A request is carried out once: the same id again changes nothing. A living process keeps its token and base path (they are in
 * its environment and can't be changed); other code on disk or another base path ends it and starts the new one.
 */
export async function start(supervisor: Supervisor, order: RequestOf<'start'>): Promise<void> {
  const app = appOf(supervisor, order.app);
  if (!checkReadable(supervisor, app)) throw new SvcError('FILES_UNREADABLE', app.unseen);
  observeWish(app);
  if (app.requestId === order.requestId) return;
  const isUnderWay = app.process !== null || app.pending !== null;
  const kept = app.wish?.variables ?? null;
  const coming = isUnderWay && app.supervision.state !== 'stopping';
  const replace = coming && (kept === null || (await isOther(supervisor, app, kept, order)));
  const keeps = coming && !replace && kept !== null;
  writeWish(app, keeps ? marked(kept, order) : marked(fresh(order), order));
  app.requestId = order.requestId;
  faultPoint('start-env-written');
  if (!keeps) app.message = '';
  supervisor.apply(
    app,
    replace
      ? { type: 'REPLACE', reason: 'HashChanged' }
      : { type: 'START', reason: order.pinned ? 'PinnedRunning' : 'StartRequested', isMend: order.isMend === true },
  );
  if (replace) faultPoint('replace-terminated');
  faultPoint('start-status-written');
}

/** Whether the process under way is not the one that the order asks for. Source: rules 3.3, last row. */
async function isOther(supervisor: Supervisor, app: App, kept: Variables, order: StartOrder): Promise<boolean> {
  if (kept.get('SVC_APP_BASE_PATH') !== order.basePath) return true;
  const running = app.process?.hash ?? null;
  const folder = findPackage(supervisor.place, app.id);
  if (running === null || folder === null) return false;
  return (await cachedPackageHash(folder.dir, null)) !== running;
}

function fresh(order: StartOrder): Variables {
  return new Map([['SVC_APP_TOKEN', order.token], ['SVC_APP_BASE_PATH', order.basePath], ...Object.entries(order.variables)]);
}

function marked(variables: Variables, order: Pick<StartOrder, 'pinned' | 'requestId'>): Variables {
  const all = new Map(variables);
  all.set(requestVariable, order.requestId);
  if (order.pinned) all.set(pinnedVariable, '1');
  else all.delete(pinnedVariable);
  return all;
}

/** A running app whose env file is not what was written (a line too many, another token): it is written again. */
export function restoreWish(supervisor: Supervisor, app: App): void {
  const variables = app.wish?.variables ?? null;
  if (app.process === null || variables === null || isSame(variables, readWish(app)?.variables ?? null)) return;
  try {
    writeWish(app, variables);
    supervisor.log('env-restored', { app: app.id });
  } catch (error) {
    // The next pass; what else a pass looks at does not wait for it.
    supervisor.log('env-not-restored', { app: app.id, error: String(error) });
  }
}

const isSame = (wanted: Variables, now: Variables | null): boolean =>
  now !== null && now.size === wanted.size && [...wanted].every(([name, value]) => now.get(name) === value);

function writeWish(app: App, variables: Variables): void {
  mkdirSync(app.paths.dir, { recursive: true, mode: 0o700 });
  writeFileAtomic(app.paths.env, writeEnvText(variables), { mode: 0o600, durable: true });
  app.wish = { variables };
  app.wishEnds = false;
}

export async function stop(supervisor: Supervisor, request: RequestOf<'stop'>): Promise<void> {
  const app = supervisor.apps.get(request.app);
  if (!app || (app.requestId === request.requestId && app.wish === null)) return;
  app.requestId = request.requestId;
  app.message = '';
  supervisor.apply(app, { type: 'STOP', reason: request.reason });
  // The process ends all the same; who asked must know that the next pass will find the wish again.
  if (app.wishEnds)
    throw new SvcError('FILES_UNREADABLE', `the app is ended; its wish ${app.paths.env} could not be deleted yet and is as soon as it can`);
}

/** False when the app is not wanted: there is nothing to pin. */
export function pin(supervisor: Supervisor, request: RequestOf<'pin'>): boolean {
  const app = supervisor.apps.get(request.app);
  const variables = app?.wish?.variables;
  if (!app || !variables) return false;
  writeWish(app, marked(variables, { pinned: request.pinned, requestId: variables.get(requestVariable) ?? app.requestId ?? '' }));
  supervisor.changed(app);
  return true;
}

/** The idle policy counts from now; an unknown app is not created by this. */
export function used(supervisor: Supervisor, request: RequestOf<'used'>): void {
  const app = supervisor.apps.get(request.app);
  if (!app || app.process === null) return;
  app.lastUseMs = supervisor.nowMs();
  supervisor.changed(app);
}

/** The token that the living process was started with, even if the file changed since; otherwise that of the wish. */
export function token(supervisor: Supervisor, request: RequestOf<'token'>): string | null {
  const app = supervisor.apps.get(request.app);
  if (!app) return null;
  // A process that makes room for another one gets no more requests.
  const living = app.supervision.state === 'stopping' ? null : tokenOfProcess(app)?.token;
  return living ?? app.wish?.variables?.get('SVC_APP_TOKEN') ?? null;
}

/** The end of run.log or of the run before it, without what must not be shown, short enough for one line of the protocol. */
export function logText(supervisor: Supervisor, request: Pick<RequestOf<'log'>, 'app' | 'tail' | 'previous'>): string {
  const app = appOf(supervisor, request.app);
  const path = request.previous ? app.paths.previousRunLog : app.paths.runLog;
  const lines = lastLines(path, request.tail, limits.logTailBytesMax);
  let text = redact(lines.map((line) => `${line}\n`).join(''), hiddenValues(app));
  while (Buffer.byteLength(JSON.stringify(text)) > limits.supervisorLineBytesMax - 1_024) text = text.slice(Math.ceil(text.length / 8));
  return text;
}

/** Only while it runs: a start begins a new log. */
export function note(supervisor: Supervisor, request: RequestOf<'note'>): void {
  const app = supervisor.apps.get(request.app);
  if (app?.process) appendToRunLog(app.paths.runLog, request.text);
}

/** Server-scope apps are the service manager's, not a person's. Source: rules 2.1 `escopo`. */
export function isServerScope(supervisor: Supervisor, app: string): boolean {
  const folder = findPackage(supervisor.place, app);
  if (folder === null) return false;
  try {
    return readManifest(folder.dir, app).escopo === 'servidor';
  } catch (error) {
    if (!(error instanceof LaunchRefused)) throw error;
    return false;
  }
}
