/**
 * "Start and wait", shared by the routes and by held navigations: one wish and one watcher per backend, however many wait.
 * The api only writes the intent; that the supervisor took it is read from the store (the intent is done), how it went from the
 * gateway. Events are edges: each makes the watcher read again, and a slow poll covers an edge that was missed.
 * Source: rules 3.2. Decision: docs/decisions/0037-start-answers.md
 */
import { keys } from '../../schema/keys.ts';
import { randomUUID } from 'node:crypto';
import type { Bus } from '../../store/bus.ts';
import type { Intent, Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView } from '../../schema/gateway.ts';
import { silent, slow } from '../../schema/reasons/derived.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { AppProjection, StartAnswer } from '../../schema/wire/http.ts';

type View = Omit<AppProjection, 'url' | 'icone' | 'loader'>;
type Wish = Intent['wish'];
type By = Intent['by'];

const wishes: readonly Wish[] = ['start', 'stop', 'restart'];

export interface StartOptions {
  readonly by: By;
  /** Account behind `admin`; absent when unknown. */
  readonly who?: string;
  /** How long this caller waits. */
  readonly deadlineMs: number;
  /** Fires when the caller went away: it stops waiting, the start goes on. */
  readonly signal?: AbortSignal;
}

export interface Starts {
  startAndWait(person: string, app: string, options: StartOptions): Promise<StartAnswer>;
  restartAndWait(person: string, app: string, options: StartOptions): Promise<StartAnswer>;
  stopAndWait(person: string, app: string, options: StartOptions): Promise<StartAnswer>;
  /** Writes the wish and returns. Answers as the waiting ones when the wish can't be had. */
  post(person: string, app: string, wish: Wish, by: By): Promise<void>;
  /** From now on nothing is started: a page that loads itself again would bring back what is being ended. */
  onlyStops(): void;
  close(): void;
}

export interface StartDeps {
  readonly store: Pick<Store, 'putIntent' | 'intent'>;
  readonly bus: Bus;
  readonly apps: Pick<AppsView, 'find'>;
  readonly clock: Clock;
  /** Outcome and duration, for /metrics. */
  readonly observe?: (app: string, outcome: 'ready' | 'not-ready', durationMs: number) => void;
}

/** A followed request for a start or a stop. */
interface Watch {
  readonly answer: Promise<StartAnswer>;
  waiters: number;
  readonly cancel: () => void;
}

/** An order overrules those before it: whoever asks for one of them again gives it again. */
function overrule(watches: Map<string, Watch>, backend: string): void {
  for (const wish of wishes) watches.delete(`${wish} ${backend}`);
}

export function createStarts(deps: StartDeps): Starts {
  const { apps, clock } = deps;
  const watches = new Map<string, Watch>();
  let isEnding = false;

  const viewOf = (person: string, app: string): View => {
    const view = apps.find(person, app);
    if (!view) throw new SvcError('NOT_FOUND', `app ${app} is not installed for ${person}`);
    return view;
  };

  const post = async (person: string, app: string, wish: Wish, { by, who }: Pick<StartOptions, 'by' | 'who'>): Promise<string> => {
    const view = viewOf(person, app);
    refusePinned(view, wish);
    refuseShared(view);
    if (isEnding && wish !== 'stop') throw new SvcError('APP_NOT_RUNNING', `the portal is ending: ${app} is not started any more`);
    const requestId = randomUUID();
    overrule(watches, keys.backend(person, app));
    await deps.store.putIntent({ person, app, wish, by, ...(who === undefined ? {} : { who }), requestId, atMs: clock.nowMs() });
    deps.bus.enqueue(keys.backend(person, app), true);
    return requestId;
  };

  /** Joins the watcher of this wish, or makes the wish and a watcher. Null options of `post`: only watch what is under way. */
  const follow = async (person: string, app: string, wish: Wish, options: StartOptions, join: boolean): Promise<StartAnswer> => {
    const key = `${wish} ${keys.backend(person, app)}`;
    let watch = watches.get(key);
    if (!watch) {
      const requestId = join ? Promise.resolve(null) : post(person, app, wish, options);
      watch = startWatch(deps, { person, app, wish, requestId });
      watches.set(key, watch);
    }
    const joined = watch;
    // Over, or without a waiting caller: the next one starts a new watch. The wish stays in either case.
    const leave = (): void => {
      if (watches.get(key) === joined) watches.delete(key);
      joined.cancel();
    };
    joined.answer.then(leave, leave);
    return await waitFor(joined, options, clock, {
      now: () => answerOf(wish, viewOf(person, app), clock.nowMs()),
      lastLeft: leave,
    });
  };

  return {
    startAndWait: async (person, app, options) => {
      const view = viewOf(person, app);
      // Nothing to ask for: it is waited for while it comes up.
      if (isShared(view))
        return view.ready || view.status === 'failed'
          ? answerOf('start', view, clock.nowMs())
          : await follow(person, app, 'start', options, true);
      if (options.by === 'navigation') {
        const verdict = navigationVerdict(view, clock.nowMs());
        if (verdict) return verdict;
        if (view.status !== 'unknown') return await follow(person, app, 'start', options, underWay(view));
        // Not observed yet (the session has just begun). An app that is then found stopped is started, as for any navigation.
        const beganMs = clock.monotonicMs();
        const seen = await follow(person, app, 'start', options, true);
        if (seen.status !== 'stopped' || pinnedStopped(viewOf(person, app))) return seen;
        const leftMs = Math.max(0, options.deadlineMs - (clock.monotonicMs() - beganMs));
        return await follow(person, app, 'start', { ...options, deadlineMs: leftMs }, false);
      }
      return await follow(person, app, 'start', options, false);
    },
    restartAndWait: (person, app, options) => follow(person, app, 'restart', options, false),
    stopAndWait: (person, app, options) => follow(person, app, 'stop', options, false),
    post: async (person, app, wish, by) => void (await post(person, app, wish, { by })),
    onlyStops: () => {
      isEnding = true;
    },
    close: () => {
      for (const watch of watches.values()) watch.cancel();
    },
  };
}

/** A Backend document decides; a click does not overrule it. */
function refusePinned(view: View, wish: Wish): void {
  if (wish === 'stop' && view.pinned) {
    throw new SvcError('PINNED', `${view.id} is kept running by a Backend document (estado: ligado); change the document to stop it`);
  }
  if (wish !== 'stop' && pinnedStopped(view)) {
    throw new SvcError('PINNED', `${view.id} is kept stopped by a Backend document (estado: desligado); change the document to start it`);
  }
}

/** Source: rules 2.1 `escopo: servidor`: no start or stop per person. */
function refuseShared(view: View): void {
  if (isShared(view))
    throw new SvcError('SCOPE_REFUSED', `${view.id} is one backend for all people of the server: its service manager starts and stops it`);
}

function isShared(view: View): boolean {
  return view.escopo === 'servidor';
}

function pinnedStopped(view: View): boolean {
  return view.reason === 'PinnedStopped';
}

/** On its way without a new wish: a navigation only waits. */
function underWay(view: View): boolean {
  return view.status === 'starting' || view.status === 'backoff' || view.status === 'unknown' || view.status === 'running';
}

/** The immediate answer to a navigation. A failed app is not started again by looking at it. */
function navigationVerdict(view: View, nowMs: number): StartAnswer | null {
  // A person asks for the use of a cluster; a page that loads starts no job.
  const isForAsking = view.cluster !== null && view.status === 'stopped';
  if (view.ready || view.status === 'failed' || pinnedStopped(view) || isForAsking) return answerOf('start', view, nowMs);
  return followed('start', view, nowMs) === 'over' && underWay(view) ? answerOf('start', view, nowMs) : null;
}

/** Whether a wish that was taken has come to an end. */
function followed(wish: Wish, view: View, nowMs: number): 'over' | 'going' {
  if (unreachable(view)) return 'over';
  if (wish === 'stop') return view.status === 'stopped' || view.status === 'failed' ? 'over' : 'going';
  switch (view.status) {
    case 'running':
      // A running app that does not answer is reported at once: when it will is unknown.
      return view.ready || silent.includes(view.reason) ? 'over' : 'going';
    case 'stopped':
    case 'failed':
      return 'over';
    case 'starting':
      return slow.includes(view.reason) ? 'over' : 'going';
    case 'backoff':
      return (view.nextAttemptAtMs ?? 0) - nowMs > limits.startPollMs ? 'over' : 'going';
    case 'stopping':
    case 'unknown':
      break;
  }
  return 'going';
}

function unreachable(view: View): boolean {
  return view.status === 'unknown' && view.reason === 'ServerUnreachable';
}

export function answerOf(wish: Wish, view: View, nowMs: number): StartAnswer {
  const answer = { ready: view.ready, status: view.status, reason: view.reason, message: view.message };
  // A fulfilled request needs no repetition.
  const fulfilled = wish === 'stop' ? followed(wish, view, nowMs) === 'over' && !unreachable(view) : view.ready;
  return fulfilled ? answer : { ...answer, retryAfterMs: retryAfterMs(view, nowMs) };
}

/** When asking again makes sense. Decision: docs/decisions/0037-start-answers.md */
function retryAfterMs(view: View, nowMs: number): number {
  switch (view.status) {
    case 'backoff':
      return Math.max(limits.startPollMs, (view.nextAttemptAtMs ?? nowMs) - nowMs);
    case 'failed':
      return sharedLimits.failureResetMs;
    case 'stopped':
    case 'unknown':
      return 5_000;
    case 'starting':
      return slow.includes(view.reason) ? 5_000 : 1_000;
    case 'stopping':
    case 'running':
      break;
  }
  return 1_000;
}

interface Followed {
  readonly person: string;
  readonly app: string;
  readonly wish: Wish;
  /** Id of the intent to follow; null: nothing was posted, what is under way is watched. */
  readonly requestId: Promise<string | null>;
}

/** The stop of an app whose package is gone from the disk is fulfilled once the app has ended. */
function endedWithoutCode(wish: Wish, last: View | null): View | null {
  if (wish !== 'stop' || last === null) return null;
  return { ...last, status: 'stopped', ready: false, reason: 'NotInstalled', message: 'its package is not installed' };
}

/** Reads store and gateway at every edge until the wish is over or its time is up. */
function startWatch(deps: StartDeps, { person, app, wish, requestId }: Followed): Watch {
  const { clock, bus, store, apps } = deps;
  const beganMs = clock.monotonicMs();
  const endMs = beganMs + (wish === 'start' ? limits.startWaitMsMax : limits.stopWaitMsMax);
  const { promise, resolve, reject } = Promise.withResolvers<StartAnswer>();
  let resolved = false;
  let reading = false;
  let again = false;
  let cancelTimer = (): void => {};

  const finish = (answer: StartAnswer | Error): void => {
    if (resolved) return;
    resolved = true;
    cancelTimer();
    unsubscribe();
    if (answer instanceof Error) return reject(answer);
    deps.observe?.(app, answer.ready ? 'ready' : 'not-ready', clock.monotonicMs() - beganMs);
    resolve(answer);
  };
  let last: View | null = null;
  const readOnce = async (): Promise<void> => {
    const id = await requestId;
    // Before the supervisor took the wish, the state is about what was before.
    const intent = id === null ? null : await store.intent(person, app);
    const taken = intent === null || intent.requestId !== id || intent.done;
    const view = apps.find(person, app) ?? endedWithoutCode(wish, last);
    if (!view) return finish(new SvcError('NOT_FOUND', `app ${app} is no longer installed for ${person}`));
    last = view;
    const nowMs = clock.nowMs();
    // Somebody wants it to run meanwhile: it does not stop for who asked first.
    const isOverruled = wish === 'stop' && intent !== null && intent.requestId !== id && intent.wish !== 'stop';
    const over = isOverruled || ((taken || unreachable(view)) && followed(wish, view, nowMs) === 'over');
    if (over || clock.monotonicMs() >= endMs) finish(answerOf(wish, view, nowMs));
  };
  const read = async (): Promise<void> => {
    again = true;
    if (reading) return;
    reading = true;
    for (; again; again = again && !resolved) {
      again = false;
      await readOnce().catch((error: unknown) => finish(error instanceof Error ? error : new Error(String(error))));
    }
    reading = false;
  };
  const poll = (): void => {
    void read();
    const nowMs = clock.monotonicMs();
    if (!resolved && nowMs < endMs) cancelTimer = clock.at(Math.min(endMs, nowMs + limits.startPollMs), poll);
  };
  const unsubscribe = bus.onPublish((whose, event) => {
    if (whose === person && event.type === 'app-status' && event.app === app) void read();
  });
  poll();
  return { answer: promise, waiters: 0, cancel: () => finish(new SvcError('TIMEOUT', 'the portal is shutting down')) };
}

interface WaitCalls {
  /** The state of things when this caller's time is up. */
  now(): StartAnswer;
  lastLeft(): void;
}

/** A caller's share of a watch, with its own deadline and its own abort. */
async function waitFor(watch: Watch, options: StartOptions, clock: Clock, calls: WaitCalls): Promise<StartAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<StartAnswer>();
  const gone = (): void => reject(new SvcError('TIMEOUT', 'the caller went away'));
  if (options.signal?.aborted) gone();
  options.signal?.addEventListener('abort', gone, { once: true });
  const cancelTimer = clock.at(clock.monotonicMs() + options.deadlineMs, () => {
    try {
      resolve(calls.now());
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
  watch.answer.then(resolve, reject);
  watch.waiters += 1;
  try {
    return await promise;
  } finally {
    watch.waiters -= 1;
    cancelTimer();
    options.signal?.removeEventListener('abort', gone);
    if (watch.waiters === 0) calls.lastLeft();
  }
}
