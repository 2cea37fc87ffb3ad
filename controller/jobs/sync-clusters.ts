/** Updates the clusters from the documents in force. A portal with a queue and without Cluster documents runs jobs on its own machine. */
import type { ClusterDocument } from '../../schema/desired/documents.ts';
import type { InForce } from '../desired/in-force.ts';
import { wantedOf, type Entries, type EntryFactory, type PlacedOf } from '../entries.ts';
import { newClusterEntry } from './cluster-entry.ts';

const ownMachine: PlacedOf<ClusterDocument> = {
  document: { apiVersion: 'svc/v1', kind: 'Cluster', metadata: { name: 'local' }, spec: { scheduler: { local: {} } } },
  place: { file: '', line: 0, column: 0 },
  generation: 0,
};

export function syncClusters(entries: Entries, inForce: InForce, factory: Pick<EntryFactory, 'cluster'>): void {
  const wanted = new Map(wantedOf<ClusterDocument>(inForce, 'Cluster').map((one) => [one.placed.document.metadata.name, one]));
  const hasQueue = entries.portal?.document.spec.fila !== undefined;
  const isImplied = hasQueue && ![...wanted.values()].some(({ leaving }) => !leaving);
  // Its jobs end first.
  const isLeaving = !isImplied && entries.clusters.get('local')?.placed === ownMachine && entries.jobs.line('local').inFlight() > 0;
  if (!wanted.has('local') && (isImplied || isLeaving)) wanted.set('local', { placed: ownMachine, leaving: isLeaving, lost: false });
  for (const [name, entry] of entries.clusters) {
    const next = wanted.get(name)?.placed.document;
    if (next !== undefined && JSON.stringify(next.spec) === JSON.stringify(entry.placed.document.spec)) continue;
    void entry.cluster.close();
    entries.clusters.delete(name);
  }
  for (const [name, { placed, leaving }] of wanted) {
    const known = entries.clusters.get(name);
    if (known !== undefined) Object.assign(known, { placed, leaving });
    else if (factory.cluster !== undefined) entries.clusters.set(name, newClusterEntry(placed, leaving, factory.cluster(placed.document)));
  }
}

/** The Server that its engine is on; null: it is on none. */
export function serverOfCluster({ spec: { scheduler } }: ClusterDocument): string | null {
  return 'slurm' in scheduler ? scheduler.slurm.server : null;
}

/** Names of the clusters that take jobs, the one for jobs that name none first. */
export function offeredClusters({ portal, clusters }: Entries): readonly string[] {
  const fila = portal?.document.spec.fila;
  if (fila === undefined) return [];
  const open = [...clusters.values()].filter(({ leaving }) => !leaving).map(({ name }) => name);
  return fila.clusters === undefined ? open.toSorted() : fila.clusters.filter((name) => open.includes(name));
}
