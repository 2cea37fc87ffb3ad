/** Limits of the HTTP border that more than one part of it has. */
export const limits = {
  /** Rooms that `svc du` tells one by one. */
  spaceRoomsMax: 10_000,
  /** Longest wait of `/readyz` for the store. */
  readyMsMax: 2_000,
  /** The certificate of the public address: time for its answer; time between checks for `/metrics`; days left that are few, and too few. */
  certificateMsMax: 15_000,
  certificateLookMs: 3_600_000,
  certificateDaysLow: 14,
  certificateDaysEnd: 3,
  repositoryChunkBytes: 256 * 1_024,
  /** So many bytes pass before the young generation is collected. */
  youngBytes: 8 * 1_024 * 1_024,
  signInPassMs: 24 * 60 * 60_000,
  /** Lines of one page of a person's own activity. */
  activityPageDefault: 50,
  peopleFoundMax: 20,
  groupsFoundMax: 10,
  attachmentTypeCharsMax: 127,
  // HTTP border.
  apiBodyBytesMax: 64 * 1_024,
  /** Body of a submission to the queue: a thousand inputs with long paths, and the longest command. */
  jobBodyBytesMax: 1_024 * 1_024,
  /** A larger body is parsed in a turn of the loop of its own. */
  jsonAtOnceBytesMax: 32 * 1_024,
  /** How long a large body waits for one of the same person; well below `apiBodyMsMax`. */
  jsonLineMsMax: 3_000,
  /** Nothing of ours nests so deep. */
  jsonDepthMax: 64,
  /** Values in a body; the longest list of ours has 10,000 entries. */
  jsonValuesMax: 16_384,
  headerBytesMax: 32 * 1_024,
  headersTimeoutMs: 15_000,
  /** Requests of one connection that are sent before the answers to those before them. */
  pipelinedRequestsMax: 64,
  portalConnectionsMax: 10_000,
  /** Beyond these, a new connection is accepted and an idle one is closed. */
  portalConnectionsSpare: 256,
  /** Shortest time between questions to the kernel about the owners of connections from this machine; they take at most a fifth of the time. */
  connectionOwnersPollMs: 250,
  /** Share of all connections for one address, once half of them are taken. */
  portalConnectionsShareOfAddress: 0.1,
  /** Time for reading the bytes after a refused head, so that the answer arrives. */
  refusedHeadLingerMs: 2_000,
  /** Time that the requests of a portal among others have when it ends, and time between checks of them. */
  drainMsMax: 5_000,
  drainLookMs: 50,
  // Lines between portals. Decision: docs/decisions/0301-lines-between-portals.md
  peerLinesMax: 20_000,
  peerHandshakeMsMax: 3_000,
  /** How long another portal may take for a page of its audit record. */
  peerRecordMsMax: 5_000,
  /** The same for following its chain from the first line to the last. */
  peerVerifyMsMax: 300_000,
  /** The same for bringing a version of a room back: documents are built for it, one after the other. */
  peerRoomMsMax: 120_000,
  /** How long a line of another portal may take to say what it is for. */
  peerQuestionMsMax: 5_000,
  /** Head of a carried upgrade: that of the client, with a space behind each colon. */
  peerHeadBytesMax: 36 * 1_024,
  /** Questions of other portals about the audit record that are answered at a time: each reads up to a day of lines. */
  peerQuestionsMax: 16,
  /** Question of another portal about the audit record; its answer, a page of the longest lines; depth and values of both. */
  peerQuestionBytesMax: 16 * 1_024,
  peerAnswerBytesMax: 9 * 1_024 * 1_024,
  peerJsonDepthMax: 8,
  peerJsonValuesMax: 65_536,
  /** While something is carried: which portals live is asked so often. */
  peerLooksMs: 1_000,
  /** Size of an answer that removes cookies of a parent domain: Chromium takes 256 KiB of head. */
  cookieRemovalBytesMax: 160 * 1_024,
  /** In a minute, of a page that was too large and sees nothing to remove. */
  largeHeadReloadsMax: 8,
  /** So many bytes of small cookies of a request that was too large stay: they may be those of other web pages of the domain. */
  cookieBytesLeft: 2 * 1_024,
  cookieRemovalFoldersMax: 6,
  // Proxy. Decision: docs/decisions/0040-own-upstream-client.md
  proxyPanelLogLines: 40,
  /** Time between log lines about a backend whose answers are refused. */
  badAnswerLogMs: 60_000,
  eventSocketsPerPersonMax: 32,
  eventSocketBufferedBytesMax: 1_024 * 1_024,
  // Portal border. Decision: docs/decisions/0035-http-border.md
  apiBodyMsMax: 10_000,
  portalTcpKeepAliveMs: 60_000,
  portalKeepAliveMs: 75_000,
  /** Time for reading the rest of a request's body after its answer, so that the client can read the answer. */
  leftoverBodyMsMax: 30_000,
  eventPingMs: 25_000,
  /** The events channel says that the portal is there. Pages wait 10 s for it. Decision: docs/decisions/0321-a-portal-that-is-away.md */
  eventBeatMs: 5_000,
  /** A page sends nothing on the events channel. */
  eventSocketFrameBytesMax: 1_024,
  /** A page that does not answer the end of its socket is let go after so long. */
  pageGoodbyeMs: 1_000,
  followsPerPersonMax: 8,
  // Signing in. Decision: docs/decisions/0071-guessing-passwords.md
  signInsMax: 32,
  /** How long an answer to stop or restart waits for the outcome. */
  stopWaitMsMax: 18_000,
  startWaitMsMax: 20_000,
  startPollMs: 100,
  /** An icon whose address names its version. */
  iconKeptMs: 24 * 60 * 60_000,
  /** Elements that an icon draws, each use of one counted. */
  iconElementsMax: 20_000,
  /** A script of an app that the shell runs. Decision: docs/decisions/0204-scripts-in-the-shell.md */
  shellScriptBytesMax: 2 * 1_024 * 1_024,
  /** For the backend to answer with a loader that its package does not hold. */
  loaderMsMax: 5_000,
  staticFileBytesMax: 16 * 1_024 * 1_024,
  logTailLinesDefault: 200,
  eventsPageMax: 1_000,
  /** Windows that the store did not take are counted there again after so long. */
  windowsRetryMs: 5_000,
  /** `GET /api/admin/objects`: an object has up to some ten KiB of details. */
  objectsPageMax: 500,
  metricsAppsMax: 300,
  /** Servers beyond that have no series of their own. */
  metricsServersMax: 100,
  // The queue. Decision: docs/decisions/0211-the-queue.md
  /** Size of an answer with a piece of a log. */
  jobLogPieceBytesMax: 1_024 ** 2,
  /** Longest time between looks at a log that is followed over the control socket. */
  jobLogLookMs: 2_000,
  /** The list of outputs that a wrapper sends: of a thousand, each byte of a path as three. */
  jobListBytesMax: 4 * 1_024 ** 2,
  jobReportBytesMax: 4 * 1_024,
  /** How long a question for news may be held. */
  jobHoldSecondsMax: 30,
  // The control socket. Decision: docs/decisions/0152-the-control-socket.md
  controlPeerMsMax: 30_000,
  controlPeerParentsMax: 64,
  // Files of people, where a page says nothing, and at most. Decision: docs/decisions/0219-files-of-a-person.md
  filesPageDefault: 500,
  trashPageMax: 5_000,
  fileWorkHoldSecondsMax: 30,
  watchedFoldersMax: 32,
} as const;
