/** Drives machines/health.ts for one app: reads the state of its process, asks it over its socket, and sends events to the machine. */
import { connect, type Socket } from 'node:net';
import { advanceHealth, freshHealth, isLeftAlone, nextHealthMs, type HealthEvent } from '../../machines/health.ts';
import { sameProcess, watchState } from '../processes.ts';
import { tokenOfProcess } from './observe.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { limits } from './limits.ts';
import { guarded, later, type App, type Supervisor, type Watched } from './app-state.ts';

/** Once a pass, and when a request waits for the app. Repeats while something is wrong. */
export function observeHealth(supervisor: Supervisor, app: App, isDoubted = false): void {
  const watched = watchedOf(supervisor, app);
  if (watched === null) return;
  const isStopped = watched.state.isStopped();
  // An app that comes up is probed by the portal; that its process is stopped is said all the same.
  const isAsking = watched.asking !== null || app.supervision.state !== 'running' || app.socket !== 'listening';
  step(supervisor, app, watched, { type: 'CHECKED', isStopped, isAsking, isUsed: (app.connections ?? 0) > 0, isDoubted });
}

/**
 * In a pass of an app at rest. To read the state of each process was a seventh of what an idle supervisor cost; the kernel reports on a child
 * (watchStops), so this leaves it alone until a question is due. A pass that reads all files of the app reads this, too.
 */
export function observeHealthAtRest(supervisor: Supervisor, app: App): void {
  const { process: live, watched } = app;
  const isTold = live !== null && live.child !== null && watched !== null && sameProcess(watched.process, live.identity);
  const isUsed = (app.connections ?? 0) > 0;
  if (isTold && !isUsed && watched.asking === null && isLeftAlone(watched.health, supervisor.nowMs())) return;
  observeHealth(supervisor, app);
}

/** SIGCHLD says that a child was stopped, goes on or ended, and not which one: all are checked, once for many signals. Answers the end of it. */
export function watchStops(supervisor: Supervisor): () => void {
  let timer: NodeJS.Timeout | null = null;
  const look = (): void => {
    timer = null;
    for (const app of supervisor.apps.values()) {
      if (app.process !== null && app.process.child !== null) guarded(supervisor, app, 'health', () => observeHealth(supervisor, app));
    }
  };
  const onSignal = (): void => {
    timer ??= setTimeout(look, limits.childStopLookMs);
  };
  process.on('SIGCHLD', onSignal);
  return () => {
    process.off('SIGCHLD', onSignal);
    if (timer !== null) clearTimeout(timer);
  };
}

export function forgetHealth(app: App): void {
  app.watched?.asking?.();
  app.watched?.state.close();
  app.watched = null;
  app.busy = null;
}

export function noteBusy(supervisor: Supervisor, app: App, busy: string | null): void {
  if (busy === app.busy) return;
  app.busy = busy;
  supervisor.changed(app);
}

/** `ocupado` of an answer to GET /saude: what keeps it busy, `work` where it does not say what; null: not busy, or the answer says nothing of it. */
export function busyOf(answer: string): string | null {
  const at = answer.indexOf('\r\n\r\n');
  try {
    const said: unknown = at === -1 ? null : JSON.parse(answer.slice(at + 4));
    if (typeof said !== 'object' || said === null || !('ocupado' in said) || said.ocupado !== true) return null;
    const by = 'ocupadoPor' in said && typeof said.ocupadoPor === 'string' ? said.ocupadoPor : '';
    // oxlint-disable-next-line no-control-regex
    return by.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, ' ').slice(0, sharedLimits.busyCharsMax) || 'work';
  } catch {
    return null;
  }
}

function watchedOf(supervisor: Supervisor, app: App): Watched | null {
  const live = app.process;
  const { state } = app.supervision;
  const isWatchable = live !== null && !live.launcher && (state === 'running' || state === 'starting');
  if (app.watched !== null && (!isWatchable || !sameProcess(app.watched.process, live.identity))) forgetHealth(app);
  if (!isWatchable) return null;
  if (app.watched === null) {
    const stateWatch = watchState(live.identity);
    if (stateWatch === null) return null;
    const health = freshHealth(supervisor.nowMs(), (live.identity.pid % 100) / 100);
    app.watched = { process: live.identity, state: stateWatch, health, asking: null, armed: false };
  }
  return app.watched;
}

function step(supervisor: Supervisor, app: App, watched: Watched, event: HealthEvent): void {
  const before = watched.health;
  const { next, askMsMax } = advanceHealth(before, event, supervisor.nowMs());
  watched.health = next;
  if (next.verdict !== before.verdict) {
    supervisor.log('health', { app: app.id, pid: watched.process.pid, from: before.verdict, to: next.verdict });
    supervisor.changed(app);
  }
  if (askMsMax !== null) {
    const target = app.healthPath;
    const token = tokenOfProcess(app)?.token ?? app.wish?.variables?.get('SVC_APP_TOKEN') ?? '';
    watched.asking = ask({ path: app.paths.socket, target, token, msMax: askMsMax }, (answer) => {
      watched.asking = null;
      if (app.watched !== watched) return;
      if (answer !== null) noteBusy(supervisor, app, busyOf(answer));
      step(supervisor, app, watched, { type: answer === null ? 'MISSED' : 'ANSWERED' });
    });
  }
  arm(supervisor, app, watched);
}

/** Minimum interval, regardless of the deadline. */
const armMsMin = 250;

function arm(supervisor: Supervisor, app: App, watched: Watched): void {
  const dueMs = nextHealthMs(watched.health);
  if (dueMs === null || watched.armed) return;
  watched.armed = true;
  later(app, Math.max(armMsMin, dueMs - supervisor.nowMs()), () => {
    watched.armed = false;
    if (app.watched === watched) observeHealth(supervisor, app);
  });
}

interface Question {
  readonly path: string;
  readonly target: string;
  readonly token: string;
  readonly msMax: number;
}

const connectAgainMs = 500;

/**
 * Calls back once: with what came back, at most `healthAnswerBytesMax` of it, or null for silence. Any first byte, or an end, proves a working
 * process: where the rest takes too long, its beginning is the answer. A socket that refuses or is full is retried until the timeout. Returns the
 * function that cancels without a callback.
 */
function ask({ path, target, token, msMax }: Question, done: (answer: string | null) => void): () => void {
  let socket: Socket | null = null;
  let again: NodeJS.Timeout | null = null;
  let answer: string | null = null;
  const close = (): void => {
    clearTimeout(timer);
    if (again !== null) clearTimeout(again);
    socket?.removeAllListeners().on('error', () => undefined);
    socket?.destroy();
  };
  const finish = (): void => {
    close();
    done(answer);
  };
  const timer = setTimeout(finish, msMax);
  timer.unref();
  const begin = (): void => {
    const trial = connect(path);
    socket = trial;
    trial.unref();
    trial.setEncoding('latin1');
    trial.once('connect', () =>
      trial.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-Svc-App-Token: ${token}\r\nConnection: close\r\n\r\n`),
    );
    trial.on('data', (part: string) => {
      answer = (answer ?? '') + part;
      // Only an answer of /saude is read to its end.
      if (!isOwnHealth(target) || answer.length >= limits.healthAnswerBytesMax) finish();
    });
    trial.once('end', () => {
      answer ??= '';
      finish();
    });
    trial.once('error', () => {
      if (answer !== null) return finish();
      trial.removeAllListeners().on('error', () => undefined);
      trial.destroy();
      again = setTimeout(begin, connectAgainMs);
      again.unref();
    });
  };
  begin();
  return close;
}

/** Answered by the runtime itself (rules 4.2). */
const isOwnHealth = (target: string): boolean => target.split('?', 1)[0] === '/saude';
