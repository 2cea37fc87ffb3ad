/** Limits of the ways to a server: the local one, ssh, the doors of accounts. */
export const limits = {
  /** Files of an engine on this machine that are checked in each pass. */
  engineFilesMax: 5_000,
  /** How long an observation of home folders and of the kit serves requests of people. */
  whereaboutsMs: 60_000,
  /** How long one listing of a server's packages serves the observations of its people. */
  systemListingMs: 1_000,
  supervisorStartMsMax: 15_000,
  dialMsMax: 5_000,
  /** How long a server may take to say whether it wants the password changed first. */
  passwordExpiryMsMax: 5_000,
  /** Length of a server's message about a password. */
  passwordTextCharsMax: 400,
  /** How long a root phase, a download and the rest of one installation may take before the portal gives up waiting. */
  installMsMax: 2 * 60 * 60_000,
  // Servers over ssh. Decision: docs/decisions/0086-one-connection-per-account.md
  sshConnectMsMax: 10_000,
  sshKeepAliveMs: 10_000,
  /** A server that let so many go by without an answer is gone. */
  sshKeepAlivesMissedMax: 2,
  /** sshd opens 10 (MaxSessions); some are left for administrators. */
  sshSessionsPerConnectionMax: 6,
  sshSessionsWaitingMax: 256,
  sshSessionWaitMsMax: 10_000,
  /** Until the login shell of an account has read its start-up files and runs a command. */
  shellBeginMsMax: 15_000,
  /** Bytes that start-up files may print before the command; their lines count more, as those of commands do. */
  shellPrintedBytesMax: 256 * 1_024,
  /** And where it is asked only whether it would. */
  shellAskMsMax: 3_000,
  /** Deadline for finding out why an account has no room for a file. */
  whyNoRoomMsMax: 15_000,
  /** Attributes of a tree that was copied, by a command. */
  keepAttributesMsMax: 60_000,
  /** sshd begins to drop at 10 (MaxStartups). */
  sshHandshakesPerServerMax: 6,
  /** Bytes of the read buffer that all connections share. Measured: less costs more reads and writes a megabyte, more brings nothing. */
  sshReadBufferBytes: 512 * 1_024,
  /** The first pause after a failure, and the longest: shorter than a scan. */
  sshReconnectMs: 250,
  sshReconnectMsMax: 5_000,
  /** Each attempt on a socket that nothing listens on is a line in the server's log. */
  supervisorDialMs: 50,
  /** A connection that was refused is tried once more after so long before the server is said to take none. */
  sshDoorAgainMs: 1_000,
  sshIdleMsMax: 10 * 60_000,
  remoteLineBytesMax: 2 * 1_024 * 1_024,
  remoteOutputBytesMax: 64 * 1_024 * 1_024,
  /** Cost of a line beside its bytes: a million of empty ones are as much as may come. */
  remoteLineCostBytes: 64,
  /** Deadline of a whole observation of a server, and of one account's part in it. */
  serverObserveMsMax: 60_000,
  /**
   * The process of a person under a root portal (decision 0151): timeout of a request, idle time before it ends, pause between two starts.
   */
  doorListWaitMs: 2_000,
  doorIdleMs: 120_000,
  doorRestartMsMin: 1_000,
  /** A line that svc-app-install prints when it runs as another account. */
  installerLineBytesMax: 1_024 * 1_024,
  packageFilesCacheBytesMax: 16 * 1_024 * 1_024,
  /** The line in which the program that holds a local pty says how the shell ended. */
  shellEndCharsMax: 1_024,
} as const;
