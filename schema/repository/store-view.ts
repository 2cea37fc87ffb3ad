/** What the store window shows: each app of the repository for one person, and why it can't be installed if so. Pure. */
import { compareVersions, satisfiesMinimum } from './order.ts';
import type { CatalogueManifest } from './records.ts';

/** What can be installed, newest version first. */
export interface Offers {
  readonly apps: readonly {
    readonly id: string;
    readonly versions: readonly {
      readonly version: string;
      /** Null for a package that is not packed. */
      readonly tamanho: number | null;
      readonly publicadoEm: string | null;
      readonly novidades: string;
      readonly manifest: CatalogueManifest;
    }[];
  }[];
  /** Why this may be old or incomplete; null when it was just read. */
  readonly problem: string | null;
}

export interface StoreRefusal {
  /** `shell`: minShellVersion. `capability`: requires. `escopo`: not installable by the person for themself. */
  readonly motivo: 'shell' | 'capability' | 'escopo';
  readonly texto: string;
}

export interface StoreApp {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly type: 'app' | 'engine';
  readonly developer: string;
  readonly publisher: string;
  readonly license: string;
  readonly provides: readonly string[];
  readonly requires: readonly string[];
  /** As declared; whether the server has them is checked when it installs. */
  readonly requiredPackages: readonly string[];
  readonly instalacao: readonly ('sistema' | 'pessoa')[];
  readonly motores: readonly { readonly nome: string; readonly versao: string; readonly tamanho: number }[];
  readonly versions: readonly {
    readonly version: string;
    readonly tamanho: number | null;
    readonly publicadoEm: string | null;
    readonly novidades: string;
  }[];
  readonly installed: string | null;
  /** A newer version is offered than the installed one. */
  readonly updatable: boolean;
  /** Why the newest version can't be installed by this person; empty: it can. */
  readonly refused: readonly StoreRefusal[];
}

export interface StoreFor {
  readonly shellVersion: string;
  readonly installed: readonly { readonly id: string; readonly version: string; readonly provides: readonly string[] }[];
}

export function storeView(offers: Offers, { shellVersion, installed }: StoreFor): readonly StoreApp[] {
  const provided = new Set(installed.flatMap(({ provides }) => provides));
  return offers.apps.flatMap(({ id, versions }) => {
    const [newest] = versions;
    if (!newest) return [];
    const { manifest } = newest;
    const here = installed.find((one) => one.id === id)?.version ?? null;
    const app: StoreApp = {
      id,
      name: manifest.name ?? id,
      description: manifest.description ?? '',
      category: manifest.category ?? '',
      type: manifest.type ?? 'app',
      developer: manifest.developer?.name ?? '',
      publisher: manifest.publisher?.name ?? '',
      license: manifest.license ?? '',
      provides: manifest.provides ?? [],
      requires: manifest.requires ?? [],
      requiredPackages: manifest.requiredPackages ?? [],
      instalacao: scopesOf(manifest),
      motores: (manifest.motores ?? []).map(({ nome, versao, tamanho }) => ({ nome, versao, tamanho })),
      versions: versions.map(({ version, tamanho, publicadoEm, novidades }) => ({ version, tamanho, publicadoEm, novidades })),
      installed: here,
      updatable: here !== null && compareVersions(newest.version, here) > 0,
      refused: refusalsOf(manifest, shellVersion, provided),
    };
    return [app];
  });
}

/** Source: spec 2.1 `instalacao`: an app with engines installs only at system scope, whatever is declared. */
function scopesOf(manifest: CatalogueManifest): readonly ('sistema' | 'pessoa')[] {
  const declared = manifest.instalacao ?? ['sistema'];
  return (manifest.motores ?? []).length > 0 ? declared.filter((scope) => scope === 'sistema') : declared;
}

/** Source: spec 2.1 `minShellVersion`, `requires`, `instalacao`; 7. An app's own capabilities don't satisfy it. */
function refusalsOf(manifest: CatalogueManifest, shellVersion: string, provided: ReadonlySet<string>): readonly StoreRefusal[] {
  const refused: StoreRefusal[] = [];
  const minimum = manifest.minShellVersion;
  if (minimum !== undefined && !satisfiesMinimum(shellVersion, minimum)) {
    refused.push({ motivo: 'shell', texto: `it needs shell ${minimum} and this is ${shellVersion}` });
  }
  for (const capability of manifest.requires ?? []) {
    if (!provided.has(capability)) refused.push({ motivo: 'capability', texto: `no installed app offers ${capability}` });
  }
  if (!scopesOf(manifest).includes('pessoa')) refused.push({ motivo: 'escopo', texto: 'only an administrator installs it, for everybody' });
  return refused;
}
