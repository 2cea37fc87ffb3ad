/** Entries of an archive become files in a new folder. Links come last, so that nothing is ever written through one. */
import { FileFault, isFault } from '../file-fault.ts';
import { joined, type FileSystem } from '../file-system.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../../schema/limits.ts';
import { refuseFull } from '../saving.ts';
import { writeAll } from '../transfer.ts';
import type { Progress } from '../trees.ts';
import { refusal, type ArchiveEntry } from './entry.ts';

export interface TreeWriter {
  take(entry: ArchiveEntry): Promise<void>;
  /** Links, and the times of folders. Answers the names at the top, in no order. */
  finish(): Promise<readonly Buffer[]>;
}

interface Watch {
  readonly progress: Progress;
  /** An entry that is left out. `path`: below the new folder. */
  readonly leftOut: (path: Buffer, why: FileFault) => void;
}

const dot = Buffer.from('.');
const dots = Buffer.from('..');
const keyOf = (parts: readonly Buffer[]): string => Buffer.concat(parts.flatMap((part) => [Buffer.from('/'), part])).toString('latin1');
const pathOf = (root: Buffer, parts: readonly Buffer[]): Buffer => parts.reduce((folder, part) => joined(folder, part), root);

/** Without empty parts and `.`. */
function split(name: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at <= name.length;) {
    const slash = name.indexOf(0x2f, at);
    const end = slash === -1 ? name.length : slash;
    const part = name.subarray(at, end);
    if (part.length > 0 && !part.equals(dot)) parts.push(part);
    at = end + 1;
  }
  return parts;
}

function partsOf({ name }: ArchiveEntry): readonly Buffer[] {
  const parts = split(name);
  for (const part of parts) {
    if (part.equals(dots)) throw refusal('a name in it leads out of it');
    if (part.includes(0) || part.length > sharedLimits.fileNameBytesMax) throw refusal('a name in it is none, or too long');
  }
  if (parts.length > limits.treeDepthMax) throw refusal('its folders are too deep');
  return parts;
}

/** Whether a link at `parts` stays below the new folder: upwards first, then down; another way could lead through further links. */
function staysInside(parts: readonly Buffer[], target: Buffer): boolean {
  if (target.length === 0 || target[0] === 0x2f || target.includes(0)) return false;
  const steps = split(target);
  const down = steps.findIndex((step) => !step.equals(dots));
  const ups = down === -1 ? steps.length : down;
  return ups < parts.length && !steps.slice(ups).some((step) => step.equals(dots));
}

/** Entries made so far below the new folder, each by the parts of its name. */
interface Made {
  /** With all above it. */
  readonly folder: (parts: readonly Buffer[], mode: number) => Promise<void>;
  readonly file: (parts: readonly Buffer[], entry: ArchiveEntry) => Promise<void>;
  /** Another name of a file; false: there is no such file. */
  readonly same: (parts: readonly Buffer[], target: Buffer) => Promise<boolean>;
}

function createMade(fs: FileSystem, root: Buffer, write: (path: Buffer, entry: ArchiveEntry) => Promise<void>): Made {
  const made = new Map<string, 'file' | 'folder'>();
  /** The last of a name is what counts, as with tar. */
  const clear = async (parts: readonly Buffer[]): Promise<void> => {
    const there = made.get(keyOf(parts));
    if (there === 'folder') throw refusal('a file in it is a folder as well');
    if (there === 'file') await fs.removeFile(pathOf(root, parts));
  };
  return {
    folder: async (parts, mode) => {
      for (let depth = 1; depth <= parts.length; depth += 1) {
        const above = parts.slice(0, depth);
        const there = made.get(keyOf(above));
        if (there === 'file') throw refusal('a file in it is a folder as well');
        if (there === 'folder') continue;
        await fs.makeFolder(pathOf(root, above), depth === parts.length ? (mode & 0o777) | 0o700 : 0o777);
        made.set(keyOf(above), 'folder');
      }
    },
    file: async (parts, entry) => {
      await clear(parts);
      await write(pathOf(root, parts), entry);
      made.set(keyOf(parts), 'file');
    },
    same: async (parts, target) => {
      const from = split(target);
      if (made.get(keyOf(from)) !== 'file') return false;
      if (keyOf(from) === keyOf(parts)) return true;
      await clear(parts);
      await fs.link(pathOf(root, from), pathOf(root, parts));
      made.set(keyOf(parts), 'file');
      return true;
    },
  };
}

async function writeFile(
  fs: FileSystem,
  path: Buffer,
  { mode, modifiedMs, bytes, content }: ArchiveEntry,
  watched: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): Promise<void> {
  if (bytes >= limits.unpackSpaceBytes) await refuseFull(fs, path, bytes);
  const target = await fs.open(path, 'create', (mode & 0o777) | 0o600);
  try {
    await writeAll(target, watched(content()), fs.pieceBytes());
    await target.sync();
  } finally {
    await target.close();
  }
  await fs.setModified(path, modifiedMs);
}

export function createTreeWriter(fs: FileSystem, root: Buffer, { progress, leftOut }: Watch): TreeWriter {
  const watched = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      progress.signal.throwIfAborted();
      yield piece;
    }
  };
  const made = createMade(fs, root, async (path, entry) => await writeFile(fs, path, entry, watched));
  const tops = new Map<string, Buffer>();
  const links: { readonly parts: readonly Buffer[]; readonly target: Buffer }[] = [];
  const folders: { readonly path: Buffer; readonly modifiedMs: number }[] = [];
  let entries = 0;
  /** False: it is left out. */
  const make = async (parts: readonly Buffer[], entry: ArchiveEntry): Promise<boolean> => {
    await made.folder(parts.slice(0, -1), 0o777);
    if (entry.kind === 'folder') {
      await made.folder(parts, entry.mode);
      folders.push({ path: pathOf(root, parts), modifiedMs: entry.modifiedMs });
    } else if (entry.kind === 'link') links.push({ parts, target: entry.target });
    else if (entry.kind === 'file') await made.file(parts, entry);
    else return await made.same(parts, entry.target);
    return true;
  };
  return {
    take: async (entry) => {
      progress.signal.throwIfAborted();
      entries += 1;
      if (entries > limits.unpackEntriesMax) throw refusal(`it has more than ${limits.unpackEntriesMax} entries`);
      const parts = partsOf(entry);
      const [top] = parts;
      // The folder itself, as `tar c .` names it.
      if (top === undefined) return;
      const path = pathOf(root, parts);
      if (entry.kind === 'other' || (entry.kind === 'link' && !staysInside(parts, entry.target))) {
        return leftOut(path, new FileFault('EKIND'));
      }
      progress.file(path);
      const isMade = await make(parts, entry);
      if (!isMade) leftOut(path, new FileFault('EKIND'));
      // The folders above it are there in any case.
      if (isMade || parts.length > 1) tops.set(top.toString('latin1'), top);
    },
    finish: async () => {
      for (const { parts, target } of links) {
        progress.signal.throwIfAborted();
        const path = pathOf(root, parts);
        try {
          await fs.symlink(target, path);
        } catch (error) {
          if (!isFault(error, 'EEXIST', 'EFAIL')) throw error;
          leftOut(path, new FileFault('EEXIST'));
        }
      }
      for (const { path, modifiedMs } of folders.toReversed()) {
        progress.signal.throwIfAborted();
        await fs.setModified(path, modifiedMs);
      }
      return [...tops.values()];
    },
  };
}
