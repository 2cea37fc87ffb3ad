/** Apps whose Package document has them run as jobs of a cluster. Decision: docs/decisions/0437-backends-on-a-cluster.md */
import { amountsName, formOf, readAmounts, usableAmounts, type ClusterForm } from '../schema/cluster-form.ts';
import type { ClusterDocument } from '../schema/desired/documents.ts';
import { SvcError } from '../schema/errors.ts';
import { clusterVariable, type ClusterOrder } from '../schema/supervisor-protocol.ts';
import type { Store } from '../store/store.ts';
import type { Entries, PersonEntry } from './entries.ts';
import { entriesOfApp } from './package-entries.ts';
import { backendOptions } from './clusters/slurm-rows.ts';

export interface AppCluster {
  readonly name: string;
  readonly form: ClusterForm;
}

/** Null: it runs on its server. */
export function clusterOfApp(
  entries: Pick<Entries, 'byTarget'>,
  person: Pick<PersonEntry, 'name' | 'server'>,
  app: string,
): AppCluster | null {
  for (const { wanted, leaving } of entriesOfApp(entries, person.server.name, app, person.name)) {
    if (wanted.by !== 'document' || leaving) continue;
    const { onde, formulario } = wanted.placed.document.spec;
    if (onde !== undefined) return { name: onde, form: formOf(formulario) };
  }
  return null;
}

export interface ClusterStart {
  readonly entries: Pick<Entries, 'byTarget' | 'clusters'>;
  readonly store: Pick<Store, 'value'>;
  /** The address under which jobs of the cluster reach the portal. */
  readonly portalUrl: (cluster: ClusterDocument) => Promise<string>;
}

/**
 * Further variables of the env file of an app that starts as a job, with what its person asked for last. Rejects REFUSED where the documents or the manifest
 * don't allow it, CLUSTER_UNREACHABLE while the cluster's document is not in force.
 */
export async function clusterVariables(
  { entries, store, portalUrl }: ClusterStart,
  person: PersonEntry,
  app: string,
): Promise<Readonly<Record<string, string>>> {
  const cluster = clusterOfApp(entries, person, app);
  if (cluster === null) return {};
  const manifest = person.packages.get(app)?.manifest;
  if (manifest?.recursos?.fila !== true)
    throw new SvcError('REFUSED', `${app} asks for no recursos.fila in its manifest, and its Package document has it run on a cluster`);
  const document = entries.clusters.get(cluster.name)?.placed.document;
  if (document === undefined) throw new SvcError('CLUSTER_UNREACHABLE', `the cluster ${cluster.name} is not there`);
  const { scheduler } = document.spec;
  if (!('slurm' in scheduler) || scheduler.slurm.server !== person.server.name)
    throw new SvcError('REFUSED', `the cluster ${cluster.name} is no Slurm of ${person.server.name}`);
  const asked = readAmounts(await store.value(amountsName(person.name)))[app] ?? {};
  const { segundos: seconds, ...amounts } = usableAmounts(cluster.form, asked);
  const { bin = '', conf = '', ssh = '' } = scheduler.slurm;
  const options = backendOptions({ seconds, cpus: amounts.cpus, memoryMb: amounts.memoriaMb, gpus: amounts.gpus }, scheduler.slurm);
  const order: ClusterOrder = { bin, conf, ssh, seconds, options };
  return { [clusterVariable]: JSON.stringify(order), SVC_PORTAL_URL: await portalUrl(document) };
}
