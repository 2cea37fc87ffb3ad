/**
 * Bytes of the queue on disk: `<folder>/entradas/<person>/<app>/<sha>`, `<folder>/trabalhos/<job>/<sha>` and `/registo`; folders 0700, files 0600. They
 * grow beside their place, piece by piece, and get their name once they are whole, hashed and on the disk: a file under a sha always holds those bytes,
 * and an upload that broke off goes on where it was. Decision: docs/decisions/0211-the-queue.md
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { jobIdPattern, shaPattern } from '../../schema/jobs.ts';
import { errorCode } from '../../schema/system-error.ts';
import type { JobLeftover } from '../../store/jobs.ts';
import { limits } from './limits.ts';

/** Where one file lies; made by `inputPlace` and `outputPlace`. */
export interface Place {
  readonly file: string;
  readonly sha: string;
}

export interface OpenFile {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly modifiedMs: number;
}

export interface QueueFiles {
  inputPlace(usuario: string, app: string, sha: string): Place;
  outputPlace(job: string, sha: string): Place;
  /** Bytes that are there of it. */
  arrived(place: Place): Promise<number>;
  /**
   * Adds what the body has beyond what is there; a body that begins later than that adds nothing. Answers how many bytes are there, on the disk.
   * Rejects TOO_LARGE past `bytes`, DIGEST_MISMATCH when all came and they are others (nothing is kept then), DISK_FULL.
   */
  add(
    place: Place,
    from: number,
    bytes: number,
    body: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly ate: number; readonly complete: boolean }>;
  /** The same for a log, which has no announced end: what is past the limit is not kept, and TOO_LARGE is the answer to what begins there. */
  addLog(job: string, from: number, body: AsyncIterable<Uint8Array>): Promise<number>;
  /** Null when it is not there. The caller closes it. */
  open(place: Place): Promise<OpenFile | null>;
  openLog(job: string): Promise<OpenFile | null>;
  remove(leftover: JobLeftover): Promise<void>;
  /** What is there of one file; nothing when it is not there. */
  drop(place: Place): Promise<void>;
  /** Throws DISK_FULL when the disk would have too little left. */
  refuseFull(bytes: number): Promise<void>;
}

const partSuffix = '.parte';
const namePattern = /^@?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Bytes that the disk of a folder has left. */
async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

export function createQueueFiles(root: string, freeBytes = freeBytesOf): QueueFiles {
  const inTurn = createTurns();
  const jobFolder = (job: string): string => {
    if (!jobIdPattern.test(job)) throw new SvcError('NOT_FOUND', 'there is no such job');
    return path.join(root, 'trabalhos', job);
  };
  const placeIn = (folder: string, sha: string): Place => {
    if (!shaPattern.test(sha)) throw new SvcError('NOT_FOUND', 'there is no such file');
    return { file: path.join(folder, sha), sha };
  };
  const inputPlace: QueueFiles['inputPlace'] = (usuario, app, sha) => {
    if (!namePattern.test(usuario) || !namePattern.test(app)) throw new SvcError('NOT_FOUND', 'there is no such file');
    return placeIn(path.join(root, 'entradas', usuario, app), sha);
  };
  const drop: QueueFiles['drop'] = async ({ file }) => {
    await inTurn(file, () => Promise.all([rm(file, { force: true }), rm(file + partSuffix, { force: true })]));
  };
  return {
    inputPlace,
    outputPlace: (job, sha) => placeIn(jobFolder(job), sha),
    arrived: async ({ file }) => (await sizeOf(file)) ?? (await sizeOf(file + partSuffix)) ?? 0,
    add: (place, from, bytes, body) => inTurn(place.file, () => add(place, from, bytes, body)),
    addLog: async (job, from, body) => {
      const file = path.join(jobFolder(job), 'registo');
      if (from >= limits.jobLogBytesMax) throw new SvcError('TOO_LARGE', `the log of a job holds at most ${limits.jobLogBytesMax} bytes`);
      return await inTurn(file, () => grow(file, from, body, { bytesMax: limits.jobLogBytesMax, onMore: 'drop' }));
    },
    open: ({ file }) => openFile(file),
    openLog: (job) => openFile(path.join(jobFolder(job), 'registo')),
    remove: async ({ kind, name }) => {
      if (kind === 'job') return await rm(jobFolder(name), { recursive: true, force: true });
      const [usuario = '', app = '', sha = ''] = name.split('/');
      await drop(inputPlace(usuario, app, sha));
    },
    drop,
    refuseFull: async (bytes) => {
      await mkdir(root, { recursive: true, mode: 0o700 });
      if ((await freeBytes(root)) - bytes < limits.queueFreeBytesMin)
        throw new SvcError('DISK_FULL', 'the disk of the portal has no room for these bytes');
    },
  };
}

async function add(
  { file, sha }: Place,
  from: number,
  bytes: number,
  body: AsyncIterable<Uint8Array>,
): Promise<{ ate: number; complete: boolean }> {
  const whole = await sizeOf(file);
  if (whole !== null) return { ate: whole, complete: true };
  const part = file + partSuffix;
  const ate = await grow(part, from, body, { bytesMax: bytes, onMore: 'refuse' });
  if (ate < bytes) return { ate, complete: false };
  if ((await hashOf(part)) !== sha) {
    await rm(part, { force: true });
    throw new SvcError('DIGEST_MISMATCH', 'the bytes that came are not those of this sha256: begin again');
  }
  await rename(part, file);
  await syncFolder(path.dirname(file));
  return { ate, complete: true };
}

interface Bound {
  readonly bytesMax: number;
  readonly onMore: 'refuse' | 'drop';
}

/** What came is on the disk when this resolves, also when the body broke off. */
async function grow(file: string, from: number, body: AsyncIterable<Uint8Array>, { bytesMax, onMore }: Bound): Promise<number> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    let { size } = await handle.stat();
    if (from > size) return size;
    let skip = size - from;
    try {
      for await (const chunk of body) {
        const fresh = chunk.subarray(Math.min(skip, chunk.length));
        skip -= chunk.length - fresh.length;
        if (size + fresh.length > bytesMax && onMore === 'refuse')
          throw new SvcError('TOO_LARGE', `announced were ${bytesMax} bytes`, { bytesMax });
        size = await writeAt(handle, fresh.subarray(0, Math.max(0, bytesMax - size)), size);
      }
    } finally {
      await handle.datasync();
    }
    return size;
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes(errorCode(error))) throw new SvcError('DISK_FULL', 'no space left for the files of jobs');
    throw error;
  } finally {
    await handle.close();
  }
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, position: number): Promise<number> {
  let at = 0;
  while (at < bytes.length) at += (await handle.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
  return position + at;
}

async function hashOf(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const digest = createHash('sha256');
  for await (const chunk of handle.createReadStream({ highWaterMark: 1_024 * 1_024 })) digest.update(chunk as Uint8Array);
  return digest.digest('hex');
}

async function sizeOf(file: string): Promise<number | null> {
  const opened = await openFile(file);
  await opened?.handle.close();
  return opened?.bytes ?? null;
}

async function openFile(file: string): Promise<OpenFile | null> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  const seen = await handle.stat();
  return { handle, bytes: seen.size, modifiedMs: seen.mtimeMs };
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** One act after the other on each file. */
function createTurns(): <Result>(file: string, act: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return async (file, act) => {
    const mine = (last.get(file) ?? Promise.resolve()).then(act, act);
    last.set(file, mine);
    try {
      return await mine;
    } finally {
      if (last.get(file) === mine) last.delete(file);
    }
  };
}
