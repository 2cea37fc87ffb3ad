/** Finds the parts of the desired state that run on the portal's own machine. Other servers have a doctor of their own. */
import type { RunsHere } from '../../api/site/doctor.ts';
import type { Entries } from '../../controller/entries.ts';

type Seen = Pick<Entries, 'servers' | 'clusters'>;

/** By the name of a Server document. */
export function isLocal({ servers }: Pick<Seen, 'servers'>, server: string): boolean {
  const spec = servers.get(server)?.placed.document.spec;
  return spec !== undefined && 'local' in spec;
}

export function runsHere(entries: Seen): RunsHere {
  return {
    apps: [...entries.servers.keys()].some((server) => isLocal(entries, server)),
    jobs: [...entries.clusters.values()].some(({ placed }) => 'local' in placed.document.spec.scheduler),
  };
}
