/**
 * Facts of the queue that the portal must not lose: submissions, how far each got, the reports of its wrapper, and the owner of the bytes
 * on the disk. Each step is written before it is done, so that a portal that dies at any point finds the outcome in the cluster's list.
 * Promises resolve when it is committed. Decision: docs/decisions/0211-the-queue.md
 */
import { randomInt } from 'node:crypto';
import type { JobOutcome, JobRequest, ReportState } from '../schema/jobs.ts';

export interface StoredJob {
  readonly id: string;
  /** Grows with every change of any job. */
  readonly change: number;
  /** '' when the person left the portal. */
  readonly usuario: string;
  readonly app: string;
  readonly chave: string;
  readonly nome: string;
  readonly cluster: string;
  readonly cpus: number;
  /** Id of the HTTP request that submitted it; null: of an older portal. */
  readonly requestId: string | null;
  readonly createdAtMs: number;
  /** The portal holds it back no longer. */
  readonly releasedAtMs: number | null;
  /** Begin of the last attempt to hand it over: written before it is made. */
  readonly attemptAtMs: number | null;
  /** Identity of the cluster at the hand-over, as `noteAttempt` recorded it; null: never, or by an older portal. */
  readonly engine: string | null;
  /** The cluster has taken it: it is never handed over again. */
  readonly acceptedAtMs: number | null;
  readonly cancelAtMs: number | null;
  /** Last report of the wrapper; null: none yet. */
  readonly report: JobReport | null;
  /** Time of the wrapper's first report. */
  readonly startedAtMs: number | null;
  readonly logBytes: number;
  readonly outcome: JobOutcome | null;
  /** The cluster keeps nothing of it any more. */
  readonly forgottenAtMs: number | null;
  readonly expiresAtMs: number | null;
}

export interface JobReport {
  readonly estado: ReportState;
  readonly codigo: number | null;
  readonly progresso: number | null;
  readonly atMs: number;
}

export interface JobFile {
  readonly caminho: string;
  readonly sha: string;
  readonly bytes: number;
}
export interface JobOutput extends JobFile {
  readonly complete: boolean;
  /** Beyond what the person may have: it is not taken. */
  readonly refused: boolean;
}

export interface NewJob extends Pick<StoredJob, 'id' | 'usuario' | 'app' | 'chave' | 'nome' | 'cluster' | 'createdAtMs'> {
  readonly requestId?: string;
  readonly request: JobRequest;
  readonly inputs: readonly Pick<JobFile, 'caminho' | 'sha'>[];
}

export type Submitted =
  | { readonly kind: 'new' | 'known'; readonly job: StoredJob }
  /** The key names a job that was submitted with other content. */
  | { readonly kind: 'other'; readonly job: StoredJob }
  /** The key named a job that is not kept any more: its command has run. */
  | { readonly kind: 'gone'; readonly id: string }
  /** The person has as many jobs as the limit says. */
  | { readonly kind: 'full' }
  /** These inputs are not there whole. */
  | { readonly kind: 'missing'; readonly shas: readonly string[] };

export interface StoredInput {
  readonly bytes: number;
  readonly complete: boolean;
}

export interface JobsFilter {
  /** null: of all. */
  readonly usuario: string | null;
  readonly app: string | null;
  readonly cluster: string | null;
  /** Older than this one. */
  readonly before: string | null;
  readonly limit: number;
}

/** Something on the disk that nothing refers to any more. */
export interface JobLeftover {
  readonly kind: 'job' | 'input';
  /** Id of the job, or `<person>/<app>/<sha>`. */
  readonly name: string;
}

export interface JobStore {
  /** Idempotent by person, app and `chave`. */
  submitJob(job: NewJob, max: { readonly ofPerson: number }): Promise<Submitted>;
  job(id: string): Promise<StoredJob | null>;
  /** The newest first. */
  jobs(filter: JobsFilter): Promise<readonly StoredJob[]>;
  /** Changed after that number, in that order. */
  jobChanges(after: number, limit: number): Promise<readonly StoredJob[]>;
  jobRequest(id: string): Promise<JobRequest | null>;

  releaseJobs(ids: readonly string[], atMs: number): Promise<void>;
  /** Before the cluster is asked; with the token that this attempt carries, by its hash. */
  noteAttempt(id: string, atMs: number, attempt: { readonly tokenHash: string; readonly engine: string }): Promise<void>;
  acceptJob(id: string, atMs: number): Promise<void>;
  /** False: there is none, or it has ended. */
  cancelJob(id: string, atMs: number): Promise<boolean>;
  reportJob(id: string, report: JobReport): Promise<void>;
  /**
   * The first outcome counts. Its tokens open nothing from then on, and its person has a notice of it in the same transaction; answers that person,
   * null when there is none to tell.
   */
  settleJob(id: string, outcome: JobOutcome, times: { readonly atMs: number; readonly expiresAtMs: number }): Promise<string | null>;
  noteForgotten(id: string, atMs: number): Promise<void>;
  /** With its rows; its files are left over, and its key names no other job for limits.jobKeyKeptMs. */
  dropJob(id: string, atMs: number): Promise<void>;
  /** Their inputs are left over; their jobs are cancelled, belong to nobody, and go when they have ended. Answers those. */
  forgetJobsOf(usuario: string, atMs: number): Promise<readonly string[]>;
  jobOfToken(tokenHash: string): Promise<string | null>;

  input(usuario: string, app: string, sha: string): Promise<StoredInput | null>;
  /** `full`: the person would have more than `bytesMax`. `differs`: it was announced with another size. */
  reserveInput(input: InputName & { readonly bytes: number; readonly atMs: number }, bytesMax: number): Promise<'ok' | 'full' | 'differs'>;
  completeInput(input: InputName): Promise<void>;
  jobInputs(id: string): Promise<readonly JobFile[]>;
  /** Replaces what was announced before; what does not fit is marked as refused. */
  announceOutputs(id: string, files: readonly JobFile[], bytesMax: number): Promise<readonly JobOutput[]>;
  outputs(id: string): Promise<readonly JobOutput[]>;
  completeOutput(id: string, sha: string): Promise<void>;
  noteLog(id: string, bytes: number): Promise<void>;
  /** Bytes of inputs, outputs and logs. */
  jobSpace(usuario: string): Promise<number>;

  /** Inputs that no job refers to and that were last announced before then are left over. Answers how many. */
  expireInputs(beforeMs: number, limit: number): Promise<number>;
  leftovers(limit: number): Promise<readonly JobLeftover[]>;
  forgetLeftover(leftover: JobLeftover): Promise<void>;
}

export interface InputName {
  readonly usuario: string;
  readonly app: string;
  readonly sha: string;
}

const letters = '0123456789abcdefghijklmnopqrstuvwxyz';

export function newJobId(): string {
  return `j${Array.from({ length: 20 }, () => letters[randomInt(letters.length)]).join('')}`;
}
