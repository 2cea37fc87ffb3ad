/** Entries of archives, the same for every format. Decision: docs/decisions/0230-unpacking-of-archives.md */
import { SvcError } from '../../../schema/errors.ts';

export interface ArchiveEntry {
  /** As the archive says it, `/` between its parts. */
  readonly name: Buffer;
  /** `same`: another name of a file before it. */
  readonly kind: 'file' | 'folder' | 'link' | 'same' | 'other';
  /** Target of a `link` and of `same`. */
  readonly target: Buffer;
  /** Permission bits, and others. */
  readonly mode: number;
  readonly modifiedMs: number;
  /** As the archive says it. */
  readonly bytes: number;
  /** Once, before the next entry is asked for. */
  readonly content: () => AsyncIterable<Uint8Array>;
}

export const nothing = Buffer.alloc(0);

/** In order, as far as can be seen, and of a form that is not read here: nothing of it is unpacked by halves. `why` follows a colon. */
export const unsupported = (why: string): SvcError => new SvcError('UNPACK_UNSUPPORTED', `the archive is not unpacked: ${why}`);

/** `why` follows a colon. */
export const refusal = (why: string, cause?: unknown): SvcError =>
  new SvcError('UNPACK_REFUSED', `the archive is not unpacked: ${why}`, {}, { cause });
