/** The controller's record of a cluster: its document, its driver, and the last list of its jobs. */
import type { ClusterDocument, Place } from '../../schema/desired/documents.ts';
import { keys } from '../../schema/keys.ts';
import { limits } from '../limits.ts';
import type { Cluster, ClusterSeen } from '../clusters/cluster.ts';

export interface PlacedCluster {
  readonly document: ClusterDocument;
  readonly place: Place;
  readonly generation: number;
}

/** How it answered last. */
export type ClusterSight =
  | { readonly status: 'unknown' }
  | { readonly status: 'unreachable'; readonly message: string }
  /** `startedAtMs`: of the call that answered this. */
  | { readonly status: 'reachable'; readonly jobs: ReadonlyMap<string, ClusterSeen>; readonly startedAtMs: number };

export interface ClusterEntry {
  readonly key: string;
  readonly name: string;
  placed: PlacedCluster;
  leaving: boolean;
  readonly cluster: Cluster;
  sight: ClusterSight;
  /** The last list that was read, also while it does not answer any more. */
  lastJobs: ReadonlyMap<string, ClusterSeen>;
  /** Failed lists in a row. */
  failures: number;
  nextListAtMs: number;
  /** When the last list was begun. */
  listedAtMs: number;
  /** Some of our jobs were there, or on their way, at the last list. */
  hasLive: boolean;
}

export function newClusterEntry(placed: PlacedCluster, leaving: boolean, cluster: Cluster): ClusterEntry {
  const { name } = placed.document.metadata;
  return {
    key: keys.cluster(name),
    name,
    placed,
    leaving,
    cluster,
    sight: { status: 'unknown' },
    lastJobs: new Map(),
    failures: 0,
    nextListAtMs: 0,
    listedAtMs: 0,
    hasLive: false,
  };
}

/** A cluster that does not answer is asked less and less often. */
export function listWaitMs(failures: number, tookMs: number): number {
  if (failures > 0) return Math.min(limits.clusterPollMs * 2 ** failures, limits.clusterPollMsMax);
  // A list that takes long is asked for a tenth of the time.
  return Math.min(Math.max(limits.clusterPollMs, tookMs * 9), limits.clusterPollMsMax);
}
