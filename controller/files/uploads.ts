/** Uploads in pieces: they grow beside their place, and go on after a break from what is there. */
import { createHash, type Hash } from 'node:crypto';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Conflict, UploadOrder } from '../../schema/files.ts';
import { pathText } from '../../schema/wire/file-path.ts';
import type { UploadAnswer, UploadEndAnswer } from '../../schema/wire/files.ts';
import { faultPoint } from '../faults.ts';
import { FileFault } from './file-fault.ts';
import { joined, nameOf, parentOf, type FileSystem, type PinnedFileSystem } from './file-system.ts';
import { pathAt, whilePinned, whilePlaced, type Place } from './holding.ts';
import { lookAt } from './items.ts';
import { limits } from './limits.ts';
import { besidePath, newId, place, present, refuseOther } from './placing.ts';
import { makePrivateFolder, openPrivateFolder, placeInPrivate, type PrivateFolder } from './private-folder.ts';
import { refuseFull, takeOn } from './saving.ts';
import { createWriter, readRange, type Writer } from './transfer.ts';

interface Upload {
  readonly id: string;
  readonly path: Buffer;
  readonly bytes: number;
  readonly conflict: Conflict;
  received: number;
  /** Hash of the bytes so far; null: they are read again at the end. */
  hash: Hash | null;
  busy: boolean;
  usedMs: number;
}

export interface Uploads {
  begin(order: UploadOrder): Promise<UploadAnswer>;
  see(id: string): Promise<UploadAnswer>;
  put(id: string, from: number, body: AsyncIterable<Uint8Array>): Promise<UploadAnswer>;
  end(id: string, sha256: string | null): Promise<UploadEndAnswer>;
  drop(id: string): Promise<void>;
  /** Where one of them grows. */
  readonly isUsed: (path: Buffer) => boolean;
}

const view = ({ id, path, bytes, received }: Upload): UploadAnswer => ({ id, caminho: pathText(path), bytes, recebidos: received });

export function createUploads(fs: FileSystem, clock: Clock): Uploads {
  const uploads = new Map<string, Upload>();
  /** Answers of those that ended last: who lost one asks again. */
  const ended = new Map<string, UploadEndAnswer>();
  const find = (id: string): Upload => {
    const one = uploads.get(id);
    if (one === undefined) throw new SvcError('NOT_FOUND', 'there is no such upload');
    one.usedMs = clock.monotonicMs();
    return one;
  };
  const drop = async (upload: Upload): Promise<void> => {
    uploads.delete(upload.id);
    await atPrivate(fs, upload, async (_, grown) => await grown.remove(nameInPrivate)).catch(() => undefined);
  };
  const alone = async <Result>(id: string, work: (upload: Upload) => Promise<Result>): Promise<Result> => {
    const upload = find(id);
    if (upload.busy) throw new SvcError('CONFLICT', 'another piece of this upload is under way', { recebidos: upload.received });
    upload.busy = true;
    try {
      return await work(upload);
    } finally {
      upload.busy = false;
    }
  };
  return {
    begin: async (order) => {
      for (const one of uploads.values()) if (!one.busy && clock.monotonicMs() - one.usedMs > limits.uploadIdleMs) await drop(one);
      if (uploads.size >= limits.uploadsPerPersonMax) {
        throw new SvcError('RATE_LIMITED', `at most ${limits.uploadsPerPersonMax} uploads at a time`, { retryAfterMs: 1_000 });
      }
      const upload = await begin(fs, order, clock.monotonicMs());
      uploads.set(upload.id, upload);
      return view(upload);
    },
    see: async (id) => view(find(id)),
    put: async (id, from, body) => await alone(id, (upload) => putPiece(fs, upload, from, body)),
    end: async (id, sha256) =>
      ended.get(id) ??
      (await alone(id, async (upload) => {
        const done = await end(fs, upload, sha256).catch(async (error: unknown) => {
          if (error instanceof SvcError && error.code === 'DIGEST_MISMATCH') await drop(upload);
          throw error;
        });
        // An upload that was left out is still beside its place.
        if (done.item === null) await drop(upload);
        uploads.delete(id);
        ended.set(id, done);
        for (const old of [...ended.keys()].slice(0, -limits.uploadsPerPersonMax)) ended.delete(old);
        return done;
      })),
    drop: async (id) => {
      await alone(id, drop);
    },
    isUsed: (path) => uploads.values().some((upload) => besidePath(upload.path, upload.id).equals(path)),
  };
}

async function begin(fs: FileSystem, { path, bytes, conflict, resume }: UploadOrder, usedMs: number): Promise<Upload> {
  const at = Buffer.from(path);
  const there = await present(fs, at);
  if (there !== null && conflict === 'recusar') throw new FileFault('EEXIST');
  if (there !== null && conflict === 'substituir') await refuseOther(fs, at, there);
  const id = resume ?? newId();
  const common = { id, path: at, bytes, conflict, busy: false, usedMs };
  if (resume !== null) {
    const grown = await atPrivate(fs, common, (pinned, { path: folder }) => pinned.lstat(joined(folder, nameInPrivate)));
    if (grown.kind !== 'file' || grown.bytes > bytes) throw new SvcError('CONFLICT', 'what is there is not the begin of this upload');
    // The last writes may have come in any order.
    const received = Math.max(0, grown.bytes - limits.transferWindowBytes - fs.pieceBytes());
    return { ...common, received, hash: received === 0 ? createHash('sha256') : null };
  }
  await refuseFull(fs, at, bytes);
  faultPoint('files/before-new');
  await whilePinned(fs, (pinned) =>
    whilePlaced(pinned, at, async ({ folder }) => {
      const grown = await makePrivateFolder(pinned, folder, id);
      try {
        await (await pinned.open(joined(grown.path, nameInPrivate), 'create', 0o666)).close();
        await grown.close();
      } catch (error) {
        await grown.remove(nameInPrivate);
        throw error;
      }
    }),
  );
  faultPoint('files/new-made');
  return { ...common, received: 0, hash: createHash('sha256') };
}

/** Name of the one file in its folder. */
const nameInPrivate = Buffer.from('envio');

/** With the folder that it grows in, held. */
async function atPrivate<Result>(
  fs: FileSystem,
  { path, id }: Pick<Upload, 'path' | 'id'>,
  work: (pinned: PinnedFileSystem, grown: PrivateFolder, target: Place) => Promise<Result>,
): Promise<Result> {
  return await whilePinned(fs, (pinned) =>
    whilePlaced(pinned, path, async (target) => {
      const grown = await openPrivateFolder(pinned, target.folder, id);
      try {
        return await work(pinned, grown, target);
      } finally {
        await grown.close();
      }
    }),
  );
}

async function putPiece(fs: FileSystem, upload: Upload, from: number, body: AsyncIterable<Uint8Array>): Promise<UploadAnswer> {
  if (from !== upload.received) throw new SvcError('CONFLICT', 'the next piece begins elsewhere', { recebidos: upload.received });
  await atPrivate(fs, upload, async (pinned, { path }) => {
    const file = await pinned.open(joined(path, nameInPrivate), 'write-itself');
    try {
      await writePiece(createWriter(file, from, pinned.pieceBytes()), upload, body);
    } finally {
      await file.close();
    }
  });
  return view(upload);
}

async function writePiece(writer: Writer, upload: Upload, body: AsyncIterable<Uint8Array>): Promise<void> {
  const { hash } = upload;
  try {
    for await (const bytes of body) {
      if (writer.at() + bytes.length > upload.bytes) throw new SvcError('TOO_LARGE', 'more bytes came than were announced');
      // The hash of a piece that failed half-way is not known.
      upload.hash = null;
      hash?.update(bytes);
      await writer.put(bytes);
    }
  } finally {
    // Bytes received before a connection broke count; bytes that could not be written do not.
    await writer.flush();
    upload.received = writer.at();
    upload.hash = hash;
  }
}

async function end(fs: FileSystem, upload: Upload, sha256: string | null): Promise<UploadEndAnswer> {
  const { path, bytes, received } = upload;
  if (received !== bytes) throw new SvcError('CONFLICT', `${bytes - received} bytes are missing`, { recebidos: received });
  const { placed, digest } = await atPrivate(fs, upload, async (pinned, grown, target) => {
    const known = await finish(pinned, placeInPrivate(grown, nameInPrivate, path), target, { upload, sha256 });
    faultPoint('files/new-written');
    const at = await place(pinned, joined(grown.path, nameInPrivate), pathAt(target), { kind: 'file', conflict: upload.conflict });
    faultPoint('files/placed');
    if (at !== null) await grown.remove(nameInPrivate);
    return { placed: at === null ? null : joined(parentOf(path), nameOf(at)), digest: known };
  });
  return { item: placed === null ? null : await lookAt(fs, placed), sha256: digest };
}

interface Ending {
  readonly upload: Upload;
  readonly sha256: string | null;
}

/** Compared, with the attributes of what it takes the place of, and on the disk. Answers its digest. */
async function finish(fs: PinnedFileSystem, beside: Place, target: Place, { upload, sha256 }: Ending): Promise<string> {
  const file = await fs.open(pathAt(beside), 'read-itself');
  let digest: string;
  try {
    digest = upload.hash?.copy().digest('hex') ?? (await digestOf(fs, file, upload.bytes));
  } finally {
    await file.close();
  }
  if (sha256 !== null && sha256 !== digest) throw new SvcError('DIGEST_MISMATCH', 'the bytes are not those that were announced');
  const there = upload.conflict === 'substituir' ? await present(fs, pathAt(target)) : null;
  const written = await fs.open(pathAt(beside), 'write-itself');
  try {
    await takeOn(fs, beside, written, there?.kind === 'file' ? { target, there } : null);
    await written.sync();
  } finally {
    await written.close();
  }
  return digest;
}

async function digestOf(fs: FileSystem, file: Parameters<typeof readRange>[0], bytes: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of bytes === 0 ? [] : readRange(file, 0, bytes - 1, fs.pieceBytes())) hash.update(piece);
  return hash.digest('hex');
}
