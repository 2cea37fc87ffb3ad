/**
 * The reconcile loop (design 3): edges enqueue keys, a resync every ten seconds catches what an edge missed, one worker at a time
 * looks at a key, decides purely and acts. Ending it ends no app: they belong to their supervisors.
 */
import type { BackendMemory } from '../../reconcilers/backend-types.ts';
import { limits } from '../../schema/limits.ts';
import type { Context, ControllerOptions } from './context.ts';
import { openDesiredSource } from '../desired/in-force.ts';
import { watchFolder } from '../desired/watch.ts';
import { createExecutors } from '../execute/executors.ts';
import { isDue } from './inputs.ts';
import { createLoopAlarm } from './loop-alarm.ts';
import { createSupervisorLink } from '../observe/supervisor-link.ts';
import { createWorkQueue, type WorkQueue } from './queue.ts';
import { openRecorder } from './record.ts';
import { applyInForce, lookAtPackages, onEnqueue, onLinkChange, refreshFromStore } from './refresh.ts';
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
      for (const end of ends) await end();
      for (const person of context.world.people.values()) person.link.close();
      await closing;
      await context.recorder.settled();
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
    host: (document) => options.createHost(document, false),
    link: (person, account, host) =>
      createSupervisorLink({ person, account, host, clock, onChange: (app) => onLinkChange(context, person, app) }),
    memory: (key) => (recorder.last(key)?.memory ?? null) as BackendMemory | null,
  };
  const executors = createExecutors({
    world,
    clock,
    log,
    dir: options.dir,
    onChange: (key) => queue.add(key, true),
    onPackages: (server) => lookAtPackages(context, server),
  });
  const context: Context = { options, source, world, recorder, queue, factory, executors, alarm: createLoopAlarm(clock, log) };
  return context;
}

/** Keys of one server share its workers. */
function laneOf(world: World, key: string): string {
  const [kind, name = ''] = key.split('/', 2);
  if (kind === 'Server') return name;
  if (kind === 'Package') return world.packages.get(name)?.placed.document.spec.server ?? '';
  return world.people.get(name)?.server.name ?? '';
}

async function prepare(context: Context): Promise<void> {
  const { world, source, recorder } = context;
  await source.reread(false);
  await applyInForce(context);
  recallBackends(context);
  const wanted = new Set([...world.people.keys(), ...world.servers.keys(), ...world.packages.keys()]);
  for (const { key } of recorder.all()) {
    const [kind, name = ''] = key.split('/', 2);
    if (kind !== 'Portal' && !wanted.has(name)) recorder.forget(key);
  }
  await refreshFromStore(context);
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
function resyncEvery(context: Context): () => void {
  const { clock, log } = context.options;
  let cancel: (() => void) | null = null;
  let stopped = false;
  const arm = (): void => {
    if (stopped) return;
    const waitMs = limits.resyncMs + Math.random() * limits.resyncJitterMsMax;
    cancel = clock.at(clock.monotonicMs() + waitMs, () => {
      resync(context)
        .catch((error: unknown) => log.error({ err: error }, 'resync failed'))
        .finally(arm);
    });
  };
  arm();
  return () => {
    stopped = true;
    cancel?.();
  };
}

async function resync(context: Context): Promise<void> {
  const { world, queue } = context;
  queue.add('Portal/', false);
  for (const server of world.servers.values()) queue.add(server.key, false);
  for (const entry of world.packages.values()) queue.add(entry.key, false);
  await refreshFromStore(context);
  for (const person of world.people.values()) {
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
