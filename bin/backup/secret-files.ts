/** Files and variables that documents name: credentials by `{ file }` and `{ env }`, and the certificates of the database server. */
import type { DesiredDocument } from '../../schema/desired/documents.ts';

export interface NamedSecrets {
  /** As they stand there: relative to the state folder. */
  readonly files: readonly string[];
  readonly variables: readonly string[];
}

export function secretFiles(documents: readonly DesiredDocument[]): NamedSecrets {
  const files = new Set<string>();
  const variables = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { file, env } = value as { readonly file?: unknown; readonly env?: unknown };
    if (typeof file === 'string') files.add(file);
    if (typeof env === 'string') variables.add(env);
    for (const each of Object.values(value)) look(each);
  };
  for (const document of documents) {
    look(document.spec);
    if (document.kind === 'Portal' && document.spec.storeCa !== undefined) files.add(document.spec.storeCa);
  }
  return { files: [...files].toSorted(), variables: [...variables].toSorted() };
}
