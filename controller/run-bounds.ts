/** `maximo` of the Package documents: the longest that a person's backend of an app runs at once. Decision: docs/decisions/0433-the-end-of-a-run-is-told.md */
import { durationMs } from '../schema/backups.ts';
import type { Entries, PersonEntry } from './entries.ts';
import { targetKey } from './package-entries.ts';

/** A document is for everybody on the server, or for one person. */
const boundKey = (app: string, person: string | null): string => (person === null ? app : `${app} ${person}`);

/** Null: as long as it is used. It holds for a copy of one's own, too: that is the same app. */
export function runBoundMs({ name, server: { maximoOf } }: Pick<PersonEntry, 'name' | 'server'>, app: string): number | null {
  if (maximoOf.size === 0) return null;
  return maximoOf.get(boundKey(app, name)) ?? maximoOf.get(boundKey(app, null)) ?? null;
}

/** By the documents in force, and those that leave as long as no other has their place. */
export function syncRunBounds(entries: Entries): void {
  const found = new Map([...entries.servers.keys()].map((name) => [name, new Map<string, number>()]));
  for (const { target, wanted } of entries.packages.values()) {
    if (wanted.by !== 'document' || entries.byTarget.get(targetKey(target))?.wanted !== wanted) continue;
    const { maximo } = wanted.placed.document.spec;
    if (maximo !== undefined) found.get(target.server)?.set(boundKey(target.app, target.person), durationMs(maximo));
  }
  for (const server of entries.servers.values()) server.maximoOf = found.get(server.name) ?? new Map<string, number>();
}
