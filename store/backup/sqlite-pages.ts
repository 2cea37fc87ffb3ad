/**
 * The pages of SQLite databases as they were at one moment, read while others write. All databases are held at once for a few milliseconds: nobody commits
 * meanwhile, their write-ahead logs are copied, and a read transaction begins on each. From then on a checkpoint of anybody writes no page that the copied log
 * does not hold, so that the file and the copy are that moment until `close`. Decision: docs/decisions/0404-a-backup-is-one-moment.md
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../../schema/errors.ts';
import { errorCode } from '../../schema/system-error.ts';
import { limits } from '../limits.ts';
import { readWal, type WalPages } from './sqlite-wal.ts';

export interface PinnedDatabase {
  readonly file: string;
  readonly bytes: number;
  /** In their order; each of `chunkBytes` but the last. The memory of one is used again for those that follow. */
  chunks(chunkBytes: number): Generator<Buffer>;
}

export interface PinnedDatabases {
  readonly databases: readonly PinnedDatabase[];
  /** Time of the snapshot, by the given clock. */
  readonly atMs: number;
  /** For how long nobody could write. */
  readonly heldMs: number;
  close(): void;
}

interface Open {
  readonly file: string;
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
  readonly fd: number;
  /** -1: there is none. */
  readonly walFd: number;
}

/** The files are there, and in WAL mode. Throws STORE_FAILED when one can't be read or held. */
export function pinDatabases(files: readonly string[], nowMs: () => number): PinnedDatabases {
  const opened: Open[] = [];
  // A file that is closed beside SQLite in this process would drop SQLite's locks on it: descriptors go last.
  const close = (): void => {
    for (const { reader, writer } of opened) for (const database of [reader, writer]) if (database.isOpen) database.close();
    for (const { fd, walFd } of opened.splice(0)) for (const each of [fd, walFd]) if (each !== -1) closeSync(each);
  };
  try {
    for (const file of files) opened.push(openDatabase(file));
    const { logs, atMs, heldMs } = held(opened, nowMs);
    const databases = opened.map((one, at) => pinned(one, readWal(logs[at]!)));
    return { databases, atMs, heldMs, close };
  } catch (error) {
    close();
    if (error instanceof SvcError) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new SvcError('STORE_FAILED', `the databases ${files.join(', ')} can't be read for a backup: ${cause}`, {}, { cause: error });
  }
}

function openDatabase(file: string): Open {
  const fd = openSync(file, 'r');
  const writer = new DatabaseSync(file, { timeout: limits.backupHoldWaitMsMax });
  const reader = new DatabaseSync(file, { timeout: limits.backupHoldWaitMsMax });
  const { journal_mode: mode } = reader.prepare('PRAGMA journal_mode').get() as { journal_mode: string };
  if (mode !== 'wal') throw new SvcError('STORE_FAILED', `${file} is in the journal mode ${mode}, expected wal, which svc up sets`);
  return { file, writer, reader, fd, walFd: openIfThere(`${file}-wal`) };
}

function openIfThere(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return -1;
    throw error;
  }
}

function held(
  opened: readonly Open[],
  nowMs: () => number,
): { readonly logs: readonly Buffer[]; readonly atMs: number; readonly heldMs: number } {
  try {
    for (const { writer } of opened) writer.exec('BEGIN IMMEDIATE');
    const atMs = nowMs();
    const logs = opened.map(({ walFd }) => (walFd === -1 ? Buffer.alloc(0) : readFrom(walFd, 0, fstatSync(walFd).size)));
    for (const { reader } of opened) {
      reader.exec('BEGIN');
      // The transaction begins with its first question.
      reader.prepare('SELECT count(*) FROM sqlite_schema').get();
    }
    return { logs, atMs, heldMs: nowMs() - atMs };
  } finally {
    for (const { writer } of opened) if (writer.isTransaction) writer.exec('ROLLBACK');
  }
}

function pinned({ file, fd }: Open, wal: WalPages): PinnedDatabase {
  const first = wal.page(1) ?? readFrom(fd, 0, 100);
  // Source: https://www.sqlite.org/fileformat.html, 1.3: a size of 1 stands for 65536.
  const pageBytes = first.readUInt16BE(16) === 1 ? 65_536 : first.readUInt16BE(16);
  const pages = wal.pages ?? pagesOf(first, fd, pageBytes);
  const bytes = pages * pageBytes;
  return {
    file,
    bytes,
    *chunks(chunkBytes) {
      const pagesPerRead = Math.max(1, Math.floor(readBytes / pageBytes));
      const memory = Buffer.allocUnsafeSlow(pagesPerRead * pageBytes);
      for (let from = 0; from < pages; from += pagesPerRead) {
        const count = Math.min(pagesPerRead, pages - from);
        const whole = memory.subarray(0, count * pageBytes);
        const there = Math.floor(readInto(whole, fd, from * pageBytes) / pageBytes);
        for (let at = 0; at < count; at += 1) {
          const newer = wal.page(from + at + 1);
          if (newer !== null) newer.copy(whole, at * pageBytes);
          else if (at >= there) throw new SvcError('STORE_FAILED', `page ${from + at + 1} of ${file} is missing: it is damaged`);
        }
        for (let at = 0; at < whole.length; at += chunkBytes) yield whole.subarray(at, at + chunkBytes);
      }
    },
  };
}

/** Bytes of a single read: several chunks. */
const readBytes = 1_024 * 1_024;

/** The header says it, unless a program of before 2010 wrote the file. */
function pagesOf(first: Buffer, fd: number, pageBytes: number): number {
  const said = first.readUInt32BE(28);
  const isValid = said > 0 && first.readUInt32BE(24) === first.readUInt32BE(92);
  return isValid ? said : Math.floor(fstatSync(fd).size / pageBytes);
}

/** Fewer bytes where the file ends. */
function readFrom(fd: number, from: number, bytes: number): Buffer {
  const read = Buffer.allocUnsafeSlow(bytes);
  return read.subarray(0, readInto(read, fd, from));
}

/** How many bytes there were. */
function readInto(memory: Buffer, fd: number, from: number): number {
  let at = 0;
  while (at < memory.length) {
    const more = readSync(fd, memory, at, memory.length - at, from + at);
    if (more === 0) break;
    at += more;
  }
  return at;
}
