/**
 * controller/files/: the files of people. A `FileSystem` does what the kernel lets an account do, by paths as bytes: over SFTP as an
 * account of another machine (sftp/), or on this one by a process of its own (account-files.ts) that became an account or has the portal's:
 * it speaks SFTP as well, and answers by Node's fs (node-file-system.ts). The operations of people are built on it in service.ts. Decision:
 * docs/decisions/0219-files-of-a-person.md
 */
export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly bytes: number;
  /** Permission bits. */
  readonly mode: number;
  /** Whole seconds over SFTP. */
  readonly modifiedMs: number;
  /** When anything of it changed last, which no program sets as it likes; null: unknown, as over OpenSSH. */
  readonly changedMs: number | null;
  readonly uid: number;
}

export interface FileEntry extends FileFacts {
  readonly name: Buffer;
}

export interface Space {
  readonly totalBytes: number;
  /** For the account. */
  readonly freeBytes: number;
  /** As many as there can be numbers, where the file system keeps no count. */
  readonly freeFiles: number;
  /** Tells file systems apart; '' where nothing does. */
  readonly device: string;
}

export interface OpenFile {
  facts(): Promise<FileFacts>;
  /** At most `length` bytes, in pieces; fewer when the server says so; none at the end. */
  read(at: number, length: number): Promise<readonly Buffer[]>;
  /** All of them, one after the other; one write, where they are no more than `pieceBytes`. The bytes may be changed once it resolved. */
  write(at: number, pieces: readonly Uint8Array[]): Promise<void>;
  /** On the disk. */
  sync(): Promise<void>;
  setMode(mode: number): Promise<void>;
  setModified(ms: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * `create`: a new file, never one that is there; `write`: one that is there, as it is. With `-itself` never through a link as the last name: `EXCHANGED` where
 * one is there.
 */
export type OpenHow = 'read' | 'create' | 'write' | 'read-itself' | 'write-itself';

/** A folder that is open: it stays the same one, whatever others do with its path. */
export interface HeldFolder {
  /** For calls of the same PinnedFileSystem; a name behind it is looked up in the folder itself (`/proc/self/fd/N`, which is openat). */
  readonly path: Buffer;
  close(): Promise<void>;
}

export type KeptAttributes = 'file' | 'tree' | 'holes';

/** Every call rejects with a `FileFault`, or with an SvcError when the server is not reached. */
export interface FileSystem {
  /** Bytes of a single read or write. */
  readonly pieceBytes: () => number;
  /** Without `.` and `..`, in pieces, in no order. */
  list(folder: Buffer): AsyncIterable<readonly FileEntry[]>;
  /** Facts of a link's target. */
  stat(path: Buffer): Promise<FileFacts>;
  lstat(path: Buffer): Promise<FileFacts>;
  realpath(path: Buffer): Promise<Buffer>;
  readLink(path: Buffer): Promise<Buffer>;
  open(path: Buffer, how: OpenHow, mode?: number): Promise<OpenFile>;
  makeFolder(path: Buffer, mode: number): Promise<void>;
  removeFolder(path: Buffer): Promise<void>;
  removeFile(path: Buffer): Promise<void>;
  /** Takes the place of a file that is there, or of an empty folder. */
  rename(from: Buffer, to: Buffer): Promise<void>;
  /** Another name of a file, never in place of one that is there. */
  link(from: Buffer, to: Buffer): Promise<void>;
  symlink(target: Buffer, path: Buffer): Promise<void>;
  setMode(path: Buffer, mode: number): Promise<void>;
  setModified(path: Buffer, ms: number): Promise<void>;
  /**
   * Gives `to` the mode, group, ACL and extended attributes of `from`, as far as the account may (kept-attributes.ts). `tree`: and its times, and the
   * same of all that is in it, with second names and links. `holes`: the bytes alone, into a file that is there, when less than half of them is on the
   * disk. Both in held folders, that of `to` nobody else's (private-folder.ts). False: not all of it, or the server can't be asked.
   */
  keepAttributes(from: Buffer, to: Buffer, what: KeptAttributes): Promise<boolean>;
  /** Makes renames into the folder survive a power cut. Servers that don't support it do nothing. */
  syncFolder(path: Buffer): Promise<void>;
  space(path: Buffer): Promise<Space>;
  /** The same files over one line: when it breaks, every call fails, since a held folder would be another one on the next line. */
  pinned(): Promise<PinnedFileSystem>;
  close(): Promise<void>;
}

/** Decision: docs/decisions/0371-folders-are-held.md */
export interface PinnedFileSystem extends FileSystem {
  /** User id of the account; null: unknown. */
  readonly uid: number | null;
  /** `refuse`: the last name is no link, and the name before it a held folder; rejects EXCHANGED else. */
  hold(path: Buffer, link: 'follow' | 'refuse'): Promise<HeldFolder>;
  /** Releases the line; held folders and files are closed by it. */
  release(): void;
}

export const joined = (folder: Buffer, name: Uint8Array): Buffer =>
  folder.length === 1 ? Buffer.concat([folder, name]) : Buffer.concat([folder, Buffer.from('/'), name]);

export function parentOf(path: Buffer): Buffer {
  const at = path.lastIndexOf(0x2f);
  return at <= 0 ? Buffer.from('/') : path.subarray(0, at);
}

export const nameOf = (path: Buffer): Buffer => path.subarray(path.lastIndexOf(0x2f) + 1);

/** Whether `path` is the folder, or lies in it. */
export function isWithin(path: Buffer, folder: Buffer): boolean {
  if (folder.length === 1) return true;
  return path.subarray(0, folder.length).equals(folder) && (path.length === folder.length || path[folder.length] === 0x2f);
}

/** A file system that makes inodes as they are needed (btrfs) says that there are none at all: that is no full one. */
export const freeFilesOf = (files: number, free: number): number => (files === 0 ? Number.MAX_SAFE_INTEGER : free);
