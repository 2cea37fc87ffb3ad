/** Limits of the ways to a server: the local one, ssh, the doors of accounts. */
export const limits = {
  /** Homes of accounts and the kit of a server, as a look saw them, are believed for so long by who clicks. */
  whereaboutsMs: 60_000,
  /** How long one listing of a server's packages serves the looks at its people. */
  systemListingMs: 1_000,
  supervisorStartMsMax: 15_000,
  dialMsMax: 5_000,
  /** How long a server may take to say whether it wants the password changed first. */
  passwordExpiryMsMax: 5_000,
  /** Of what a server says about a password. */
  passwordTextCharsMax: 400,
  /** How long a root phase, a download and the rest of one installation may take before the portal gives up waiting. */
  installMsMax: 2 * 60 * 60_000,
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
  serverObserveMsMax: 60_000,
  /** A person's process of a portal that is root (decision 0151): how long a look waits for it, unused until it ends, between two starts. */
  doorListWaitMs: 2_000,
  doorIdleMs: 120_000,
  doorRestartMsMin: 1_000,
  /** A line of what svc-app-install tells, run as another account. */
  installerLineBytesMax: 1_024 * 1_024,
  packageFilesCacheBytesMax: 16 * 1_024 * 1_024,
} as const;
