/** Brings the world up to date from where the truth is (folder, servers, store) and enqueues whom that concerns. */
import { setImmediate as turn } from 'node:timers/promises';
import { limits } from '../../schema/limits.ts';
import type { Context } from './context.ts';
import { followToken } from '../execute/tokens.ts';
import { lookAtArrival } from '../servers/kit-work.ts';
import { leaveTheRest } from './leave-documents.ts';
import { createBreath } from './slices.ts';
import { lookAtIntent, lookAtServer, lookAtSession } from '../observe/look.ts';
import { backendOf, isLive, syncBackends, syncWorld, type PersonEntry } from '../world.ts';
import { syncEngines } from '../world-packages.ts';
import { refreshInstalls } from './refresh-installs.ts';

/** Looks at the packages of a server and makes the backends follow. */
export async function lookAtPackages(context: Context, name: string): Promise<void> {
  const { world, queue, options, recorder } = context;
  const server = world.servers.get(name);
  if (!server) return;
  const before = server.sight;
  const changed = await lookAtServer(world, server, () => options.clock.nowMs());
  for (const person of changed) {
    dropAndAdd(context, person);
    options.bus.publish(person.name, { type: 'apps-changed' });
  }
  // A Grant document waits for its app.
  if (changed.length > 0) for (const { key } of world.grants.values()) queue.add(key, false);
  for (const key of syncEngines(world, server)) recorder.forget(key);
  for (const entry of world.packages.values()) if (entry.target.server === name) queue.add(entry.key, false);
  if (before === server.sight) return;
  for (const person of world.people.values()) if (person.server === server) enqueuePerson(context, person, false);
}

/** Makes the entries of a person's backends follow what is known, and forgets those that went. */
function dropAndAdd({ world, factory, recorder, queue }: Context, person: PersonEntry): void {
  const before = [...person.backends.values()];
  syncBackends(world, person, factory);
  for (const { key, app } of before) if (!person.backends.has(app)) recorder.forget(key);
  for (const entry of person.backends.values()) queue.add(entry.key, false);
}

function enqueuePerson({ queue }: Context, person: PersonEntry, urgent: boolean): void {
  queue.add(person.key, false);
  queue.add(`Supervisor/${person.name}`, urgent);
  for (const entry of person.backends.values()) queue.add(entry.key, urgent);
}

/** Reads the folder if it changed and takes it in force. */
export async function rereadFolder(context: Context, prune: boolean): Promise<void> {
  const changed = await context.source.reread(prune);
  const errors = context.source.errors();
  if (changed && errors.length > 0) context.options.log.error({ errors }, 'the folder has errors; the last good state stays in force');
  if (context.world.inForce !== context.source.current()) await applyInForce(context);
}

/** Makes the world follow the documents in force. */
export async function applyInForce(context: Context): Promise<void> {
  const { source, world, factory, recorder, queue, options } = context;
  await leaveTheRest(source);
  await turn();
  for (const key of syncWorld(world, source.current(), factory)) recorder.forget(key);
  await turn();
  // Who is new is looked at before anything is decided, so that what runs is never taken for stopped.
  const strangers = [...world.people.values()].filter((person) => person.accountSeen === null);
  const unseen = [...world.servers.values()].filter((server) => server.lookedAtMs === 0).map((server) => server.name);
  const names = new Set([...unseen, ...strangers.map((person) => person.server.name)]);
  await Promise.all([...names].map((name) => lookAtPackages(context, name)));
  await Promise.all(strangers.map((person) => person.link.adopt()));
  // And who runs can be routed to before the portal listens.
  await Promise.all(strangers.flatMap((person) => [...person.backends.values()].map((entry) => followToken(entry))));
  await refreshFromStore(context);
  options.bus.peopleChanged();
  const breath = createBreath();
  for (const person of world.people.values()) {
    options.bus.publish(person.name, { type: 'apps-changed' });
    await breath();
  }
  for (const key of everyKey(context)) {
    queue.add(key, false);
    await breath();
  }
}

/** Intents, windows and sessions as the api left them: the level behind the bus's edges. */
export async function refreshFromStore(context: Context): Promise<void> {
  const { world, options, factory } = context;
  await refreshInstalls(context);
  const { store, clock } = options;
  const [intents, windows] = await Promise.all([store.intents(), store.windows()]);
  for (const intent of intents) {
    const person = world.people.get(intent.person);
    if (!person || (intent.done && !person.backends.has(intent.app))) continue;
    const entry = backendOf(world, person, intent.app, factory);
    const pending = intent.done ? null : intent;
    if (entry.intent?.requestId !== pending?.requestId) entry.intent = pending;
  }
  for (const one of windows) {
    const entry = world.people.get(one.person)?.backends.get(one.app);
    if (entry && (entry.windows?.open !== one.open || entry.windows.zeroSinceMs !== one.zeroSinceMs)) entry.windows = one;
  }
  const breath = createBreath();
  for (const person of world.people.values()) {
    await lookAtSession(store, person, clock.nowMs());
    await breath();
  }
}

/** A wish of the api: what it wrote is read again before the key is worked on. */
export async function onEnqueue(context: Context, key: string, urgent: boolean): Promise<void> {
  const { world, queue, options, factory } = context;
  const [kind, name = '', app = ''] = key.split('/');
  if (kind === 'Package') await refreshInstalls(context);
  const person = world.people.get(name);
  if (!person || (kind !== 'Backend' && kind !== 'Person' && kind !== 'Supervisor')) {
    queue.add(key, urgent);
    return;
  }
  const arrived = await lookAtSession(options.store, person, options.clock.nowMs());
  if (arrived && person.session) lookAtArrival(context, person);
  if (kind === 'Backend') {
    const entry = backendOf(world, person, app, factory);
    await lookAtIntent(options.store, entry);
    queue.add(entry.key, urgent);
    queue.add(`Supervisor/${name}`, urgent);
  }
  if (arrived || kind !== 'Backend') enqueuePerson(context, person, urgent);
}

/** The supervisor's line, with null, or one app changed. */
export function onLinkChange(context: Context, name: string, app: string | null): void {
  const { world, queue, options } = context;
  const person = world.people.get(name);
  if (!person) return;
  if (app === null) {
    enqueuePerson(context, person, true);
    return;
  }
  const snapshot = person.link.snapshot(app);
  if (!person.backends.has(app) || snapshot === null || !isLive(snapshot)) dropAndAdd(context, person);
  if (person.leaving) queue.add(person.key, false);
  const entry = person.backends.get(app);
  if (!entry) return;
  const known = person.packages.get(app)?.hash ?? null;
  const lookedLongAgo = options.clock.nowMs() - person.server.lookedAtMs > limits.packageEdgeLookMs;
  // The server noticed other code before the portal's own look did.
  if (snapshot && (snapshot.installed?.hash ?? null) !== known && lookedLongAgo) {
    person.server.lookedAtMs = 0;
    queue.add(person.server.key, false);
  }
  if (snapshot?.step && snapshot.step !== entry.step) {
    options.bus.publish(name, { type: 'app-step', app, step: snapshot.step.name, detail: snapshot.step.detail });
  }
  entry.step = snapshot?.step ?? null;
  queue.add(entry.key, true);
}

export function everyKey({ world }: Context): readonly string[] {
  const people = [...world.people.keys()];
  return [
    'Portal/',
    ...[...world.servers.values()].map((entry) => entry.key),
    ...[...world.packages.values()].map((entry) => entry.key),
    ...world.engines.keys(),
    ...people.flatMap((name) => [`Person/${name}`, `Supervisor/${name}`]),
    ...world.backends.keys(),
    ...[...world.grants.values()].map((entry) => entry.key),
  ];
}
