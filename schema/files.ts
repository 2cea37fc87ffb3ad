/**
 * How the api reaches the files of a person: the controller does it as the person's own account. Paths are bytes that the border checked
 * (wire/file-path.ts). Every call rejects with a coded SvcError: FILE_REFUSED, NOT_FOUND, FILE_KIND, DISK_FULL, …, or that the server is not
 * reached. Decision: docs/decisions/0219-files-of-a-person.md
 */
import type {
  FileItem,
  ListAnswer,
  OperationBody,
  OperationView,
  PlacesAnswer,
  SearchLine,
  SpaceAnswer,
  TrashAnswer,
  UploadAnswer,
  UploadEndAnswer,
  WatchLine,
  WrittenAnswer,
  fileOrders,
} from './wire/files.ts';

export type FilePath = Uint8Array;
export type FileOrder = (typeof fileOrders)[number];
/** The action on a name that is taken. */
export type Conflict = 'recusar' | 'substituir' | 'renomear' | 'pular';

export interface ListOptions {
  readonly order: FileOrder;
  readonly reverse: boolean;
  readonly hidden: boolean;
  /** Folders among files; else they come first. */
  readonly mixed: boolean;
  readonly from: number;
  readonly limit: number;
  /** It begins at the first entry from `from` on, and then from the first of all, whose name begins so; null: at `from`. */
  readonly prefix: string | null;
  /** Version of the listing that this page belongs to; null reads the folder anew. */
  readonly version: string | null;
}

/** Closed by who opened it. */
export interface FileContent {
  readonly bytes: number;
  readonly modifiedMs: number;
  /** With its quotes, strong. */
  readonly etag: string;
  /** `end` is the last byte. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface WriteCondition {
  /** As If-Match says it; null: none. */
  readonly matches: string | null;
  /** There must be none: If-None-Match: *. */
  readonly isNew: boolean;
  /** The number that is announced; null: not known. */
  readonly bytes: number | null;
}

export interface UploadOrder {
  readonly path: FilePath;
  readonly bytes: number;
  readonly conflict: Conflict;
  /** Continues an upload that the portal has forgotten from the bytes that are there. */
  readonly resume: string | null;
}

export interface PersonFiles {
  readonly account: string;
  places(): Promise<PlacesAnswer>;
  /** The folder of the desktop, by its exact path; null: there is none. */
  deskFolder(): Promise<string | null>;
  list(folder: FilePath, options: ListOptions): Promise<ListAnswer>;
  item(path: FilePath): Promise<FileItem>;
  space(path: FilePath): Promise<SpaceAnswer>;
  open(path: FilePath): Promise<FileContent>;
  search(folder: FilePath, text: string, hidden: boolean, signal: AbortSignal): AsyncIterable<SearchLine>;
  /** Streams a ZIP of files and folders; rejects before the first byte when one of them is not there. */
  zip(paths: readonly FilePath[], signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** `version`: of the listing from which on changes are reported; null: from now on. */
  watch(
    folders: readonly { readonly path: FilePath; readonly version: string | null }[],
    signal: AbortSignal,
  ): AsyncIterable<WatchLine | null>;
  write(path: FilePath, body: AsyncIterable<Uint8Array>, condition: WriteCondition): Promise<WrittenAnswer>;
  makeFolder(path: FilePath): Promise<FileItem>;
  rename(path: FilePath, name: Uint8Array): Promise<FileItem>;
  beginUpload(order: UploadOrder): Promise<UploadAnswer>;
  seeUpload(id: string): Promise<UploadAnswer>;
  /** Rejects CONFLICT with `recebidos` when it is not the next piece. */
  putPiece(id: string, from: number, body: AsyncIterable<Uint8Array>): Promise<UploadAnswer>;
  endUpload(id: string, sha256: string | null): Promise<UploadEndAnswer>;
  dropUpload(id: string): Promise<void>;
  begin(order: OperationBody): Promise<OperationView>;
  operations(): readonly OperationView[];
  /** Waits until it changed, at most so long. */
  operation(id: string, waitMs: number, signal: AbortSignal): Promise<OperationView>;
  cancel(id: string): OperationView;
  trash(from: number, limit: number): Promise<TrashAnswer>;
}

export interface FilesCommands {
  /** Rejects NO_OWN_ACCOUNT where the files would be those of a portal that is root, unless `isAdmin`. */
  of(usuario: string, isAdmin: boolean): Promise<PersonFiles>;
}
