/** Desired-state documents after validation. Spec words stay verbatim; the envelope is Kubernetes-like. */
import type { FindingCode } from '../findings.ts';
import type { Wire } from '../static.ts';
import type { specs } from './schema.ts';

export type DesiredKind = keyof typeof specs;

export interface Document<Kind extends DesiredKind> {
  readonly apiVersion: 'svc/v1';
  readonly kind: Kind;
  readonly metadata: { readonly name: string };
  readonly spec: Wire<(typeof specs)[Kind]>;
}

export type PortalDocument = Document<'Portal'>;
export type ServerDocument = Document<'Server'>;
export type PersonDocument = Document<'Person'>;
export type PeopleDocument = Document<'People'>;
/** As it is written: for one server, or for many. */
export type WrittenPackage = Document<'Package'>;
/** The document in force for a single server. See packages.ts. */
export interface PackageDocument extends Omit<WrittenPackage, 'spec'> {
  readonly spec: Omit<WrittenPackage['spec'], 'server' | 'servers'> & { readonly server: string; readonly servers?: never };
}
export type GrantDocument = Document<'Grant'>;
export type ClusterDocument = Document<'Cluster'>;
export type BackendDocument = Document<'Backend'>;

export type DesiredDocument = { readonly [Kind in DesiredKind]: Document<Kind> }[DesiredKind];

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

export interface Placed<D extends DesiredDocument = DesiredDocument> {
  readonly document: D;
  readonly place: Place;
}

/** Reports a finding of one document; `path` are segments below its root. */
export type ReportDesired = (of: Placed, code: FindingCode, path: readonly (string | number)[], message: string) => void;
