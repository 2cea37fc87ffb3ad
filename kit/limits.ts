/** Limits of the programs on a server that more than one of them has. */
export const limits = {
  /** A folder of packages with more entries than this is read whole at each listing. */
  stampedEntriesMax: 200_000,
  /** Engines with more files are checked as a folder only. */
  sealedFilesMax: 5_000,
  /** A home that does not answer within this time is left out of the listing. */
  homeAnswerMsMax: 3_000,
  /** Lines of the packages that a person put into their own folder, which they may have written themselves: less than the one line that a portal takes. */
  accountListBytesMax: 1_536 * 1_024,
  /** Cost of a line beside its bytes. */
  listLineCostBytes: 64,
  /** The same of all people together; a portal takes 64 MiB of a server's lines, and would know nothing of it beyond. */
  ownListsBytesMax: 48 * 1_024 * 1_024,
  /** Depth of the state of a server-scope app when its owner changes: each level holds a descriptor. */
  stateDepthMax: 256,
  serviceManagerMsMax: 60_000,
  /** The service manager of a person takes the ceilings of their slice, at each start of an app. */
  sliceMsMax: 5_000,
  /** So many entries of a package are listed without leaving the thread. See kit/launch/package-hash-cache.ts. */
  packageListedAtOnceMax: 64,
  // Files.
  envFileBytesMax: 64 * 1_024,
  envEntriesMax: 512,
  secretsFileBytesMax: 256 * 1_024,
  /** Size of an attribute of /sys, and number of the cards of a server. */
  gpuAttributeBytesMax: 4_096,
  gpuDevicesMax: 64,
  gpuLeaseMsMax: 2_000,
  /** A check whether a card is free holds its lock for a moment: a launch that takes it waits that long. */
  gpuLeaseWaitMsMax: 300,
  /**
   * A server-scope app that needs a card waits so long for a taken one before its unit starts it anew, and asks so often. Five such waits are
   * longer than the window in which the service manager counts starts.
   */
  gpuServiceWaitMsMax: 150_000,
  gpuServiceAskMs: 5_000,
  runLogBytesMax: 16 * 1_024 * 1_024,
  /** How much of a run.log over the limit is kept, and how soon after a write its size is checked. */
  runLogKeptBytes: 1_024 * 1_024,
  installCommandMsMax: 15 * 60_000,
} as const;
