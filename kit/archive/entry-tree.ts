/** The names that an archive has held so far, and what is passed on to the sink. */
import type { Header } from './header.ts';
import { type ArchiveLimits, nameSegments, refuse } from './rules.ts';

/** Paths are segments below the root folder of the archive; a folder is emitted before its content. */
export interface ArchiveSink {
  readonly folder: (path: readonly string[]) => void;
  readonly file: (path: readonly string[], bytes: number, executable: boolean) => void;
  readonly data: (chunk: Buffer) => void;
  readonly endFile: () => void;
}

export interface TarCounts {
  /** Files and folders, without the root folder. */
  readonly entries: number;
  /** Size of all files together. */
  readonly bytes: number;
  readonly root: string;
}

export interface EntryTree {
  readonly add: (header: Header, name: string) => void;
  readonly counts: () => TarCounts;
}

/** Which names there were. Folders may be left out by a writer; then they are made when the first of their entries comes. */
export function entryTree(sink: ArchiveSink, { bytesMax, entriesMax }: ArchiveLimits, expectedRoot?: string): EntryTree {
  const known = new Map<string, 'file' | 'folder' | 'implied'>();
  let root: string | undefined;
  let bytes = 0;

  const remember = (path: string, kind: 'file' | 'folder' | 'implied'): void => {
    if (!known.has(path) && known.size >= entriesMax + 1) refuse('ENTRIES', `it holds more than ${entriesMax} entries`);
    known.set(path, kind);
  };

  const imply = (segments: readonly string[], name: string): void => {
    for (let depth = 1; depth < segments.length; depth += 1) {
      const path = segments.slice(0, depth).join('/');
      const kind = known.get(path);
      if (kind === 'file') refuse('NOT_A_FOLDER', 'it lies below a file', name);
      if (kind !== undefined) continue;
      remember(path, 'implied');
      if (depth > 1) sink.folder(segments.slice(1, depth));
    }
  };

  const add = (header: Header, name: string): void => {
    const isFolder = header.type === 'folder';
    if (!isFolder && name.endsWith('/')) refuse('TYPE', 'a file with the name of a folder', name);
    const segments = nameSegments(isFolder && name.endsWith('/') ? name.slice(0, -1) : name);
    root ??= expectedRoot ?? segments[0];
    if (segments[0] !== root) refuse('ROOT', `it lies outside the one folder ${JSON.stringify(root)}`, name);
    if (!isFolder && segments.length === 1) refuse('ROOT', 'a file where the root folder should be', name);
    imply(segments, name);
    const path = segments.join('/');
    const before = known.get(path);
    if (before === 'folder' || before === 'file' || (before === 'implied' && !isFolder)) refuse('DUPLICATE', 'the name occurs twice', name);
    remember(path, isFolder ? 'folder' : 'file');
    if (isFolder) {
      if (before === undefined && segments.length > 1) sink.folder(segments.slice(1));
      return;
    }
    bytes += header.bytes;
    if (bytes > bytesMax) refuse('BYTES', `it unpacks to more than ${bytesMax} bytes`, name);
    sink.file(segments.slice(1), header.bytes, header.executable);
  };

  const counts = (): TarCounts => {
    if (root === undefined || known.size < 2) refuse('EMPTY', 'it holds no files');
    return { entries: known.size - 1, bytes, root };
  };
  return { add, counts };
}
