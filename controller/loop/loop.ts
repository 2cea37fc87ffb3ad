/**
 * The reconcile loop: edges enqueue keys, a resync every ten seconds catches what an edge missed, one worker at a time observes a key,
 * decides purely and acts. Ending it ends no app: they belong to their supervisors.
 */
import { noAudit } from '../../schema/audit.ts';
import { backendMemory } from '../../reconcilers/backend-memory.ts';
import { readMemory } from '../../reconcilers/memory.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { Context, ControllerOptions } from '../context.ts';
import { openDesiredSource } from '../desired/in-force.ts';
import { recordedSource } from '../desired/recorded.ts';
import { openFollowedSource } from '../desired/followed.ts';
import { createPortalCredentials } from '../execute/portal-credentials.ts';
import { actionRows, auditedExecutors } from '../execute/audited.ts';
import { createExecutors } from '../execute/executors.ts';
import { columnOf, executorsOf, type ExecutorOptions, type Executors } from '../execute/guarded.ts';
import { endOrders } from '../execute/orders.ts';
import { reportEnd } from '../execute/outcome.ts';
import { leadingExecutors, watchingBus, watchingExecutors, watchingStore } from '../execute/watching.ts';
import type { Host } from '../hosts/host.ts';
import { createLoopAlarm } from '../work/loop-alarm.ts';
import { createSupervisorLink } from '../observe/supervisor-link.ts';
import { countedLog } from './counted-log.ts';
import { createTries } from '../work/tries.ts';
import { createWorkQueue, type WorkQueue } from '../work/queue.ts';
import { openRecorder, type Recorder } from '../work/record.ts';
import { createBreath } from '../clock/slices.ts';
import type { ServerAction } from '../../reconcilers/actions.ts';
import { clusterFactory, jobActs } from './clusters.ts';
import { carryOut } from '../servers/kit-acts.ts';
import { newKitState } from '../hosts/server/kit-state.ts';
import { applyInForce } from '../apply.ts';
import { observePackages } from '../observe/packages.ts';
import { onLinkChange } from '../observe/people.ts';
import { refreshInstalls } from '../observe/wishes.ts';
import { kindOf } from '../../schema/keys.ts';
import { allKinds, ownActs } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { createOffersReader } from '../../kit/repository/reading/offers.ts';
import { publishProgress } from '../package-news.ts';
import { lookAtWaiting } from '../observe/strangers.ts';
import { observeInventory } from '../observe/inventory.ts';
import { emptyEntries, type Entries, type EntryFactory } from '../entries.ts';
import { createFigures, type Figures } from '../figures.ts';
import { siteFigures } from '../site-figures.ts';
import { entryOf, isDue, reconcile, type LoopContext } from './reconcile.ts';

export interface Controller {
  readonly context: Context;
  /** Reads the folder, observes the servers and adopts what runs there. Executes no action yet. */
  prepare(): Promise<void>;
  /** After `prepare`: orders from now on are kept for the start. A portal serves people from here on. */
  hear(): void;
  /** Begins to act, after `prepare`. */
  start(): Promise<void>;
  /** Puts every backend whose inputs changed or whose deadline came into the queue; answers how many. No I/O. */
  tick(): number;
  /** The resync: observes everything again. Resolves when the store was read, not when the queue is empty. */
  resync(): Promise<void>;
  /** Nothing is decided or carried out any more; what was seen can still be asked for. */
  rest(): Promise<void>;
  /** Rests, and closes every connection. Apps and supervisors live on. */
  stop(): Promise<void>;
}

interface LoopOptions extends ControllerOptions {
  /** Absent: those of controller/kinds/all.ts. */
  readonly kinds?: readonly Kind[];
}

export async function createController(options: LoopOptions): Promise<Controller> {
  const context = await createContext(options);
  const ends: (() => void | Promise<void>)[] = [];
  let resting: Promise<void> | null = null;
  let stopped = false;
  let hears = false;
  const hear = (): void => {
    if (!hears) hearEdges(context, ends);
    hears = true;
  };
  const rest = async (): Promise<void> => {
    context.end();
    const closing = context.queue.close();
    // A running installation ends with us; what was there before stays, and the next run goes on where it was.
    const tasks = [...context.entries.tasks.values()];
    for (const { abort } of tasks) abort.abort();
    for (const end of ends) await end();
    await closing;
    await Promise.all(tasks.map(({ ended }) => ended));
    endOrders(context.entries, true);
    await context.recorder.written();
  };
  return {
    context,
    prepare: () => prepare(context),
    hear,
    start: async () => {
      hear();
      start(context, ends);
    },
    tick: () => tick(context),
    resync: () => resync(context),
    rest: () => (resting ??= rest()),
    stop: async () => {
      if (stopped) return;
      stopped = true;
      // Work that waits for a supervisor ends with its line.
      const begun = (resting ??= rest());
      for (const person of context.entries.people.values()) person.link.close();
      await begun;
      await Promise.all([...context.entries.clusters.values()].map(({ cluster }) => cluster.close()));
      for (const { kit } of context.entries.servers.values()) kit?.admin.close();
      await Promise.all([...context.entries.servers.values()].map((server) => server.host.close()));
    },
  };
}

async function createContext(asked: LoopOptions): Promise<LoopContext> {
  const { clock, leads = true, audit = noAudit } = asked;
  const log = countedLog(clock, asked.log);
  const store = leads ? asked.store : watchingStore(asked.store);
  const options = { ...asked, log, store, bus: leads ? asked.bus : watchingBus(asked.bus) };
  const recorder = await openRecorder(store, clock, log);
  const source = leads
    ? recordedSource(await openDesiredSource(options.dir, store, clock), audit)
    : await openFollowedSource(options.dir, store);
  const entries = emptyEntries(source.current());
  const kinds = new Map((options.kinds ?? allKinds).map((kind) => [kind.name, kind]));
  const figures = createFigures(
    () => queue.size(),
    () => clock.monotonicMs(),
    () => siteFigures(context),
  );
  const queue = queueOf(options, figures, { laneOf: (key) => laneOf({ entries, kinds }, key), work: (key) => reconcile(context, key) });
  const ending = new AbortController();
  const credentials = credentialsOf(options);
  const acting: ExecutorOptions = {
    credentials,
    figures,
    store,
    rooms: store.rooms,
    forgetWriter: options.forgetWriter ?? (async () => undefined),
    bus: options.bus,
    entries,
    clock,
    log,
    dir: options.dir,
    startedWith: options.startedWith,
    ending: ending.signal,
    queue: jobActs(options, () => context),
    onChange: (key) => queue.add(key, true),
    onServer: (action) => beginServerAct(context, action),
    onPackages: (name) => onPackages(context, name),
    onInstalls: () => refreshInstalls(context),
    onForgotten: (key) => onForgotten(context, key),
    onProgress: (entry, task) => publishProgress(entries, options.bus, clock.nowMs(), entry, task),
  };
  const all: Executors = { ...createExecutors(acting), ...executorsOf(ownActs, acting) };
  const rows = { ...actionRows, ...columnOf(ownActs, 'audit') };
  const executors = leads ? leadingExecutors(auditedExecutors(all, rows, audit), asked.held) : watchingExecutors(all);
  const context: LoopContext = {
    options,
    kinds,
    source,
    entries,
    recorder,
    queue,
    factory: entryFactory(options, recorder, entries, () => context),
    executors,
    ending: ending.signal,
    end: () => ending.abort(),
    credentials,
    figures,
    offers: createOffersReader(clock),
    refresh: async () => {
      for (const kind of kinds.values()) await kind.refresh?.(context);
    },
    everyKey: () => everyKey({ entries, kinds }),
    alarm: createLoopAlarm(clock, log),
    tries: createTries(clock),
  };
  return context;
}

const credentialsOf = ({ store, clock, log, portalUrl = async () => '' }: LoopOptions) =>
  createPortalCredentials({
    rooms: store.rooms,
    clock,
    portalUrl,
    onError: (error) => log.error({ err: error }, 'a credential could not be ended'),
  });

function entryFactory(options: LoopOptions, recorder: Recorder, entries: Entries, context: () => LoopContext): EntryFactory {
  const { clock } = options;
  return {
    host: (document) => {
      const host = options.createHost(document, false);
      host.onDoubt(() => observeAgain(context(), host));
      return host;
    },
    kit: (document) => {
      const admin = options.createAdmin?.(document) ?? null;
      return admin === null ? null : newKitState(admin);
    },
    link: (person, account, host) =>
      createSupervisorLink({
        person,
        account,
        host,
        clock,
        leader: options.leader ?? null,
        held: options.held,
        starts: options.leads ?? true,
        onChange: (app) => onLinkChange(context(), person, app),
      }),
    memory: (key) => readMemory(backendMemory, recorder.last(key)?.memory),
    ...clusterFactory(options, entries),
  };
}

function queueOf(
  { clock, log }: LoopOptions,
  figures: Figures,
  { laneOf, work }: { readonly laneOf: (key: string) => string; readonly work: (key: string) => Promise<void> | undefined },
): WorkQueue {
  return createWorkQueue({
    clock,
    laneOf,
    parallelMax: limits.workersPerServerMax,
    workDeadlineMs: limits.workDeadlineMs,
    work: (key) => figures.worked(key, () => work(key)),
    onError: (key, error) => {
      figures.failed(key);
      log.error({ key, err: error }, 'work failed');
    },
    onLate: (key) => log.error({ key, deadlineMs: limits.workDeadlineMs }, 'work is past its deadline'),
  });
}

async function onPackages(context: LoopContext, name: string): Promise<void> {
  const { entries } = context;
  await observePackages(context, name);
  const server = entries.servers.get(name);
  // No engine is declared and none is installed: nothing to observe.
  const hasEngines = [...entries.engines.values()].some((engine) => engine.server === server);
  if (server?.reachability.status === 'reachable' && hasEngines) await observeInventory(context, server);
}

async function onForgotten(context: LoopContext, key: string): Promise<void> {
  await context.source.finishLeaving(key);
  await applyInForce(context);
}

/** The last observation of a server may be outdated: it is observed now, before its next turn. */
function observeAgain({ entries, queue }: Context, host: Host): void {
  for (const server of entries.servers.values()) {
    if (server.host !== host) continue;
    server.observedAtMs = 0;
    queue.add(server.key, true);
  }
}

/** Runs beside the loop: a tarball on a slow line takes minutes. Failures are in the state of the kit. */
function beginServerAct(context: LoopContext, action: ServerAction): void {
  const server = context.entries.servers.get(action.server);
  // A running task triggers an observation of the server when it ends; the key is decided then.
  if (server && server.kit?.work === null) void reportEnd(carryOut(context, server, action));
}

function* everyKey({ entries, kinds }: Pick<LoopContext, 'entries' | 'kinds'>): Generator<string> {
  for (const kind of kinds.values()) for (const entry of kind.entries(entries)) yield kind.keyOf(entry);
}

/** Keys of one server share its workers. */
function laneOf({ entries, kinds }: Pick<LoopContext, 'entries' | 'kinds'>, key: string): string {
  const kind = kinds.get(kindOf(key));
  const entry = kind && entryOf(kind, entries, key);
  return kind === undefined || entry === undefined ? '' : kind.lane(entry);
}

async function prepare(context: LoopContext): Promise<void> {
  const { source, credentials, entries } = context;
  await source.reread(false);
  await applyInForce(context);
  recall(context);
  await credentials.sweep(entries);
  await context.refresh();
}

/** Forgets an earlier run's records of objects that are no more. */
function recall(context: LoopContext): void {
  const { entries, kinds, recorder } = context;
  for (const { key } of recorder.all()) {
    const kind = kinds.get(kindOf(key));
    const isOfUse = kind !== undefined && (kind.remembers?.(context, key) ?? entryOf(kind, entries, key) !== undefined);
    if (!isOfUse) recorder.forget(key);
  }
}

type Ends = (() => void | Promise<void>)[];

function hearEdges(context: LoopContext, ends: Ends): void {
  const { bus, log } = context.options;
  ends.push(
    bus.onEnqueue((key, urgent) => {
      onEdge(context, key, urgent).catch((error: unknown) => log.error({ key, err: error }, 'the store could not be read'));
    }),
  );
  ends.push(bus.onEdgesMissed(() => void resync(context).catch((error: unknown) => log.error({ err: error }, 'resync failed'))));
}

function start(context: LoopContext, ends: Ends): void {
  const { options, entries, source, queue } = context;
  const { log, dir } = options;
  // Whoever leads takes what is wanted from the folder; the others from the store.
  for (const kind of options.leads === false ? [] : context.kinds.values()) {
    const end = kind.watch?.(context);
    if (end !== undefined) ends.push(end);
  }
  ends.push(resyncEvery(context));
  // People who wait are observed after the portal listens.
  ends.push(options.clock.at(options.clock.monotonicMs() + limits.strangersAfterMs, () => void lookAtWaiting(context)));
  queue.open();
  const leads = options.leads ?? true;
  log.info({ dir, leads, objects: source.current().documents.size, backends: entries.backends.size }, 'controller started');
}

/** Runs a resync every ten seconds and a little more, so that many portals don't observe at the same moment. */
function resyncEvery(context: LoopContext): () => Promise<void> {
  const { clock, log } = context.options;
  let cancel: (() => void) | null = null;
  let running: Promise<void> | null = null;
  let stopped = false;
  const arm = (): void => {
    if (stopped) return;
    const waitMs = sharedLimits.resyncMs + Math.random() * limits.resyncJitterMsMax;
    cancel = clock.at(clock.monotonicMs() + waitMs, () => {
      running = resync(context)
        .catch((error: unknown) => log.error({ err: error }, 'resync failed'))
        .finally(arm);
    });
  };
  arm();
  return async () => {
    stopped = true;
    cancel?.();
    // It reads the store, which is closed after this.
    await running;
  };
}

async function resync(context: LoopContext): Promise<void> {
  try {
    await context.refresh();
  } finally {
    await askForAll(context);
    void lookAtWaiting(context);
  }
}

/** Puts everything into the queue that is decided at every resync, and of the rest what is due. */
async function askForAll(context: LoopContext): Promise<void> {
  const { entries, queue, kinds } = context;
  const breath = createBreath();
  for (const kind of kinds.values()) {
    const isEach = kind.lastInputs === undefined;
    if (!isEach && kind.atResync === undefined) continue;
    for (const entry of kind.entries(entries)) {
      await breath();
      if (isEach) queue.add(kind.keyOf(entry), false);
      kind.atResync?.(entry, context);
    }
  }
  tick(context);
}

function tick(context: LoopContext): number {
  const { entries, queue, kinds } = context;
  const nowMs = context.options.clock.nowMs();
  let due = 0;
  for (const kind of kinds.values()) {
    if (kind.lastInputs === undefined) continue;
    for (const entry of kind.entries(entries)) {
      if (!isDue(context, kind, entry, nowMs)) continue;
      due += 1;
      queue.add(kind.keyOf(entry), false);
    }
  }
  return due;
}

/** An order of the api: the row that it wrote is read again before the key is worked on. */
async function onEdge(context: LoopContext, key: string, urgent: boolean): Promise<void> {
  const kind = context.kinds.get(kindOf(key));
  if (kind?.onEdge === undefined) context.queue.add(key, urgent);
  else await kind.onEdge(context, key, urgent);
}
