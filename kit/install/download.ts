/**
 * A file over http(s) into a `.part` file, going on where an earlier attempt, or an earlier run, was cut. Its content is not trusted: the caller
 * checks size and sha256. At most five redirects, never from https to http. Engines are gigabytes over networks that break, so there is no time-out
 * for the whole: attempts that bring 64 KiB more than ever was there don't count, five that don't end the run, and less than 1 KiB a second over a
 * minute counts as cut, so that a server can't hold an installation byte by byte. A strong ETag is kept beside the part for `If-Range`.
 */
import { doubledMs } from '../../schema/backoff.ts';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../schema/errors.ts';
import type { OnEvent } from '../../schema/install-events.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { errorCode } from '../../schema/system-error.ts';
import { readIfThere, unlinkIfThere, writeFileAtomic } from '../atomic-file.ts';
import { headerOf, whyNone, type Answer } from '../http/ask.ts';
import { fetchFrom, RedirectRefused, shownAddress as shown } from '../http/fetch-from.ts';
import { faultPoint } from './faults.ts';

export interface Download {
  readonly url: string;
  /** Where the bytes go; `<part>.etag` beside it remembers which file they are of. */
  readonly part: string;
  /** Exactly so many bytes are wanted. */
  readonly bytes: number;
  readonly onBytes: (have: number) => void;
  readonly retryMs?: number;
  readonly slowMsMax?: number;
}

/** Reports the progress of a download: rate limited, and once at the end. */
export function progressReporter(
  what: { readonly nome: string; readonly versao: string; readonly total: number },
  already: number,
  onEvent: OnEvent,
): (have: number) => void {
  const startedMs = performance.now();
  let reportedMs = -Infinity;
  return (have) => {
    const nowMs = performance.now();
    if (nowMs - reportedMs < limits.progressMs && have < what.total) return;
    reportedMs = nowMs;
    const perMs = (have - already) / Math.max(1, nowMs - startedMs);
    const etaMs = perMs <= 0 ? null : Math.round((what.total - have) / perMs);
    onEvent({ event: 'download', ...what, bytes: have, etaMs });
  };
}

class Cut extends Error {}

/** Resolves when `part` holds `bytes` bytes. Rejects DOWNLOAD_FAILED (what is there stays for the next run) or CHECKSUM_MISMATCH. */
export async function download(wanted: Download): Promise<void> {
  let withoutProgress = 0;
  // A server that has it begun anew again and again makes no progress.
  let most = 0;
  let last = '';
  for (;;) {
    const before = await sizeOf(wanted.part);
    if (before === wanted.bytes) return;
    if (withoutProgress > limits.downloadRetriesMax)
      throw new SvcError(
        'DOWNLOAD_FAILED',
        `${shown(wanted.url)}: ${last}; ${before} of ${wanted.bytes} bytes are kept, the next run goes on from there`,
      );
    try {
      await attempt(wanted, before);
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      last = error.message;
    }
    most = Math.max(most, before);
    const now = await sizeOf(wanted.part);
    withoutProgress = now - most >= limits.downloadProgressBytesMin ? 0 : withoutProgress + 1;
    most = Math.max(most, now);
    if (withoutProgress > 0) await sleep(doubledMs(wanted.retryMs ?? limits.downloadRetryMs, withoutProgress, limits.downloadRetryMsMax));
  }
}

async function attempt(wanted: Download, have: number): Promise<void> {
  const etagFile = `${wanted.part}.etag`;
  const etag = readIfThere(etagFile) ?? '';
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (have > 0) {
    headers['range'] = `bytes=${have}-`;
    // Without a strong validator the sha256 at the end shows whether the two parts belong together.
    if (etag !== '') headers['if-range'] = etag;
  }
  const answer = await request(wanted.url, headers);
  try {
    const { status } = answer;
    if (status === 416) {
      unlinkIfThere(wanted.part);
      throw new Cut('the server does not take the range');
    }
    if (status === 408 || status === 429 || status >= 500) throw new Cut(`the server answered ${status}`);
    if (status !== 200 && status !== 206) throw new SvcError('DOWNLOAD_FAILED', `${shown(wanted.url)}: the server answered ${status}`);
    const start = status === 206 ? startOf(headerOf(answer, 'content-range')) : 0;
    if (start !== 0 && start !== have) throw new Cut('the server sent another range');
    const sent = headerOf(answer, 'etag');
    if (sent.startsWith('"')) writeFileAtomic(etagFile, sent);
    else unlinkIfThere(etagFile);
    await receive(wanted, answer, start);
  } finally {
    answer.end();
  }
}

async function receive(wanted: Download, answer: Answer, start: number): Promise<void> {
  const handle = await open(wanted.part, start === 0 ? 'w' : 'r+', 0o600);
  faultPoint('engine-part-opened');
  let at = start;
  try {
    for await (const bytes of steady(answer, wanted.slowMsMax)) {
      if (at + bytes.length > wanted.bytes)
        throw new SvcError('CHECKSUM_MISMATCH', `${shown(wanted.url)} is larger than the ${wanted.bytes} bytes that are declared`);
      await writeAll(handle, bytes, at);
      at += bytes.length;
      wanted.onBytes(at);
      faultPoint('engine-part-written');
    }
  } catch (error) {
    if (error instanceof SvcError || isDisk(error)) throw error;
    throw error instanceof Cut ? error : new Cut(`the connection was cut (${whyNone(error)})`);
  } finally {
    await handle.close();
  }
  if (at < wanted.bytes) {
    // The answer was whole: it did not break off.
    if (start === 0) throw new SvcError('CHECKSUM_MISMATCH', `${shown(wanted.url)} has ${at} bytes, ${wanted.bytes} are declared`);
    throw new Cut('the connection was cut');
  }
}

/** The body, as long as it comes at some pace: who sends a byte now and then would hold an installation for years. */
async function* steady({ body }: Answer, slowMsMax: number = sharedLimits.transferSlowMsMax): AsyncGenerator<Buffer> {
  let sinceMs = performance.now();
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    yield chunk;
    bytes += chunk.length;
    const ms = performance.now() - sinceMs;
    if (ms < slowMsMax) continue;
    if (bytes < (sharedLimits.transferBytesPerSecondMin * ms) / 1_000)
      throw new Cut(`it came slower than ${sharedLimits.transferBytesPerSecondMin} bytes a second`);
    [sinceMs, bytes] = [performance.now(), 0];
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}

const isDisk = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG'].includes(errorCode(error));

function startOf(range: string): number {
  const match = /^bytes ([0-9]+)-[0-9]+\/(?:[0-9]+|\*)$/.exec(range);
  if (match === null) throw new Cut('the server sent no range');
  return Number(match[1]);
}

/** The answer's head; its body flows with an idle deadline. */
async function request(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  try {
    return await fetchFrom(url, headers, { silentMsMax: limits.downloadIdleMsMax });
  } catch (error) {
    throw error instanceof RedirectRefused ? new SvcError('DOWNLOAD_FAILED', error.message) : new Cut(whyNone(error));
  }
}

/** A small document, whole. Rejects NOT_FOUND, TOO_LARGE or DOWNLOAD_FAILED. */
export async function fetchDocument(url: string, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  try {
    const answer = await request(url, { 'accept-encoding': 'identity' });
    try {
      if (answer.status === 404) throw new SvcError('PACKAGE_SOURCE_MISSING', `${shown(url)} is not there`);
      if (answer.status !== 200) throw new Cut(`the server answered ${answer.status}`);
      for await (const chunk of steady(answer)) {
        total += chunk.length;
        if (total > bytesMax) throw new SvcError('TOO_LARGE', `${shown(url)} is larger than ${bytesMax} bytes`);
        chunks.push(chunk);
      }
    } finally {
      answer.end();
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw new SvcError('DOWNLOAD_FAILED', `${shown(url)}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return Buffer.concat(chunks);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
