/**
 * kit/archive/: packages and engines as tarballs. The reader may run as root and the writer is untrusted, so it takes regular files and
 * folders below one root folder and refuses everything else by name. Decision: docs/decisions/0050-own-tar-reader.md
 * pack.ts folder -> tarball, always the same bytes; extract.ts tarball -> fresh folder, or nothing. gunzip.ts and tar-reader.ts read,
 * header.ts parses blocks, folder-writer.ts writes without ever following a link.
 * This file: what is refused, and the rule for names.
 */
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';

export type ArchiveRule =
  | 'GZIP'
  | 'CORRUPT'
  | 'TRUNCATED'
  | 'TRAILING'
  | 'RATIO'
  | 'HEADER'
  | 'CHECKSUM'
  | 'NUMBER'
  | 'TYPE'
  | 'LINK'
  | 'DEVICE'
  | 'SPARSE'
  | 'LONG_NAME'
  | 'PAX'
  | 'SET_ID'
  | 'ABSOLUTE'
  | 'DOT_SEGMENT'
  | 'NAME'
  | 'NOT_NFC'
  | 'DUPLICATE'
  | 'NOT_A_FOLDER'
  | 'ROOT'
  | 'BYTES'
  | 'ENTRIES'
  | 'DEPTH'
  | 'LENGTH'
  | 'EMPTY'
  | 'CHANGED';

/** Limits that differ between a package and an engine; the other caps are the same for all and stand in limits.ts. */
export interface ArchiveLimits {
  /** Bytes of the tarball itself. */
  readonly tarballBytesMax: number;
  /** Bytes of all files together. */
  readonly bytesMax: number;
  readonly entriesMax: number;
}

export const packageArchive: ArchiveLimits = {
  tarballBytesMax: sharedLimits.packageTarballBytesMax,
  bytesMax: sharedLimits.packageBytesMax,
  entriesMax: sharedLimits.packageEntriesMax,
};

export const engineArchive: ArchiveLimits = {
  tarballBytesMax: sharedLimits.engineTarballBytesMax,
  bytesMax: limits.engineBytesMax,
  entriesMax: limits.engineEntriesMax,
};

/** Throws ARCHIVE_REFUSED with `details.rule`; the entry is quoted, so that it can't speak to a terminal. */
export function refuse(rule: ArchiveRule, why: string, entry?: string): never {
  const named = entry === undefined ? '' : `${quote(entry)}: `;
  throw new SvcError('ARCHIVE_REFUSED', `the archive is refused: ${named}${why}`, { rule, ...(entry === undefined ? {} : { entry }) });
}

function quote(text: string): string {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return JSON.stringify(shown).replaceAll(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '�');
}

/** Characters that a person can't see in a list, or that turn the text around them. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Segments of a name without its closing '/', each fit to be one directory entry. The same rule packs and extracts. */
export function nameSegments(name: string): readonly string[] {
  if (Buffer.byteLength(name) > limits.archiveNameBytesMax) refuse('LENGTH', `longer than ${limits.archiveNameBytesMax} bytes`, name);
  if (name.startsWith('/')) refuse('ABSOLUTE', 'an absolute path', name);
  if (name.includes('\\')) refuse('NAME', 'a backslash in a name', name);
  if (unseen.test(name)) refuse('NAME', 'a control character in a name', name);
  if (name.normalize('NFC') !== name) refuse('NOT_NFC', 'a name that is not in Unicode NFC', name);
  const segments = name.split('/');
  for (const segment of segments) {
    if (segment === '') refuse('NAME', 'an empty part in a path', name);
    if (segment === '.' || segment === '..') refuse('DOT_SEGMENT', `"${segment}" in a path`, name);
    if (Buffer.byteLength(segment) > limits.archiveSegmentBytesMax)
      refuse('LENGTH', `a name longer than ${limits.archiveSegmentBytesMax} bytes`, name);
  }
  if (segments.length > limits.archiveDepthMax) refuse('DEPTH', `deeper than ${limits.archiveDepthMax} folders`, name);
  return segments;
}
