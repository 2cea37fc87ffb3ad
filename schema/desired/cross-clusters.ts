/** Checks between Cluster documents, the queue of the Portal, and people. Decision: docs/decisions/0212-clusters.md */
import { webAddressOf } from '../portal-address.ts';
import { didYouMean } from '../shape.ts';
import { clip } from '../positions/node.ts';
import { type Folder, type Index, ofKind, reference } from './cross-folder.ts';
import type { ClusterDocument, Placed, PortalDocument, ReportDesired } from './documents.ts';

export function checkClusters(folder: Folder, index: Index, report: ReportDesired): void {
  const clusters = ofKind(folder.known, 'Cluster');
  const [portal] = ofKind(folder.known, 'Portal');
  for (const cluster of ofKind(folder.judged, 'Cluster')) {
    const { scheduler } = cluster.document.spec;
    if ('local' in scheduler && scheduler.local.account === undefined && scheduler.local.trusted !== true) {
      checkSeparated(folder, index, cluster, ['spec', 'scheduler', 'local'], report);
    }
    if ('slurm' in scheduler) {
      reference(folder, index.servers, 'Server', scheduler.slurm.server, cluster, ['spec', 'scheduler', 'slurm', 'server'], report);
    }
    checkPortalAddress(index, cluster, portal?.document, report);
  }
  for (const one of ofKind(folder.judged, 'Portal')) {
    const { fila } = one.document.spec;
    if (fila === undefined) continue;
    const names = clusters.map(({ document }) => document.metadata.name);
    for (const [at, name] of (fila.clusters ?? []).entries()) {
      if (names.includes(name) || folder.mayExist('Cluster', name)) continue;
      report(one, 'UNKNOWN_REFERENCE', ['spec', 'fila', 'clusters', at], `no Cluster is named "${clip(name)}"${didYouMean(name, names)}`);
    }
    if (names.length === 0 && fila.clusters === undefined) checkSeparated(folder, index, one, ['spec', 'fila'], report);
  }
}

/** Jobs of the portal's own machine run as the account of the portal: no person whose apps don't may have some. */
function checkSeparated(folder: Folder, index: Index, of: Placed, path: readonly string[], report: ReportDesired): void {
  const other = ofKind(folder.known, 'Person').find(({ document }) => {
    const server = index.servers.get(document.spec.server);
    return server !== undefined && (!('local' in server.spec) || folder.hasAccount(document));
  });
  if (other === undefined) return;
  const who = other.document.metadata.name;
  const message = `jobs on the portal's own machine run as the account of the portal and may read everybody's data, and the apps of "${clip(who)}" have an account of their own; say "trusted: true" in a Cluster document with "scheduler: { local: … }" if they may, or name an "account" there when the portal is root`;
  report(of, 'UNSEPARATED_PEOPLE', path, message);
}

/** As far as the documents tell: a name that means this machine means another one there. */
function checkPortalAddress(
  index: Index,
  cluster: Placed<ClusterDocument>,
  portal: PortalDocument | undefined,
  report: ReportDesired,
): void {
  const { scheduler, portal: own } = cluster.document.spec;
  if (portal === undefined || !isElsewhere(index, cluster.document)) return;
  const address = webAddressOf(own ?? portal.spec.url ?? 'svc.localhost');
  if (address === null || !isOfThisMachine(address.hostname)) return;
  const where = 'kubernetes' in scheduler ? 'in pods' : 'on another machine';
  const message = `its jobs run ${where} and can't reach the portal as "${address.hostname}": say "portal: https://…", the address under which they do`;
  report(cluster, 'UNREACHABLE_PORTAL', own === undefined ? ['spec', 'scheduler'] : ['spec', 'portal'], message);
}

function isElsewhere(index: Index, { spec: { scheduler } }: ClusterDocument): boolean {
  if ('kubernetes' in scheduler) return true;
  if (!('slurm' in scheduler)) return false;
  const server = index.servers.get(scheduler.slurm.server)?.spec;
  return server !== undefined && 'ssh' in server && !isOfThisMachine(server.ssh.host);
}

const isOfThisMachine = (host: string): boolean => /^(?:(?:.*\.)?localhost|127\.[0-9.]+|\[?::1\]?)$/.test(host);
