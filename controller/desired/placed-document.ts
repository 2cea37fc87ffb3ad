/** A document in force, with where it is said. */
import type { DesiredDocument, Place } from '../../schema/desired/documents.ts';

export interface PlacedDocument {
  readonly document: DesiredDocument;
  readonly place: Place;
  /** Digest of the content. */
  readonly digest: string;
  /** Grows by one whenever the content changes. */
  readonly generation: number;
  /**
   * True for a leaving Server that an administrator declared lost: its machine never comes back. Decision:
   * docs/decisions/0332-a-server-that-is-lost.md
   */
  readonly isLost?: true;
  /** Key of the People document that a Person was made for; absent: it is written in the folder. */
  readonly from?: string;
}
