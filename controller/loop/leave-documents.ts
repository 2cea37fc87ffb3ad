/** Documents that own nothing by themselves leave at once; a server when nothing has to leave it any more (design 4). */
import type { DesiredSource } from '../desired/in-force.ts';

export async function leaveTheRest(source: DesiredSource): Promise<void> {
  const { leaving } = source.current();
  const busy = new Set<string>();
  for (const { document } of leaving.values()) {
    if (document.kind === 'Person' || document.kind === 'Package') busy.add(document.spec.server);
  }
  for (const [name, { document }] of leaving) {
    if (document.kind === 'Person' || document.kind === 'Package' || document.kind === 'Grant') continue;
    if (document.kind === 'Server' && busy.has(document.metadata.name)) continue;
    await source.finishLeaving(name);
  }
}
