/**
 * Bytes of the queue: `entradas/<person>/<app>/<sha>`, `trabalhos/<job>/<sha>` and `/registo`. They grow beside their place, piece by piece, and get their
 * name once they are whole, hashed and on the disk: a file under a sha always holds those bytes, and an upload that broke off goes on where it was.
 * Decision: docs/decisions/0211-the-queue.md
 */
import { createHash } from 'node:crypto';
import { SvcError } from '../../schema/errors.ts';
import { jobIdPattern, shaPattern } from '../../schema/jobs.ts';
import { createTurns } from '../../schema/turns.ts';
import type { Bytes, OpenBytes } from '../../store/bytes.ts';
import type { JobLeftover } from '../../store/jobs.ts';
import { limits } from './limits.ts';

/** Where one file lies; made by `inputPlace` and `outputPlace`. */
export interface Place {
  readonly folder: string;
  readonly sha: string;
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
  open(place: Place): Promise<OpenBytes | null>;
  openLog(job: string): Promise<OpenBytes | null>;
  remove(leftover: JobLeftover): Promise<void>;
  /** Removes a file; does nothing when it is not there. */
  drop(place: Place): Promise<void>;
  /** Throws DISK_FULL when the disk would have too little left. */
  refuseFull(bytes: number): Promise<void>;
}

const partSuffix = '.parte';
const logName = 'registo';
const namePattern = /^@?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function createQueueFiles(files: Bytes): QueueFiles {
  const inTurn = createTurns();
  const jobFolder = (job: string): string => {
    if (!jobIdPattern.test(job)) throw new SvcError('NOT_FOUND', 'there is no such job');
    return `trabalhos/${job}`;
  };
  const placeIn = (folder: string, sha: string): Place => {
    if (!shaPattern.test(sha)) throw new SvcError('NOT_FOUND', 'there is no such file');
    return { folder, sha };
  };
  const inputPlace: QueueFiles['inputPlace'] = (usuario, app, sha) => {
    if (!namePattern.test(usuario) || !namePattern.test(app)) throw new SvcError('NOT_FOUND', 'there is no such file');
    return placeIn(`entradas/${usuario}/${app}`, sha);
  };
  const drop: QueueFiles['drop'] = async ({ folder, sha }) => {
    await inTurn(`${folder}/${sha}`, () => Promise.all([files.remove(folder, sha), files.remove(folder, sha + partSuffix)]));
  };
  return {
    inputPlace,
    outputPlace: (job, sha) => placeIn(jobFolder(job), sha),
    arrived: async ({ folder, sha }) => (await sizeOf(files, folder, sha)) ?? (await sizeOf(files, folder, sha + partSuffix)) ?? 0,
    add: (place, from, bytes, body) => inTurn(`${place.folder}/${place.sha}`, () => add(files, place, { from, bytes }, body)),
    addLog: async (job, from, body) => {
      const folder = jobFolder(job);
      if (from >= limits.jobLogBytesMax) throw new SvcError('TOO_LARGE', `the log of a job holds at most ${limits.jobLogBytesMax} bytes`);
      const bound = { from, bytesMax: limits.jobLogBytesMax, onMore: 'drop' } as const;
      return await inTurn(`${folder}/${logName}`, () => grow(files, { folder, name: logName }, bound, body));
    },
    open: ({ folder, sha }) => files.open(folder, sha),
    openLog: async (job) => await files.open(jobFolder(job), logName),
    remove: async ({ kind, name }) => {
      if (kind === 'job') return await files.removeFolder(jobFolder(name));
      const [usuario = '', app = '', sha = ''] = name.split('/');
      await drop(inputPlace(usuario, app, sha));
    },
    drop,
    refuseFull: async (bytes) => {
      if ((await files.freeBytes()) - bytes < limits.queueFreeBytesMin)
        throw new SvcError('DISK_FULL', 'the disk of the portal has no room for these bytes');
    },
  };
}

async function add(
  files: Bytes,
  { folder, sha }: Place,
  { from, bytes }: { readonly from: number; readonly bytes: number },
  body: AsyncIterable<Uint8Array>,
): Promise<{ ate: number; complete: boolean }> {
  const whole = await sizeOf(files, folder, sha);
  if (whole !== null) return { ate: whole, complete: true };
  const part = sha + partSuffix;
  const ate = await grow(files, { folder, name: part }, { from, bytesMax: bytes, onMore: 'refuse' }, body);
  if (ate < bytes) return { ate, complete: false };
  if ((await hashOf(files, folder, part)) !== sha) {
    await files.remove(folder, part);
    throw new SvcError('DIGEST_MISMATCH', 'the bytes that came are not those of this sha256: begin again');
  }
  await files.rename(folder, part, sha);
  return { ate, complete: true };
}

interface Bound {
  readonly from: number;
  readonly bytesMax: number;
  readonly onMore: 'refuse' | 'drop';
}

/** The received bytes are on the disk when this resolves, also when the body broke off. */
async function grow(
  files: Bytes,
  { folder, name }: { readonly folder: string; readonly name: string },
  { from, bytesMax, onMore }: Bound,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  const file = await files.grow(folder, name);
  try {
    if (from > file.size()) return file.size();
    let skip = file.size() - from;
    for await (const chunk of body) {
      const fresh = chunk.subarray(Math.min(skip, chunk.length));
      skip -= chunk.length - fresh.length;
      if (file.size() + fresh.length > bytesMax && onMore === 'refuse')
        throw new SvcError('TOO_LARGE', `announced were ${bytesMax} bytes`, { bytesMax });
      await file.write(fresh.subarray(0, Math.max(0, bytesMax - file.size())));
    }
  } finally {
    await file.close();
  }
  return file.size();
}

async function hashOf(files: Bytes, folder: string, name: string): Promise<string> {
  const file = await files.open(folder, name);
  const digest = createHash('sha256');
  try {
    for await (const chunk of file?.read() ?? []) digest.update(chunk as Uint8Array);
  } finally {
    await file?.close();
  }
  return digest.digest('hex');
}

async function sizeOf(files: Bytes, folder: string, name: string): Promise<number | null> {
  const file = await files.open(folder, name);
  await file?.close();
  return file?.bytes ?? null;
}
