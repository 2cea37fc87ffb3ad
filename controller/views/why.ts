/** `svc why`: one causal sentence, the awaited event, the deadline, the last log lines and the fix. */
import { gpuText } from '../../schema/texts/gpu.ts';
import { howItEnded, wentToBackground, type Reason } from '../../schema/backend.ts';
import type { WhyAnswer } from '../../schema/gateway.ts';
import { readKey } from '../../schema/keys.ts';
import { closePolicy } from '../../schema/manifest/manifest.ts';
import { makeRoom, readOnlyHome, readPrevious, restartIt, stayInFront, writePackage } from '../../schema/reasons/fixes.ts';
import type { Explanation } from '../../schema/reasons/row.ts';
import { sourceChangedFix } from '../../schema/texts/source-changed.ts';
import { shut, withoutSystemd } from '../../reconcilers/server.ts';
import { limits } from '../limits.ts';
import type { StoredStatus } from '../../store/store.ts';
import type { BackendEntry } from '../entries.ts';
import { explanationOf } from './explanations.ts';

/** The message often repeats the text with a figure: then only the message is shown. */
function withDetail(because: string, message: string): string {
  if (message === '' || because.includes(message)) return because;
  if (message.startsWith(because)) return message;
  return message.startsWith(because.replace(/^it /, '')) ? `it ${message}` : `${because}: ${message}`;
}

export interface WhyInput {
  readonly status: StoredStatus;
  readonly entry: BackendEntry | undefined;
  readonly log: string;
  /** The Package object that wants a backend's app to be there; null when none does. */
  readonly packageKey?: string | null;
  /** Its last attempt failed in a way that a retry would repeat: none is made. */
  readonly isFinal?: boolean;
  /** Where it is; null: nowhere. */
  readonly server?: string | null;
  /** The folder of the desired state. */
  readonly dir?: string;
  /** The fix of the particular case, where the caller knows it. */
  readonly causeFix?: string | null;
}

/** Source: reconcilers/package.ts, "terminal". */
const anotherWish = 'another wish or another offer: what failed for good is not tried again by itself';

/** Not ready covers stopped, starting and backoff; the state of a backend has its own time. */
function sinceMs({ conditions }: StoredStatus, entry: BackendEntry | undefined): number | undefined {
  return (entry?.memory?.context.sinceMs ?? conditions.find((condition) => condition.type === 'Ready')?.sinceMs) || undefined;
}

export function whyOf({
  status,
  entry,
  log,
  packageKey = null,
  isFinal = false,
  server = null,
  causeFix = null,
  dir = '',
}: WhyInput): WhyAnswer {
  const { key, state, reason, message, nextDeadlineMs } = status;
  const explanation = withPackage(explained(status), packageKey);
  const snapshot = entry?.person.link.snapshot(entry.app);
  const forWhom = (text: string): string => {
    const there = server === null ? text : text.replaceAll(/\bSERVER\b/g, server).replaceAll(/\bFOLDER\b/g, dir);
    if (status.kind === 'Job') return there.replaceAll(/\bJOB\b/g, readKey(key).name);
    if (status.kind === 'Package') return there.replaceAll(/\bNAME\b/g, readKey(key).name);
    if (status.kind === 'Service') return there.replaceAll(/\bAPP\b/g, readKey(key).parts.at(-1) ?? 'APP');
    if (entry === undefined) return there;
    const named = there.replaceAll('PERSON/APP', `${entry.person.name}/${entry.app}`).replaceAll(/\bAPP\b/g, entry.app);
    return snapshot?.process ? named.replaceAll(/\bPID\b/g, String(snapshot.process.pid)) : named;
  };
  const exit = snapshot?.lastExit ?? null;
  const since = sinceMs(status, entry);
  const stale = status.conditions.find(({ type, status: is }) => type === 'Stale' && is === 'True');
  const inSentence = stale === undefined ? '' : ` It ${stale.message}.`;
  const notes = [...restartNote(entry, reason), ...notesOn(entry)];
  const sentence = `${key} is ${state}${since === undefined ? '' : ` since ${new Date(since).toISOString()}`} because ${withDetail(forWhom(explanation.because), message)}.${inSentence}${notes.map(({ says }) => ` ${says}`).join('')}`;
  const lines = log === '' ? (exit?.lastLogLines ?? []) : log.split('\n').filter((line) => line !== '');
  const fix = message.includes(wentToBackground)
    ? stayInFront
    : (giveUp(status) ?? causeFix ?? explanation.fix ?? sourceFix(status) ?? (stale === undefined ? null : restartIt));
  return {
    key,
    sentence,
    waitsFor:
      isFinal && state === 'failed' ? anotherWish : (explanation.waitsFor ?? (state === 'running' ? closing(nextDeadlineMs, entry) : null)),
    nextDeadlineMs: isFinal && state === 'failed' ? null : nextDeadlineMs,
    lastLogLines: lines.slice(-20),
    requestId: typeof status.details['requestId'] === 'string' ? status.details['requestId'] : null,
    fix: inOrder(fix, notes).map(forWhom).join('; ') || null,
  };
}

function explained({ kind, reason, message }: StoredStatus): Explanation {
  const known = explanationOf(kind, reason);
  if (kind !== 'Server') return reason === 'DiskFull' && isReadOnly(message) ? readOnlyHome : known;
  if (message === withoutSystemd) return { because: message, fix: 'use a machine that boots with systemd' };
  return message.startsWith(shut) ? { ...known, because: shut } : known;
}

const isReadOnly = (message: string): boolean => /\bEROFS\b/.test(message);

/** An object that leaves a silent server waits for it, and may wait for ever: the advice is to give up the server. */
function giveUp({ kind, key, state, message, details }: StoredStatus): string | null {
  if (state !== 'leaving' || !message.includes('does not answer')) return null;
  const server = kind === 'Server' ? readKey(key).name : details['server'];
  return typeof server === 'string'
    ? `if its machine never comes back: svc server forget ${server}; else look why it is away: svc doctor --server ${server}`
    : null;
}

/** Fix for an installed package whose source has other files. */
function sourceFix({ kind, key, details }: StoredStatus): string | null {
  const folder = kind === 'Package' ? details['source'] : undefined;
  return typeof folder === 'string' ? sourceChangedFix(folder, readKey(key).parts.length > 1).en : null;
}

/** A document that is there already is no fix: what it waits for is. */
function withPackage(explained: Explanation, packageKey: string | null): Explanation {
  if (explained.fix !== writePackage || packageKey === null) return explained;
  return { ...explained, fix: `svc why ${packageKey} says what its package waits for`, waitsFor: 'its package' };
}

interface Note {
  readonly says: string;
  readonly fix: string | null;
  /** Likely the cause of a failure, so it is mended before anything else. */
  readonly first: boolean;
}

/** Restarts that the state no longer shows: the app runs, and it did not always. */
function restartNote(entry: BackendEntry | undefined, reason: Reason): readonly Note[] {
  const snapshot = entry?.person.link.snapshot(entry.app) ?? null;
  if (snapshot === null || !snapshot.wanted || !(snapshot.restarts > 0)) return [];
  const { restarts, lastExit: exit } = snapshot;
  const times = restarts === 1 ? 'once' : `${restarts} times`;
  const last = exit === null ? '' : `, the last time at ${new Date(exit.atMs).toISOString()} (${exit.reason}: ${howItEnded(exit)})`;
  // The explanation of that reason has a fix already.
  const fix = exit === null || exit.reason === reason ? null : readPrevious;
  return [{ says: `It was restarted ${times} by itself since it was started${last}.`, fix, first: false }];
}

/** Faults that are no state: missing secrets, old values, no space, no ceilings, no GPU; and work that is under way. */
function notesOn(entry: BackendEntry | undefined): readonly Note[] {
  const snapshot = entry?.person.link.snapshot(entry.app) ?? null;
  if (snapshot === null) return [];
  const { secrets, gpu, process, contained, containedReason, busy = null } = snapshot;
  const lives = process !== null;
  const disk = entry?.person.link.view().supervisor?.disk;
  const set = `set what is missing: ${secrets.missing.map((name) => `svc secret set PERSON/APP ${name}`).join(', ')}`;
  const all: readonly (Note & { readonly holds: boolean })[] = [
    {
      holds: secrets.missing.length > 0,
      says: `It lacks secrets that its manifest marks as required: ${secrets.missing.join(', ')}.`,
      fix: set,
      first: true,
    },
    {
      holds: secrets.restartNeeded,
      says: 'It runs with other secrets than are stored now.',
      fix: 'restart it to use the stored secrets: svc restart PERSON/APP',
      first: false,
    },
    {
      holds: disk !== undefined,
      says: `Its home takes no more: ${disk}.`,
      fix: isReadOnly(disk ?? '') ? readOnlyHome.fix : makeRoom,
      first: true,
    },
    {
      holds: lives && busy !== null,
      says: `It says that work is under way (${busy}).`,
      fix: null,
      first: false,
    },
    {
      holds: lives && gpu?.concedida === false,
      says: `It runs without a GPU: ${gpuText(gpu?.motivo ?? '', 'en')}.`,
      fix: null,
      first: false,
    },
    {
      holds: lives && contained && containedReason !== '',
      says: `Not all of its ceilings hold: ${containedReason}.`,
      fix: null,
      first: false,
    },
    {
      holds: lives && !contained && containedReason !== '',
      says: `It runs without ceilings: ${containedReason}.`,
      fix: null,
      first: false,
    },
  ];
  return all.filter(({ holds }) => holds);
}

function inOrder(fix: string | null, notes: readonly Note[]): readonly string[] {
  const ofNotes = (first: boolean): readonly string[] =>
    notes.flatMap((note) => (note.first === first && note.fix !== null ? [note.fix] : []));
  return [...new Set([...ofNotes(true), ...(fix === null ? [] : [fix]), ...ofNotes(false)])];
}

/** The deadline of a running app is that of its aoFechar. Source: rules 3.3, `encerrar` and `ocioso:<N>m`. */
const useOrEnd = 'somebody to use it: without a window or a connection until then, its aoFechar stops it';

/** The event that ends a running app by its aoFechar. */
function closing(nextDeadlineMs: number | null, entry: BackendEntry | undefined): string | null {
  if (nextDeadlineMs !== null) return useOrEnd;
  const manifest = entry?.person.packages.get(entry.app)?.manifest;
  const snapshot = entry?.person.link.snapshot(entry.app) ?? null;
  const policy = manifest === undefined ? null : closePolicy(manifest);
  if (policy?.kind !== 'ocioso' || snapshot === null || snapshot.pinned) return null;
  const { connections, busy = null } = snapshot;
  if (busy !== null) return `its work to end (${busy}): until then ocioso:${policy.minutes}m does not begin`;
  if (connections === null) return `its connections to be countable: until then ocioso:${policy.minutes}m stops nothing`;
  const open = connections === 1 ? 'its open connection' : `its ${connections} open connections`;
  const seconds = limits.proxyOciosoConnectionMsMax / 1_000;
  return `${open} to close, then ocioso:${policy.minutes}m counts; the portal keeps its own for ${seconds} s after the last request`;
}
