/** Files that hold credentials: read only when they belong to the person and no other account can read them. Source: rules 5. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isMissing } from '../atomic-file.ts';
import { LaunchRefused } from './refusal.ts';
import type { RefusalReason } from '../../schema/reasons/derived.ts';
import { errorCode } from '../../schema/system-error.ts';

/** The name of the file in messages, and the reason to refuse a start when it can't be used. */
export interface PrivateFile {
  readonly path: string;
  readonly name: string;
  readonly reason: RefusalReason;
}

/** Null when missing. Checks the open file, so it can't be replaced in between; a link is not followed. */
export function readPrivateFile({ path, name, reason }: PrivateFile, bytesMax: number): Uint8Array | null {
  const unusable = `${name} can't be used`;
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return null;
    const code = errorCode(error);
    // A device or a network home that fails says nothing about the file.
    if (code !== 'ELOOP' && code !== 'EACCES' && code !== 'ENXIO') throw error;
    // ENXIO: a socket.
    const why = code === 'ELOOP' ? 'it is a link' : code === 'ENXIO' ? 'it is not a regular file' : code;
    throw new LaunchRefused(reason, `${unusable}: ${why}`);
  }
  try {
    const stat = fstatSync(fd);
    const refuse = (why: string): never => {
      throw new LaunchRefused(reason, `${unusable}: ${why}`);
    };
    if (!stat.isFile()) refuse('it is not a regular file');
    if (stat.uid !== process.getuid?.()) refuse('it belongs to another account');
    if ((stat.mode & 0o077) !== 0) refuse(`others may read or write it (mode ${(stat.mode & 0o777).toString(8)}); make it 600`);
    if (stat.size > bytesMax) refuse('it is larger than the limit');
    const bytes = Buffer.alloc(stat.size);
    let length = 0;
    for (let got = 1; got > 0 && length < bytes.length; length += got) got = readSync(fd, bytes, length, bytes.length - length, length);
    return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}
