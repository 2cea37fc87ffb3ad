/**
 * Limits of rules 8, and limits that two sides share. Every other one is in the `limits.ts` of the folder that uses it; docs/limits.md is the table
 * of those that somebody outside meets. Names end with their unit. Where the spec gives none, a limit is what a reasonable app needs, times ten. Anything over a limit is
 * refused with the limit in the message.
 */
export const limits = {
  // Start and probe. Source: rules 3.2 and 8.
  probeAttemptsMax: 15,
  probeIntervalMs: 1_000,
  probeTimeoutMs: 5_000,
  navigationHoldMsMax: 20_000,
  // Windows. Source: rules 3.3 and 8.
  lastWindowGraceMs: 120_000,
  idleMinutesMin: 1,
  idleMinutesMax: 9_999,
  proxyIdleConnectionMsMax: 600_000,
  // Supervision. Source: rules 3.3 and 8.
  supervisorScanMs: 10_000,
  restartBackoffMsMax: 60_000,
  restartFailuresMax: 5,
  failureResetMs: 600_000,
  // The loop.
  resyncMs: 10_000,
  // Files.
  manifestBytesMax: 256 * 1_024,
  yamlFileBytesMax: 4 * 1_024 * 1_024,
  yamlFilesMax: 4_096,
  /** The file that the desktop writes: it is parsed whole, on the loop that serves everybody, for each change. */
  ownFileBytesMax: 256 * 1_024,
  ownFileDocumentsMax: 1_000,
  /** Objects and lists inside one another, in manifests and desired documents. */
  documentDepthMax: 64,
  documentsMax: 50_000,
  /** Servers that one Package document names; `all` names as many as there are. */
  packageServersMax: 1_024,
  /** Groups that a Package document names. */
  packageGroupsMax: 64,
  /** Repositories of a portal: each is read for every look at the shop. */
  repositoriesMax: 16,
  /** `maximo` of a Package document: the longest time that it may give a backend. */
  packageRunMsMax: 365 * 24 * 60 * 60_000,
  /** Values of a claim that make somebody one of a People document. */
  peopleValuesMax: 256,
  /** status.json, run.pid, marker and the like: what we write stays far below. */
  accountFileBytesMax: 1_024 * 1_024,
  /** Size of a value as UTF-8; far below the kernel's bound for a variable. Decision: docs/decisions/0075-the-vault.md */
  secretValueBytesMax: 8 * 1_024,
  secretDescriptionCharsMax: 1_000,
  /** The work that keeps an app busy, in its own words (`ocupadoPor` in /saude). */
  busyCharsMax: 200,
  logTailLinesMax: 10_000,
  logTailBytesMax: 1_024 * 1_024,
  /** A line of ours in the log of an app, of what the shell saw. */
  logNoteCharsMax: 500,
  packageBytesMax: 512 * 1_024 * 1_024,
  packageEntriesMax: 50_000,
  packageTarballBytesMax: 512 * 1_024 * 1_024,
  // Archives. Decision: docs/decisions/0050-own-tar-reader.md
  engineTarballBytesMax: 64 * 1_024 ** 3,
  /** Size of a file of a package that the portal serves itself: an icon, a settings script. */
  packageFileBytesMax: 4 * 1_024 * 1_024,
  // Repository. Decision: docs/decisions/0055-repository-on-disk.md
  /** Length of a version, which is a file name together with its suffix. */
  repositoryNameCharsMax: 128,
  /** The text of a signature; minisign writes some 400 bytes. */
  signatureBytesMax: 2_048,
  novidadesCharsMax: 8 * 1_024,
  catalogueBytesMax: 64 * 1_024 * 1_024,
  packageRecordBytesMax: 512 * 1_024,
  /** The schema of `svc-app.json`, of any version. */
  publishedSchemaBytesMax: 1_024 * 1_024,
  /** sun_path holds 108 bytes with the closing NUL. */
  socketPathBytesMax: 107,
  /** `/home/` and the 32 characters of a Linux account: below a longer home the longest ids don't start. */
  accountHomeBytesMax: 38,
  /** The room that remains in `<home>/.svc-apps/<id>/app.sock`; a DNS label has more. Decision: docs/decisions/0190-one-bound-for-an-app-id.md */
  appIdCharsMax: 49,
  // Supervisor socket.
  supervisorLineBytesMax: 1_024 * 1_024,
  // Servers over ssh. Decision: docs/decisions/0086-one-connection-per-account.md
  accountObserveMsMax: 20_000,
  // HTTP border.
  trustedProxiesMax: 64,
  /** Folders that a local cluster shows to its jobs. */
  clusterReadableMax: 64,
  // Portal border. Decision: docs/decisions/0035-http-border.md
  /** Entries of a list or table of a person's preferences. */
  preferenceEntriesMax: 200,
  preferenceWindowsMax: 64,
  /** Folders that a person keeps in the sidebar of the file manager. */
  preferenceFoldersMax: 64,
  preferencesBytesMax: 48 * 1_024,
  /** Changes of one person, from all pages. */
  preferenceChangesBurst: 200,
  preferenceChangeRefillMs: 500,
  windowsPerPageMax: 1_000,
  // Signing in. Decision: docs/decisions/0071-guessing-passwords.md
  loginCharsMax: 128,
  passwordCharsMax: 1_024,
  signInBusyRetryMs: 2_000,
  /** Longest life of a one-time link that an administrator makes. */
  linkHoursMax: 168,
  // Passkeys. Decision: docs/decisions/0384-passkeys.md
  passkeyNameCharsMax: 64,
  /** Id of a credential: 1,023 bytes (WebAuthn 5.1). */
  passkeyIdCharsMax: 1_364,
  passkeyAttestationCharsMax: 16_384,
  // Rooms. Source: rules 8. Decision: docs/decisions/0095-who-is-in-a-room.md
  roomNameCharsMax: 120,
  roomTicketMs: 60_000,
  /** So much the clocks of two portals of one store may differ. Decision: docs/decisions/0300-sealed-tickets.md */
  portalsSkewMsMax: 10_000,
  searchCharsMax: 100,
  noticesPerPersonMax: 500,
  noticeRecipientsMax: 100,
  // The relay of rooms. Decision: docs/decisions/0090-rooms-are-logs.md
  roomFrameBytesMax: 1_024 * 1_024,
  /** Contents that an update may declare; no editor makes more. */
  roomUpdateStructsMax: 200_000,
  roomUpdateClientsMax: 20_000,
  roomUpdateDocumentsMax: 1_000,
  roomValueDepthMax: 64,
  // Installer. Decision: docs/decisions/0060-versions-side-by-side.md
  /** Slower than this for so long counts as cut, in both directions. */
  transferBytesPerSecondMin: 1_024,
  transferSlowMsMax: 60_000,
  serverScopeIdCharsMax: 27,
  /** A server-scope app has to be on its socket within this, beside its set-up. Decision: docs/decisions/0067-server-scope-apps.md */
  serviceSocketMsMax: 60_000,
  // The queue. Decision: docs/decisions/0211-the-queue.md
  /** Number of inputs, and of outputs, of a job. */
  jobFilesMax: 1_000,
  /** Size of a word of a command, or of a value of its environment. */
  jobWordBytesMax: 16 * 1_024,
  jobFileBytesMax: 16 * 1_024 ** 3,
  // Manifests. Source: rules 2.1, 2.4, 2.5 and 8.
  ownFileTypesMax: 32,
  /** Without the dot: a file name has 255 bytes, and one character and a dot come before. */
  fileExtensionCharsMax: 253,
  /** Length of the type, and of the subtype. Source: RFC 6838 4.2. */
  mediaTypeSideCharsMax: 127,
  /** Source: RFC 1035 2.3.4. */
  linkHostCharsMax: 253,
  contextMenuItemsMax: 8,
  badgeContrastMin: 4.5,
  ownFileTypeNameCharsMax: 60,
  menuLabelCharsMax: 48,
  menuOrderMin: 0,
  menuOrderMax: 999,
  menuOrderDefault: 100,
  offerLabelCharsMax: 60,
  extensionReasonCharsMax: 120,
  // The catalogue of extensions. Decision: docs/decisions/0206-extension-catalogue.md
  extensionsMax: 500,
  extensionsBytesMax: 512 * 1_024,
  extensionIdCharsMax: 64,
  extensionNameCharsMax: 60,
  extensionAddressCharsMax: 2_048,
  // Pictures and documentation of an app in the shop. Decision: docs/decisions/0451-pages-of-the-shop.md
  shopPageBytesMax: 16 * 1_024,
  shopPicturesMax: 6,
  shopPictureBytesMax: 512 * 1_024,
  shopPictureSideMax: 4_096,
  shopPictureTextCharsMax: 200,
  shopPagesBytesMax: 16 * 1_024 * 1_024,
  windowWidthMin: 200,
  windowHeightMin: 150,
  windowSideMax: 10_000,
  windowFloorWidth: 400,
  windowFloorHeight: 300,
  engineBytesMin: 1,
  objectNameCharsMax: 63,
  /** Servers of one PostgreSQL that the store names. */
  storeHostsMax: 8,
  clustersMax: 32,
  // Metrics of apps. Source: rules 8. Decision: docs/decisions/0213-metrics-of-apps.md
  metricLabelsMax: 5,
  metricSeriesPerAppMax: 300,
  /** Entries of a batch, of each kind; the limits of api/app-metrics judge what the border lets in. */
  metricEntriesMax: 400,
  metricTextCharsMax: 512,
  metricStackCharsMax: 4_096,
  // Files of people. Source: PATH_MAX and NAME_MAX of Linux. Decision: docs/decisions/0219-files-of-a-person.md
  filePathBytesMax: 4_095,
  fileNameBytesMax: 255,
} as const;
