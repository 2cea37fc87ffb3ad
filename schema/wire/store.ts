/**
 * What the store window reads and posts: `/api/loja`, `/api/apps/:id/instalacao` and `/api/admin/pacotes` (design 6). Manifest words
 * are the spec's; the schemas that the border validates with stand in store-schemas.ts.
 */
import type { Scope } from '../install-events.ts';
import type { AdminPackages, InstallView } from '../packages.ts';

export const refusalMotives = ['shell', 'capability', 'escopo', 'pacote', 'documento', 'sistema'] as const;
export const storeActions = ['install', 'update', 'remove', 'cancel', 'retry'] as const;

export interface StoreRefusal {
  /**
   * `shell`: minShellVersion. `capability`: requires. `escopo`: only an administrator installs it. `pacote`: a Linux package that is
   * not there. `documento`: a Package document decides. `sistema`: it is installed for everybody already.
   */
  readonly motivo: (typeof refusalMotives)[number];
  /** For engineers, in English. */
  readonly texto: string;
  /** What is asked for: a shell version, a capability, a requirement as declared, the name of a document; null where there is none. */
  readonly alvo: string | null;
  /** `pacote`: the alternative to install, the first one declared. */
  readonly sugestao: string | null;
}

/** What is under way, waits or failed. `key` is that of a document, or `Package/<person>/<app>`. */
export type StoreInstall = Omit<InstallView, 'app' | 'scope'>;

export interface StoreVersion {
  readonly version: string;
  /** Null for a package that is not packed. */
  readonly tamanho: number | null;
  readonly publicadoEm: string | null;
  readonly novidades: string;
}

export interface StoreApp {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly type: 'app' | 'engine';
  /** Shown after 'por'; '' when not told. */
  readonly developer: string;
  /** Shown after 'portado por'. */
  readonly publisher: string;
  readonly license: string;
  readonly homepage: string | null;
  readonly icone: string | null;
  readonly provides: readonly string[];
  readonly requires: readonly string[];
  readonly requiredPackages: readonly string[];
  readonly instalacao: readonly Scope[];
  readonly motores: readonly { readonly nome: string; readonly versao: string; readonly tamanho: number }[];
  /** Newest first; empty when the repository has it no more. */
  readonly versions: readonly StoreVersion[];
  readonly installed: string | null;
  /** Of what is installed. */
  readonly scope: Scope | null;
  /** A file of what is installed was changed on the server. */
  readonly drift: boolean;
  /** What a roll-back would bring back. */
  readonly previous: string | null;
  /** A newer version is offered than the installed one. */
  readonly updatable: boolean;
  /** Why this person can't install the newest version for themself; empty: they can. */
  readonly refused: readonly StoreRefusal[];
  /** What is under way, waits or failed; null when nothing is to be told. */
  readonly install: StoreInstall | null;
  /** What this person can ask for now. */
  readonly actions: readonly (typeof storeActions)[number][];
}

export interface StoreAnswer {
  readonly apps: readonly StoreApp[];
  /** Why the list may be old or incomplete. */
  readonly problem: string | null;
}

export interface InstallAnswer {
  readonly requestId: string;
  /** Null: it will be removed. */
  readonly versao: string | null;
}

export interface UpdateAllAnswer {
  readonly pedidos: readonly { readonly id: string; readonly requestId: string; readonly versao: string }[];
}

export type AdminPackagesAnswer = AdminPackages;
