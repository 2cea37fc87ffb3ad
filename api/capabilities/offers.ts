/** Finds the apps that offer a capability to an app, by the manifests of a person's apps. No app is started for it. Source: rules 2.1, 4.3. */
import type { AppsView } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { nameOf } from '../../schema/manifest/shown-text.ts';

export interface Offer {
  readonly app: string;
  readonly nome: string;
  /** The label for the asking app's menu; the name where none is declared. */
  readonly rotulo: string;
  readonly rota: string;
}

type Apps = Pick<AppsView, 'installed' | 'manifest'>;

/** Whether the app says in its manifest that it needs or uses the capability. */
export function declares(manifest: Manifest | null, capacidade: string): boolean {
  return [...(manifest?.requires ?? []), ...(manifest?.usa ?? [])].includes(capacidade);
}

/** An app's offer under this name; null when nothing can be called. */
export function offerOf(
  manifest: Manifest | null,
  capacidade: string,
): (Omit<Offer, 'app' | 'nome' | 'rotulo'> & { readonly rotulo?: string }) | null {
  if (manifest?.provides?.includes(capacidade) !== true) return null;
  const declared = Object.hasOwn(manifest.capacidades ?? {}, capacidade) ? manifest.capacidades?.[capacidade] : undefined;
  // The installer checks a minimum of the manifest (rules 1): this is the border for what is in it.
  const { rota, rotulo } = (declared ?? {}) as { readonly rota?: unknown; readonly rotulo?: unknown };
  if (typeof rota !== 'string' || !/^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/.test(rota)) return null;
  const isLabel = typeof rotulo === 'string' && rotulo !== '' && rotulo.length <= limits.offerLabelCharsMax;
  return { rota, ...(isLabel ? { rotulo } : {}) };
}

/** Offers of the person's apps, by id; an app does not ask itself. */
export function offersFor(apps: Apps, usuario: string, de: string, capacidade: string): readonly Offer[] {
  const others = apps.installed(usuario).filter((app) => app !== de);
  return offersOf(apps, usuario, others, capacidade);
}

/** Offers of these apps, by id. */
export function offersOf(apps: Pick<Apps, 'manifest'>, usuario: string, ids: readonly string[], capacidade: string): readonly Offer[] {
  const offers = ids.flatMap((app): readonly Offer[] => {
    const manifest = apps.manifest(usuario, app);
    const offer = offerOf(manifest, capacidade);
    if (offer === null) return [];
    const nome = nameOf(manifest ?? {}, app);
    return [{ rotulo: nome, ...offer, app, nome }];
  });
  return offers.length < 2 ? offers : offers.toSorted((a, b) => (a.app < b.app ? -1 : 1));
}
