/** Limits of the loop and of what carries its orders out. */
export const limits = {
  /** Deadline of reading the lingering of one account of this machine, and of turning it on. */
  lingerMsMax: 10_000,
  /** Idle time of a connection to an app that ends after minutes without a connection. Decision: docs/decisions/0024-idle-connections.md */
  proxyOciosoConnectionMsMax: 25_000,
  /** How often at most the supervisor of such an app is notified of requests. */
  useReportMs: 5_000,
  followersPerPersonMax: 8,
  /** Sets of apps of one server that are kept for people of different groups; more are made anew. */
  packageViewsMax: 1_000,
  probeBodyBytesMax: 64 * 1_024,
  signInsPerServerMax: 8,
  secretReferenceBytesMax: 64 * 1_024,
  /** Apps that have series of their own for the steps of their starts. */
  figureAppsMax: 300,
  // The loop.
  /** The loop gives way to the proxy after so long. Decision: docs/decisions/0031-the-loop.md */
  queueSliceMs: 5,
  workersPerServerMax: 64,
  /** A plan asks so many servers at once. */
  serversPlannedAtOnce: 16,
  workDeadlineMs: 60_000,
  resyncJitterMsMax: 1_000,
  /**
   * A younger observation of a server's packages serves a resync; an older one is repeated. Half a resync period, so that every resync
   * repeats it, however long the last one took. Decision: docs/decisions/0085-one-look-one-command.md
   */
  packagePollMs: 5_000,
  /** Every second resync tries whether a server takes a new connection: each is a line in the log of its sshd. */
  doorPollMs: 15_000,
  /**
   * People who are away: so many at least, and this part of them, are observed with each observation of their server: everybody within
   * about eleven minutes.
   */
  awayLookMin: 25,
  /** A supervisor that another portal starts is waited for so long, and dialed so often. */
  supervisorAwaitedMs: 20_000,
  supervisorAwaitStepMs: 200,
  /** Apps of a supervisor that are remembered; it is let go when it tells of one more. */
  supervisorAppsMax: 1_000,
  /** Lines of a supervisor are read in turns of so long, each counted as so long at least; with the waits in between they take this share of the loop. */
  supervisorTurnMs: 20,
  supervisorLineMs: 0.02,
  supervisorLoopShare: 0.1,
  awayLooks: 60,
  /**
   * People who are here, run nothing, and whose supervisor would report a change: so many at least, and this part of them, are observed
   * each time.
   */
  restingLookMin: 25,
  restingLooks: 6,
  /** Documents of one change of the folder that have a line of their own in the audit record; the others are counted. */
  documentsToldMax: 10_000,
  /** So many people are observed before the portal serves, and at once after that. */
  strangersAtOnceMax: 256,
  /** And so long after the portal began to act. */
  strangersAfterMs: 1_000,
  /** A younger observation of the unpacked source of a package serves. */
  sourceAgeMs: 5_000,
  /** How often engines, Linux packages and GPUs are read where the mark of each resync is the same. */
  inventoryPollMs: 60_000,
  /** Minimum interval of package observations that a supervisor's change signal causes. */
  packageEdgePollMs: 2_000,
  // People of the system. Decision: docs/decisions/0398-people-of-the-system.md
  /** How often the list of a People document is read, at most; one that takes long to read, a tenth of the time. */
  peoplePollMs: 9_000,
  /** Wait after an observation that could read nothing, once it has ended. */
  peopleAgainMs: 20_000,
  peopleOfListMax: 10_000,
  /** Lines that a server may print about accounts: each account is three lines, and each of its groups one. */
  accountsLinesMax: 60_000,
  accountsLineCharsMax: 16_384,
  accountsSaidCharsMax: 200,
  accountsMsMax: 20_000,
  /** Names that were left out of a list, as `svc describe` shows them. */
  leftOutShownMax: 100,
  /** Whoever came by a claim of a provider and did not sign in for so long is a person no longer: no session lives as long. */
  peopleOfClaimMsMax: 90 * 24 * 60 * 60_000,
  /** A sign-in that makes a person waits for them so long. */
  arrivalMsMax: 25_000,
  arrivalStepMs: 50,
  /** The time of a sign-in that changes nothing else is written so often. */
  arrivalWrittenMs: 24 * 60 * 60_000,
  folderQuietMs: 100,
  /** Between two looks for a desired folder that is gone. */
  folderLookMs: 1_000,
  /** Groups of people that Administration offers for a person or an app. */
  ownFileGroupsMax: 500,
  /** A folder with errors is read again though no file changed, at each resync; one that takes long to read, a tenth of the time. */
  folderErrorsPollMs: 5_000,
  /** In subfolders of the desired-state folder, where documents are looked for only to say that nobody reads them. */
  unreadYamlEntriesMax: 1_000,
  unreadYamlDepthMax: 3,
  unreadYamlBytesMax: 16 * 1_024,
  /** So many decisions on one key within a minute that did something for no new cause are a loop that feeds itself (controller/work/loop-alarm.ts). */
  decisionsPerMinuteMax: 240,
  // Acts. Decision: docs/decisions/0316-no-act-again-without-a-wait.md
  /** Wait after the first try of an act; twice as long after each further one. */
  actWaitMs: 500,
  actWaitMsMax: 60_000,
  /** Orders to a supervisor, and roles in rooms: a cause that is mended is noticed within a resync. */
  orderWaitMsMax: 10_000,
  grantWaitMsMax: 10_000,
  /** Without a try for so long after its wait, an act begins anew. */
  actForgottenMs: 2 * 60_000,
  /** Another order lifts the wait so often at once, and once more after each of these. */
  actWishesAtOnce: 6,
  actWishRefillMs: 10_000,
  /** Passes of one key that act: so many at once, and one more after each of these. */
  actRoundsAtOnce: 120,
  actRoundRefillMs: 500,
  actsPerKeyMax: 5_000,
  /** A decision whose deadline is over already is made again after so long. */
  decisionGapMs: 1_000,
  /** Lines and events of one key that say the same, and all of one key, that are written in each window; the others are counted. */
  linesOfCauseMax: 6,
  linesOfKeyMax: 60,
  linesWindowMs: 60_000,
  lineCausesMax: 200,
  linesForgottenMs: 60 * 60_000,
  // Portal credentials of server-scope apps. Decision: docs/decisions/0203-server-scope-credential.md
  /** How often one is observed while its app does not run, and after an act that failed. */
  credentialRetryMs: 60_000,
  /** And while it runs. */
  credentialPollMs: 10 * 60_000,
  // Installer. Decision: docs/decisions/0060-versions-side-by-side.md
  /** Pages are notified of a running installation at most so often, and at every change of state. */
  installProgressMs: 250,
  // Server kit. Decision: docs/decisions/0065-server-kit.md
  /** For so long after it was seen last, another portal that orders a server is reported. */
  rivalKeptMs: 10 * 60_000,
  /** Time after a new kit came within which a new failure is laid to it. Decision: docs/decisions/0419-a-kit-goes-to-one-server-first.md */
  kitTroubleMs: 10 * 60_000,
  /** How often the kit of a server and its accounts are observed. */
  kitPollMs: 60_000,
  /** At a sign-in the person's server is observed as administrator, unless it was within this time. */
  kitArrivalPollMs: 60_000,
  kitScriptMsMax: 5 * 60_000,
  kitScriptLinesMax: 10_000,
  kitUploadMsMax: 30 * 60_000,
  kitFreeBytesMin: 512 * 1_024 * 1_024,
  homeFreeBytesMin: 16 * 1_024 * 1_024,
  clockSkewMsMax: 5_000,
  /** A server that was given up is gone within this; what is left of it goes on being forgotten afterwards. */
  forgetMsMax: 60_000,
  // `svc du`. Decision: docs/decisions/0417-what-uses-the-disk.md
  /** For one folder, for the answer behind it, and for all servers and people together; so many are measured at once. */
  spaceFolderSeconds: 8,
  spaceAnswerMs: 5_000,
  spaceMsMax: 20_000,
  spaceAtOnce: 6,
  // Erasing a person. Decision: docs/decisions/0416-erasing-a-person.md
  /** A removal on their server that failed is tried again after so long. */
  eraseAgainMs: 30_000,
  /** Longest removal on the server in one go, and longest check of the folders that svc made there. */
  eraseMsMax: 10 * 60_000,
  eraseLookMsMax: 45_000,
  /** `svc person erase` waits so long for the loop. */
  eraseWaitMsMax: 15 * 60_000,
  // Moving a person to another server. Decision: docs/decisions/0388-a-person-goes-to-another-server.md
  /** Their apps have so long to end. */
  moveStopMsMax: 2 * 60_000,
  /** Once all is in place, the document has to name the other server within this; then so long until they were looked at there. */
  moveSwitchMsMax: 2 * 60_000,
  /** Between two looks at what is waited for, and between two lines about one copy. */
  moveLookMs: 100,
  moveToldMs: 5_000,
  /** Left free on the other server. */
  moveSpareBytes: 64 * 1_024 * 1_024,
  moveAskMsMax: 15_000,
  /** The doctor of a server waits so long for what it asks there; what is asked gives up after 5 s. */
  serverProbeMsMax: 15_000,
  /** A setting of sshd holds for all or for groups: so many accounts tell. */
  serverProbeAccountsMax: 8,
  // Usage of apps. See kit/supervise/usage.ts.
  /** Minimum interval of two readings; a caller that asks sooner gets the last one. */
  usagePollMs: 1_000,
  /** An older reading is no start for a rate, and is shown no longer. */
  usageKeptMs: 15_000,
  /** A server that does not tell within this is left out of the answer. */
  usageAnswerMsMax: 3_000,
  // The queue. Decision: docs/decisions/0211-the-queue.md
  /** How long a job that ended is kept, with its log and outputs, where the Portal document says nothing. */
  jobKeptMs: 7 * 24 * 60 * 60_000,
  /** After an attempt of which no end was seen (the portal died), the cluster may still be taking the job for so long. */
  jobSubmitMsMax: 30_000,
  /** Jobs under way at once, where the document of the cluster says nothing: on the portal's own machine, and elsewhere. */
  localJobsMax: 2,
  clusterJobsMax: 100,
  clusterListMsMax: 30_000,
  /** How often a cluster with jobs under way is asked for them; one that does not answer, less and less often. */
  /** Between two lists, however much is done there meanwhile. */
  clusterLookMsMin: 1_000,
  clusterPollMs: 2_000,
  clusterPollMsMax: 60_000,
  /** Half-life of a person's use of a cluster. */
  shareHalfLifeMs: 60 * 60_000,
} as const;
