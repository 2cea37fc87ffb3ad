/** Limits of `svc dev`. */
export const limits = {
  /** A burst of changes is one change: this long without another, and at most so long in all. */
  quietMs: 30,
  burstMsMax: 300,
  peopleMax: 8,
  /** Lines that the panel shows. */
  logLinesMax: 300,
  logLineCharsMax: 2_000,
  /** The panel receives new lines so often. */
  newsMs: 150,
  /** app.log is looked at so often. */
  logLookMs: 250,
  /** Files of the watched folder, without the ignored ones. */
  watchedFilesMax: 20_000,
  /** Between two looks at each file where the kernel has no watches left. */
  pollMs: 250,
  /** Files and folders in which sources are looked for that the package leaves out. */
  leftOutSeenMax: 2_000,
  /** For a start to answer; a later answer is reported when it comes. */
  restartMsMax: 30_000,
  /** A start that takes longer is said to. */
  restartTellMs: 3_000,
  /** After the first signal others are ignored for so long: Ctrl-C comes from the terminal and again from a package runner. */
  sameSignalMs: 500,
  /** For build.sh; what changes so soon after its end came of it. */
  buildMsMax: 600_000,
  buildEchoMs: 500,
  /** For what it printed, after its end. */
  buildOutputMsMax: 1_000,
  /** For a change to be installed, and how often it is looked whether it is. */
  deliveryMsMax: 120_000,
  deliveryLookMs: 15,
  /** For backends and supervisors to end. */
  devEndMsMax: 15_000,
} as const;
