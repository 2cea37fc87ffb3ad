/** Limits of the service of files. Decision: docs/decisions/0219-files-of-a-person.md */
export const limits = {
  // Traffic of a line to a server, or to the process of an account (sftp/).
  /** Bytes of an incoming packet: OpenSSH sends 256 KiB and a head at most. */
  sftpPacketBytesMax: 256 * 1_024 + 1_024,
  /** Bytes of a single read or write; a server that announces less is asked for less. */
  filePieceBytesMax: 255 * 1_024,
  /** The same where a server says nothing (draft-ietf-secsh-filexfer-02, 3). */
  filePieceBytesDefault: 32 * 1_024,
  /** On their way at once, in one transfer: the window of sshd's channel. */
  transferWindowBytes: 2 * 1_024 * 1_024,
  /** Size from which a copy reads a file without its holes; smaller ones are read with them. */
  sparseFileBytesMin: 16 * 1_024 * 1_024,
  sftpRequestsMax: 4_096,
  /** Entries of one answer to a question for names. */
  sftpNamesMax: 4_096,
  /** A name of 255 characters, as the file systems of other systems have them. */
  nameBytesMax: 1_024,
  /** Answers of a server that hold no name, one after the other, before a folder counts as one that never ends. */
  sftpEmptyAnswersMax: 16,
  /** Files that a server's process has open before anything was asked for. */
  sftpDescriptorsMax: 1_024,
  /** A line without a question for so long is closed. */
  sftpIdleMs: 60_000,
  sftpAnswerMsMax: 60_000,
  /** Until the other side of a new line says which SFTP it speaks. */
  sftpGreetMsMax: 15_000,
  /** Between two starts of the process that acts as an account. */
  accountFilesRestartMsMin: 1_000,
  /** Threads of that process: so many calls of the kernel may hang before others wait. */
  accountFilesThreads: 16,
  /** A folder that is copied holds two for each folder that it is in. */
  serverHandlesMax: 2_048,
  // Listing.
  listEntriesMax: 200_000,
  listPageMax: 5_000,
  /** Entries from which a folder counts as large: a person has one such read at once; further ones wait. */
  largeFolderEntries: 2_000,
  /** Between two of them, where further ones wait. */
  largeFolderRestMsMax: 1_000,
  /** An answer of more of them has a turn of the loop of its own. */
  itemsAtOnceMax: 500,
  /** Links whose targets are read before the listing is sorted; with more, only those of a page are. */
  listLinksMax: 1_000,
  /** Listings that are kept for further pages, of one person, and how long. */
  listingsKeptMax: 8,
  listingKeptMs: 120_000,
  /** Memory of an entry beside its name. */
  listingEntryBytes: 300,
  /** Names of one listing, and of a trash; the entries behind are left out. */
  listingNameBytesMax: 16 * 1_024 ** 2,
  /** Memory of those of one person, some 50,000 entries; the last one stays, however long it is. */
  listingBytesOfPersonMax: 20 * 1_024 ** 2,
  /** Memory of all listings that are kept, of all people: more than the largest one. */
  listingBytesKeptMax: 128 * 1_024 ** 2,
  /** The loop gives way to other work after so long. */
  filesSliceMs: 8,
  // Content.
  /** A file up to this size has a digest of its bytes for an ETag, a larger one its size and time. */
  digestTagBytesMax: 4 * 1_024 * 1_024,
  // Uploads in pieces, of one person.
  uploadsPerPersonMax: 64,
  uploadIdleMs: 24 * 60 * 60_000,
  // Work that goes on: copies, moves, removals.
  operationsPerPersonMax: 8,
  operationsKeptMax: 64,
  operationKeptMs: 60 * 60_000,
  /** Folders in folders. */
  treeDepthMax: 512,
  /** Files and folders of one copy, move or removal, and of one that is compared. */
  treeEntriesMax: 1_000_000,
  /** Entries of a folder that is removed, held at once. */
  removeEntriesHeldMax: 4_096,
  /** Errors that one operation reports. */
  operationErrorsMax: 100,
  /** Abandoned uploads that are removed at one listing. */
  leftoversAtOnceMax: 100,
  // A zip of files and folders: entries of one, and those that it tells by name as left out.
  zipEntriesMax: 200_000,
  zipToldMax: 1_000,
  // Unpacking: an archive may grow to so many times its size, and in any case to so many bytes.
  unpackEntriesMax: 200_000,
  unpackRatioMax: 250,
  unpackFreeBytes: 256 * 1_024 * 1_024,
  unpackLinkBytesMax: 4_096,
  /** Bytes of an extension header of a tar (pax, GNU's long names), which is held whole. */
  unpackHeaderBytesMax: 64 * 1_024,
  /**
   * The window of a zstd is held whole: 2 to the power of that. Its standard asks a reader for as much; `zstd --ultra` and `--long` may
   * want more.
   */
  unpackWindowLogMax: 23,
  /** Bytes of a zip that are read in one go for its headers. */
  unpackWindowBytes: 64 * 1_024,
  /** Files from this size on are only begun where they fit. */
  unpackSpaceBytes: 1_024 * 1_024,
  // Search, watching.
  searchResultsMax: 2_000,
  searchEntriesMax: 1_000_000,
  searchMsMax: 60_000,
  watchPollMs: 2_000,
  watchEntriesMax: 10_000,
  /** Bytes of ~/.config/user-dirs.dirs. */
  userDirsBytesMax: 64 * 1_024,
  // The trash.
  trashEntriesMax: 100_000,
  trashInfoBytesMax: 64 * 1_024,
  /** Names that are tried until one is free. */
  freeNamesMax: 10_000,
} as const;
