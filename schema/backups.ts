/** How the scheduled backups of a site stand (`Portal.spec.backup`): shown by `svc doctor`, `svc describe Portal/NAME` and `/metrics`. */
export interface BackupStanding {
  readonly to: string;
  readonly everyMs: number;
  /** Moment of the newest snapshot that the portal made; null: there is none yet. */
  readonly madeMs: number | null;
  /** When all objects of a snapshot were read and were sound. */
  readonly checkedMs: number | null;
  /** Things that the newest backup lacks, in words. */
  readonly left: readonly string[];
  /** Why the last try failed; null: it did not. */
  readonly error: string | null;
  /** Tries in a row that failed. */
  readonly failures: number;
  /** Time of the last attempt. */
  readonly triedMs: number | null;
}

const unitsMs = { m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 } as const;

/** Converts `30m`, `6h`, `1d`, as the schema lets it in. */
export const durationMs = (text: string): number => Number(text.slice(0, -1)) * unitsMs[text.slice(-1) as keyof typeof unitsMs];
