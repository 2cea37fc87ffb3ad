/** The files of the record: one a day, `YYYY-MM-DD.jsonl`, and `head.json`, which says how far it went. */
import path from 'node:path';
import type { AuditHead } from '../../schema/audit.ts';
import { isNoPlainFile, readPlainFile } from '../../schema/plain-file.ts';
import { namesIn } from '../../schema/folder-names.ts';
import { errorCode } from '../../schema/system-error.ts';
import { limits } from './limits.ts';

const dayFile = /^(\d{4}-\d\d-\d\d)\.jsonl$/;

export const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
export const fileOfDay = (dir: string, day: string): string => path.join(dir, `${day}.jsonl`);
export const headFile = (dir: string): string => path.join(dir, 'head.json');

/** Days that have a file, the oldest first; none when there is no folder. */
export async function daysIn(dir: string): Promise<readonly string[]> {
  return (await namesIn(dir)).flatMap((name) => dayFile.exec(name)?.[1] ?? []).toSorted();
}

/** Text of the head, padded to the fixed length: each head is written over the one before. */
export function headText({ seq, hash }: AuditHead): string {
  return `${JSON.stringify({ seq, hash }).padEnd(127)}\n`;
}

/** Null: none was written, or it can't be read as one. */
export async function readHead(dir: string): Promise<AuditHead | null> {
  try {
    const { seq, hash } = JSON.parse(String(await readPlainFile(headFile(dir), limits.lineBytesMax))) as Partial<AuditHead>;
    return Number.isSafeInteger(seq) && typeof hash === 'string' ? { seq: seq as number, hash } : null;
  } catch (error) {
    if (error instanceof SyntaxError || isNoPlainFile(error) || ['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
    throw error;
  }
}
