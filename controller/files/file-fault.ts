/** Errors of a server's kernel, and their messages for people. */
import { SvcError, type ErrorCode } from '../../schema/errors.ts';
import { shownName } from '../../schema/wire/file-path.ts';

export class FileFault extends Error {
  /** ENOENT, EACCES, … `EFAIL`: a server that says no more than that it did not work. */
  readonly errno: string;
  /** The path that the error concerns, where that is a part of the request. */
  readonly path: Buffer | null;

  constructor(errno: string, { path = null, ...options }: ErrorOptions & { readonly path?: Buffer | null } = {}) {
    super(errno, options);
    this.name = 'FileFault';
    this.errno = errno;
    this.path = path;
  }
}

export function isFault(error: unknown, ...errnos: readonly string[]): boolean {
  return error instanceof FileFault && (errnos.length === 0 || errnos.includes(error.errno));
}

export const isMissing = (error: unknown): boolean => isFault(error, 'ENOENT', 'ENOTDIR');

const words: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ['NOT_FOUND', 'there is no such file'],
  ENOTDIR: ['NOT_FOUND', 'what should be a folder on the way is none'],
  EACCES: ['FILE_REFUSED', 'the account may not do this'],
  EPERM: ['FILE_REFUSED', 'the account may not do this'],
  EROFS: ['FILE_REFUSED', 'the file system is read-only'],
  EEXIST: ['FILE_EXISTS', 'something of that name is there already'],
  ENOTEMPTY: ['FILE_EXISTS', 'the folder is not empty'],
  EISDIR: ['FILE_KIND', 'it is a folder'],
  ELOOP: ['FILE_KIND', 'its links lead in a circle'],
  EXCHANGED: ['FILE_CHANGED', 'somebody exchanged it for something else meanwhile'],
  ELINK: ['FILE_REFUSED', 'it is a link of another account, and on the way: go to where it leads'],
  EMANY: ['TOO_LARGE', 'it holds more than is worked on at once'],
  EREAD: ['FILE_UNREADABLE', 'its content can not be read'],
  EKIND: ['FILE_KIND', 'it is no plain file'],
  EINSIDE: ['FILE_INSIDE', 'it would go into itself'],
  ETRASH: ['FILE_INSIDE', 'the trash is in it, or it is in the trash'],
  ENOSPC: ['DISK_FULL', 'the disk is full'],
  EDQUOT: ['QUOTA_USED', 'the quota of the account is used up'],
  EFBIG: ['TOO_LARGE', 'the file is larger than the file system takes'],
  ENAMETOOLONG: ['FILE_NAME_REFUSED', 'the name is longer than the file system takes'],
  EINVAL: ['FILE_NAME_REFUSED', 'the file system does not take such a name'],
  ETXTBSY: ['FILE_REFUSED', 'a program of that file runs'],
  EBUSY: ['FILE_REFUSED', 'the system uses it'],
};

/** With the name of the file, never with its path: messages may be logged. */
export function codedFault(error: unknown, path: Uint8Array | null): unknown {
  if (!(error instanceof FileFault)) return error;
  const [code, text] = words[error.errno] ?? (['FILE_FAILED', `the server could not do it (${error.errno})`] as const);
  const cause = error.errno === 'EREAD' && error.cause instanceof FileFault ? ` (${error.cause.errno})` : '';
  const named = error.path ?? path;
  const name = named === null ? '' : shownName(named.subarray(named.lastIndexOf(0x2f) + 1));
  return new SvcError(code, (name === '' ? text : `${JSON.stringify(name)}: ${text}`) + cause, {}, { cause: error });
}
