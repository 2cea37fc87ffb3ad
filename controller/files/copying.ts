/**
 * Copies of files and folders, as by `cp -a`: modes, times, groups, ACLs, extended attributes and second names are kept as far as the account may; where the server
 * can't be asked for that, and on another server, modes and times. Into a folder that nobody else reaches (private-folder.ts); from one that others may change meanwhile: what is opened there is
 * the name itself, in a folder that is held.
 */
import { faultPoint } from '../faults.ts';
import { FileFault, isFault } from './file-fault.ts';
import { type FileFacts, type PinnedFileSystem } from './file-system.ts';
import { pathAt, placeIn, whileHeld, type Place } from './holding.ts';
import { limits } from './limits.ts';
import { readWhole, writeSparse } from './transfer.ts';
import { createCount, piecesOf, quiet, refuseDeep, removeAt, toldAt, type Count, type Progress } from './trees.ts';

/** The facts of a finished copy. */
interface Copied {
  readonly facts: FileFacts;
  /** Target of a link. */
  readonly target: Buffer | null;
  readonly inside: Inside | null;
}

/** Entries of a folder. A tree may have a million: of those that are finished no more is kept than their bytes. */
interface Inside {
  /** By their bytes as latin1. */
  readonly unfinished: Map<string, Copied>;
  /** Each name with a slash behind it. */
  readonly finished: Buffer[];
}

interface Work {
  readonly fs: PinnedFileSystem;
  /** The file system that the copy is on. */
  readonly there: PinnedFileSystem;
  readonly progress: Progress;
  readonly count: Count;
}

/** `to`, on the file system `there`, does not exist. A partial copy stays when it fails. */
export async function copyTree(fs: PinnedFileSystem, from: Place, to: Place, progress: Progress, there = fs): Promise<void> {
  const work: Work = { fs, there, progress, count: createCount() };
  const copied = await copyAt(work, from, to, 0);
  if (copied === null) return;
  const isKept = there === fs && copied.target === null && (await fs.keepAttributes(pathAt(from), pathAt(to), 'tree'));
  await finish(work, to, copied, isKept);
}

/** Null: it was left out. */
async function copyAt(work: Work, from: Place, to: Place, depth: number): Promise<Copied | null> {
  return await toldAt(from.shown, async () => {
    const { fs, progress } = work;
    progress.signal.throwIfAborted();
    refuseDeep(depth);
    const facts = await fs.lstat(pathAt(from));
    progress.file(from.shown);
    if (facts.kind === 'other') {
      if (progress.leftOut === undefined) throw new FileFault('EKIND');
      progress.leftOut(from.shown);
      return null;
    }
    if (facts.kind === 'file') await copyFile(work, from, to);
    return {
      facts,
      target: facts.kind === 'link' ? await fs.readLink(pathAt(from)) : null,
      inside: facts.kind === 'folder' ? await copyInside(work, from, to, depth) : null,
    };
  });
}

async function copyInside(work: Work, from: Place, to: Place, depth: number): Promise<Inside> {
  const { fs, there, progress, count } = work;
  const inside: Inside = { unfinished: new Map(), finished: [] };
  await there.makeFolder(pathAt(to), 0o700);
  await whileHeld(fs, pathAt(from), 'refuse', (source) =>
    whileHeld(there, pathAt(to), 'refuse', async (target) => {
      for await (const entries of piecesOf(fs, source, progress.signal, count)) {
        const finished: Buffer[] = [];
        for (const { name } of entries) {
          const one = await copyAt(work, placeIn(source, name, from.shown), placeIn(target, name, to.shown), depth + 1);
          if (one === null) continue;
          if (isDone(one)) finished.push(name, slash);
          else inside.unfinished.set(name.toString('latin1'), one);
        }
        inside.finished.push(Buffer.concat(finished));
      }
    }),
  );
  return inside;
}

const slash = Buffer.from('/');

function namesOf({ unfinished, finished }: Inside): ReadonlySet<string> {
  const names = new Set(unfinished.keys());
  for (const piece of finished) for (const name of piece.toString('latin1').split('/')) names.add(name);
  return names;
}

/** Files have their mode and time from when they were closed; one that its owner may not write to gets its mode last. */
const isDone = ({ facts }: Copied): boolean => facts.kind === 'file' && (facts.mode & 0o200) !== 0;

async function finish(work: Work, at: Place, copied: Copied, isKept: boolean): Promise<void> {
  work.progress.signal.throwIfAborted();
  const { facts, target, inside } = copied;
  if (inside !== null) return await finishFolder(work, at, { facts, inside }, isKept);
  if (isKept) return;
  if (target === null) return await work.there.setMode(pathAt(at), facts.mode & 0o777);
  await work.there.symlink(target, pathAt(at)).catch((error: unknown) => {
    if (!isFault(error, 'EEXIST')) throw error;
  });
}

type Finishing = Pick<Copied, 'facts'> & { readonly inside: Inside };

/**
 * The attributes were copied by a second walk of the source: what appeared there since the first one arrived empty, and is no part of the copy. From the inside out: a
 * folder that is read-only takes no more.
 */
async function finishFolder(work: Work, at: Place, { facts, inside }: Finishing, isKept: boolean): Promise<void> {
  const { there: fs, progress } = work;
  await whileHeld(fs, pathAt(at), 'refuse', async (folder) => {
    for (const [name, one] of inside.unfinished) await finish(work, placeIn(folder, Buffer.from(name, 'latin1'), at.shown), one, isKept);
    const late = isKept ? await lateIn(work, folder, namesOf(inside)) : [];
    for (const name of late) await removeAt(fs, placeIn(folder, name, at.shown), { ...quiet, signal: progress.signal });
    if (!isKept) await fs.setMode(folder, facts.mode & 0o777);
    if (!isKept || late.length > 0) await fs.setModified(folder, facts.modifiedMs);
  });
}

async function lateIn({ there: fs, progress, count }: Work, folder: Buffer, known: ReadonlySet<string>): Promise<readonly Buffer[]> {
  const late: Buffer[] = [];
  for await (const entries of piecesOf(fs, folder, progress.signal, count))
    for (const { name } of entries) if (!known.has(name.toString('latin1'))) late.push(name);
  return late;
}

async function copyFile({ fs, there, progress: { signal, bytes } }: Work, from: Place, to: Place): Promise<void> {
  const told = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      signal.throwIfAborted();
      yield piece;
      bytes(piece.length);
    }
  };
  const source = await fs.open(pathAt(from), 'read-itself');
  try {
    const facts = await source.facts();
    const target = await there.open(pathAt(to), 'create', 0o600);
    try {
      const mayHaveHoles = there === fs && facts.bytes >= limits.sparseFileBytesMin;
      if (mayHaveHoles && (await fs.keepAttributes(pathAt(from), pathAt(to), 'holes'))) bytes(facts.bytes);
      else await writeSparse(target, told(readWhole(source, fs.pieceBytes())), there.pieceBytes());
      await target.setMode((facts.mode & 0o777) | 0o200);
      await target.setModified(facts.modifiedMs);
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  faultPoint('files/copied');
}
