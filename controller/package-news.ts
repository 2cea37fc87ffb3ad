/** Publishes the progress of an installation to the person's pages: at most four times a second, and at every change of state. */
import { limits } from './limits.ts';
import type { PackageState } from '../schema/packages.ts';
import type { Bus } from '../store/bus.ts';
import { targetKey } from './package-entries.ts';
import type { PackageEntry, PackageTask, Entries } from './entries.ts';

/** Whom a package concerns: its person, or everybody on the server. */
export function peopleOf(entries: Entries, { target }: PackageEntry): readonly string[] {
  if (target.person !== null) return [target.person];
  return [...entries.people.values()].filter((person) => person.server.name === target.server).map(({ name }) => name);
}

/** The state of the last decision, with what the installer said since. */
export function publishState(entries: Entries, bus: Bus, entry: PackageEntry): void {
  const { decision, target } = entry;
  if (decision === null) return;
  const { state, reason, message } = decision;
  const progress = entries.tasks.get(targetKey(target))?.progress ?? null;
  for (const person of peopleOf(entries, entry))
    bus.publish(person, { type: 'install-progress', app: target.app, state, reason, message, progress });
}

/** Bytes that came in: between changes of state, and not too often. */
export function publishProgress(entries: Entries, bus: Bus, nowMs: number, entry: PackageEntry, task: PackageTask): void {
  if (task.act !== 'install' || nowMs - task.publishedAtMs < limits.installProgressMs) return;
  task.publishedAtMs = nowMs;
  const { reason, message, progress } = task;
  for (const person of peopleOf(entries, entry))
    bus.publish(person, { type: 'install-progress', app: entry.target.app, state: 'installing', reason, message, progress });
}

/** It is no object any more: cancelled before anything was there, or removed. */
export function publishGone(bus: Bus, person: string, app: string, isCancelled: boolean): void {
  const state: PackageState = 'removed';
  const reason = isCancelled ? 'Cancelled' : 'Uninstalled';
  const message = isCancelled ? 'the installation was cancelled' : 'nothing of it is on the server';
  bus.publish(person, { type: 'install-progress', app, state, reason, message, progress: null });
}
