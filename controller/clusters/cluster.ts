/**
 * Contract of every engine that runs jobs: local.ts, slurm.ts, kubernetes.ts. Every call has a deadline, takes a signal and rejects with a
 * coded SvcError.
 */
export interface ClusterJob {
  /** Unique for ever and the key for adoption: `svc-<12 hex of the portal>-<job id>`; name and comment of the job on the cluster. [a-z0-9-]{1,63} */
  readonly name: string;
  /** Linux account on the cluster's server; null where the driver has one account only. */
  readonly account: string | null;
  readonly image: string | null;
  /** Full command: the image's ENTRYPOINT does not run. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: { readonly cpus: number; readonly memoryMb: number; readonly seconds: number; readonly gpus: number };
  /** Addresses for the wrapper: where it fetches and reports to, and its secret (never in argv, never in what the cluster lists). */
  readonly report: { readonly url: string; readonly token: string };
}

export type ClusterState = 'waiting' | 'running' | 'ended' | 'failed' | 'cancelled';

export interface ClusterSeen {
  readonly name: string;
  /** The cluster's own id, for people. */
  readonly id: string;
  readonly state: ClusterState;
  /** Why it waits or how it ended, in the cluster's words: bounded, for people only. */
  readonly note: string;
  readonly exitCode: number | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Place among waiting jobs, 1-based, where the cluster tells it. */
  readonly place: number | null;
}

export interface Cluster {
  readonly name: string;
  /** How containers are run there: a word for people, and whether the job is confined (`plain` says it is not). */
  readonly isolation: string;
  /**
   * All jobs whose names begin with `svc-<portal>-` that the cluster still knows, ended ones included for as long as it keeps them. Rejects when it cannot be read: then every
   * job there is `Unknown`, none failed. A job absent from a good answer is not there.
   */
  list(prefix: string, signal: AbortSignal): Promise<readonly ClusterSeen[]>;
  /**
   * Rejects REFUSED when the cluster said no for good (with its words); any other rejection means: perhaps it was taken, look by name before another try. Submitting a name that
   * is there already adopts it.
   */
  submit(job: ClusterJob, signal: AbortSignal): Promise<void>;
  /** Idempotent; an unknown name is no error. */
  cancel(name: string, signal: AbortSignal): Promise<void>;
  /** Removes what it keeps of an ended job (work folder). Idempotent. */
  forget(name: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
