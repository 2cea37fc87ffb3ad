/** Limits of serving the repository. */
export const limits = {
  // Repository. Decision: docs/decisions/0055-repository-on-disk.md
  repositoryHashesMax: 20_000,
  repositoryUploadsMax: 8,
  /** A sender or a reader that does not move for so long is let go. */
  repositoryIdleMs: 60_000,
  /** The rest of a refused upload is read and thrown away for so long. */
  repositoryLingerMs: 2_000,
} as const;
