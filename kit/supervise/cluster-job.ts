/**
 * The job that an app runs as, by the word of the process that stands for it here (kit/job/session.sh). How a job ends is how the app ends: it is not
 * submitted again on its own. Decision: docs/decisions/0437-backends-on-a-cluster.md
 */
import type { Reason } from '../../schema/backend.ts';
import { clusterVariable } from '../../schema/supervisor-protocol.ts';
import { asPlainLine } from '../../schema/plain-line.ts';
import { readRecord } from '../atomic-file.ts';
import { limits } from './limits.ts';
import type { App, Supervisor } from './app-state.ts';

export const isJob = (app: App): boolean => app.wish?.variables?.has(clusterVariable) === true;

interface Said {
  readonly state: string;
  readonly id: string;
  readonly number: number;
  readonly words: string;
}

/** Null where nothing is said, or nothing that can be read. */
function read(app: App): Said | null {
  let line: string;
  try {
    line = (readRecord(app.paths.jobState) ?? '').slice(0, limits.jobStateCharsMax);
  } catch {
    return null;
  }
  const [state = '', id = '', number = '', words = ''] = line.split('\n', 1)[0]?.split('\t') ?? [];
  return { state, id: asPlainLine(id), number: /^\d{1,12}$/.test(number) ? Number(number) : 0, words: asPlainLine(words).trim() };
}

/** Reads the file once a pass, and when it is another one. */
export function observeJob(supervisor: Supervisor, app: App): void {
  const said = app.process === null || !isJob(app) ? null : read(app);
  const job = said === null ? null : jobOf(said);
  // An unreadable file changes nothing as long as the process lives.
  if (job === null && app.process !== null && isJob(app)) return;
  if (JSON.stringify(job) === JSON.stringify(app.job)) return;
  app.job = job;
  supervisor.changed(app);
}

function jobOf({ state, id, number, words }: Said): App['job'] {
  if (state === 'waiting') return { state, id, place: number === 0 ? null : number, endsAtMs: null, words };
  return state === 'running' ? { state, id, place: null, endsAtMs: number === 0 ? null : number * 1_000, words } : null;
}

const ends: Readonly<Record<string, Reason>> = { limit: 'JobTimeOver', cancelled: 'ClusterCancelled', refused: 'ClusterRefused' };

/** Tells how the job ended whose process has just ended; null: the job may go on, and the next process finds it. */
export function jobEnd(app: App): { readonly reason: Reason; readonly message: string } | null {
  const said = isJob(app) ? read(app) : null;
  if (said?.state !== 'ended') return null;
  const [why = '', ...words] = said.words.split(' ');
  return { reason: ends[why] ?? 'JobEnded', message: words.join(' ') };
}
