/**
 * The reconcile loop (design 3): edges enqueue keys, a resync every ten seconds catches what an edge missed, one worker at a time
 * looks at a key, decides purely and acts. Ending it ends no app: they belong to their supervisors.
 */
import type { BackendMemory } from '../../reconcilers/backend-types.ts';
import { limits } from '../../schema/limits.ts';
import type { Context, ControllerOptions } from './context.ts';
import { openDesiredSource } from '../desired/in-force.ts';
import { watchFolder } from '../desired/watch.ts';
import { createPortalCredentials } from '../execute/portal-credentials.ts';
import { createExecutors } from '../execute/executors.ts';
import type { Host } from '../hosts/host.ts';
import { isDue } from './inputs.ts';
import { createLoopAlarm } from './loop-alarm.ts';
import { createSupervisorLink } from '../observe/supervisor-link.ts';
import { createWorkQueue, type WorkQueue } from './queue.ts';
import { openRecorder } from './record.ts';
import { createBreath } from './slices.ts';
import { installKit, newKitState, settleAccounts } from '../servers/kit-work.ts';
import { applyInForce, lookAtPackages, onEnqueue, onLinkChange, refreshFromStore } from './refresh.ts';
import { createOffersReader } from '../repository/offers.ts';
import { tellProgress } from './package-news.ts';
import { lookAtInventory } from './refresh-installs.ts';
import { backendOf, emptyWorld, type World, type WorldFactory } from '../world.ts';
import { workOn } from './work.ts';

export interface Controller {
  readonly context: Context;
  /** Reads the folder and looks at the world, and adopts what runs there. Does nothing to it yet. */
  prepare(): Promise<void>;
  /** Begins to act, after `prepare`. */
  start(): Promise<void>;
  /** Puts every backend whose inputs changed or whose deadline came into the queue; answers how many. No I/O. */
  tick(): number;
  /** What the ten seconds bring: looks at all levels again. Resolves when the store was read, not when the queue is empty. */
  resync(): Promise<void>;
  /** Stops acting. Apps and supervisors live on. */
  stop(): Promise<void>;
}

export async function createController(options: ControllerOptions): Promise<Controller> {
  const context = await createContext(options);
  const ends: (() => void | Promise<void>)[] = [];
  let stopped = false;
  return {
    context,
    prepare: () => prepare(context),
    start: async () => start(context, ends),
    tick: () => tick(context),
    resync: () => resync(context),
    stop: async () => {
      if (stopped) return;
      stopped = true;
      const closing = context.queue.close();
      // A running installation ends with us; what was there before stays, and the next run goes on where it was.
      const tasks = [...context.world.tasks.values()];
      for (const { abort } of tasks) abort.abort();
      for (const end of ends) await end();
      for (const person of context.world.people.values()) person.link.close();
      await closing;
      await Promise.all(tasks.map(({ ended }) => ended));
      await context.recorder.settled();
      for (const { kit } of context.world.servers.values()) kit?.admin.close();
      await Promise.all([...context.world.servers.values()].map((server) => server.host.close()));
    },
  };
}

async function createContext(options: ControllerOptions): Promise<Context> {
  const { store, clock, log } = options;
  const recorder = await openRecorder(store, clock, log);
  const source = await openDesiredSource(options.dir, store);
  const world = emptyWorld(source.current());
  const queue: WorkQueue = createWorkQueue({
    clock,
    laneOf: (key) => laneOf(world, key),
    parallelMax: limits.workersPerServerMax,
    workDeadlineMs: limits.workDeadlineMs,
    work: (key) => workOn(context, key),
    onError: (key, error) => log.error({ key, err: error }, 'work failed'),
    onLate: (key) => log.error({ key, deadlineMs: limits.workDeadlineMs }, 'work is past its deadline'),
  });
  const factory: WorldFactory = {
    host: (document) => {
      const host = options.createHost(document, false);
      host.onDoubt(() => lookAgain(context, host));
      return host;
    },
    kit: (document) => {
      const admin = options.createAdmin?.(document) ?? null;
      return admin === null ? null : newKitState(admin);
    },
    link: (person, account, host) =>
      createSupervisorLink({ person, account, host, clock, onChange: (app) => onLinkChange(context, person, app) }),
    memory: (key) => (recorder.last(key)?.memory ?? null) as BackendMemory | null,
  };
  const credentials = createPortalCredentials({
    rooms: store.rooms,
    clock,
    portalUrl: options.portalUrl ?? (async () => ''),
    onError: (error) => log.error({ err: error }, 'a credential could not be ended'),
  });
  const executors = createExecutors({
    credentials,
    rooms: store.rooms,
    bus: options.bus,
    world,
    clock,
    log,
    dir: options.dir,
    onChange: (key) => queue.add(key, true),
    onServer: (name, act) => beginServerAct(context, name, act),
    onPackages: async (name) => {
      await lookAtPackages(context, name);
      const server = world.servers.get(name);
      // Where nothing declares an engine and none stands, there is nothing new to see.
      const hasEngines = [...world.engines.values()].some((engine) => engine.server === server);
      if (server?.sight.status === 'reachable' && hasEngines) await lookAtInventory(context, server);
    },
    onProgress: (entry, task) => tellProgress(world, options.bus, clock.nowMs(), entry, task),
  });
  const offers = createOffersReader(clock);
  const context: Context = {
    options,
    source,
    world,
    recorder,
    queue,
    factory,
    executors,
    credentials,
    offers,
    alarm: createLoopAlarm(clock, log),
  };
  return context;
}

/** What was seen of a server may hold no longer: it is looked at now, and not when its time comes. */
function lookAgain({ world, queue }: Context, host: Host): void {
  for (const server of world.servers.values()) {
    if (server.host !== host) continue;
    server.lookedAtMs = 0;
    queue.add(server.key, true);
  }
}

/** Beside the loop: a tarball on a slow line takes minutes. What went wrong stands in the state of the kit. */
function beginServerAct(context: Context, name: string, act: 'kit' | 'accounts'): void {
  const server = context.world.servers.get(name);
  // What is under way makes the server be looked at when it ends: then it is decided anew.
  if (server && server.kit?.work === null) (act === 'kit' ? installKit : settleAccounts)(context, server).catch(() => undefined);
}

/** Keys of one server share its workers. */
function laneOf(world: World, key: string): string {
  const [kind, name = ''] = key.split('/', 2);
  if (kind === 'Server' || kind === 'Service' || kind === 'Engine') return name;
  if (kind === 'Grant') return 'rooms';
  if (kind === 'Package') return world.packages.get(key.slice('Package/'.length))?.target.server ?? '';
  return world.people.get(name)?.server.name ?? '';
}

async function prepare(context: Context): Promise<void> {
  const { world, source, recorder } = context;
  await source.reread(false);
  await applyInForce(context);
  recallBackends(context);
  await context.credentials.sweep(world);
  await refreshFromStore(context);
  const wanted = new Set([...world.people.keys(), ...world.servers.keys()]);
  for (const { key } of recorder.all()) {
    const [kind, name = ''] = key.split('/', 2);
    const known =
      kind === 'Package' ? world.packages.has(key.slice('Package/'.length)) : kind === 'Grant' ? world.grants.has(name) : wanted.has(name);
    if (kind !== 'Portal' && !known) recorder.forget(key);
  }
}

function start(context: Context, ends: (() => void | Promise<void>)[]): void {
  const { options, world, source, queue } = context;
  const { bus, clock, log, dir } = options;
  ends.push(
    bus.onEnqueue((key, urgent) => {
      onEnqueue(context, key, urgent).catch((error: unknown) => log.error({ key, err: error }, 'the store could not be read'));
    }),
  );
  const watcher = watchFolder(dir, clock, () => queue.add('Portal/', false));
  ends.push(() => watcher.close());
  ends.push(resyncEvery(context));
  queue.open();
  log.info({ dir, objects: source.current().documents.size, backends: world.backends.size }, 'controller started');
}

/** What an earlier run knew of apps on servers that can't be looked at now: they are unknown, not gone. */
function recallBackends({ world, recorder, factory }: Context): void {
  for (const { key } of recorder.all()) {
    const [kind, name = '', app] = key.split('/');
    const person = world.people.get(name);
    if (kind !== 'Backend' || !person || app === undefined || person.backends.has(app)) continue;
    if (person.server.sight.status === 'reachable') recorder.forget(key);
    else backendOf(world, person, app, factory);
  }
}

/** Every ten seconds and a little more, so that many portals don't look at the same moment. Source: design 3 rule 3. */
function resyncEvery(context: Context): () => Promise<void> {
  const { clock, log } = context.options;
  let cancel: (() => void) | null = null;
  let running: Promise<void> | null = null;
  let stopped = false;
  const arm = (): void => {
    if (stopped) return;
    const waitMs = limits.resyncMs + Math.random() * limits.resyncJitterMsMax;
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

async function resync(context: Context): Promise<void> {
  const { world, queue } = context;
  queue.add('Portal/', false);
  for (const server of world.servers.values()) queue.add(server.key, false);
  for (const server of world.servers.values()) for (const { key } of server.services.values()) queue.add(key, false);
  for (const entry of world.packages.values()) queue.add(entry.key, false);
  for (const key of world.engines.keys()) queue.add(key, false);
  for (const { key } of world.grants.values()) queue.add(key, false);
  await refreshFromStore(context);
  const breath = createBreath();
  for (const person of world.people.values()) {
    await breath();
    queue.add(person.key, false);
    queue.add(`Supervisor/${person.name}`, false);
    void person.link.check();
  }
  tick(context);
}

function tick({ world, queue, options }: Context): number {
  const nowMs = options.clock.nowMs();
  let due = 0;
  for (const entry of world.backends.values()) {
    if (!isDue(entry, nowMs)) continue;
    due += 1;
    queue.add(entry.key, false);
  }
  return due;
}
