/** The needs of an app, as its manifest says them, and whether the person's server has each. Pure. Decision: docs/decisions/0434-several-repositories.md */
import type { CatalogueManifest } from './manifest/offered.ts';
import type { ShopNeed } from './wire/shop.ts';
import { satisfiesMinimum } from './versions.ts';

/** Facts about the person's server and portal; null: not known. */
export interface NeedsGrounds {
  readonly shellVersion: string;
  /** Capabilities of the other installed apps. */
  readonly provided: ReadonlySet<string>;
  /** Requirements as declared that the server lacks. */
  readonly missing: readonly string[] | null;
  readonly gpu: boolean | null;
  readonly queue: boolean | null;
}

export function needsOf(manifest: CatalogueManifest, grounds: NeedsGrounds): readonly ShopNeed[] {
  const { minShellVersion, requires = [], requiredPackages = [], recursos } = manifest;
  const mode = recursos?.gpu?.modo ?? (manifest.gpu === true ? 'opcional' : undefined);
  const need = (tipo: ShopNeed['tipo'], nome: string, has: boolean | null, opcional = false): ShopNeed => ({
    tipo,
    nome,
    aqui: has === null ? 'desconhecido' : has ? 'sim' : 'nao',
    opcional,
  });
  return [
    ...(minShellVersion === undefined ? [] : [need('shell', minShellVersion, satisfiesMinimum(grounds.shellVersion, minShellVersion))]),
    ...requires.map((one) => need('capability', one, grounds.provided.has(one))),
    ...requiredPackages.map((one) => need('pacote', one, grounds.missing === null ? null : !grounds.missing.includes(one))),
    ...(mode === undefined ? [] : [need('gpu', '', grounds.gpu, mode !== 'necessaria')]),
    ...(recursos?.fila === true ? [need('fila', '', grounds.queue)] : []),
  ];
}
