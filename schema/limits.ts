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
  /** Of an app that ends after minutes without a connection. Decision: docs/decisions/0024-idle-connections.md */
  proxyOciosoConnectionMsMax: 5_000,
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
  /** So long without a repair, and a package that was changed again and again is repaired at once as the first time. */
  driftCalmMs: 60 * 60_000,
  confirmRetryMs: 60_000,
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
  /** One value, as UTF-8; far below what the kernel takes for one variable. Decision: docs/decisions/0075-the-vault.md */
  secretValueBytesMax: 8 * 1_024,
  /** Replaced and deleted values that the supervisor still blanks out of logs. */
  secretsRetiredMax: 64,
  secretDescriptionCharsMax: 1_000,
  /** One attribute of /sys, and the cards of one server. */
  gpuAttributeBytesMax: 4_096,
  gpuDevicesMax: 64,
  gpuLeaseMsMax: 2_000,
  /** Who only asks whether a card is free has it for that moment: whoever takes it waits that out. */
  gpuLeaseWaitMsMax: 300,
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
  // Servers over ssh. Decision: docs/decisions/0086-one-connection-per-account.md
  sshConnectMsMax: 10_000,
  sshKeepAliveMs: 10_000,
  /** A server that let so many go by without an answer is gone. */
  sshKeepAlivesMissedMax: 2,
  /** sshd opens 10 (MaxSessions); some are for whoever looks at the server by hand. */
  sshSessionsPerConnectionMax: 6,
  sshSessionsWaitingMax: 256,
  sshSessionWaitMsMax: 10_000,
  /** sshd begins to drop at 10 (MaxStartups). */
  sshHandshakesPerServerMax: 6,
  /** One for all connections. Measured: less costs more reads and writes a megabyte, more brings nothing. */
  sshReadBufferBytes: 512 * 1_024,
  /** The first pause after a failure, and the longest: shorter than a scan. */
  sshReconnectMs: 250,
  sshReconnectMsMax: 5_000,
  /** Each attempt on a socket that takes nobody is a line in the server's log. */
  supervisorDialMs: 50,
  sshIdleMsMax: 10 * 60_000,
  remoteLineBytesMax: 2 * 1_024 * 1_024,
  remoteOutputBytesMax: 64 * 1_024 * 1_024,
  /** A whole look at a server, and the part of one account in it. */
  serverLookMsMax: 60_000,
  accountLookMsMax: 20_000,
  accountListBytesMax: 32 * 1_024 * 1_024,
  packageFilesCacheBytesMax: 16 * 1_024 * 1_024,
  followersPerPersonMax: 8,
  probeBodyBytesMax: 64 * 1_024,
  // HTTP border. Decision: docs/decisions/0004-limits.md
  apiBodyBytesMax: 64 * 1_024,
  headerBytesMax: 32 * 1_024,
  headersTimeoutMs: 15_000,
  portalConnectionsMax: 10_000,
  /** Of all connections, for one address once half of them are taken. */
  portalConnectionsShareOfAddress: 0.1,
  /** What comes behind a head that was refused is read for so long, so that the answer arrives. */
  refusedHeadLingerMs: 2_000,
  proxySocketsPerBackendMax: 256,
  proxyFreeSocketsPerBackendMax: 64,
  // Proxy. Decision: docs/decisions/0040-own-upstream-client.md
  /** Backends take 8 to 64 KiB of header; more than this is not the app's own. */
  proxyCookieBytesMax: 8 * 1_024,
  proxyQueuePerBackendMax: 1_024,
  proxyQueueMsMax: 10_000,
  /** A cold connection to a server (sshConnectMsMax), the socket behind it (dialMsMax), and a little. */
  proxyConnectMsMax: 16_000,
  /** From the last byte of the request to the first of the answer. */
  proxyAnswerMsMax: 300_000,
  /** Free connections beyond the one that spec 3.3 rule 3 keeps. */
  proxySpareConnectionMsMax: 30_000,
  /** A tunnel whose one side has ended. */
  proxyHalfOpenMsMax: 60_000,
  proxyKeepAliveProbeMs: 60_000,
  proxyReadBufferBytes: 64 * 1_024,
  /** Of an answer over ssh, before its client took them: what one read brings leaves in one write. */
  proxyQueuedBytesMax: 512 * 1_024,
  proxyResponseHeadersMax: 256,
  /** Interim answers (1xx) to one request. */
  proxyInterimAnswersMax: 16,
  proxyPanelLogLines: 40,
  proxyPanelStreamsPerAppMax: 32,
  eventSocketsPerPersonMax: 32,
  eventSocketBufferedBytesMax: 1_024 * 1_024,
  wsFrameBytesMax: 1_024 * 1_024,
  // Room connections of pages and backends. Source: spec 8. Decision: docs/decisions/0100-room-connection.md
  roomReconnectMs: 1_000,
  roomReconnectMsMax: 30_000,
  /** A connection that held for so long begins the waits anew. */
  roomStableMs: 10_000,
  roomTicketMsMax: 15_000,
  roomOpenMsMax: 15_000,
  /** What a room holds comes in one message: a big document over a slow line takes its time. */
  roomSyncMsMax: 120_000,
  /** Nothing heard for so long: the portal is asked, and has so long to answer. */
  roomSilenceMs: 30_000,
  roomProbeMsMax: 10_000,
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
  /** How old the last use of a session that was written down may get. */
  sessionSeenMs: 10 * 60_000,
  sessionAgeMsMax: 90 * 24 * 60 * 60_000,
  sessionAddressCharsMax: 64,
  sessionAgentCharsMax: 256,
  // Signing in. Decision: docs/decisions/0071-guessing-passwords.md
  loginCharsMax: 128,
  passwordCharsMax: 1_024,
  /** Failed sign-ins at once, and how soon one more is allowed. */
  signInAddressFailures: 20,
  signInAddressRefillMs: 30_000,
  signInLoginFailures: 10,
  signInLoginRefillMs: 60_000,
  /** One login from one address. */
  signInPairFailures: 5,
  signInPairRefillMs: 60_000,
  /** For addresses that did not try a login yet, when others used up what the login has. */
  signInFreshFailures: 30,
  signInFreshRefillMs: 15_000,
  signInGlobalFailures: 60,
  signInGlobalRefillMs: 500,
  /** A browser that signed in before has its own. */
  signInBrowserFailures: 10,
  signInBrowserRefillMs: 60_000,
  /** Passwords under check: from browsers that never signed in, in all, and at one server. */
  signInStrangersMax: 24,
  signInsMax: 32,
  signInsPerServerMax: 8,
  signInBusyRetryMs: 2_000,
  knownBrowserMs: 180 * 24 * 60 * 60_000,
  knownBrowserLoginsMax: 4,
  /** How long a server may take to say whether it wants the password changed first. */
  passwordExpiryMsMax: 5_000,
  secretReferenceBytesMax: 64 * 1_024,
  /** Of what a server says about a password. */
  passwordToldCharsMax: 400,
  oidcBeginMs: 10 * 60_000,
  oidcAnswerMsMax: 10_000,
  /** What the provider says about itself is asked again after so long. */
  oidcMetadataMs: 60 * 60_000,
  oidcRetryMs: 2_000,
  /** How long an answer to stop or restart waits for the outcome. */
  stopWaitMsMax: 18_000,
  startWaitMsMax: 20_000,
  startPollMs: 100,
  /** An icon whose address names its version. */
  iconKeptMs: 24 * 60 * 60_000,
  staticFileBytesMax: 16 * 1_024 * 1_024,
  logTailLinesDefault: 200,
  eventsPageMax: 1_000,
  /** `GET /api/admin/objects`: an object has up to some ten KiB of details. */
  objectsPageMax: 500,
  metricsAppsMax: 300,
  // Store.
  eventsKeptPerObject: 100,
  eventsKeptTotal: 100_000,
  /** A change that removes more than this share of the objects waits for `--prune`. Source: design 4. */
  pruneShareMax: 0.2,
  // Rooms. Source: spec 8. Decision: docs/decisions/0095-who-is-in-a-room.md
  roomNameCharsMax: 120,
  roomsOwnedMax: 2_000,
  roomsListedMax: 2_000,
  roomPeopleMax: 1_000,
  roomGroupsMax: 100,
  roomTicketMs: 60_000,
  /** Of one person; the oldest go. */
  roomTicketsPerPersonMax: 1_024,
  /** So many at once of one person, and how soon one more. */
  roomTicketsBurst: 1_024,
  roomTicketRefillMs: 50,
  roomChangesBurst: 200,
  roomChangeRefillMs: 500,
  noticesBurst: 60,
  noticeRefillMs: 2_000,
  searchesBurst: 60,
  searchRefillMs: 250,
  searchCharsMax: 100,
  peopleFoundMax: 20,
  groupsFoundMax: 10,
  noticesPerPersonMax: 500,
  /** What was told once is remembered for so many anchors of one person. */
  noticeAnchorsPerPersonMax: 20_000,
  noticeRecipientsMax: 100,
  // Attachments. Decision: docs/decisions/0099-attachments.md
  attachmentBytesMax: 32 * 1_024 * 1_024,
  roomAttachmentBytesMax: 512 * 1_024 * 1_024,
  attachmentTypeCharsMax: 127,
  /** Coming in at once, in all and of one person. */
  attachmentUploadsMax: 32,
  attachmentUploadsPerPersonMax: 6,
  /** Neither put nor seen in a document for so long: it goes. */
  attachmentGraceMs: 7 * 24 * 60 * 60_000,
  attachmentSweepMs: 6 * 60 * 60_000,
  /** What an interrupted upload left. */
  attachmentStagingMsMax: 60 * 60_000,
  // The relay of rooms. Decision: docs/decisions/0090-rooms-are-logs.md
  roomFrameBytesMax: 1_024 * 1_024,
  /** Parts of one message. Clients send it whole. */
  roomFrameFragmentsMax: 1_024,
  /** One document, as it is kept: base and what came since. */
  roomStateBytesMax: 16 * 1_024 * 1_024,
  roomSocketsMax: 2_000,
  /** Of one person in one document: a class behind one account fits, and three more people find a place. */
  roomSocketsPerPersonMax: 512,
  /** What one update may declare; more is none that an editor makes. */
  roomUpdateStructsMax: 200_000,
  roomUpdateClientsMax: 20_000,
  roomUpdateDocumentsMax: 1_000,
  roomValueDepthMax: 64,
  /** Updates that stand on others which are not here yet. */
  roomHeldUpdatesMax: 64,
  roomHeldBytesMax: 1_024 * 1_024,
  roomHeldRoomBytesMax: 8 * 1_024 * 1_024,
  /** What a client that does not read may have waiting, beyond the answer to its own question. */
  roomSocketBufferedBytesMax: 4 * 1_024 * 1_024,
  /** A room of so many sockets that sent a moment ago waits this long for more, unless this much has come already. */
  roomGatherSocketsMin: 16,
  roomGatherMs: 8,
  roomGatherUpdatesMax: 16,
  /** What one socket may send: at once, and for ever. */
  roomFramesBurstMax: 1_000_000,
  roomFramesPerSecondMax: 20_000,
  roomBytesBurstMax: 64 * 1_024 * 1_024,
  roomBytesPerSecondMax: 8 * 1_024 * 1_024,
  // Durability. Decision: docs/decisions/0091-commit-window.md
  /** From the arrival of an update until it is on the disk. */
  roomCommitMsMax: 50,
  /** The part of it in which updates are gathered. */
  roomCommitGatherMs: 30,
  /** Memory that is kept for the next commit. */
  roomLogSpareBytesMax: 1_024 * 1_024,
  roomCommitRetryMs: 250,
  roomCommitRetryMsMax: 5_000,
  /** Received and not yet on the disk, all rooms together. */
  roomPendingBytesMax: 64 * 1_024 * 1_024,
  roomCloseMsMax: 5_000,
  roomGoodbyeMs: 500,
  // Compaction.
  roomCompactUpdatesMin: 200,
  roomCompactBytesMin: 256 * 1_024,
  roomCompactQuietMs: 500,
  roomCompactWaitMsMax: 10_000,
  roomCompactRetryMs: 60_000,
  /** Heap of the thread that compacts; a document of 16 MiB takes about a quarter GiB. */
  roomCompactHeapMiBMax: 768,
  roomCompactIdleMs: 5_000,
  /** A room without sockets is forgotten after so long. */
  roomLingerMs: 1_000,
  // Presence. Decision: docs/decisions/0092-presence-table.md
  roomPresenceIdsPerSocketMax: 4,
  roomPresenceBytesMax: 16 * 1_024,
  /** In a frame: a client may tell of all whom it sees. */
  roomPresenceEntriesMax: 10_000,
  roomPresenceCoalesceMs: 40,
  roomPresenceCoalesceSocketsMin: 20,
  roomPingMs: 20_000,
  // Installer. Decision: docs/decisions/0060-versions-side-by-side.md
  installLockMsMax: 60_000,
  /** An engine of more entries is listed without its size. */
  engineCountedEntriesMax: 10_000,
  /** Pages hear of a running installation at most so often, and at every change of state. */
  installTellMs: 250,
  /** Linux packages that somebody waits for are looked for this often. */
  inventoryMs: 10_000,
  /** Instances of a package that goes are waited for so long; then the installer ends them. */
  packageEndMsMax: 30_000,
  offeredIconsKept: 64,
  packageDepthMax: 64,
  dpkgQueryMsMax: 15_000,
  /** How long a root phase, a download and the rest of one installation may take before the portal gives up waiting. */
  installMsMax: 2 * 60 * 60_000,
  downloadIdleMsMax: 30_000,
  downloadRedirectsMax: 5,
  /** So many attempts in a row that brought not one byte end a download. */
  downloadRetriesMax: 5,
  /** Fewer bytes than these in an attempt are no progress: else a server could be asked for ever, byte by byte. */
  downloadProgressBytesMin: 64 * 1_024,
  /** Slower than this for so long counts as cut, in both directions. */
  transferBytesPerSecondMin: 1_024,
  transferSlowMsMax: 60_000,
  downloadRetryMs: 500,
  downloadRetryMsMax: 30_000,
  progressMs: 500,
  serverScopeIdCharsMax: 27,
  /** A server-scope app has to be on its socket within this, beside its set-up. Decision: docs/decisions/0067-server-scope-apps.md */
  serviceSocketMsMax: 60_000,
  serviceManagerMsMax: 60_000,
  serviceManagerAskMsMax: 2_000,
  // Server kit. Decision: docs/decisions/0065-server-kit.md
  /** The kit of a server and its accounts are looked at again after so long. */
  kitLookMs: 60_000,
  /** When somebody signs in their server is looked at as administrator again, unless that was so lately. */
  kitArrivalLookMs: 60_000,
  kitScriptMsMax: 5 * 60_000,
  kitScriptLinesMax: 10_000,
  kitUploadMsMax: 30 * 60_000,
  kitRetryMsMax: 10 * 60_000,
  kitFreeBytesMin: 512 * 1_024 * 1_024,
  homeFreeBytesMin: 16 * 1_024 * 1_024,
  clockSkewMsMax: 5_000,
  /** The doctor of a server waits so long for what it asks there; what is asked gives up after 5 s. */
  serverProbeMsMax: 15_000,
  /** A setting of sshd holds for all or for groups: so many accounts tell. */
  serverProbeAccountsMax: 8,
  /** How often the portal asks a server-scope app whether it answers. */
  serviceProbeMs: 10_000,
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
