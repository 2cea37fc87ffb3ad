/** A line of the record: JSON whose last member is the SHA-256 of all that stands before it. */
import { createHash } from 'node:crypto';
import type { AuditEntry, AuditHead, AuditLine } from '../../schema/audit.ts';
import { limits } from './limits.ts';

export const noLine: AuditHead = { seq: 0, hash: '0'.repeat(64) };

export interface Stamped {
  readonly entry: AuditEntry;
  readonly atMs: number;
}

const ending = /,"hash":"([0-9a-f]{64})"\}$/;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The text of the line that follows `head`, without a line break, and the head that it makes. */
export function lineAfter(head: AuditHead, { entry, atMs }: Stamped, portal: string): { readonly text: string; readonly head: AuditHead } {
  const seq = head.seq + 1;
  const { by, action, person, from, result, code, reason, times, request, details } = entry;
  const object = entry.object?.slice(0, limits.objectCharsMax);
  const members = { seq, time: new Date(atMs).toISOString(), portal, by, action, object, person, from, result, code, reason, times };
  const body = JSON.stringify({ ...members, request, details, prev: head.hash });
  const hash = sha256(body);
  return { text: `${body.slice(0, -1)},"hash":"${hash}"}`, head: { seq, hash } };
}

/** The line, and whether its hash is that of its content. Null: it is no line of a record. */
export function readLine(text: string): { readonly line: AuditLine; readonly isWhole: boolean } | null {
  let line: AuditLine;
  try {
    line = JSON.parse(text) as AuditLine;
  } catch {
    return null;
  }
  const hash = ending.exec(text)?.[1];
  if (hash === undefined || !Number.isSafeInteger(line?.seq) || typeof line.prev !== 'string' || typeof line.action !== 'string')
    return null;
  return { line, isWhole: sha256(text.replace(ending, '}')) === hash };
}
