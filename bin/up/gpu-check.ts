/** The row `gpu` of `svc doctor`: the cards of this machine, and whether an app here needs one that it can't have. */
import { gpuInventory, gpuMode } from '../../kit/launch/gpu.ts';
import { isShared } from '../../kit/launch/gpu-lease.ts';
import { sentence, usableDevices } from '../../kit/launch/gpu-verdict.ts';
import type { DoctorCheck, Gateway } from '../../schema/gateway.ts';

export async function gpuCheck(gateway: Pick<Gateway, 'people' | 'apps' | 'manifest'>, root = ''): Promise<DoctorCheck> {
  const inventory = gpuInventory(root);
  const usable = usableDevices(inventory);
  const wanting = appsThat(gateway, 'necessaria');
  const asking = appsThat(gateway, 'opcional');
  const detail = sentence(inventory, usable);
  if (usable.length > 0) {
    const how = isShared(root) ? 'shared by any number of apps' : 'one app at a time has each';
    return { name: 'gpu', ok: true, warning: false, detail: `${usable.length} usable: ${detail}; ${how}`, fix: null };
  }
  const fix = 'svc-gpu-info lists the cards; usually the account lacks the group of /dev/dri (render)';
  if (wanting.length > 0) {
    return { name: 'gpu', ok: false, warning: false, detail: `${wanting.join(', ')} can not start here: ${detail}`, fix };
  }
  // Cards that nobody can open are worth a word; a server without one is as good as any.
  const closed = inventory.some(({ virtual }) => !virtual) && asking.length > 0;
  return {
    name: 'gpu',
    ok: !closed,
    warning: closed,
    detail: closed ? `${asking.join(', ')} run without: ${detail}` : detail,
    fix: closed ? fix : null,
  };
}

function appsThat(gateway: Pick<Gateway, 'people' | 'apps' | 'manifest'>, mode: 'opcional' | 'necessaria'): readonly string[] {
  const names = gateway.people().flatMap(({ usuario }) =>
    gateway.apps(usuario).flatMap(({ id }) => {
      const manifest = gateway.manifest(usuario, id);
      return manifest !== null && gpuMode(manifest) === mode ? [id] : [];
    }),
  );
  return [...new Set(names)].sort();
}
