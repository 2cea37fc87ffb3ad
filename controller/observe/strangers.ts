/**
 * People who were not observed since the portal began. On a small server, all are observed before anything is decided. On a large one,
 * those of whom the last run or a document knows something; the others wait until the portal serves, and are unknown until then. Decision:
 * docs/decisions/0253-what-is-skipped.md
 */
import { keys } from '../../schema/keys.ts';
import { followToken } from '../execute/tokens.ts';
import { isUntouched, type Entries, type PersonEntry, type ServerEntry } from '../entries.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { createBreath } from '../clock/slices.ts';
import { enqueuePerson, tookPackages } from './people.ts';
import { observePerson, pinnedOrChanging } from './server.ts';

/** Marks those who wait; answers the others, who are to be observed now. */
export async function divideStrangers(context: Context): Promise<readonly PersonEntry[]> {
  const { entries, options, recorder } = context;
  const strangers = [...entries.people.values()].filter(({ accountSeen, waits }) => accountSeen === null && !waits);
  if (strangers.length <= limits.strangersAtOnceMax) return strangers;
  const present = await options.store.present(options.clock.nowMs());
  const isWanted = pinnedOrChanging(entries);
  const isNeeded = (person: PersonEntry): boolean => {
    const supervisor = recorder.last(keys.supervisor(person.name));
    return person.leaving || isWanted(person) || present.has(person.name) || (supervisor !== null && supervisor.state !== 'ended');
  };
  for (const person of strangers) person.waits = !isNeeded(person);
  return strangers.filter(({ waits }) => !waits);
}

/** Their homes, their supervisors if some live, and the tokens of what runs, so that it can be routed to. */
export async function adopt(people: readonly PersonEntry[]): Promise<void> {
  await Promise.all(people.map((person) => person.link.adopt()));
  await Promise.all(people.flatMap((person) => [...person.backends.values()].map((entry) => followToken(entry))));
}

const looking = new WeakSet<Entries>();

/**
 * Observes everybody who waits and whose server answers, some at a time. Never rejects: people who can't be observed now wait for the next
 * call.
 */
export async function lookAtWaiting(context: Context): Promise<void> {
  const { entries, ending } = context;
  if (looking.has(entries)) return;
  looking.add(entries);
  const breath = createBreath();
  try {
    for (const server of entries.servers.values()) {
      const waiting = [...entries.people.values()].filter((person) => person.server === server && person.waits);
      for (let at = 0; at < waiting.length && !ending.aborted; at += limits.strangersAtOnceMax) {
        if (server.reachability.status !== 'reachable') break;
        await lookAtSome(context, server, waiting.slice(at, at + limits.strangersAtOnceMax));
        await breath();
      }
    }
  } finally {
    looking.delete(entries);
  }
}

/** Observes a waiting person who came: they don't wait for their turn. */
export async function lookAtNow(context: Context, person: PersonEntry): Promise<void> {
  if (person.server.reachability.status === 'reachable') await lookAtSome(context, person.server, [person]);
}

async function lookAtSome(context: Context, server: ServerEntry, people: readonly PersonEntry[]): Promise<void> {
  // The system is asked once for all of them.
  const accounts = people.map(({ account }) => account);
  await server.host.installed(null, accounts).catch(() => []);
  await Promise.all(people.map((person) => lookAt(context, person).catch((error: unknown) => notSeen(context, person, error))));
}

async function lookAt(context: Context, person: PersonEntry): Promise<void> {
  await observePerson(person, () => false);
  await adopt([person]);
  if (!person.waits || context.entries.people.get(person.name) !== person) return;
  person.waits = false;
  if (isUntouched(person)) return;
  await tookPackages(context, person);
  enqueuePerson(context, person, false);
}

function notSeen({ options }: Context, { key }: PersonEntry, error: unknown): void {
  options.log.debug({ key, err: error }, 'not looked at yet');
}
