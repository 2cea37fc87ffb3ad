/** Limits of terminals. Decision: docs/decisions/0225-terminals.md */
export const limits = {
  /** As many as one ssh connection has sessions (sshSessionsPerConnectionMax). */
  terminalsPerPersonMax: 6,
  terminalsMax: 300,
  /** Lines above the screen that a page finds again. */
  terminalScrollbackLines: 1_000,
  /** Printed and not drawn yet: the shell waits beyond it. */
  terminalPendingBytesMax: 256 * 1_024,
  /** Sent to a page and not read yet: the shell waits beyond it, and a page that reads nothing for so long is let go. */
  terminalPageBytesMax: 512 * 1_024,
  terminalPageStalledMsMax: 10_000,
  terminalPagesMax: 4,
  /** One frame of what is typed or pasted. */
  terminalFrameBytesMax: 64 * 1_024,
  /** Typed and not taken by the shell yet: the page waits beyond it. */
  terminalTypedBytesMax: 256 * 1_024,
  terminalTitleCharsMax: 200,
  /** A shell that no page shows. */
  terminalAwayMsMax: 12 * 60 * 60_000,
  /** What an ended shell left on its screen, for a page that comes back. */
  terminalEndedMsMax: 10 * 60_000,
  terminalSweepMs: 60_000,
  /** Opened by one person. */
  terminalOpensBurst: 12,
  terminalOpenRefillMs: 5_000,
} as const;
