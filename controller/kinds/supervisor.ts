/** `Supervisor/<person>`: the one process that looks after a person's apps on their server. */
import {
  supervisorMemory,
  decideSupervisor,
  keepsSupervisor,
  type SupervisorDecision,
  type SupervisorDesired,
  type SupervisorMemory,
  type SupervisorObserved,
} from '../../reconcilers/supervisor-process.ts';
import { causeOf } from '../../schema/cause.ts';
import { keys } from '../../schema/keys.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { askedForPerson } from '../observe/presence.ts';
import { sightOf, touchedPeople, type BackendEntry, type PersonEntry } from '../entries.ts';
import { remembersPerson } from './person.ts';
import { inputsOf } from '../work/inputs.ts';
import { sameFields, type Kind } from './kind.ts';

export const supervisorKind: Kind<PersonEntry, SupervisorDesired, SupervisorObserved, SupervisorMemory, SupervisorDecision> = {
  name: 'Supervisor',
  entries: touchedPeople,
  find: (entries, name) => entries.people.get(name),
  keyOf: ({ name }) => keys.supervisor(name),
  lane: ({ server }) => server.name,
  desired: (_context, person) => supervisorDesired(person),
  observed: (_context, person) => supervisorObserved(person),
  decide: decideSupervisor,
  memory: supervisorMemory,
  keep: (person, round) => {
    const kept = inputsOf(round);
    person.lastRounds.supervisor = kept && { ...kept, view: person.link.view() };
    person.decided = true;
    return round.decision;
  },
  lastInputs: ({ lastRounds }) => lastRounds.supervisor,
  // The view is another one as soon as another process answers, which is recorded although nothing follows from it.
  sameInputs: (_context, person, { desired, observed }) =>
    person.lastRounds.supervisor?.view === person.link.view() &&
    observed.host === sightOf(person) &&
    sameFields(desired, supervisorDesired(person)),
  // Its own waits are never shorter (supervisorWaitMs).
  paces: { 'supervisor/ensure': limits.orderWaitMsMax / 2, 'supervisor/end': limits.orderWaitMsMax / 2 },
  report: (_context, { link }) => {
    const { supervisor } = link.view();
    return { generation: 0, details: supervisor ? { pid: supervisor.pid, version: supervisor.version } : {} };
  },
  onEdge: askedForPerson,
  remembers: remembersPerson,
  atResync: checkSupervisor,
};

/**
 * Among many, a supervisor that runs nothing and has no order is asked at each sixth resync only: an order to it makes it desired, and then
 * it is asked at once.
 * Decision: docs/decisions/0253-what-is-skipped.md
 */
function checkSupervisor(person: PersonEntry, { entries }: Context): void {
  const { wished, wanted } = supervisorDesired(person);
  const isInTrouble = (person.link.view().supervisor?.disk ?? '') !== '';
  person.uncheckedResyncs += 1;
  const isAtRest = !wished && !wanted && !isInTrouble && entries.people.size > limits.restingLookMin;
  if (isAtRest && person.uncheckedResyncs < limits.restingLooks) return;
  person.uncheckedResyncs = 0;
  void person.link.check();
}

function supervisorDesired(person: PersonEntry): SupervisorDesired {
  const { session, leaving } = person;
  const backends = person.backends.size === 0 ? [] : [...person.backends.values()];
  return {
    person: person.name,
    session,
    everSignedIn: person.everSignedIn,
    leaving,
    moves: person.moving?.ends === true,
    wished: backends.some((entry) => isPending(entry) || entry.document?.document.spec.estado === 'ligado'),
    wanted: backends.some(({ app, memory }) => keepsSupervisor(person.link.snapshot(app), memory)),
  };
}

function isPending({ intent }: BackendEntry): boolean {
  return intent !== null && !intent.done;
}

function supervisorObserved(person: PersonEntry): SupervisorObserved {
  const view = person.link.view();
  const message = view.error?.message ?? view.supervisor?.disk ?? '';
  return { host: sightOf(person), status: view.status, message, reason: view.error && causeOf(view.error).reason };
}
