/**
 * How the api reaches the files of a person: the controller does it as the person's own account. Paths are bytes that the border checked
 * (wire/file-path.ts). Every call rejects with a coded SvcError: FILE_REFUSED, NOT_FOUND, FILE_KIND, DISK_FULL, …, or that the server is not
 * reached. Decision: docs/decisions/0219-files-of-a-person.md
 */
import type { FileItem, ListAnswer, PlacesAnswer, SpaceAnswer, fileOrders } from './wire/files.ts';

export type FilePath = Uint8Array;
export type FileOrder = (typeof fileOrders)[number];
export interface ListOptions {
  readonly order: FileOrder;
  readonly reverse: boolean;
  readonly hidden: boolean;
  /** Folders among files; else they come first. */
  readonly mixed: boolean;
  readonly from: number;
  readonly limit: number;
  /** Of the listing that this is a page of; null: it is read anew. */
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

export interface PersonFiles {
  readonly account: string;
  places(): Promise<PlacesAnswer>;
  list(folder: FilePath, options: ListOptions): Promise<ListAnswer>;
  item(path: FilePath): Promise<FileItem>;
  space(path: FilePath): Promise<SpaceAnswer>;
  open(path: FilePath): Promise<FileContent>;
}

export interface FilesCommands {
  /** Rejects NO_OWN_ACCOUNT where the files would be those of a portal that is root, unless `isAdmin`. */
  of(usuario: string, isAdmin: boolean): Promise<PersonFiles>;
}
