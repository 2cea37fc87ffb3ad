/** `Person/<name>`: a Person document. */
import { personMemory, decidePerson, type PersonDesired, type PersonMemory, type PersonObserved } from '../../reconcilers/person.ts';
import { livesOn, type LeavingObserved } from '../../reconcilers/leaving.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { readKey } from '../../schema/keys.ts';
import { createBreath } from '../clock/slices.ts';
import { askedForPerson, rereadPresence } from '../observe/presence.ts';
import { presenceName } from '../observe/server.ts';
import { accountLasts } from '../servers/kit-work.ts';
import { isUntouched, sightOf, touchedPeople, type PersonEntry, type Entries } from '../entries.ts';
import { rereadErasures } from '../execute/erasure.ts';
import { inputsOf } from '../work/inputs.ts';
import type { Kind } from './kind.ts';

export const personKind: Kind<PersonEntry, PersonDesired, PersonObserved, PersonMemory> = {
  name: 'Person',
  entries: touchedPeople,
  find: (entries, name) => entries.people.get(name),
  keyOf: ({ key }) => key,
  lane: ({ server }) => server.name,
  desired: (_context, person) => personDesired(person),
  observed: ({ entries }, person) => personObserved(entries, person),
  decide: decidePerson,
  memory: personMemory,
  keep: (person, round) => {
    person.lastRounds.person = inputsOf(round);
    person.decided = true;
    return round.decision;
  },
  lastInputs: ({ lastRounds }) => lastRounds.person,
  paces: {
    'person/end-sessions': limits.orderWaitMsMax,
    'person/erase': limits.eraseAgainMs,
    'supervisor/ensure': limits.orderWaitMsMax,
    'supervisor/end': limits.orderWaitMsMax,
    'backend/stop': limits.orderWaitMsMax,
  },
  report: (_context, { server, account, leaving, placed }) => ({
    generation: placed.generation,
    details: { server: server.name, account, leaving, ...(placed.from !== undefined && { from: placed.from }) },
  }),
  refresh,
  onEdge: askedForPerson,
  remembers: remembersPerson,
};

export function personDesired({ name, leaving, session, everSignedIn, server, placed }: PersonEntry): PersonDesired {
  return { name, server: server.name, generation: placed.generation, leaving, session, everSignedIn };
}

export function personObserved(entries: Entries, person: PersonEntry): PersonObserved {
  const left = person.leaving ? leftOf(entries, person) : null;
  return { host: sightOf(person), account: person.accountSeen, closed: person.closed, lasts: accountLasts(person), left };
}

/** False for a person who never signed in: their record of an earlier run adds nothing to the state derived on request. */
export function remembersPerson({ entries }: Context, key: string): boolean {
  const person = entries.people.get(readKey(key).name);
  return person !== undefined && !isUntouched(person);
}

/** Returns the parts of a leaving person that are still there. */
function leftOf(
  entries: Entries,
  { name, server, account, accountSeen, link, signedOut, erasure, supervisorEnded, backends }: PersonEntry,
): LeavingObserved {
  const isTaken = (other: PersonEntry): boolean =>
    !other.leaving && other.name !== name && other.server.name === server.name && other.account === account;
  const known = new Set([...link.snapshots().map(({ app }) => app), ...backends.keys()]);
  return {
    signedOut,
    ...(erasure === null ? {} : erasure.left === null ? { toErase: true } : { erased: true }),
    lost: server.lost,
    shared: [...entries.people.values()].some(isTaken),
    account: accountSeen,
    supervisor: link.view().status,
    living: [...known].filter((app) => livesOn(link.snapshot(app), backends.get(app)?.starting === true)),
    ended: supervisorEnded,
    packages: [...entries.packages.values()].flatMap(({ key, leaving, target }) => (leaving && target.person === name ? [key] : [])),
  };
}

/**
 * Sessions as the api left them: one query for all people, and one more for each whose answer changed. The first time, another query finds
 * who ever signed in.
 */
async function refresh(context: Context): Promise<void> {
  const { entries, options } = context;
  const { store, clock } = options;
  const breath = createBreath();
  const present = await store.present(clock.nowMs());
  await rereadErasures(entries, store);
  const isNew = [...entries.people.values()].some(({ sessionObserved }) => !sessionObserved);
  const known = isNew ? await store.values(presenceName('')) : null;
  for (const person of entries.people.values()) {
    await breath();
    // People who came or went since the query are read again: the store as it is now counts.
    if (person.sessionObserved && present.has(person.name) === person.session) continue;
    if (known?.has(presenceName(person.name)) === false && !present.has(person.name)) person.sessionObserved = true;
    else await rereadPresence(context, person);
  }
}
