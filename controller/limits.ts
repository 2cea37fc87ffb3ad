/** Limits of the loop and of what carries its orders out. */
export const limits = {
  /** Of an app that ends after minutes without a connection. Decision: docs/decisions/0024-idle-connections.md */
  proxyOciosoConnectionMsMax: 25_000,
  /** The supervisor of such an app is told of requests at most so often. */
  useReportMs: 5_000,
  followersPerPersonMax: 8,
  probeBodyBytesMax: 64 * 1_024,
  signInsPerServerMax: 8,
  secretReferenceBytesMax: 64 * 1_024,
  // The loop. Source: design 3 rule 3.
  /** The loop gives way to the proxy after so long. Decision: docs/decisions/0031-the-loop.md */
  queueSliceMs: 5,
  workersPerServerMax: 64,
  workDeadlineMs: 60_000,
  resyncJitterMsMax: 1_000,
  /**
   * A look at a server's packages that is younger than this serves a resync; an older one is made anew. Half a resync, so that each
   * brings one, however long the last one took. Decision: docs/decisions/0085-one-look-one-command.md
   */
  packagePollMs: 5_000,
  /** Engines and Linux packages are asked for so often where nothing tells of a change. */
  inventoryPollMs: 60_000,
  /** Packages are looked at no sooner than this when a supervisor says that they changed. */
  packageEdgePollMs: 2_000,
  folderQuietMs: 100,
  /** So many decisions on one key within a minute that did something for no new cause are a loop that feeds itself (controller/loop/loop-alarm.ts). */
  decisionsPerMinuteMax: 240,
  // Installer. Decision: docs/decisions/0060-versions-side-by-side.md
  /** Pages hear of a running installation at most so often, and at every change of state. */
  installProgressMs: 250,
  /** Linux packages that somebody waits for are looked for this often. */
  inventoryMs: 10_000,
  // Server kit. Decision: docs/decisions/0065-server-kit.md
  /** The kit of a server and its accounts are looked at again after so long. */
  kitPollMs: 60_000,
  /** When somebody signs in their server is looked at as administrator again, unless that was so lately. */
  kitArrivalPollMs: 60_000,
  kitScriptMsMax: 5 * 60_000,
  kitScriptLinesMax: 10_000,
  kitUploadMsMax: 30 * 60_000,
  kitFreeBytesMin: 512 * 1_024 * 1_024,
  homeFreeBytesMin: 16 * 1_024 * 1_024,
  clockSkewMsMax: 5_000,
  /** The doctor of a server waits so long for what it asks there; what is asked gives up after 5 s. */
  serverProbeMsMax: 15_000,
  /** A setting of sshd holds for all or for groups: so many accounts tell. */
  serverProbeAccountsMax: 8,
  // What apps use. See kit/supervise/usage.ts.
  /** Two looks are at least so far apart: whoever asks sooner gets the last answer. */
  usagePollMs: 1_000,
  /** An older look is no start for a rate, and is shown no longer. */
  usageKeptMs: 15_000,
  /** A server that does not tell within this is left out of the answer. */
  usageAnswerMsMax: 3_000,
} as const;
