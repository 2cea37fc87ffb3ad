/** Writes a line in the audit record for each document that changes in force, and one for the folder. No value of a document is in them. */
import type { Audit } from '../../schema/audit.ts';
import { limits } from '../limits.ts';
import type { DesiredSource, InForce } from './in-force.ts';

export function recordedSource(source: DesiredSource, audit: Audit): DesiredSource {
  return {
    ...source,
    reread: async (prune) => {
      const before = source.current();
      const changed = await source.reread(prune);
      if (source.current() !== before) recordChanges(audit, before, source.current());
      return changed;
    },
  };
}

function recordChanges(audit: Audit, before: InForce, now: InForce): void {
  const by = { kind: 'controller' } as const;
  const changed = [...now.documents].filter(([name, { digest }]) => before.documents.get(name)?.digest !== digest);
  const removed = [...before.documents].filter(([name]) => !now.documents.has(name));
  const lines = [
    ...changed.map(([name, placed]) => [before.documents.has(name) ? 'desired/change' : 'desired/add', name, placed] as const),
    ...removed.map(([name, placed]) => ['desired/remove', name, placed] as const),
  ];
  const told = lines.slice(0, limits.documentsToldMax);
  for (const [action, name, { document }] of told) {
    const person = document.kind === 'Person' ? { person: document.metadata.name } : {};
    audit.record({ by, action, object: name, ...person, result: 'ok' });
  }
  const untold = lines.length - told.length;
  const details = { changed: changed.length, removed: removed.length, held: now.held.length, ...(untold === 0 ? {} : { untold }) };
  audit.record({ by, action: 'desired/apply', object: 'Desired', result: 'ok', details });
}
