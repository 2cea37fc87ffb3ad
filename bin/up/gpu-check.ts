/** The row `gpu` of `svc doctor`: the cards of this machine, and whether an app here needs one that it can't have. */
import { gpuInventory, gpuMode } from '../../kit/launch/gpu.ts';
import { isShared } from '../../kit/launch/gpu-lease.ts';
import { sentence, usableDevices } from '../../kit/launch/gpu-verdict.ts';
import type { DoctorCheck, Gateway } from '../../schema/gateway.ts';
import { gpuText } from '../../schema/texts/gpu.ts';
import type { Words } from '../../schema/texts/reasons.ts';

/** Parts of the gateway that the check reads. */
export interface Declared {
  readonly people: Pick<Gateway['people'], 'all'>;
  readonly apps: Pick<Gateway['apps'], 'of' | 'manifest'>;
}

/** `isHere`: whether the apps of that Server document run on this machine. */
export async function gpuCheck(declared: Declared, isHere: (server: string) => boolean, root = ''): Promise<DoctorCheck> {
  const inventory = gpuInventory(root);
  const usable = usableDevices(inventory);
  const wanting = appsThat(declared, isHere, 'necessaria');
  const asking = appsThat(declared, isHere, 'opcional');
  const motivo = sentence(inventory, usable);
  const said: Words = { pt: motivo, en: gpuText(motivo, 'en') };
  if (usable.length > 0) {
    const how: Words = isShared(root)
      ? { pt: 'partilhada por quantos aplicativos houver', en: 'shared by any number of apps' }
      : { pt: 'cada uma de um aplicativo por vez', en: 'one app at a time has each' };
    const detail = { pt: `${usable.length} utilizável(is): ${said.pt}; ${how.pt}`, en: `${usable.length} usable: ${said.en}; ${how.en}` };
    return { name: 'gpu', ok: true, warning: false, detail, fix: null };
  }
  const fix = {
    pt: 'svc-gpu-info lista as placas; em geral falta à conta o grupo de /dev/dri (render)',
    en: 'svc-gpu-info lists the cards; usually the account lacks the group of /dev/dri (render)',
  };
  if (wanting.length > 0) {
    const names = wanting.join(', ');
    const detail = { pt: `${names}: sem início possível aqui: ${said.pt}`, en: `${names} can not start here: ${said.en}` };
    return { name: 'gpu', ok: false, warning: false, detail, fix };
  }
  // Cards that can't be opened are reported; a server without cards is fine.
  const closed = inventory.some(({ virtual }) => !virtual) && asking.length > 0;
  return {
    name: 'gpu',
    ok: !closed,
    warning: closed,
    detail: closed ? { pt: `${asking.join(', ')} rodam sem: ${said.pt}`, en: `${asking.join(', ')} run without: ${said.en}` } : said,
    fix: closed ? fix : null,
  };
}

function appsThat({ people, apps }: Declared, isHere: (server: string) => boolean, mode: 'opcional' | 'necessaria'): readonly string[] {
  const here = people.all().filter(({ servidor }) => servidor !== undefined && isHere(servidor));
  const names = here.flatMap(({ usuario }) =>
    apps.of(usuario).flatMap(({ id }) => {
      const manifest = apps.manifest(usuario, id);
      return manifest !== null && gpuMode(manifest) === mode ? [id] : [];
    }),
  );
  return [...new Set(names)].sort();
}
