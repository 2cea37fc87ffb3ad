/** Shared parts of the checks across documents: the folder to judge, and the targets of references. */
import { clip } from '../positions/node.ts';
import { didYouMean } from '../shape.ts';
import type { DesiredDocument, DesiredKind, PersonDocument, Placed, ReportDesired, ServerDocument } from './documents.ts';

/** Whether a document that can't be read may declare it: nothing is said to be missing then. */
export type MayExist = (what: DesiredKind | 'app' | 'installed' | 'group', name: string) => boolean;

/** Whether what runs for a person of a `local` server runs as an account of that person, and not as the portal's. */
export type HasAccount = (person: PersonDocument) => boolean;

type Of<Kind extends DesiredKind> = Extract<DesiredDocument, { readonly kind: Kind }>;

/** The documents to judge, and all that answer references. */
export interface Folder {
  readonly judged: readonly Placed[];
  readonly known: readonly Placed[];
  readonly mayExist: MayExist;
  readonly hasAccount: HasAccount;
}

export function ofKind<Kind extends DesiredKind>(documents: readonly Placed[], kind: Kind): Placed<Of<Kind>>[] {
  return documents.filter((placed): placed is Placed<Of<Kind>> => placed.document.kind === kind);
}

export interface Index {
  readonly servers: ReadonlyMap<string, ServerDocument>;
  readonly people: ReadonlyMap<string, PersonDocument>;
  /** Ids of installed apps: of a server as `server app`, of one person as `server app person`. */
  readonly installed: ReadonlySet<string>;
  readonly apps: ReadonlySet<string>;
  /** Apps with a package on a server that is told to be unknown: where they are meant to be is not. */
  readonly unplaced: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

export function reference(
  { mayExist }: Folder,
  known: ReadonlyMap<string, unknown>,
  kind: DesiredKind,
  name: string,
  of: Placed,
  path: readonly (string | number)[],
  report: ReportDesired,
): boolean {
  if (known.has(name)) return true;
  if (mayExist(kind, name)) return false;
  const hint = kind === 'Person' ? whoseLogin(known as Index['people'], name) : '';
  report(of, 'UNKNOWN_REFERENCE', path, `no ${kind} is named "${clip(name)}"${hint || didYouMean(name, [...known.keys()])}`);
  return false;
}

/** Documents refer to metadata.name; people know their logins. */
function whoseLogin(people: Index['people'], login: string): string {
  const person = [...people.values()].find(({ spec }) => spec.login === login);
  return person === undefined ? '' : `: that is the login of ${person.metadata.name}; write "${person.metadata.name}"`;
}

export function at({ place }: Placed): string {
  return `${place.file}:${place.line}`;
}
