/**
 * Files of this computer to a folder of the person, in pieces, with their digest; what broke off goes on where the portal has it. Two at once. A name
 * that is taken is asked about, once for all if the person says so. Source: docs/files.md, `envios`.
 */
import type { FileItem, UploadBody } from '../../schema/wire/files.ts';
import { exactName, joinPath } from '../opening/file-path.ts';
import { createSha256 } from '../queue/sha256.ts';
import { reconnectWaitMs } from '../events/client.ts';
import { tryLater } from '../events/try-later.ts';
import { ApiError, isPassing } from '../session/api.ts';
import { isFolderAt } from '../session/content-api.ts';
import * as api from '../session/files-api.ts';

export interface ToUpload {
  /** From the folder on, as this computer says it, with `/` between the names. */
  readonly path: string;
  readonly file: File;
}

export type Conflict = 'substituir' | 'renomear' | 'pular';

export interface UploadParts {
  readonly beginUpload: typeof api.beginUpload;
  readonly seeUpload: typeof api.seeUpload;
  readonly putPiece: typeof api.putPiece;
  readonly endUpload: typeof api.endUpload;
  readonly dropUpload: typeof api.dropUpload;
  readonly makeFolder: typeof api.makeFolder;
  /** Whether the entry with the taken name is a folder; where that can't be read, the replacement reports the conflict. */
  readonly isFolder: (caminho: string) => Promise<boolean>;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface UploadSays {
  /** Bytes that arrived since it said so last. */
  arrived(bytes: number): void;
  /** A further file is done. */
  done(name: string): void;
  failed(name: string, error: unknown): void;
  /**
   * Asks how to handle a taken name, of a folder or not; `left` counts the files that may still have one, this one included. Null: all that
   * are left are cancelled.
   */
  ask(taken: { readonly name: string; readonly isFolder: boolean; readonly left: number }): Promise<Conflict | null>;
}

export const pieceBytes = 4 * 1_024 * 1_024;
const firstPieceBytes = 256 * 1_024;
const pieceBytesMin = 64 * 1_024;
const atOnce = 2;
/** Attempts at one file after passing failures; more when the portal is not reached, which may be away for a while. */
const attemptsMax = 8;
const awayAttemptsMax = 40;
/** A portal that was started again knows no upload, and takes it up by its name. */
const resumesMax = 20;

/** A piece takes about a second, so that a person sees it move: on a slow line it is small. */
export function nextPieceBytes(bytes: number, tookMs: number): number {
  if (tookMs < 500) return Math.min(pieceBytes, bytes * 2);
  return tookMs > 1_500 ? Math.max(pieceBytesMin, bytes / 2) : bytes;
}

/** The most that one piece may have here. A proxy on the way may take less than the portal does, and says so when it gets more. */
interface PieceLimit {
  bytes: number;
}

/** Sends one piece, a smaller one where it is refused as too large; resolves to what `put` does, and says how large the next one is to be. */
async function fitting(
  limit: PieceLimit,
  length: number,
  put: (bytes: number) => Promise<number | null>,
): Promise<{ readonly at: number | null; readonly next: number }> {
  for (let bytes = Math.min(length, limit.bytes); ; bytes = limit.bytes) {
    const begunMs = performance.now();
    try {
      const at = await put(bytes);
      return { at, next: nextPieceBytes(bytes, performance.now() - begunMs) };
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 413) || bytes <= pieceBytesMin) throw error;
      limit.bytes = Math.min(limit.bytes, bytes / 2);
    }
  }
}

export const realParts: UploadParts = {
  ...api,
  isFolder: isFolderAt,
  wait: async (ms, signal) => {
    await new Promise<void>((resolve, reject) => {
      const cancel = tryLater(ms, resolve);
      signal.addEventListener('abort', () => (cancel(), reject(signal.reason as Error)), { once: true });
    });
  },
};

/** Resolves when all of it is through, failed or given up; never rejects. */
export async function uploadAll(
  files: readonly ToUpload[],
  folder: string,
  says: UploadSays,
  signal: AbortSignal,
  parts: UploadParts = realParts,
): Promise<void> {
  const made = new Map<string, Promise<void>>();
  const limit: PieceLimit = { bytes: pieceBytes };
  const waiting = [...files];
  // Only a single question at a time.
  let asking: Promise<unknown> = Promise.resolve();
  /** Under way, and not asked about yet. */
  const open = new Set<ToUpload>();
  const ask = async (file: ToUpload, name: string, isFolder: boolean): Promise<Conflict | null> => {
    const mine = asking.then(async () => {
      const left = waiting.length + open.size;
      open.delete(file);
      return await says.ask({ name, isFolder, left });
    });
    asking = mine.catch(() => undefined);
    return await mine;
  };
  const runner = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const names = next.path.split('/').filter((name) => name !== '');
      const name = names.at(-1) ?? '';
      open.add(next);
      const asks = ask.bind(null, next);
      try {
        const parent = await folderFor(names.slice(0, -1), folder, made, parts);
        if (await one(next.file, joinPath(parent, exactName(name)), { name, says, signal, parts, limit, ask: asks })) says.done(next.path);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof GivenUp) waiting.length = 0;
        else says.failed(next.path, error);
      } finally {
        open.delete(next);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
}

class GivenUp extends Error {}

/** Folders on the way are made, each once; one that is there is taken. */
async function folderFor(names: readonly string[], folder: string, made: Map<string, Promise<void>>, parts: UploadParts): Promise<string> {
  let path = folder;
  for (const name of names) {
    path = joinPath(path, exactName(name));
    const at = path;
    if (!made.has(at)) {
      made.set(
        at,
        parts.makeFolder(at).then(
          () => undefined,
          (error: unknown) => {
            if (!(error instanceof ApiError && error.code === 'FILE_EXISTS')) throw error;
          },
        ),
      );
    }
    await made.get(at);
  }
  return path;
}

interface One {
  readonly name: string;
  readonly says: UploadSays;
  readonly signal: AbortSignal;
  readonly parts: UploadParts;
  readonly limit: PieceLimit;
  readonly ask: (name: string, isFolder: boolean) => Promise<Conflict | null>;
}

/** False: it was skipped. */
async function one(file: File, caminho: string, { name, says, signal, parts, limit, ask }: One): Promise<boolean> {
  let conflito: UploadBody['conflito'] = 'recusar';
  for (;;) {
    try {
      return await send(file, { caminho, bytes: file.size, conflito }, { says, signal, parts, limit });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'FILE_EXISTS') || conflito !== 'recusar') throw error;
      const chosen = await ask(name, await parts.isFolder(caminho));
      if (chosen === null) throw new GivenUp();
      if (chosen === 'pular') return false;
      conflito = chosen;
    }
  }
}

/** The end that was asked for before an answer was lost may still be under way. */
const isUnderWay = (error: unknown): boolean => isPassing(error) || (error instanceof ApiError && error.code === 'CONFLICT');

type Patiently = <T>(ask: () => Promise<T>, passes?: (error: unknown) => boolean) => Promise<T>;

/** Asks again after what passes by itself; rejects with what does not, and after too many tries. */
async function askPatiently<T>(
  ask: () => Promise<T>,
  { signal, parts }: Pick<One, 'signal' | 'parts'>,
  passes: (error: unknown) => boolean = isPassing,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      // A full disk is a 507, and does not pass by waiting.
      const most = error instanceof ApiError && error.status === 0 ? awayAttemptsMax : attemptsMax;
      if (signal.aborted || !passes(error) || (error as ApiError).status === 507 || attempt + 1 >= most) throw error;
      await parts.wait(Math.max((error as ApiError).retryAfterMs ?? 0, reconnectWaitMs(attempt, Math.random())), signal);
    }
  }
}

async function send(
  file: File,
  body: UploadBody,
  { says, signal, parts, limit }: Pick<One, 'says' | 'signal' | 'parts' | 'limit'>,
): Promise<boolean> {
  let id: string | null = null;
  let told = 0;
  const patiently: Patiently = (ask, passes) => askPatiently(ask, { signal, parts }, passes);
  /** Resumes an upload and returns the offset; begins a new one when the server does not have it any more. */
  const resume = async (of: string): Promise<number> => {
    const found = await parts.beginUpload({ ...body, retomar: of }, signal).catch((error: unknown) => {
      if (error instanceof ApiError && (error.status === 404 || error.code === 'CONFLICT')) return null;
      throw error;
    });
    const begun = found ?? (await parts.beginUpload(body, signal));
    id = begun.id;
    return begun.recebidos;
  };
  let resumes = 0;
  const orResume = async (of: string, act: () => Promise<number | null>): Promise<number | null> => {
    try {
      return await act();
    } catch (error) {
      const isUnknown = error instanceof ApiError && error.status === 404 && !signal.aborted;
      if (!isUnknown || (resumes += 1) > resumesMax) throw error;
      return await patiently(async () => await resume(of));
    }
  };
  try {
    const begun = await patiently(async () => await parts.beginUpload(body, signal));
    ({ id } = begun);
    const hash = createSha256();
    let digest: string | null = null;
    let hashed = 0;
    let length = firstPieceBytes;
    let item: FileItem | null = null;
    for (let at: number | null = begun.recebidos; at !== null;) {
      if (hashed < file.size && hashed <= at) {
        const bytes = new Uint8Array(await file.slice(hashed, Math.min(hashed + pieceBytes, file.size)).arrayBuffer());
        hash.add(bytes);
        hashed += bytes.length;
      }
      const [upload, from]: readonly [string, number] = [id, at];
      if (from < file.size) {
        const put = (bytes: number) => patiently(async () => await piece(upload, file, [from, bytes], signal, parts));
        const sent = await fitting(limit, length, async (bytes) => await orResume(upload, async () => await put(bytes)));
        [at, length] = [sent.at, sent.next];
        says.arrived((at ?? told) - told);
        told = at ?? told;
      } else if (hashed >= file.size) {
        digest ??= hash.digest();
        const sha256 = digest;
        at = await orResume(upload, async () => {
          ({ item } = await patiently(async () => await parts.endUpload(upload, sha256, signal), isUnderWay));
          return null;
        });
      }
    }
    return item !== null;
  } catch (error) {
    says.arrived(-told);
    if (id !== null) await parts.dropUpload(id).catch(() => undefined);
    throw error;
  }
}

/** Where it goes on. After a cut the portal says how much it has. */
async function piece(
  id: string,
  file: File,
  [from, bytes]: readonly [number, number],
  signal: AbortSignal,
  parts: UploadParts,
): Promise<number> {
  try {
    return (await parts.putPiece(id, from, file.slice(from, from + bytes), signal)).recebidos;
  } catch (error) {
    const isElsewhere = error instanceof ApiError && (error.code === 'CONFLICT' || error.code === 'OFFLINE');
    if (!isElsewhere || signal.aborted) throw error;
    const { recebidos } = await parts.seeUpload(id, signal);
    // Nothing of the piece arrived: the failure is retried or reported.
    if (recebidos === from) throw error;
    return recebidos;
  }
}
