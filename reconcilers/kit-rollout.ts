/**
 * In which order the servers of a site get a new kit: one first, then a few at a time, and no further one after a failure. It is found anew at
 * each look from what the servers have and from their memories (server.ts), so that a restart or another leader goes on with it.
 * Decision: docs/decisions/0419-a-kit-goes-to-one-server-first.md
 */
import { limits } from './limits.ts';

export interface RolloutServer {
  readonly name: string;
  /** Kit that belongs there; null: not known, or the server is none of the roll-out (kit taken off, machine given up). */
  readonly wanted: string | null;
  /** Kit in place; null: there is none, or nobody can look. */
  readonly kit: string | null;
  /** False: it is in place, and a command of it does not run. */
  readonly runs: boolean;
  /** Somebody went back from the wanted kit. */
  readonly isHeld: boolean;
  /** It may be begun there: the server answers and takes connections. */
  readonly isOpen: boolean;
  /** It was begun, and has not ended well so far. */
  readonly attempts: number;
  /** The next attempt; before it the first one may still be under way. */
  readonly nextAttemptAtMs: number;
  readonly isBusy: boolean;
  /** Why the last attempt failed; null: none did, as far as is known. */
  readonly failure: string | null;
  /** When the wanted kit was first seen in place. */
  readonly placedAtMs: number | null;
  /** Trouble that was not there before the wanted kit. */
  readonly trouble: Trouble | null;
  /** Apps that run there. */
  readonly apps: number;
}

export interface Trouble {
  readonly message: string;
  readonly sinceMs: number;
}

export type Turn =
  | { readonly is: 'due' }
  /** `untilMs`: when this may be another answer although nothing happened. */
  | { readonly is: 'waits' | 'stopped'; readonly server: string; readonly message: string; readonly untilMs: number | null };

type Phase = 'old' | 'trying' | 'proven' | 'failed' | 'held' | 'apart';

/** A kit that just came waits for so long: supervisors of the one before make room within a resync. */
const provenAtMs = (placedAtMs: number): number => placedAtMs + limits.kitTrialMs;

function phaseOf(server: RolloutServer, nowMs: number): Phase {
  const { wanted, kit, trouble, placedAtMs, attempts, isBusy } = server;
  if (wanted === null) return 'apart';
  if (server.isHeld) return 'held';
  const isUnseen = kit === null && !server.isOpen;
  if ((kit === wanted && server.runs) || (isUnseen && placedAtMs !== null)) {
    if (trouble !== null) return nowMs - trouble.sinceMs < limits.kitTrialMs ? 'trying' : 'failed';
    if (isUnseen) return 'apart';
    return placedAtMs === null || nowMs < provenAtMs(placedAtMs) ? 'trying' : 'proven';
  }
  // Another attempt after a failure is no reason to begin elsewhere.
  if (isBusy && attempts <= 1) return 'trying';
  if (kit === wanted) return 'failed';
  if (attempts === 0) return kit !== null && server.isOpen ? 'old' : 'apart';
  // A server that never had a kit holds nobody up: no app is served there.
  if (kit === null && !isUnseen) return 'apart';
  return server.failure === null && attempts === 1 && nowMs < server.nextAttemptAtMs ? 'trying' : 'failed';
}

function whyFailed({ name, wanted, kit, runs, trouble, failure, isOpen }: RolloutServer): string {
  const why = trouble?.message ?? failure ?? (isOpen ? 'svc why tells' : 'it does not answer since');
  if (kit === wanted && !runs) return `it does not run on ${name}`;
  return kit === wanted ? `with it on ${name} ${why}` : `it failed on ${name}: ${why}`;
}

/** Fewest apps first: a failure on a server where none runs costs nobody anything. */
export const inLine = (one: Pick<RolloutServer, 'name' | 'apps'>, other: Pick<RolloutServer, 'name' | 'apps'>): number =>
  one.apps - other.apps || (one.name < other.name ? -1 : 1);

/** Whether this server, which has another kit, gets the wanted one now. `all`: the servers of the site, with itself. */
export function turnOf(self: RolloutServer, all: readonly RolloutServer[], nowMs: number): Turn {
  if (self.attempts > 0 || self.isBusy) return { is: 'due' };
  const phases = all.filter(({ wanted }) => wanted === self.wanted).map((server) => ({ server, phase: phaseOf(server, nowMs) }));
  const having = (...which: readonly Phase[]): readonly RolloutServer[] =>
    phases.flatMap(({ server, phase }) => (which.includes(phase) ? [server] : []));
  const [failed] = having('failed');
  const goOn = `svc server add ${self.name} takes it here all the same`;
  if (failed !== undefined) {
    const message = `${whyFailed(failed)}; mend it there, then svc server add ${failed.name}; ${goOn}`;
    return { is: 'stopped', server: failed.name, message, untilMs: null };
  }
  const [held] = having('held');
  if (held !== undefined) return { is: 'stopped', server: held.name, message: `${held.name} went back from it; ${goOn}`, untilMs: null };
  const trying = having('trying');
  const isProven = having('proven').length > 0;
  const room = (isProven ? limits.kitsAtOnce : 1) - trying.length;
  const line = having('old').toSorted(inLine);
  if (line.findIndex(({ name }) => name === self.name) < room) return { is: 'due' };
  const first = trying[0] ?? line[0] ?? self;
  const untilMs = first.placedAtMs === null ? null : provenAtMs(first.placedAtMs);
  const message = isProven ? `it follows after ${first.name}` : `it follows once ${first.name} runs well with it`;
  return { is: 'waits', server: first.name, message, untilMs };
}
