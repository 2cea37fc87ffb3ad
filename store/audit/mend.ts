/** State that the last run left of the record: the end of its chain, and a line that a crash cut off. */
import { open } from 'node:fs/promises';
import type { AuditHead } from '../../schema/audit.ts';
import { daysIn, fileOfDay, readHead } from './files.ts';
import { noLine, readLine } from './line.ts';
import { linesBack, sizeOf } from './lines.ts';

export interface Left {
  /** The last line whose hash is right. */
  readonly head: AuditHead;
  /** Day of the newest file; null: there is none. */
  readonly day: string | null;
  /** Bytes of a line that was not written to its end, which were taken off. */
  readonly tornBytes: number;
  /** How far the last run had written, where that is further than what is there; null: all is there. */
  readonly missing: AuditHead | null;
}

/** The folder is this process's own (store/state-lock.ts). */
export async function mendRecord(dir: string): Promise<Left> {
  const days = await daysIn(dir);
  const day = days.at(-1) ?? null;
  const tornBytes = day === null ? 0 : await takeTornLine(fileOfDay(dir, day));
  const head = await lastLine(dir, days);
  const written = await readHead(dir);
  return { head, day, tornBytes, missing: written !== null && written.seq > head.seq ? written : null };
}

/** A whole line ends with a line feed. Answers how many bytes were taken off. */
export async function takeTornLine(file: string): Promise<number> {
  const size = (await sizeOf(file)) ?? 0;
  for await (const { bytes, start } of linesBack(file, size)) {
    if (bytes.at(-1) === 0x0a) return 0;
    const handle = await open(file, 'r+');
    try {
      await handle.truncate(start);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    return size - start;
  }
  return 0;
}

/** Finds the last whole line. Bytes behind it that are no line stay: `svc audit --verify` names them. */
async function lastLine(dir: string, days: readonly string[]): Promise<AuditHead> {
  for (const day of days.toReversed()) {
    const file = fileOfDay(dir, day);
    for await (const { bytes } of linesBack(file, (await sizeOf(file)) ?? 0)) {
      const read = readLine(bytes.toString('utf8').trimEnd());
      if (read?.isWhole === true) return { seq: read.line.seq, hash: read.line.hash };
    }
  }
  return noLine;
}
