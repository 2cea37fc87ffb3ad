/**
 * Preconditions and ranges of a GET (RFC 9110, 13 and 14) for a file with a strong validator. Pure: headers in, verdict out.
 * Several ranges at once are answered with the whole file, which the RFC allows. Decision: docs/decisions/0055-repository-on-disk.md
 */
import type { IncomingHttpHeaders } from 'node:http';
import { listsEtag } from '../../schema/wire/etag.ts';

export interface FileFacts {
  readonly bytes: number;
  /** With its quotes. */
  readonly etag: string;
  readonly modifiedMs: number;
}

export type Verdict =
  | { readonly status: 200 }
  | { readonly status: 206; readonly start: number; readonly end: number }
  | { readonly status: 304 | 412 | 416 };

export function judge(method: string, headers: IncomingHttpHeaders, file: FileFacts): Verdict {
  const early = precondition(headers, file);
  if (early !== null) return { status: early };
  const { range } = headers;
  // Source: RFC 9110, 14.2: Range has no meaning but for GET.
  if (range === undefined || method !== 'GET' || !rangeHolds(headers['if-range'], file)) return { status: 200 };
  return pickRange(range, file.bytes);
}

/** The part of the file to send, and its headers; `part` null when none is sent, and the status says why. */
export function partOf(
  verdict: Verdict,
  bytes: number,
): { readonly headers: Readonly<Record<string, string | number>>; readonly part: { readonly start: number; readonly end: number } | null } {
  if (verdict.status === 416) return { headers: { 'content-range': `bytes */${bytes}` }, part: null };
  if (verdict.status !== 200 && verdict.status !== 206) return { headers: {}, part: null };
  const { start, end } = verdict.status === 206 ? verdict : { start: 0, end: bytes - 1 };
  const range = verdict.status === 206 ? { 'content-range': `bytes ${start}-${end}/${bytes}` } : {};
  return { headers: { ...range, 'content-length': end - start + 1 }, part: { start, end } };
}

/** In the order of RFC 9110, 13.2.2. */
function precondition(headers: IncomingHttpHeaders, { etag, modifiedMs }: FileFacts): 304 | 412 | null {
  const ifMatch = headers['if-match'];
  const unmodified = dateOf(headers['if-unmodified-since']);
  if (ifMatch !== undefined) {
    if (!listsEtag(ifMatch, etag, 'strong')) return 412;
  } else if (unmodified !== null && seconds(modifiedMs) > seconds(unmodified)) return 412;
  const ifNoneMatch = headers['if-none-match'];
  const modified = dateOf(headers['if-modified-since']);
  if (ifNoneMatch !== undefined) return listsEtag(ifNoneMatch, etag, 'weak') ? 304 : null;
  return modified !== null && seconds(modifiedMs) <= seconds(modified) ? 304 : null;
}

/** A validator that is not the present one, or only a weak one, asks for the whole file. */
function rangeHolds(ifRange: string | string[] | undefined, { etag, modifiedMs }: FileFacts): boolean {
  if (ifRange === undefined) return true;
  if (typeof ifRange !== 'string') return false;
  if (ifRange.includes('"')) return ifRange.trim() === etag;
  const date = dateOf(ifRange);
  return date !== null && seconds(modifiedMs) === seconds(date);
}

/** Anything that is not one well-formed range of bytes is as if it had not been asked for. */
function pickRange(header: string, bytes: number): Verdict {
  const [, first = '', last = ''] = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i.exec(header) ?? [];
  if (first === '' && last === '') return { status: 200 };
  if (first === '') {
    const length = Number(last);
    return length === 0 || bytes === 0 ? { status: 416 } : { status: 206, start: Math.max(0, bytes - length), end: bytes - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return { status: 200 };
  if (start >= bytes) return { status: 416 };
  return { status: 206, start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
}

function dateOf(header: string | undefined): number | null {
  const parsed = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(parsed) ? null : parsed;
}

/** HTTP dates know no fractions. */
function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
