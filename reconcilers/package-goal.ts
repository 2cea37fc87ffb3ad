/** Which change a package needs now, or what it waits for: one row per situation, the first that fits counts. Pure. */
import { doubledMs } from '../schema/backoff.ts';
import type { Reason } from '../schema/backend.ts';
import { unseenReason } from './backend-types.ts';
import { limits } from './limits.ts';
import { keys } from '../schema/keys.ts';
import { limits as sharedLimits } from '../schema/limits.ts';
import type { PackageState } from '../schema/packages.ts';
import type { Action } from './actions.ts';
import type { PackageDesired, PackageMemory, PackageObserved } from './package-types.ts';

export interface Step {
  readonly state: PackageState;
  readonly reason: Reason;
  readonly message: string;
  /** The change that is wanted now. */
  readonly action: Action | null;
  /** When it must be decided again even if nothing happens. */
  readonly deadlineMs?: number;
  /** Notes that are stored beside the change: without a wait, and repeated until they are stored. */
  readonly notes?: readonly Action[];
}

type Installed = NonNullable<PackageObserved['installed']>;

/** The version to have: while a rollback is held, the one before. */
export function aimedVersion({ version, rollback }: PackageDesired): string | null {
  return rollback?.from === version ? rollback.to : version;
}

export function goalOf(desired: PackageDesired, observed: PackageObserved, memory: PackageMemory | null, nowMs: number): Step {
  const { host, busy } = observed;
  if (desired.leaving && observed.isOthers)
    return { state: 'removed', reason: 'Uninstalled', message: 'what is there is not its own', action: null, notes: [endOf(desired)] };
  if (desired.leaving && observed.lost) {
    const action: Action = { kind: 'object/forget', key: keys.package(desired.name), stays: 'its files stay there' };
    return { state: 'removed', reason: 'Uninstalled', message: `${desired.server} was given up`, action: null, notes: [action] };
  }
  if (host.status !== 'reachable') {
    return { state: 'unknown', reason: unseenReason(host), message: host.message, action: null };
  }
  if (desired.version === null && (desired.cancels || (isWish(desired) && busy?.act === 'install'))) return givenUp(desired, observed);
  const aside = busy !== null && (busy.act === 'confirm' || busy.act === 'mend');
  if (busy !== null && !aside) return underWay(desired, busy, updateWaits(desired, observed));
  // It may be what it was: nothing is put there, and nothing taken away.
  if (observed.unread !== undefined) return { state: 'unknown', reason: 'FilesUnreadable', message: observed.unread, action: null };
  const aim = aimedVersion(desired);
  const step = aim === null ? leaving(desired, observed, memory, nowMs) : towards(desired, observed, aim, memory, nowMs);
  const allowed = desired.paused ? paused(step) : step;
  return aside ? { ...allowed, action: null, notes: [] } : allowed;
}

const isWish = ({ person, requestId }: PackageDesired): boolean => person !== null && requestId !== null;

/** Ends an object whose wish or document is gone or fulfilled. */
function endOf({ name, person, app, requestId, cancels }: PackageDesired): Action {
  if (person === null || requestId === null) return { kind: 'object/forget', key: keys.package(name) };
  return { kind: 'wish/end', person, app, requestId, outcome: cancels ? 'cancelled' : 'removed' };
}

/** "Cancel", and "remove" while its installation runs: what is there now is wanted again, and nothing if there is nothing. */
function givenUp(desired: PackageDesired, { targetObserved, installed, busy }: PackageObserved): Step {
  const { server, app, scope, person, requestId } = desired;
  if (!targetObserved) return { state: 'unknown', reason: 'NotObservedYet', message: 'its account was not looked at yet', action: null };
  const runs = busy?.act === 'install' && !busy.cancelled;
  const action: Action | null = runs ? { kind: 'package/cancel', server, app, scope, person } : null;
  const is = { reason: 'Cancelled', action } as const;
  if (installed === null)
    return { ...is, state: 'removed', message: 'the installation was cancelled', notes: [endOf({ ...desired, cancels: true })] };
  const { version } = installed;
  const keep: readonly Action[] = person === null || requestId === null ? [] : [{ kind: 'wish/keep', person, app, requestId, version }];
  return { ...is, state: busy === null ? 'installed' : 'installing', message: `${version} stays`, notes: keep };
}

/** A version is there that somebody runs, and another one may take its place only once nobody does. A rollback does not wait. */
function updateWaits(desired: PackageDesired, { installed, living }: PackageObserved): boolean {
  const { whenStopped, version } = desired;
  return whenStopped === true && installed !== null && living > 0 && installed.version !== version && aimedVersion(desired) === version;
}

function underWay(desired: PackageDesired, busy: NonNullable<PackageObserved['busy']>, waits: boolean): Step {
  const { server, app, scope, person } = desired;
  const { reason, message } = busy;
  if (busy.act === 'remove') return { state: 'removing', reason, message, action: null };
  const other = busy.act === 'install' && busy.version !== aimedVersion(desired);
  // Somebody started it meanwhile: the swap would end what they run.
  const wrong = other || (busy.act === 'install' && waits);
  if (!wrong || busy.cancelled) return { state: 'installing', reason, message, action: null };
  const action: Action = { kind: 'package/cancel', server, app, scope, person };
  return { state: 'installing', reason: 'Cancelled', message: `the installation of ${busy.version} is being ended`, action };
}

/** Its instances end first, by the decisions about backends; then its code goes. */
function leaving(desired: PackageDesired, observed: PackageObserved, memory: PackageMemory | null, nowMs: number): Step {
  const { server, app, scope, person } = desired;
  const { installed, living } = observed;
  if (installed === null) {
    const notes = desired.leaving || isWish(desired) ? [endOf(desired)] : [];
    return { state: 'removed', reason: 'Uninstalled', message: 'nothing of it is on the server', action: null, notes };
  }
  const untilMs = (memory?.endingSinceMs ?? nowMs) + limits.packageEndMsMax;
  if (living > 0 && nowMs < untilMs) {
    const message = `${installed.version} goes when its ${living} running ${living === 1 ? 'instance' : 'instances'} ended`;
    return { state: 'removing', reason: 'Uninstalled', message, action: null, deadlineMs: untilMs };
  }
  const action: Action = { kind: 'package/remove', server, app, scope, person };
  return { state: 'removing', reason: 'Uninstalled', message: `${installed.version} is being removed`, action };
}

function towards(desired: PackageDesired, observed: PackageObserved, aim: string, memory: PackageMemory | null, nowMs: number): Step {
  const { installed } = observed;
  if (installed?.version === aim)
    return installed.drift ? drifted(desired, observed, aim, memory, nowMs) : inPlace(desired, observed, installed, memory, nowMs);
  const { server, app, scope, person, rollback } = desired;
  const held = rollback?.from === desired.version;
  if (held && installed?.previous === aim) {
    const action: Action = { kind: 'package/roll-back', server, app, scope, person, version: aim };
    return { state: 'outdated', reason: 'RolledBack', message: `${installed.version} is left, ${aim} comes back`, action };
  }
  const waiting = notOffered(observed, aim) ?? refused(observed, aim);
  if (waiting !== null) return waiting;
  if (updateWaits(desired, observed)) return waitsForStop(aim, observed);
  const action: Action = { kind: 'package/install', server, app, version: aim, scope, person };
  if (installed === null) return { state: 'installing', reason: 'Installing', message: `version ${aim}`, action };
  return { state: 'outdated', reason: 'Outdated', message: `${installed.version} is installed, ${aim} is wanted`, action };
}

function waitsForStop(aim: string, { installed, living }: PackageObserved): Step {
  const who = living === 1 ? '1 running instance' : `${living} running instances`;
  const message = `${aim} comes when the ${who} of ${installed?.version ?? ''} ended (aplicar: ao-parar)`;
  return { state: 'outdated', reason: 'UpdateWaits', message, action: null };
}

function inPlace(
  desired: PackageDesired,
  { answered }: PackageObserved,
  installed: Installed,
  memory: PackageMemory | null,
  nowMs: number,
): Step {
  const { server, app, scope, person, version } = desired;
  // Aimed at and there, but not what is wanted: a held rollback.
  if (version !== installed.version) {
    const message = `${version} is wanted and was rolled back to ${installed.version}; it is not installed again until another version is wanted or the rollback is undone`;
    return { state: 'outdated', reason: 'RolledBack', message, action: null };
  }
  const there: Step = { state: 'installed', reason: 'Installed', message: `version ${installed.version}`, action: null };
  const due = installed.previous !== null && answered;
  if (!due) return there;
  // The new version has proved itself: the one before may go. Decision: docs/decisions/0060-versions-side-by-side.md
  const atMs = memory?.confirmAtMs ?? 0;
  if (nowMs < atMs) return { ...there, deadlineMs: atMs };
  return { ...there, action: { kind: 'package/confirm', server, app, scope, person } };
}

function drifted(
  { server, app, scope, person }: PackageDesired,
  observed: PackageObserved,
  aim: string,
  memory: PackageMemory | null,
  nowMs: number,
): Step {
  const what = `files of ${aim} were changed on the server`;
  const held = notOffered(observed, aim) ?? refused(observed, aim);
  if (held !== null) return { state: 'drifted', reason: 'Drift', message: `${what}, and can't be put back: ${held.message}`, action: null };
  const repairs = repairsOf(memory, nowMs);
  const dueMs = (memory?.driftSinceMs ?? nowMs) + repairWaitMs(repairs);
  const action: Action = { kind: 'package/install', server, app, version: aim, scope, person };
  if (nowMs >= dueMs) return { state: 'drifted', reason: 'Drift', message: `${what}; they are put back`, action };
  const message = `${what} again (put back ${repairs} ${repairs === 1 ? 'time' : 'times'} of late); they are put back at ${new Date(dueMs).toISOString()}`;
  return { state: 'drifted', reason: 'Drift', message, action: null, deadlineMs: dueMs };
}

/** The first time at once; repeated changes of the files are repaired ever more slowly. Decision: docs/decisions/0052 */
function repairWaitMs(repairs: number): number {
  return repairs === 0 ? 0 : doubledMs(sharedLimits.resyncMs, repairs, limits.packageRetryMsMax);
}

/** Repairs in a row: an hour without one and they are forgotten. */
export function repairsOf(memory: PackageMemory | null, nowMs: number): number {
  return memory !== null && nowMs - memory.repairedAtMs < limits.driftCalmMs ? memory.repairs : 0;
}

function notOffered(observed: PackageObserved, aim: string): Step | null {
  const { offer, installed } = observed;
  if (offer !== null) return null;
  const [reason, says] = whyNotOffered(observed);
  const message = `version ${aim} is wanted and ${says}${stays(installed)}`;
  return { state: installed === null ? 'missing' : 'outdated', reason, message, action: null };
}

/** A repository that can't be read holds neither something nor nothing. Decision: docs/decisions/0368-why-a-version-is-not-offered.md */
function whyNotOffered({ offered, problem, refusedThere }: PackageObserved): readonly [Reason, string] {
  const held =
    offered.length === 0 ? 'nothing of it' : `${offered.length === 1 ? 'version' : 'versions'} ${offered.slice(0, 5).join(', ')}`;
  if (problem !== null) {
    const before = offered.length === 0 ? '' : `; it held ${held} when it was read last`;
    return ['RepositoryUnreadable', `the repository can't be read: ${problem}${before}`];
  }
  if (refusedThere !== null) return ['SourceRefused', `what the repository holds of it is refused: ${refusedThere}`];
  return ['SourceMissing', `the repository holds ${held}`];
}

function refused({ refusal, installed }: PackageObserved, aim: string): Step | null {
  if (refusal === null) return null;
  const message = `${aim}: ${refusal.message}${stays(installed)}`;
  return { state: installed === null ? 'missing' : 'outdated', reason: refusal.reason, message, action: null };
}

const stays = (installed: PackageObserved['installed']): string => (installed === null ? '' : `; ${installed.version} stays installed`);

/** A paused package is shown as it is and left so. */
function paused(step: Step): Step {
  if (step.action === null && step.state !== 'drifted') return step;
  const state = step.state === 'installing' ? 'missing' : step.state;
  return { state, reason: 'Paused', message: `paused: ${step.message}`, action: null };
}
