/**
 * The embedded room log: SQLite in WAL mode with an fsync per commit, in a separate thread, and a second thread that compacts and ends when
 * it has nothing to do. Contract: room-log.ts. Decision: docs/decisions/0091-commit-window.md
 */
import { limits } from './limits.ts';
import type { Appended, LogRequest, PackedRows } from './room-log-thread.ts';
import { compactAnyway } from './history/rewrite.ts';
import type { Version } from './history/spans.ts';
import type { CompactedWithHistory } from './room-compact-thread.ts';
import type { LoggedRoom, LogRow, RoomLog } from './room-log.ts';
import { createCompactor, createThread, type Thread } from './room-threads.ts';

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
  // Whoever looks at versions keeps no compaction waiting.
  const viewer = createCompactor(file, { idleMs: limits.roomViewIdleMs });
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
    compact: async (key, wanted) => {
      const made = await compactAnyway(
        wanted,
        async (rule) => (await compactor.ask({ kind: 'compact', key, rule })) as CompactedWithHistory | null,
      );
      if (!made) return null;
      const { history, ...room } = made;
      const whole = wholeOf(room.base);
      const { bytes } = (await writer.ask({ kind: 'rebase', key, seq: room.seq, base: whole, history }, [whole.buffer])) as Appended;
      return { ...room, base: bytes };
    },
    versions: (key) => {
      viewer.warm();
      return writer.ask({ kind: 'versions', key }) as Promise<readonly Version[]>;
    },
    version: (key, seq, form) => viewer.ask({ kind: 'version', key, seq, form }) as Promise<Uint8Array | null>,
    revert: (key, seq) => viewer.ask({ kind: 'revert', key, seq }) as Promise<Uint8Array | null>,
    nameVersion: (key, seq, name) => writer.ask({ kind: 'name', key, seq, name }) as Promise<'named' | 'gone' | 'full'>,
    forgetWriter: async (person) => {
      await writer.ask({ kind: 'forget', person });
    },
    // Nobody else has the file.
    release: async () => undefined,
    deleteRoom: async (sala) => {
      await writer.ask({ kind: 'delete', sala });
    },
    sizeOf: (...salas) => writer.ask({ kind: 'size', salas }) as Promise<number>,
    attachmentsIn: (sala) => compactor.ask({ kind: 'attachments', sala }) as Promise<ReadonlySet<string>>,
    close: async () => {
      await Promise.all([compactor.end(), viewer.end()]);
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
  const places = rows.map(({ frames, ...row }) => {
    bytes.set(frames, to);
    return { ...row, to: (to += frames.length) };
  });
  return { rows: places, bytes };
}

const packedBytesMin = 64 * 1_024;
