/** Builds what the pure reconcilers take from the records of the world. No I/O; cheap, since it runs for every object. */
import type { BackendDesired, BackendObserved } from '../../reconcilers/backend-types.ts';
import type { SupervisorDesired, SupervisorObserved } from '../../reconcilers/supervisor-process.ts';
import type { BackendEntry, PersonEntry } from '../world.ts';

/** Everything a decision about a backend depends on but the time: equal lists, equal decisions. */
export function backendInputs(entry: BackendEntry): readonly unknown[] {
  const { person } = entry;
  return [
    person.packages.get(entry.app),
    entry.document,
    entry.intent,
    entry.windows,
    person.session,
    person.sessionSinceMs,
    person.server.sight,
    person.link.view(),
    person.link.snapshot(entry.app),
    entry.probe,
    entry.probing,
    entry.refused,
    person.server.services.get(entry.app)?.decision,
    isRemoving(entry),
  ];
}

/** Whether anything that the last decision was made from is another one now, or its deadline has come. */
export function isDue(entry: BackendEntry, nowMs: number): boolean {
  const { memo, decision } = entry;
  if (memo === null || decision === null) return true;
  if (decision.nextDeadlineMs !== null && decision.nextDeadlineMs <= nowMs) return true;
  const { person } = entry;
  return (
    memo[8] !== person.link.snapshot(entry.app) ||
    memo[7] !== person.link.view() ||
    memo[0] !== person.packages.get(entry.app) ||
    memo[1] !== entry.document ||
    memo[2] !== entry.intent ||
    memo[3] !== entry.windows ||
    memo[4] !== person.session ||
    memo[5] !== person.sessionSinceMs ||
    memo[6] !== person.server.sight ||
    memo[9] !== entry.probe ||
    memo[10] !== entry.probing ||
    memo[11] !== entry.refused ||
    memo[12] !== person.server.services.get(entry.app)?.decision ||
    memo[13] !== isRemoving(entry)
  );
}

/** Its package is about to go. */
function isRemoving({ person, app }: BackendEntry): boolean {
  const { server } = person;
  if (server.removing.size === 0 && person.removing.size === 0) return false;
  return person.packages.get(app)?.scope === 'pessoa' ? person.removing.has(app) : server.removing.has(app);
}

export function backendDesired(entry: BackendEntry): BackendDesired {
  const { person, app, document, intent, windows } = entry;
  const installed = person.packages.get(app) ?? null;
  // The server's own look at its disk is newer than the portal's.
  const seen = person.link.snapshot(app)?.installed ?? null;
  return {
    person: person.name,
    app,
    manifest: installed?.manifest ?? null,
    removing: isRemoving(entry),
    // The supervisor looks at the folder and its manifest only: files that were changed in it are the portal's to see.
    installedHash: installed === null ? null : installed.delivered === null ? installed.hash : (seen?.hash ?? installed.hash),
    document: document?.document.spec.estado ?? null,
    generation: document?.generation ?? 0,
    intent: intent === null || intent.done ? null : intent,
    windows,
    session: person.session,
    sessionSinceMs: person.sessionSinceMs,
  };
}

export function backendObserved(entry: BackendEntry): BackendObserved {
  const { person } = entry;
  return {
    host: person.server.sight,
    supervisor: person.link.view().status,
    snapshot: person.link.snapshot(entry.app),
    seenAtMs: person.link.seenAtMs(),
    probe: entry.probe,
    probing: entry.probing,
    refused: entry.refused ?? null,
  };
}

export function supervisorDesired(person: PersonEntry): SupervisorDesired {
  const backends = [...person.backends.values()];
  return {
    person: person.name,
    session: person.session,
    wished: person.leaving || backends.some((entry) => isPending(entry) || entry.document?.document.spec.estado === 'ligado'),
    wanted: backends.some((entry) => wasWanted(entry)),
  };
}

function isPending({ intent }: BackendEntry): boolean {
  return intent !== null && !intent.done;
}

/** By the last snapshot; before the first, by what was remembered of an earlier run. */
function wasWanted({ person, app, memory }: BackendEntry): boolean {
  const snapshot = person.link.snapshot(app);
  if (snapshot) return snapshot.wanted || snapshot.process !== null;
  const last = memory?.context.last?.state ?? 'stopped';
  return last !== 'stopped';
}

export function supervisorObserved(person: PersonEntry): SupervisorObserved {
  const view = person.link.view();
  return { host: person.server.sight, status: view.status, message: view.error?.message ?? '' };
}
