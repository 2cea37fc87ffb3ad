/** Desired-state documents after validation (design 4). Spec words stay verbatim; the envelope is Kubernetes-like. */
interface Document<Kind extends string, Spec> {
  readonly apiVersion: 'svc/v1';
  readonly kind: Kind;
  readonly metadata: { readonly name: string };
  readonly spec: Spec;
}

/** A credential by reference only: never the value itself. */
export type SecretReference = { readonly env: string } | { readonly file: string };

export interface OidcDocument {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: SecretReference;
  /** Claim that holds Person.spec.login. Default preferred_username. */
  readonly claim?: string;
  /** In addition to `openid`. Default: profile and email. */
  readonly scopes?: readonly string[];
  /** Name of the provider, for the button. */
  readonly label?: string;
}

export type PortalDocument = Document<
  'Portal',
  {
    /** host:port the portal listens on. */
    readonly listen?: string;
    /** Name under which browsers reach the portal, e.g. svc.localhost or https://apps.example.org. Default http://svc.localhost:PORT. */
    readonly url?: string;
    /** `subdomain` (default): an origin per app below the portal's name. `path`: one origin, trusted apps only. */
    readonly origins?: 'subdomain' | 'path';
    /** Addresses and networks of the reverse proxies whose X-Forwarded-For is believed. Default: none. */
    readonly trustedProxies?: readonly string[];
    /** `sqlite:PATH`, relative to the state folder. */
    readonly store?: string;
    /** Folder (or, from issue 3 on, URL) that packages come from, relative to the file. */
    readonly repository?: string;
    /** Ways to sign in, in addition to the one-time link (`svc link`). Decision: docs/decisions/0070-signing-in.md */
    readonly signIn?: {
      /** Person that the printed link signs in. Default: the only person, or the first by name. */
      readonly local?: { readonly person?: string };
      /** Login and password, judged by the sshd of the person's own server. */
      readonly ssh?: Readonly<Record<string, never>>;
      readonly oidc?: OidcDocument;
    };
  }
>;
export type ServerDocument = Document<
  'Server',
  | {
      readonly local: {
        readonly prefix?: string;
        /** Its people may do what the portal may: asked for once there are several. Decision: docs/decisions/0151-people-of-a-local-server.md */
        readonly trusted?: boolean;
      };
    }
  | {
      readonly ssh: {
        readonly host: string;
        readonly port?: number;
        readonly hostKey: string;
        /** Account for root's work: root (default), or one that may sudo without a password. */
        readonly admin?: string;
        /** Private key, or the agent that holds it. Default: the portal's own, made at first use. A file is relative to the state folder. */
        readonly key?: SecretReference | { readonly agent: string };
        /** Folder of the kit on the server. Default /opt/svc. */
        readonly kit?: string;
        /** Put before /opt and /var/lib on the server: for trials beside a real installation. */
        readonly prefix?: string;
      };
    }
>;
export type PersonDocument = Document<
  'Person',
  {
    readonly nome: string;
    readonly login: string;
    readonly server: string;
    /** Linux account; on a local server the account that runs the controller. */
    readonly account?: string;
    readonly grupos?: readonly string[];
  }
>;
export type PackageDocument = Document<
  'Package',
  {
    readonly app: string;
    readonly versao: string;
    readonly server: string;
    readonly instalacao?: 'sistema' | 'pessoa';
    readonly pessoa?: string;
    /** Nothing of the package is changed: no installation, upgrade, repair or rollback. */
    readonly paused?: boolean;
  }
>;
export type GrantDocument = Document<
  'Grant',
  {
    readonly app: string;
    readonly sala: string;
    readonly dona: string;
    readonly pessoas?: readonly { readonly usuario: string; readonly papel: 'dona' | 'editar' | 'comentar' | 'ver' }[];
    readonly grupos?: readonly { readonly grupo: string; readonly papel: 'editar' | 'comentar' | 'ver' }[];
  }
>;
export type BackendDocument = Document<
  'Backend',
  { readonly app: string; readonly pessoa: string; readonly estado: 'ligado' | 'desligado' }
>;

export type DesiredDocument = PortalDocument | ServerDocument | PersonDocument | PackageDocument | GrantDocument | BackendDocument;
export type DesiredKind = DesiredDocument['kind'];

/** Place of a document, for messages: 1-based line and column. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The whole folder, validated and cross-checked. Objects are unique by kind and name. */
export interface DesiredState {
  /** Changes exactly when the content changes: sha256 over the digests of all documents. */
  readonly hash: string;
  readonly documents: readonly {
    readonly document: DesiredDocument;
    readonly place: Place;
    /** Changes exactly when the content of the document does: sha256 over its canonical JSON. */
    readonly digest: string;
  }[];
}

/** One finding of the validator, for YAML and JSON alike (issue: `svc validate --json`). */
export interface Finding {
  readonly code: string;
  /** JSON pointer into the document, e.g. `/spec/versao`. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface FileReport {
  readonly file: string;
  readonly ok: boolean;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

export interface Placed<D extends DesiredDocument = DesiredDocument> {
  readonly document: D;
  readonly place: Place;
}
