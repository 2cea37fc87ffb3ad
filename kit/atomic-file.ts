/**
 * Files that hold either the old or the new content, never a part of either, also after a kill. Other processes of the account may put
 * something else under these names: a folder in the way is moved aside, never deleted, and a pipe or device is never waited for.
 */
import { closeSync, constants, fsyncSync, lstatSync, openSync, renameSync, unlinkSync, writeSync, type Stats } from 'node:fs';
import { limits } from '../schema/limits.ts';
import { readPlainFileSync } from '../schema/plain-file.ts';
import { errorCode } from '../schema/system-error.ts';

interface Options {
  readonly mode?: number;
  /** Survives a power cut: for the person's desired state. Files that die with the boot (pid, marker, status) do not need it. */
  readonly durable?: boolean;
}

/** A pipe in its place is an error, not a wait. */
const writing = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK;

/** The temporary name holds a '.', the pid and no app id, so a leftover of a killed process is overwritten or ignored. */
export function writeFileAtomic(path: string, text: string, options: Options = {}): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const fd = openSync(temporary, writing, options.mode ?? 0o600);
  try {
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      if (options.durable === true) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameOver(temporary, path);
  } catch (error) {
    // On a full disk half a file must not take the room that the next try needs.
    try {
      unlinkSync(temporary);
    } catch {
      // The first error says more.
    }
    throw error;
  }
}

/** Null when there is no such file; other errors are thrown, also for what is no regular file or exceeds the size limit. */
export function readIfThere(path: string): string | null {
  let bytes: Buffer;
  try {
    bytes = readPlainFileSync(path, limits.accountFileBytesMax);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  if (bytes.length > limits.accountFileBytesMax) throw new Error(`${path} is larger than the limit`);
  return bytes.toString('utf8');
}

/** For files that can be rebuilt, such as a cache: an unreadable file counts as absent. */
export function readEvidence(path: string): string | null {
  try {
    return readIfThere(path);
  } catch {
    return null;
  }
}

/** For records that decide something: null when missing or not in our format; read errors are thrown, since the file may be there. */
export function readRecord(path: string): string | null {
  try {
    return readIfThere(path);
  } catch (error) {
    // No error of the disk: a folder, a fifo, a socket, something too large.
    if (errorCode(error) === '' || errorCode(error) === 'ENXIO') return null;
    throw error;
  }
}

/** `unknown` (EACCES, EIO, ESTALE, ELOOP…) is never taken for `absent`: it changes nothing. `why` is a sentence. */
export type PathState =
  | { readonly kind: 'present'; readonly stat: Stats }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

/** The state of a path; a link is not followed. */
export function pathState(path: string): PathState {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat === undefined ? { kind: 'absent' } : { kind: 'present', stat };
  } catch (error) {
    return isMissing(error) ? { kind: 'absent' } : { kind: 'unknown', why: unreadable(path, error) };
  }
}

export const unreadable = (path: string, error: unknown): string => `${path} can't be read: ${errorCode(error) || String(error)}`;

/** As rename(2), also over a folder, which is moved aside. */
export function renameOver(from: string, to: string): void {
  if (isFolder(to)) moveAside(to);
  renameSync(from, to);
}

/** Takes it away, a folder by moving it aside; true when it was there. */
export function unlinkIfThere(path: string): boolean {
  try {
    if (isFolder(path)) moveAside(path);
    else unlinkSync(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The person finds it beside its old name, with everything in it. */
function moveAside(path: string): void {
  let to = `${path}.aside`;
  for (let nth = 2; lstatSync(to, { throwIfNoEntry: false }) !== undefined; nth += 1) to = `${path}.aside.${nth}`;
  renameSync(path, to);
}

export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
