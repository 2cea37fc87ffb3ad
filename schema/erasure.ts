/** The data held of a person, and the state of its removal. Decision: docs/decisions/0416-erasing-a-person.md */

export interface Held {
  readonly what: string;
  /** How many, or for what lies on a disk its bytes; null: it can't be seen now. */
  readonly count: number | null;
  readonly unit: 'rows' | 'bytes';
  /** Why it stays, or can't be told; null: it goes. */
  readonly note: string | null;
}

/** A room that others are in, too. */
export interface SharedRoom {
  readonly id: string;
  readonly nome: string;
  readonly app: string;
  readonly people: number;
}

export interface HeldOfPerson {
  readonly person: string;
  /** Where their document stands; null: there is none. `from`: the People document that makes it. */
  readonly document: { readonly file: string; readonly line: number; readonly from: string | null } | null;
  readonly server: string | null;
  readonly account: string | null;
  readonly held: readonly Held[];
  readonly sharedRooms: readonly SharedRoom[];
  /** Null: nobody asked. */
  readonly erasure: Erasure | null;
}

/** A row of the store until the person is gone. */
export interface Erasure {
  readonly server: string;
  readonly account: string;
  /** The person who gets the rooms that others are in; null: nobody was named. */
  readonly roomsTo: string | null;
  readonly askedAtMs: number;
  /** Things left on the server; null: the removal there was not done yet. */
  readonly left: readonly Held[] | null;
}
