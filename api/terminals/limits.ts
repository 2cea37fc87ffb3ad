/** Limits of terminals. Decision: docs/decisions/0225-terminals.md */
export const limits = {
  /** As many as one ssh connection has sessions (sshSessionsPerConnectionMax). */
  terminalsPerPersonMax: 6,
  terminalsMax: 300,
  /** Lines above the screen that a page finds again. */
  terminalScrollbackLines: 1_000,
  /** A screen with what is above it, as text; beyond it less of what is above. */
  terminalScreenCharsMax: 4 * 1_024 ** 2,
  /** Between the beginning and the last character of one control sequence. */
  terminalSequenceCharsMax: 512,
  /** A repetition prints at most so many bytes of other characters than ASCII. */
  terminalRepeatedBytesMax: 16 * 1_024,
  /** Work given to an emulator at once, in units of drawing one character: some 10 ms. The other figures were measured with a screen of 500 × 200. */
  terminalPieceWorkMax: 64 * 1_024,
  terminalSequenceWork: 16,
  /** Given to the emulator and not drawn yet. */
  terminalPiecesMax: 16,
  terminalRowWork: 128,
  terminalCellWork: 1 / 16,
  /**
   * Threads with the screens of one person each, of some 17 MB. There are more only while more people print at the same moment: the screens on which
   * nothing was drawn for longest are put away as text.
   */
  terminalThreadsMax: 32,
  terminalThreadHeapMiBMax: 96,
  /** Nothing was printed for so long: the screens are put away as text, and the thread ends. */
  terminalIdleMs: 30_000,
  /** A thread that draws nothing of what it was given for so long is ended, and its screens are empty. */
  terminalStuckMsMax: 10_000,
  /** The wait before the next thread of that person; doubles up to the second figure while the next ones end too. */
  terminalThreadWaitMs: 10_000,
  terminalThreadWaitMsMax: 600_000,
  /** Answers to programs that wait for a shell that does not read them; further ones are left out. */
  terminalReplyBytesMax: 4 * 1_024,
  /** Pages shown one after the other by one person. */
  terminalAttachesBurst: 30,
  terminalAttachRefillMs: 1_000,
  /** Two changes of one terminal's size; of those in between the last one counts. */
  terminalResizeMs: 100,
  /** Printed and not drawn yet: the shell waits beyond it. */
  terminalPendingBytesMax: 256 * 1_024,
  /** Sent to a page and not read yet: the shell waits beyond it, and a page that reads nothing for so long is let go. */
  terminalPageBytesMax: 512 * 1_024,
  terminalPageStalledMsMax: 10_000,
  terminalPagesMax: 4,
  /** Size of a frame of typed or pasted text. */
  terminalFrameBytesMax: 64 * 1_024,
  /** Typed and not taken by the shell yet: the page waits beyond it. */
  terminalTypedBytesMax: 256 * 1_024,
  terminalTitleCharsMax: 200,
  /** A shell that no page shows. */
  terminalAwayMsMax: 12 * 60 * 60_000,
  /** Time for which the last screen of an ended shell is kept for a page that comes back. */
  terminalEndedMsMax: 10 * 60_000,
  terminalSweepMs: 10_000,
  /** Opened by one person. */
  terminalOpensBurst: 12,
  terminalOpenRefillMs: 5_000,
} as const;
