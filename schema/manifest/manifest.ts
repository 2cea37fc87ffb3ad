/**
 * The manifest `svc-app.json` as a type, after validation (spec 2.1 to 2.5). Optional fields stay optional: defaults are
 * applied by the reader that needs them, through the functions below, so that the file on disk and the value are the same.
 */
export interface Manifest {
  readonly id: string;
  readonly version: string;
  readonly name?: string;
  readonly type?: 'app' | 'engine';
  readonly kind?: 'app' | 'service';
  readonly escopo?: 'pessoa' | 'servidor';
  readonly engine?: { readonly loader?: string };
  readonly provides?: readonly string[];
  readonly requires?: readonly string[];
  readonly usa?: readonly string[];
  readonly capacidades?: Readonly<Record<string, { readonly rota: string; readonly rotulo?: string }>>;
  readonly minShellVersion?: string;
  readonly contributes?: {
    readonly settings?: string;
    readonly settingsOptIn?: boolean;
    readonly contextMenu?: readonly unknown[];
    readonly browserExtension?: { readonly id: string; readonly razao?: string };
  };
  readonly requiredPackages?: readonly string[];
  readonly motores?: readonly Motor[];
  readonly instalacao?: readonly ('sistema' | 'pessoa')[];
  readonly resources?: {
    readonly memoryHigh?: string;
    readonly memoryMax?: string;
    readonly cpuQuota?: string;
    readonly tasksMax?: string;
  };
  readonly recursos?: {
    readonly gpu?: { readonly modo: 'opcional' | 'necessaria' };
    readonly fila?: boolean;
    readonly salas?: boolean;
    readonly metricas?: boolean;
  };
  readonly gpu?: boolean;
  readonly secrets?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  readonly icon?: string;
  readonly category?: string;
  readonly description?: string;
  readonly developer?: { readonly name: string; readonly url?: string };
  readonly publisher?: { readonly name: string; readonly url?: string };
  readonly homepage?: string;
  readonly license?: string;
  readonly handles?: 'terminal' | 'editor' | 'fileBrowser' | 'ide' | 'vscode' | 'browser' | null;
  readonly opens?: {
    readonly extensions?: readonly string[];
    readonly mimeTypes?: readonly string[];
    readonly default?: boolean;
    readonly proprios?: readonly OwnFileType[];
    readonly urls?: readonly string[];
  };
  readonly backend: {
    readonly runtime: 'python3' | 'node' | 'binary';
    readonly entrypoint: string;
    readonly transport?: 'socket';
    readonly aoFechar?: string;
    readonly installCommand?: string;
    readonly healthcheckPath?: string;
  };
  readonly window?: Readonly<Record<string, unknown>>;
}

/** An engine artefact (spec 2.3). */
export interface Motor {
  readonly nome: string;
  readonly versao: string;
  readonly url: string;
  readonly sha256: string;
  readonly tamanho: number;
  readonly confere?: string;
  readonly quando?: 'gpu';
}

/** An own file type (spec 2.5). */
export interface OwnFileType {
  readonly extensao: string;
  readonly nome: string;
  readonly cor: string;
  readonly icone?: string;
  readonly selo?: string;
}

/** What happens when the last window closes, with the rule for services applied. Source: spec 3.3, supervisor rule 4. */
export type ClosePolicy =
  | { readonly kind: 'encerrar' }
  | { readonly kind: 'manter' }
  | { readonly kind: 'ocioso'; readonly minutes: number };

export function closePolicy(manifest: Manifest): ClosePolicy {
  const declared = manifest.backend.aoFechar ?? 'encerrar';
  const idle = /^ocioso:([1-9][0-9]{0,3})m$/.exec(declared);
  if (idle) return { kind: 'ocioso', minutes: Number(idle[1]) };
  if (declared === 'manter' || manifest.kind === 'service') return { kind: 'manter' };
  return { kind: 'encerrar' };
}

/** Whether the app starts with the person's session. Source: spec 2.1 `kind`. */
export function startsWithSession(manifest: Manifest): boolean {
  if (manifest.kind !== 'service') return false;
  const onDemand = manifest.type === 'engine' && (manifest.provides?.length ?? 0) > 0 && manifest.engine?.loader === undefined;
  return !onDemand;
}

/** `healthcheckPath` as a request target: a manifest may hold any string, and only what a URL path can hold goes on the wire. */
export function probeTarget(path: string): string {
  const url = new URL(`http://localhost/${path.replace(/^\/+/, '')}`);
  return `${url.pathname}${url.search}`;
}
