/** How the loop is wired to clusters. */
import { SvcError } from '../../schema/errors.ts';
import type { ClusterDocument } from '../../schema/desired/documents.ts';
import type { Entries, EntryFactory } from '../entries.ts';
import type { JobActOptions } from '../execute/job-act-options.ts';
import type { Context, ControllerOptions } from '../context.ts';
import { jobName } from '../jobs/names.ts';
import { pullJobs } from '../observe/pull-jobs.ts';

export function clusterFactory({ createCluster }: ControllerOptions, entries: Entries): Pick<EntryFactory, 'cluster'> {
  if (createCluster === undefined) return {};
  return {
    cluster: (document) =>
      createCluster(document, {
        hostOf: (server) => entries.servers.get(server)?.host ?? null,
        jobs: () => jobsOn(entries, document.metadata.name),
      }),
  };
}

function jobsOn({ jobs, people, portalOfJobs }: Entries, cluster: string): readonly { readonly name: string; readonly account: string }[] {
  if (portalOfJobs === null) return [];
  return [...jobs.live()].flatMap(({ id, row }) => {
    const account = people.get(row.usuario)?.account;
    return row.cluster === cluster && account !== undefined ? [{ name: jobName(portalOfJobs, id), account }] : [];
  });
}

/** `context` is asked for when something is done: it holds the executors. */
export function jobActs({ store, clock, portalUrlOfJobs }: ControllerOptions, context: () => Context): JobActOptions {
  const nowhere = async (_cluster: ClusterDocument): Promise<string> => {
    throw new SvcError('INTERNAL', 'jobs have no address of the portal');
  };
  return {
    get entries() {
      return context().entries;
    },
    get ending() {
      return context().ending;
    },
    jobs: store.jobs,
    clock,
    portalUrl: portalUrlOfJobs ?? nowhere,
    onJobs: () => pullJobs(context()),
    onDropped: (key) => {
      const { entries, recorder } = context();
      entries.jobs.drop(key.slice('Job/'.length));
      recorder.forget(key);
    },
    onChange: (key) => context().queue.add(key, true),
  };
}
