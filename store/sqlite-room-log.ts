/**
 * The embedded room log: SQLite in WAL mode with an fsync per commit, in a separate thread, and a second thread that compacts and ends when
 * it has nothing to do. Contract: room-log.ts. Decision: docs/decisions/0091-commit-window.md
 */
import { Worker } from 'node:worker_threads';
import { SvcError } from '../schema/errors.ts';
import { limits } from './limits.ts';
import type { CompactRequest } from './room-compact-thread.ts';
import type { Appended, LogRequest, PackedRows } from './room-log-thread.ts';
import type { CompactedRoom, LoggedRoom, LogRow, RoomLog } from './room-log.ts';
import type { Answered, Asked } from './room-thread-answers.ts';

/** Opens or creates the file, 0600. Rejects with STORE_FAILED or STORE_NEWER. */
export async function openSqliteRoomLog(file: string): Promise<RoomLog> {
  const begin = (): Thread<LogRequest> =>
    createThread(new URL('./room-log-thread.ts', import.meta.url), file, { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 });
  let thread = begin();
  await thread.opened;
  const writer: Pick<Thread<LogRequest>, 'ask'> = {
    ask: async (request, transfer) => {
      if (thread.died()) {
        thread = begin();
        await thread.opened;
      }
      return await thread.ask(request, transfer);
    },
  };
  const compactor = createCompactor(file);
  /** Memory that has come back from the thread: rooms that are written to all day leave none behind for a collection. */
  let spare: Uint8Array<ArrayBuffer> = new Uint8Array();
  return {
    load: (key) => writer.ask({ kind: 'load', key }) as Promise<LoggedRoom>,
    append: async (rows) => {
      const packed = pack(rows, spare);
      spare = new Uint8Array();
      const { bytes } = (await writer.ask({ kind: 'append', packed }, [packed.bytes.buffer])) as Appended;
      if (bytes.length <= limits.roomLogSpareBytesMax) spare = bytes;
    },
    compact: async (key) => {
      const made = (await compactor.ask({ kind: 'compact', key })) as CompactedRoom | null;
      if (!made) return null;
      const whole = wholeOf(made.base);
      const { bytes } = (await writer.ask({ kind: 'rebase', key, seq: made.seq, base: whole }, [whole.buffer])) as Appended;
      return { ...made, base: bytes };
    },
    deleteRoom: async (sala) => {
      await writer.ask({ kind: 'delete', sala });
    },
    sizeOf: (...salas) => writer.ask({ kind: 'size', salas }) as Promise<number>,
    attachmentsIn: (sala) => compactor.ask({ kind: 'attachments', sala }) as Promise<ReadonlySet<string>>,
    close: async () => {
      await compactor.end();
      await writer.ask({ kind: 'close' });
      await thread.end();
    },
  };
}

/** In separate memory, so that it can be transferred. */
const wholeOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);

/** Into the given memory when they fit. */
function pack(rows: readonly LogRow[], into: Uint8Array<ArrayBuffer>): PackedRows {
  const size = rows.reduce((sum, { frames }) => sum + frames.length, 0);
  const bytes = into.length >= size ? into : new Uint8Array(Math.max(size, packedBytesMin));
  let to = 0;
  const places = rows.map(({ sala, canal, seq, frames }) => {
    bytes.set(frames, to);
    return { sala, canal, seq, to: (to += frames.length) };
  });
  return { rows: places, bytes };
}

const packedBytesMin = 64 * 1_024;

interface Thread<Request> {
  readonly opened: Promise<void>;
  died(): boolean;
  ask(request: Request, transfer?: readonly ArrayBuffer[]): Promise<unknown>;
  end(): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: SvcError) => void;
}

/** One that dies (out of memory, a bug) refuses every question, also those that wait. */
function createThread<Request>(script: URL, file: string, resourceLimits: NonNullable<Worker['resourceLimits']>): Thread<Request> {
  const worker = new Worker(script, { workerData: { file }, resourceLimits, stdin: false });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let dead: SvcError | null = null;
  const wait = (id: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      // A thread keeps the process alive only while a caller waits for it.
      if (waiting.size === 0) worker.ref();
      waiting.set(id, { resolve, reject });
    });
  const opened = wait(0) as Promise<void>;
  worker.on('message', (answer: Answered) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
    if (answer.ok) asked?.resolve(answer.value);
    else asked?.reject(failed(file, answer.message, answer.code));
  });
  const die = (why: string): void => {
    dead ??= failed(file, why, null);
    for (const { reject } of waiting.values()) reject(dead);
    waiting.clear();
  };
  worker.on('error', (error) => die(error instanceof Error ? error.message : String(error)));
  worker.on('exit', (code) => die(`its thread ended (${code})`));
  return {
    opened,
    died: () => dead !== null,
    ask: (request, transfer = []) => {
      if (dead) return Promise.reject(dead);
      last += 1;
      const answer = wait(last);
      worker.postMessage({ id: last, request } satisfies Asked<Request>, [...transfer]);
      return answer;
    },
    end: async () => {
      await worker.terminate();
    },
  };
}

function failed(file: string, why: string, code: string | null): SvcError {
  if (code === 'STORE_NEWER') return new SvcError('STORE_NEWER', why);
  return new SvcError('STORE_FAILED', `the room log ${file} can't be read or written: ${why}`);
}

/** One question at a time; a thread while there are any, and a little longer. */
function createCompactor(file: string): Pick<Thread<CompactRequest>, 'ask' | 'end'> {
  let thread: Thread<CompactRequest> | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  const run = async (request: CompactRequest): Promise<unknown> => {
    clearTimeout(idle);
    thread ??= createThread<CompactRequest>(new URL('./room-compact-thread.ts', import.meta.url), file, {
      maxYoungGenerationSizeMb: 16,
      maxOldGenerationSizeMb: limits.roomCompactHeapMiBMax,
    });
    try {
      await thread.opened;
      return await thread.ask(request);
    } catch (error) {
      // It may be gone; the next one starts afresh.
      await thread.end();
      thread = null;
      throw error;
    } finally {
      idle = setTimeout(() => {
        void thread?.end();
        thread = null;
      }, limits.roomCompactIdleMs).unref();
    }
  };
  return {
    ask: (request) => {
      const answer = queue.then(() => run(request));
      queue = answer.catch(() => null);
      return answer;
    },
    end: async () => {
      await queue;
      clearTimeout(idle);
      await thread?.end();
    },
  };
}
