/**
 * Every limit of the system in one table (spec 8, and decisions where the spec says "not shown").
 * Units stand last in the names. Nobody writes one of these numbers anywhere else.
 */
export const limits = {
  // Start and probe. Source: spec 3.2 and 8.
  probeAttemptsMax: 15,
  probeIntervalMs: 1_000,
  probeTimeoutMs: 5_000,
  /** After the 15 attempts the verdict is still sought, slower. Decision: docs/decisions/0027-slow-start.md */
  probeSlowIntervalMs: 5_000,
  probeSlowIntervalMsMax: 30_000,
  navigationHoldMsMax: 20_000,
  // Windows. Source: spec 3.3 and 8.
  lastWindowGraceMs: 120_000,
  idleMinutesMin: 1,
  idleMinutesMax: 9_999,
  proxyIdleConnectionMsMax: 600_000,
  // Supervision. Source: spec 3.3 and 8.
  supervisorScanMs: 10_000,
  crashNoticeMsMax: 1_000,
  restartBackoffMsMax: 60_000,
  restartFailuresMax: 5,
  failureResetMs: 600_000,
  /** A process that the supervisor did not start has no exit event: it is looked at this often. */
  adoptedPollMs: 1_000,
  /** An end this soon after the start, without a socket, is ExitedAtOnce. */
  exitedAtOnceMs: 2_000,
  /** A living process without a socket is looked at for TCP ports after this. */
  neverBoundMs: 2_000,
  /** And no longer than this: whoever has not bound by then is told to be NeverBound anyway. */
  neverBoundLooksMs: 20_000,
  lastExitLinesMax: 20,
  launchesAtOnceMax: 8,
  /** status.json may be this much older than the snapshot on the socket. */
  statusFileLagMs: 50,
  // Stop. Source: design 3 rule 8.
  stopGraceMs: 10_000,
  stopKillMsMax: 15_000,
  // The loop. Source: design 3 rule 3.
  resyncMs: 10_000,
  /** The loop gives way to the proxy after so long. Decision: docs/decisions/0031-the-loop.md */
  queueSliceMs: 5,
  workersPerServerMax: 64,
  workDeadlineMs: 60_000,
  resyncJitterMsMax: 1_000,
  /** Packages on a server are looked at again after so long even if nobody said that they changed. */
  packageLookMs: 60_000,
  /** And no sooner than this when a supervisor says that they changed. */
  packageEdgeLookMs: 2_000,
  folderQuietMs: 100,
  /** More decisions than this on one key within a minute, without anything happening, is a loop that feeds itself. */
  decisionsPerMinuteMax: 240,
  /** A start that could not be carried out for so long is dropped. Decision: docs/decisions/0026-intents-are-one-shot.md */
  startIntentMsMax: 10 * 60_000,
  /** A supervisor that nobody needs any more lives on for so long. Decision: docs/decisions/0025-backend-reconciler.md */
  supervisorUnwantedMs: 60_000,
  /** A supervisor that stayed up for so long has proved itself: its own start failures are forgotten. */
  supervisorStableMs: 60_000,
  /** One resync, so that everything converges within two once the cause is gone. */
  supervisorRestartMsMax: 10_000,
  packageRetryMsMax: 10 * 60_000,
  /** How long one listing of a server's packages serves the looks at its people. */
  systemListingMs: 1_000,
  // Files. Decision: docs/decisions/0004-limits.md
  manifestBytesMax: 256 * 1_024,
  yamlFileBytesMax: 4 * 1_024 * 1_024,
  yamlFilesMax: 4_096,
  yamlAliasesMax: 0,
  /** Objects and lists inside one another, in manifests and desired documents. */
  documentDepthMax: 64,
  documentsMax: 50_000,
  envFileBytesMax: 64 * 1_024,
  /** status.json, run.pid, marker and the like: what we write stays far below. */
  accountFileBytesMax: 1_024 * 1_024,
  envEntriesMax: 512,
  secretsFileBytesMax: 256 * 1_024,
  runLogBytesMax: 16 * 1_024 * 1_024,
  /** What stays of a run.log over the limit, and how soon after a write its size is looked at. */
  runLogKeptBytes: 1_024 * 1_024,
  runLogCheckMs: 50,
  logTailLinesMax: 10_000,
  logTailBytesMax: 1_024 * 1_024,
  installCommandMsMax: 15 * 60_000,
  packageBytesMax: 512 * 1_024 * 1_024,
  packageEntriesMax: 50_000,
  packageTarballBytesMax: 512 * 1_024 * 1_024,
  // Archives. Decision: docs/decisions/0050-own-tar-reader.md
  engineTarballBytesMax: 64 * 1_024 ** 3,
  engineBytesMax: 256 * 1_024 ** 3,
  engineEntriesMax: 200_000,
  archiveNameBytesMax: 1_024,
  archiveSegmentBytesMax: 255,
  archiveDepthMax: 32,
  /** Bytes that come out for one byte that went in, once more than the free bytes came out. */
  archiveRatioMax: 200,
  archiveRatioFreeBytes: 16 * 1_024 * 1_024,
  archivePaxBytesMax: 8 * 1_024,
  /** Zeros behind the end of a tar: its writers fill up their last record. */
  archiveTailBytesMax: 1_024 * 1_024,
  /** One file of a package that the portal serves by itself: an icon, a settings script. */
  packageFileBytesMax: 4 * 1_024 * 1_024,
  // Repository. Decision: docs/decisions/0055-repository-on-disk.md
  /** Of an id and of a version: with the suffix a file name. */
  repositoryNameCharsMax: 128,
  novidadesCharsMax: 8 * 1_024,
  publishSilentMsMax: 120_000,
  publishLingerMs: 2_000,
  ignoreLinesMax: 1_000,
  ignoreLineCharsMax: 256,
  catalogueBytesMax: 64 * 1_024 * 1_024,
  packageRecordBytesMax: 512 * 1_024,
  repositoryLockMsMax: 15_000,
  repositoryLockPollMs: 20,
  repositoryAnswerMsMax: 20_000,
  offersCacheMs: 5_000,
  repositoryHashesMax: 20_000,
  repositoryChunkBytes: 256 * 1_024,
  repositoryUploadsMax: 8,
  /** A sender or a reader that does not move for so long is let go. */
  repositoryIdleMs: 60_000,
  /** The rest of a refused upload is read and thrown away for so long. */
  repositoryLingerMs: 2_000,
  /** A temporary file that nobody wrote to for so long was left by the dead. */
  repositoryStagingMsMax: 60 * 60_000,
  /** sun_path holds 108 bytes with the closing NUL. */
  socketPathBytesMax: 107,
  // Supervisor socket. Decision: docs/decisions/0004-limits.md
  supervisorLineBytesMax: 1_024 * 1_024,
  supervisorClientsMax: 16,
  supervisorReplyMsMax: 10_000,
  supervisorClientBufferedBytesMax: 8 * 1_024 * 1_024,
  supervisorStartMsMax: 15_000,
  dialMsMax: 5_000,
  followersPerPersonMax: 8,
  probeBodyBytesMax: 64 * 1_024,
  // HTTP border. Decision: docs/decisions/0004-limits.md
  apiBodyBytesMax: 64 * 1_024,
  headerBytesMax: 32 * 1_024,
  headersTimeoutMs: 15_000,
  portalConnectionsMax: 10_000,
  proxySocketsPerBackendMax: 256,
  proxyFreeSocketsPerBackendMax: 64,
  // Proxy. Decision: docs/decisions/0040-own-upstream-client.md
  proxyQueuePerBackendMax: 1_024,
  proxyQueueMsMax: 10_000,
  proxyConnectMsMax: 5_000,
  /** From the last byte of the request to the first of the answer. */
  proxyAnswerMsMax: 300_000,
  /** Free connections beyond the one that spec 3.3 rule 3 keeps. */
  proxySpareConnectionMsMax: 30_000,
  /** A tunnel whose one side has ended. */
  proxyHalfOpenMsMax: 60_000,
  proxyKeepAliveProbeMs: 60_000,
  proxyReadBufferBytes: 64 * 1_024,
  proxyResponseHeadersMax: 256,
  /** Interim answers (1xx) to one request. */
  proxyInterimAnswersMax: 16,
  proxyPanelLogLines: 40,
  proxyPanelStreamsPerAppMax: 32,
  eventSocketsPerPersonMax: 32,
  eventSocketBufferedBytesMax: 1_024 * 1_024,
  wsFrameBytesMax: 1_024 * 1_024,
  // Sessions. Decision: docs/decisions/0003-sessions-and-passes.md
  signInPassMs: 24 * 60 * 60_000,
  originPassMs: 30_000,
  sessionMs: 14 * 24 * 60 * 60_000,
  sessionsPerPersonMax: 64,
  /** Unused ones, of the sign-in links and of the hand-overs to apps each. */
  passesPerPersonMax: 256,
  // Portal border. Decision: docs/decisions/0035-http-border.md
  apiBodyMsMax: 10_000,
  portalTcpKeepAliveMs: 60_000,
  portalKeepAliveMs: 75_000,
  /** What is left of a request's body after its answer is read for so long, so that the client can read the answer. */
  leftoverBodyMsMax: 30_000,
  eventPingMs: 25_000,
  /** A page sends nothing on the events channel. */
  eventSocketFrameBytesMax: 1_024,
  followsPerPersonMax: 8,
  windowsPerPageMax: 1_000,
  failedPassesPerMinuteMax: 20,
  failedPassAddressesMax: 10_000,
  sessionCacheMs: 5_000,
  sessionCacheEntriesMax: 10_000,
  /** An app's origin waits this long for the pass it asked for. */
  askCookieMs: 5 * 60_000,
  /** Where a link into an app led, until the person is signed in. */
  destinationCookieMs: 15 * 60_000,
  destinationCookieBytesMax: 3_072,
  /** A session older than this is prolonged when its person opens the shell. */
  sessionRenewAfterMs: 24 * 60 * 60_000,
  sessionAgeMsMax: 90 * 24 * 60 * 60_000,
  /** How long an answer to stop or restart waits for the outcome. */
  stopWaitMsMax: 18_000,
  startWaitMsMax: 20_000,
  startPollMs: 100,
  staticFileBytesMax: 16 * 1_024 * 1_024,
  logTailLinesDefault: 200,
  eventsPageMax: 1_000,
  metricsAppsMax: 300,
  // Store.
  eventsKeptPerObject: 100,
  eventsKeptTotal: 100_000,
  /** A change that removes more than this share of the objects waits for `--prune`. Source: design 4. */
  pruneShareMax: 0.2,
  // Installer. Decision: docs/decisions/0060-versions-side-by-side.md
  installLockMsMax: 60_000,
  packageDepthMax: 64,
  dpkgQueryMsMax: 15_000,
  /** How long a root phase, a download and the rest of one installation may take before the portal gives up waiting. */
  installMsMax: 2 * 60 * 60_000,
  downloadIdleMsMax: 30_000,
  downloadRedirectsMax: 5,
  /** So many attempts in a row that brought not one byte end a download. */
  downloadRetriesMax: 5,
  downloadRetryMs: 500,
  downloadRetryMsMax: 30_000,
  progressMs: 500,
  serverScopeIdCharsMax: 27,
  ownFileTypesMax: 32,
  contextMenuItemsMax: 8,
  badgeContrastMin: 4.5,
  ownFileTypeNameCharsMax: 60,
  menuLabelCharsMax: 48,
  menuOrderMin: 0,
  menuOrderMax: 999,
  menuRouteCharsMax: 512,
  offerLabelCharsMax: 60,
  extensionReasonCharsMax: 120,
  windowWidthMin: 200,
  windowHeightMin: 150,
  windowSideMax: 10_000,
  windowFloorWidth: 400,
  windowFloorHeight: 300,
  engineBytesMin: 1,
  hostLabelCharsMax: 63,
  objectNameCharsMax: 63,
} as const;
