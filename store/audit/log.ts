/**
 * Writes the record: one appender, which chains the entries of a moment and writes them to the disk in one write and one fsync. Entries
 * that the disk does not take wait in memory up to a bound and are counted beyond it; acts go on. Decision:
 * docs/decisions/0401-the-audit-record.md
 */
import { constants, type BigIntStats } from 'node:fs';
import { chmod, lstat, mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import type { Audit, AuditEntry, AuditFigures, AuditHead } from '../../schema/audit.ts';
import type { Clock } from '../../schema/clock.ts';
import { errorCode } from '../../schema/system-error.ts';
import { dayOf, daysIn, fileOfDay, headFile, headText } from './files.ts';
import { limits } from './limits.ts';
import { lineAfter, readLine, type Stamped } from './line.ts';
import { linesBack, sizeOf } from './lines.ts';
import { mendRecord, takeTornLine } from './mend.ts';
import { createSumming } from './summing.ts';
import { createSyslog, type Syslog } from './syslog.ts';

export interface AuditRule {
  /** Absent: `keepDaysDefault`. */
  readonly keepDays?: number | undefined;
  readonly syslog: boolean;
}

export interface AuditLog extends Audit {
  /** Folder of the files. */
  readonly dir: string;
  /** Resolves with the last line, once all that was recorded before was written or could not be. */
  flush(): Promise<AuditHead>;
  figures(): AuditFigures;
  /** Later records are not kept. */
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly dir: string;
  /** Name of this portal in each line. */
  readonly portal: string;
  readonly clock: Clock;
  /** As the Portal document says now. */
  readonly rule: () => AuditRule;
  /** Once when lines can't be written, and once when they can again (null). */
  readonly onTrouble: (why: string | null) => void;
  readonly syslog?: Syslog;
}

interface OpenFile {
  readonly day: string;
  readonly handle: FileHandle;
  readonly inode: bigint;
  /** Up to here all is written. */
  size: number;
  /** A write failed half-way, and what it left could not be cut. */
  isTorn: boolean;
}

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const overwriting = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const { dir, clock } = options;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  const left = await mendRecord(dir);
  const writer = createWriter(options, { head: left.head, day: left.day ?? '' });
  const recorded: Recorded = { waiting: [], lost: 0, lostTold: 0, isClosed: false };
  const loop = createFlushing(options, writer, recorded);
  const summing = createSumming();
  const keep = (entry: AuditEntry): void => {
    if (recorded.isClosed || recorded.waiting.length >= limits.waitingLinesMax) recorded.lost += 1;
    else recorded.waiting.push({ entry, atMs: clock.nowMs() });
    loop.soon();
  };
  let cancelSums = (): void => {};
  const keepSums = (nowMs: number): void => {
    for (const entry of summing.due(nowMs)) keep(entry);
    cancelSums();
    const dueAtMs = summing.dueAtMs();
    if (dueAtMs !== null) cancelSums = clock.at(dueAtMs, () => keepSums(clock.monotonicMs()));
  };
  const record = (entry: AuditEntry): void => {
    const nowMs = clock.monotonicMs();
    if (summing.admit(entry, nowMs)) keep(entry);
    if (summing.dueAtMs() !== null) keepSums(nowMs);
  };
  const found = tellLeft(left, record);
  return {
    dir,
    record,
    flush: () => loop.flush(),
    figures: () => ({
      lines: writer.lines(),
      lost: recorded.lost,
      waiting: recorded.waiting.length,
      trouble: loop.trouble(),
      found,
      syslogTrouble: writer.syslogTrouble(),
    }),
    close: async () => {
      keepSums(Infinity);
      cancelSums();
      await loop.flush();
      recorded.isClosed = true;
      loop.end();
      await writer.close();
    },
  };
}

/** Answers what the doctor says of it; null: all was as it should be. */
function tellLeft({ tornBytes, missing, head }: Awaited<ReturnType<typeof mendRecord>>, record: Audit['record']): string | null {
  const by = { kind: 'portal' } as const;
  if (tornBytes > 0) record({ by, action: 'audit/mend', result: 'ok', details: { tornBytes } });
  if (missing === null) return null;
  const lines = missing.seq - head.seq;
  record({ by, action: 'audit/missing', result: 'failed', details: { lines, seq: missing.seq, hash: missing.hash } });
  return `${lines} lines that were written are gone (up to ${missing.seq})`;
}

interface Recorded {
  waiting: Stamped[];
  lost: number;
  /** How many of `lost` have a line. */
  lostTold: number;
  isClosed: boolean;
}

interface Flushing {
  soon(): void;
  flush(): Promise<AuditHead>;
  trouble(): string | null;
  end(): void;
}

/** Writes one batch after the other; after a failed write the next one waits. */
function createFlushing({ clock, onTrouble }: AuditLogOptions, writer: Writer, recorded: Recorded): Flushing {
  let trouble: string | null = null;
  let cancel: (() => void) | null = null;
  let writing: Promise<void> | null = null;
  const told = (why: string | null): void => {
    if ((why === null) !== (trouble === null)) onTrouble(why);
    trouble = why;
  };
  const write = async (): Promise<void> => {
    try {
      while (recorded.waiting.length > 0 || recorded.lost > recorded.lostTold) {
        const batch = recorded.waiting.slice(0, limits.batchLinesMax);
        const taken = batch.length;
        const { lost } = recorded;
        if (lost > recorded.lostTold) batch.push({ entry: lostEntry(lost - recorded.lostTold), atMs: clock.nowMs() });
        await writer.append(batch);
        // Records that arrived meanwhile stay.
        recorded.waiting.splice(0, taken);
        recorded.lostTold = lost;
      }
      told(null);
    } catch (error) {
      told(errorCode(error) || String(error));
    }
  };
  const run = async (): Promise<void> => {
    cancel?.();
    cancel = null;
    // Writes run in order.
    const before = writing;
    const mine = (async () => {
      await before;
      await write();
    })();
    writing = mine;
    await mine;
    if (writing === mine) writing = null;
    if (trouble !== null && !recorded.isClosed) arm(limits.retryMs);
  };
  const arm = (ms: number): void => {
    cancel ??= clock.at(clock.monotonicMs() + ms, () => void run());
  };
  return {
    soon: () => {
      if (!recorded.isClosed && writing === null) arm(trouble === null ? limits.flushMsMax : limits.retryMs);
    },
    flush: async () => {
      await run();
      return writer.head();
    },
    trouble: () => trouble,
    end: () => cancel?.(),
  };
}

const lostEntry = (lines: number): AuditEntry => ({ by: { kind: 'portal' }, action: 'audit/lost', result: 'failed', details: { lines } });

interface Writer {
  /** Rejects with what the disk said; then nothing of it was written. */
  append(batch: readonly Stamped[]): Promise<void>;
  head(): AuditHead;
  lines(): number;
  syslogTrouble(): string | null;
  close(): Promise<void>;
}

function createWriter(options: AuditLogOptions, left: { readonly head: AuditHead; readonly day: string }): Writer {
  const { dir, portal, clock, rule, syslog = createSyslog(clock) } = options;
  let { head, day } = left;
  let written = 0;
  let file: OpenFile | null = null;
  let heads: FileHandle | null = null;
  const fileOf = async (wanted: string): Promise<OpenFile> => {
    if (file?.isTorn === true) await cut(file);
    if (file !== null && (file.day !== wanted || !(await isStillThere(dir, file)))) {
      await file.handle.close();
      file = null;
    }
    return (file ??= await openDay(dir, wanted));
  };
  const put = async (into: OpenFile, batch: readonly Stamped[]): Promise<readonly string[]> => {
    let next = head;
    const lines = batch.map((stamped) => {
      const made = lineAfter(next, stamped, portal);
      next = made.head;
      return made.text;
    });
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    try {
      await writeWhole(into.handle, bytes);
      await into.handle.datasync();
    } catch (error) {
      // A partial write would be taken for the end of the record.
      into.isTorn = true;
      await cut(into).catch(() => undefined);
      throw error;
    }
    into.size += bytes.length;
    head = next;
    written += lines.length;
    return lines;
  };
  const writeHead = async (): Promise<void> => {
    heads ??= await open(headFile(dir), overwriting, 0o600);
    await heads.write(headText(head), 0);
  };
  return {
    append: async (batch) => {
      // A clock that was set back does not go back to a file before.
      const now = dayOf(clock.nowMs());
      const isNew = now > day;
      if (isNew) day = now;
      const into = await fileOf(day);
      syslog.send(await put(into, batch), rule().syslog);
      // The batch is kept: what fails from here on must not have it written again, and is tried at the next one or the next day.
      if (isNew)
        await dropOld(dir, oldestKept(clock, rule()), async (entry) => {
          syslog.send(await put(into, [{ entry, atMs: clock.nowMs() }]), rule().syslog);
        }).catch(() => undefined);
      await writeHead().catch(() => undefined);
    },
    head: () => head,
    lines: () => written,
    syslogTrouble: () => syslog.trouble(),
    close: async () => {
      syslog.close();
      await file?.handle.close();
      await heads?.close();
      file = heads = null;
    },
  };
}

const dayMs = 24 * 60 * 60_000;
const oldestKept = (clock: Clock, { keepDays = limits.keepDaysDefault }: AuditRule): string => dayOf(clock.nowMs() - keepDays * dayMs);

/** The line that says where a file ended is on the disk before the file goes. */
async function dropOld(dir: string, oldest: string, put: (entry: AuditEntry) => Promise<void>): Promise<void> {
  for (const day of await daysIn(dir)) {
    if (day >= oldest) continue;
    const last = await lastOf(fileOfDay(dir, day));
    const details = last === null ? {} : { seq: last.seq, hash: last.hash };
    await put({ by: { kind: 'portal' }, action: 'audit/drop', object: `AuditFile/${day}`, result: 'ok', details });
    await rm(fileOfDay(dir, day), { force: true });
  }
}

async function lastOf(file: string): Promise<AuditHead | null> {
  for await (const { bytes } of linesBack(file, (await sizeOf(file)) ?? 0)) {
    const read = readLine(bytes.toString('utf8').trimEnd());
    if (read !== null) return { seq: read.line.seq, hash: read.line.hash };
  }
  return null;
}

async function cut(file: OpenFile): Promise<void> {
  await file.handle.truncate(file.size);
  file.isTorn = false;
}

async function openDay(dir: string, day: string): Promise<OpenFile> {
  // A part of a line that is there: the next one would go on from it.
  await takeTornLine(fileOfDay(dir, day));
  const handle = await open(fileOfDay(dir, day), appending, 0o600);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw new Error(`${fileOfDay(dir, day)} is no plain file`);
    return { day, handle, inode: stats.ino, size: Number(stats.size), isTorn: false };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** False: it was deleted, replaced or cut; `svc audit --verify` says what is missing. */
async function isStillThere(dir: string, { day, inode, size }: OpenFile): Promise<boolean> {
  const stats: BigIntStats | null = await lstat(fileOfDay(dir, day), { bigint: true }).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
    throw error;
  });
  return stats !== null && stats.ino === inode && Number(stats.size) === size;
}

async function writeWhole(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length;) done += (await handle.write(bytes, done)).bytesWritten;
}
