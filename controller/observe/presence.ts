/** Observes who came and who went. */
import { readKey } from '../../schema/keys.ts';
import { limits } from '../limits.ts';
import { ageMs } from '../clock/age.ts';
import type { Context } from '../context.ts';
import { observeArrival } from '../servers/kit-work.ts';
import { lingerOnArrival } from '../servers/local-linger.ts';
import type { PersonEntry } from '../entries.ts';
import { enqueuePerson, followPackages, tookPackages } from './people.ts';
import { observeArrived, observeSession } from './server.ts';
import { lookAtNow } from './strangers.ts';

/** Whether the person's presence changed since the last observation. */
export async function rereadPresence(context: Context, person: PersonEntry): Promise<boolean> {
  const changed = await observeSession(context.options.store, person, context.options.clock.nowMs());
  if (!changed) return false;
  followPackages(context, person);
  if (person.session) {
    observeArrival(context, person);
    void lingerOnArrival(context, person);
    lookAtArrived(context, person).catch((error: unknown) =>
      context.options.log.error({ key: person.key, err: error }, 'the store refused a write'),
    );
  }
  return true;
}

/** While people are away only some are observed: who comes is observed now, unless the last observation included them. */
async function lookAtArrived(context: Context, person: PersonEntry): Promise<void> {
  if (person.waits) return await lookAtNow(context, person);
  const { server } = person;
  const isFresh =
    person.lastObservation === server.lastObservation && ageMs(context.options.clock.nowMs(), server.observedAtMs) < limits.packagePollMs;
  if (!isFresh && (await observeArrived(person))) await tookPackages(context, person);
}

/** The api asks for a person or for their supervisor. */
export async function askedForPerson(context: Context, key: string, urgent: boolean): Promise<void> {
  const person = context.entries.people.get(readKey(key).name);
  if (!person) return;
  await rereadPresence(context, person);
  enqueuePerson(context, person, urgent);
}
