/** `Person/<name>`: a Person document. */
import { personMemory, decidePerson, type PersonDesired, type PersonMemory, type PersonObserved } from '../../reconcilers/person.ts';
import { livesOn, type LeavingObserved } from '../../reconcilers/leaving.ts';
import type { Context } from '../loop/context.ts';
import { createBreath } from '../loop/slices.ts';
import { observeSession } from '../observe/server.ts';
import { askedForPerson } from '../observe/people.ts';
import { accountLasts } from '../servers/kit-work.ts';
import type { PersonEntry, Entries } from '../entries.ts';
import type { Kind } from './kind.ts';

export const personKind: Kind<PersonEntry, PersonDesired, PersonObserved, PersonMemory> = {
  name: 'Person',
  entries: (entries) => entries.people.values(),
  find: (entries, name) => entries.people.get(name),
  keyOf: ({ key }) => key,
  lane: ({ server }) => server.name,
  desired: (_context, person) => personDesired(person),
  observed: ({ entries }, person) => personObserved(entries, person),
  decide: decidePerson,
  memory: personMemory,
  report: (_context, { server, account, leaving, placed }) => ({
    generation: placed.generation,
    details: { server: server.name, account, leaving },
  }),
  refresh,
  onEdge: askedForPerson,
};

export function personDesired({ name, leaving, session, everSignedIn, server, placed }: PersonEntry): PersonDesired {
  return { name, server: server.name, generation: placed.generation, leaving, session, everSignedIn };
}

export function personObserved(entries: Entries, person: PersonEntry): PersonObserved {
  const left = person.leaving ? leftOf(entries, person) : null;
  return { host: person.server.reachability, account: person.accountSeen, lasts: accountLasts(person), left };
}

/** What of a person who leaves is still there. */
function leftOf(
  entries: Entries,
  { name, server, account, accountSeen, link, signedOut, supervisorEnded, backends }: PersonEntry,
): LeavingObserved {
  const isTaken = (other: PersonEntry): boolean =>
    !other.leaving && other.name !== name && other.server.name === server.name && other.account === account;
  const known = new Set([...link.snapshots().map(({ app }) => app), ...backends.keys()]);
  return {
    signedOut,
    shared: [...entries.people.values()].some(isTaken),
    account: accountSeen,
    supervisor: link.view().status,
    living: [...known].filter((app) => livesOn(link.snapshot(app), backends.get(app)?.starting === true)),
    ended: supervisorEnded,
    packages: [...entries.packages.values()].flatMap(({ key, leaving, target }) => (leaving && target.person === name ? [key] : [])),
  };
}

/** Sessions as the api left them. */
async function refresh({ entries, options }: Context): Promise<void> {
  const breath = createBreath();
  for (const person of entries.people.values()) {
    await observeSession(options.store, person, options.clock.nowMs());
    await breath();
  }
}
