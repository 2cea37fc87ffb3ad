/** Where the packages would run that `svc validate` judges: by the desired state that is judged with them, its repository, and this machine. */
import { systemClock } from '../../controller/clock/system.ts';
import { gpuInventory } from '../../kit/launch/gpu.ts';
import { createOffersReader } from '../../kit/repository/reading/offers.ts';
import { repositoriesOf } from '../../kit/repository/reading/location.ts';
import type { Placed, PortalDocument, ServerDocument } from '../../schema/desired/documents.ts';
import { type DesiredFile, openFiles } from '../../schema/desired/load.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { Place } from '../../schema/manifest/surroundings.ts';

/** Null: no Portal document is judged, so nothing is known. `manifests` are those that are judged, too. */
export async function placeOf(desired: readonly DesiredFile[], manifests: readonly Manifest[]): Promise<Place | null> {
  const placed: readonly Placed[] = openFiles(desired).flatMap(({ sources }) => sources);
  const isPortal = (one: Placed): one is Placed<PortalDocument> => one.document.kind === 'Portal';
  const portal = placed.find(isPortal);
  if (portal === undefined) return null;
  const servers = placed.flatMap(({ document }) => (document.kind === 'Server' ? [document] : []));
  return {
    queue: portal.document.spec.fila === undefined ? 'off' : 'on',
    gpu: gpuOf(servers),
    systemd: servers.length > 0 && servers.every(({ spec }) => 'local' in spec && spec.local.prefix !== undefined) ? 'absent' : 'possible',
    provided: await providedThere(portal, manifests),
  };
}

/** Unknown without a server, or when one is another machine. */
function gpuOf(servers: readonly ServerDocument[]): Place['gpu'] {
  if (servers.length === 0 || servers.some(({ spec }) => !('local' in spec))) return 'unknown';
  try {
    return gpuInventory('').some(({ virtual }) => !virtual) ? 'present' : 'absent';
  } catch {
    return 'unknown';
  }
}

/** By what its folders offer. An address is not asked for this, and without a repository packages come by hand. */
async function providedThere(portal: Placed<PortalDocument>, manifests: readonly Manifest[]): Promise<Place['provided']> {
  const repositories = repositoriesOf('.', portal);
  if (repositories.length === 0 || repositories.some(({ kind }) => kind === 'url')) return null;
  const offers = await createOffersReader(systemClock).read(repositories);
  if (offers.problem !== null) return null;
  const offered = offers.apps.flatMap(({ versions }) => versions.flatMap(({ manifest }) => manifest.provides ?? []));
  return new Set([...offered, ...manifests.flatMap(({ provides = [] }) => provides)]);
}
