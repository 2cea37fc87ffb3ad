/** `svc top`: what runs and what it uses, of everybody or of one person. */
import { SvcError } from '../../schema/errors.ts';
import type { UsageRow } from '../../schema/wire/http.ts';
import type { Entries } from '../entries.ts';

export async function usageRows(entries: Entries, usuario: string | null): Promise<readonly UsageRow[]> {
  const one = usuario === null ? undefined : entries.people.get(usuario);
  if (usuario !== null && one === undefined) throw new SvcError('NOT_FOUND', `no person ${usuario}`);
  const people = one ? [one] : [...entries.people.values()];
  const lively = people.filter(({ link }) => link.snapshots().some(({ process }) => process !== null));
  await Promise.all(lively.map(({ link }) => link.observeUsage()));
  return lively.flatMap((person) =>
    person.link.snapshots().flatMap((snapshot): UsageRow[] => {
      if (snapshot.process === null) return [];
      const entry = person.backends.get(snapshot.app);
      return [
        {
          person: person.name,
          app: snapshot.app,
          server: person.server.name,
          state: entry?.decision?.state ?? snapshot.state,
          sinceMs: snapshot.process.startedAtMs,
          uso: person.link.usage(snapshot.app),
        },
      ];
    }),
  );
}
