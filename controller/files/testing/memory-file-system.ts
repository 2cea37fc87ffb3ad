/**
 * Files in memory, for thousands of archives: made entries are counted, and a path that leads through anything but folders that were made
 * is reported.
 */
import { FileFault } from '../file-fault.ts';
import { parentOf, type FileEntry, type FileFacts, type FileSystem, type OpenFile, type PinnedFileSystem } from '../file-system.ts';
import { limits } from '../limits.ts';

export interface MemoryFiles {
  readonly fs: FileSystem;
  /** Kinds by path, as latin1. */
  readonly made: ReadonlyMap<string, FileFacts['kind']>;
  readonly written: () => number;
}

const factsOf = (kind: FileFacts['kind'], bytes: number): FileFacts => ({
  kind,
  bytes,
  mode: 0o755,
  modifiedMs: 0,
  changedMs: null,
  uid: 0,
});

function openOf(bytes: Buffer, onWrite: (bytes: number) => void): OpenFile {
  return {
    facts: async () => factsOf('file', bytes.length),
    read: async (at, length) => (at >= bytes.length ? [] : [bytes.subarray(at, at + length)]),
    write: async (_at, pieces) => onWrite(pieces.reduce((sum, piece) => sum + piece.length, 0)),
    setMode: async () => undefined,
    setModified: async () => undefined,
    sync: async () => undefined,
    close: async () => undefined,
  };
}

/** With the folder `/` and one file in it. */
export function memoryFiles(name: string, content: Buffer): MemoryFiles {
  const made = new Map<string, FileFacts['kind']>([
    ['/', 'folder'],
    [`/${name}`, 'file'],
  ]);
  let written = 0;
  const text = (path: Buffer): string => path.toString('latin1');
  const kindOf = (path: Buffer): FileFacts['kind'] => {
    const kind = made.get(text(path));
    if (kind === undefined) throw new FileFault('ENOENT');
    return kind;
  };
  const make = (path: Buffer, kind: FileFacts['kind']): void => {
    if (kindOf(parentOf(path)) !== 'folder') throw new Error(`made through what is no folder: ${text(path)}`);
    if (made.has(text(path))) throw new FileFault('EEXIST');
    made.set(text(path), kind);
  };
  const remove = (path: Buffer): void => {
    kindOf(path);
    made.delete(text(path));
  };
  const rename = (from: Buffer, to: Buffer): void => {
    make(to, kindOf(from));
    for (const [path, kind] of made) {
      if (path !== text(from) && !path.startsWith(`${text(from)}/`)) continue;
      made.delete(path);
      made.set(text(to) + path.slice(from.length), kind);
    }
  };
  const fs = {
    pieceBytes: () => limits.filePieceBytesMax,
    list: async function* (folder) {
      const front = folder.length === 1 ? '/' : `${text(folder)}/`;
      const names = [...made].filter(([path]) => path.startsWith(front) && path !== '/' && !path.slice(front.length).includes('/'));
      const entryOf = (path: string, kind: FileFacts['kind']): FileEntry =>
        Object.assign(factsOf(kind, 0), { name: Buffer.from(path.slice(front.length), 'latin1') });
      yield names.map(([path, kind]) => entryOf(path, kind));
    },
    stat: async (path) => ({ ...factsOf(kindOf(path), 0), mode: 0o700 }),
    lstat: async (path) => factsOf(kindOf(path), 0),
    open: async (path, how) => {
      if (how === 'create') make(path, 'file');
      return openOf(text(path) === `/${name}` ? content : Buffer.alloc(0), (bytes) => (written += bytes));
    },
    makeFolder: async (path) => make(path, 'folder'),
    removeFolder: async (path) => {
      if ([...made.keys()].some((each) => each.startsWith(`${text(path)}/`))) throw new FileFault('ENOTEMPTY');
      remove(path);
    },
    removeFile: async (path) => remove(path),
    rename: async (from, to) => rename(from, to),
    link: async (from, to) => make(to, kindOf(from)),
    symlink: async (_target, path) => make(path, 'link'),
    setModified: async () => undefined,
    syncFolder: async () => undefined,
    space: async () => ({ totalBytes: 0, freeBytes: 0, freeFiles: 0, device: '' }),
    uid: 0,
    hold: async (path) => ({ path, close: async () => undefined }),
    release: () => undefined,
  } satisfies Partial<PinnedFileSystem>;
  const pinned = fs as unknown as PinnedFileSystem;
  return { fs: { ...pinned, pinned: async () => pinned }, made, written: () => written };
}
