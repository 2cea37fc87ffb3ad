/** Observation of a person: the apps that they can run, and the state on the line of their supervisor. */
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import { keys } from '../../schema/keys.ts';
import { limits } from '../limits.ts';
import { ageMs } from '../clock/age.ts';
import type { Context } from '../context.ts';
import { isLive, syncBackends, type PersonEntry } from '../entries.ts';
import { isShut } from '../visible-packages.ts';

/** Makes the entries of a person's backends follow what is known, and forgets those that went. */
export function followPackages({ entries, factory, recorder, queue }: Context, person: PersonEntry): void {
  const before = [...person.backends.values()];
  syncBackends(entries, person, factory);
  for (const { key, app } of before) if (!person.backends.has(app)) recorder.forget(key);
  for (const entry of person.backends.values()) queue.add(entry.key, false);
}

/** The person, their supervisor and their backends. */
export function enqueuePerson({ queue }: Context, person: PersonEntry, urgent: boolean): void {
  queue.add(person.key, false);
  queue.add(keys.supervisor(person.name), urgent);
  for (const entry of person.backends.values()) queue.add(entry.key, urgent);
}

/** The apps that a person can run changed. They were observed: packages that can't be read change nothing. */
export async function tookPackages(context: Context, person: PersonEntry): Promise<void> {
  const { options, entries } = context;
  if (entries.people.get(person.name) !== person) return;
  followPackages(context, person);
  options.bus.publish(person.name, { type: 'apps-changed' });
  // Consents given to another app of that name are dropped.
  await options.store.keepConsents(person.name, new Set(person.packages.keys()));
}

/** The supervisor's line, with null, or one app changed. */
export function onLinkChange(context: Context, name: string, app: string | null): void {
  const { entries, queue, options } = context;
  const person = entries.people.get(name);
  if (!person) return;
  if (app === null) {
    followPackages(context, person);
    enqueuePerson(context, person, true);
    return;
  }
  const snapshot = person.link.snapshot(app);
  if (!person.backends.has(app) || snapshot === null || !isLive(snapshot)) followPackages(context, person);
  if (person.leaving) queue.add(person.key, false);
  if (snapshot !== null) comparePackage(context, person, snapshot);
  const entry = person.backends.get(app);
  if (!entry) return;
  const comesUp = snapshot?.state === 'starting';
  // Until the app is ready and when that was: an observation that started before may have met its set-up.
  if (comesUp || entry.comesUp) entry.comingUpAtMs = options.clock.nowMs();
  entry.comesUp = comesUp;
  if (snapshot?.step && snapshot.step !== entry.step) {
    options.bus.publish(name, { type: 'app-step', app, step: snapshot.step.name, detail: snapshot.step.detail });
  }
  entry.step = snapshot?.step ?? null;
  queue.add(entry.key, true);
}

/** The supervisor noticed other code before the portal's own observation did, which covers some of the people only (observe/server.ts). */
function comparePackage({ options, queue }: Context, person: PersonEntry, { app, installed }: AppSnapshot): void {
  if (isShut(person, app) || (installed?.hash ?? null) === (person.packages.get(app)?.hash ?? null)) return;
  const { server } = person;
  person.lookDue = true;
  if (ageMs(options.clock.nowMs(), server.observedAtMs) <= limits.packageEdgePollMs) return;
  server.observedAtMs = 0;
  queue.add(server.key, false);
}
