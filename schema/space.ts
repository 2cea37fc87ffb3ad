/** A row of `svc du`: something that takes room on a disk. Decision: docs/decisions/0417-what-uses-the-disk.md */

export const spaceKinds = ['app data', 'app', 'engine', 'kit', 'room', 'job', 'other'] as const;
export type SpaceKind = (typeof spaceKinds)[number];

export interface SpaceRow {
  readonly what: SpaceKind;
  /** Version, name of a room, id of a job, or a path. */
  readonly name: string;
  readonly app: string | null;
  readonly person: string | null;
  /** Null: on the portal. */
  readonly server: string | null;
  /** Null: unknown, and `note` says why. */
  readonly bytes: number | null;
  /** There is at least so much: it was cut off by its time, or something can't be read. */
  readonly isAtLeast: boolean;
  readonly note: string | null;
}

/** Null: all. */
export interface SpaceQuery {
  readonly person: string | null;
  readonly app: string | null;
}
