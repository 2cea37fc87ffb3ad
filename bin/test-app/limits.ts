/** Limits of `svc test-app`. A start and an end have the portal's limits. Source: rules 3.2. */
export const limits = {
  /** From the start of the process to a ready answer: 15 probes, 1 s apart. */
  startMsMax: 15_000,
  /** A port that is open so long before the socket is the wrong place. */
  portAloneMs: 2_000,
  /** From SIGTERM to the end of the process. */
  endMsMax: 10_000,
  askMsMax: 10_000,
  answerBytesMax: 8 * 1_024 * 1_024,
  /** Characters kept of the app's output. */
  outputCharsKept: 16_000,
  lookAgainMs: 15,
  /** After the end of a process: what it printed is read, unless something that it left running holds its output. */
  lastWordsMs: 500,
  /** A leftover that starts another one is looked for again. */
  leftoverRoundsMax: 20,
  /** That a page may lead on to the next one, as browsers bear it. */
  pageRedirectsMax: 20,
  /** Bytes of TMPDIR; below a longer one a socket of the longest id has no room in the 107 bytes of its path. */
  temporaryRootBytesMax: 20,
  /** A request counts as under way when the app took so long and said nothing yet. */
  underWayMs: 300,
  /** Files that the page names, and files of it that are searched for addresses. */
  pageFilesMax: 200,
  pageFileBytesMax: 1_024 * 1_024,
} as const;
