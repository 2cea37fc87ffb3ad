/** A document in force, with where it is said. */
import type { DesiredDocument, Place } from '../../schema/desired/documents.ts';

export interface PlacedDocument {
  readonly document: DesiredDocument;
  readonly place: Place;
  /** Of the content. */
  readonly digest: string;
  /** Grows by one whenever the content changes. */
  readonly generation: number;
  /** Of a Server that leaves: an administrator said that its machine never comes back. Decision: docs/decisions/0332-a-server-that-is-lost.md */
  readonly isLost?: true;
  /** Of a Person: key of the People document that it was made for; absent: it is written in the folder. */
  readonly from?: string;
}
