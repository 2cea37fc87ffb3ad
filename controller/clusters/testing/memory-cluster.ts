/** A cluster in memory that does what a test says, and counts what was asked of it. */
import { SvcError } from '../../../schema/errors.ts';
import type { Cluster, ClusterJob, ClusterSeen } from '../cluster.ts';

export interface MemoryCluster extends Cluster {
  /** Jobs that run or ran there, by name. */
  readonly there: Map<string, ClusterSeen>;
  /** Names, in the order in which they came. */
  readonly submitted: string[];
  readonly jobs: Map<string, ClusterJob>;
  readonly cancelled: string[];
  readonly forgotten: string[];
  lists: number;
  /** Does not answer lists and orders. */
  down: boolean;
  /** The next job is taken and the answer is lost. */
  loseAnswer: boolean;
  /** The next order does not arrive. */
  loseOrder: boolean;
  /** Says no to every job with these words. */
  refuses: string | null;
  become(name: string, state: ClusterSeen['state'], more?: Partial<ClusterSeen>): void;
}

export function createMemoryCluster(name: string): MemoryCluster {
  const unreachable = (): SvcError => new SvcError('SERVER_UNREACHABLE', `${name} does not answer`);
  const cluster: MemoryCluster = {
    name,
    isolation: 'plain',
    there: new Map(),
    submitted: [],
    jobs: new Map(),
    cancelled: [],
    forgotten: [],
    lists: 0,
    down: false,
    loseAnswer: false,
    loseOrder: false,
    refuses: null,
    list: async (prefix) => {
      cluster.lists += 1;
      if (cluster.down) throw unreachable();
      return [...cluster.there.values()].filter((seen) => seen.name.startsWith(prefix));
    },
    submit: async (job) => {
      if (cluster.down) throw unreachable();
      if (cluster.refuses !== null) throw new SvcError('REFUSED', cluster.refuses);
      if (cluster.loseOrder) {
        cluster.loseOrder = false;
        throw unreachable();
      }
      cluster.jobs.set(job.name, job);
      if (!cluster.there.has(job.name)) {
        cluster.submitted.push(job.name);
        cluster.become(job.name, 'waiting');
      }
      if (cluster.loseAnswer) {
        cluster.loseAnswer = false;
        throw unreachable();
      }
    },
    cancel: async (job) => {
      if (cluster.down) throw unreachable();
      cluster.cancelled.push(job);
      if (cluster.there.has(job)) cluster.become(job, 'cancelled');
    },
    forget: async (job) => {
      if (cluster.down) throw unreachable();
      cluster.forgotten.push(job);
      cluster.there.delete(job);
    },
    close: async () => undefined,
    become: (job, state, more = {}) =>
      void cluster.there.set(job, {
        name: job,
        id: '1',
        note: '',
        exitCode: null,
        startedAtMs: null,
        endedAtMs: null,
        place: null,
        ...cluster.there.get(job),
        state,
        ...more,
      }),
  };
  return cluster;
}
