/**
 * A file over http(s) into a `.part` file, going on where an earlier attempt, or an earlier run, was cut. What it holds is not
 * trusted: whoever asked checks size and sha256. Redirects are capped and never lead from https to http.
 */
import { open, stat, type FileHandle } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../schema/errors.ts';
import type { OnEvent } from '../../schema/install-events.ts';
import { limits } from '../../schema/limits.ts';
import { errorCode, readIfThere, unlinkIfThere, writeFileAtomic } from '../atomic-file.ts';
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

/** Tells how far a download is: at most so often, and once at the end. */
export function progressTeller(
  what: { readonly nome: string; readonly versao: string; readonly total: number },
  already: number,
  onEvent: OnEvent,
): (have: number) => void {
  const startedMs = performance.now();
  let toldMs = -Infinity;
  return (have) => {
    const nowMs = performance.now();
    if (nowMs - toldMs < limits.progressMs && have < what.total) return;
    toldMs = nowMs;
    const perMs = (have - already) / Math.max(1, nowMs - startedMs);
    const etaMs = perMs <= 0 ? null : Math.round((what.total - have) / perMs);
    onEvent({ event: 'download', ...what, bytes: have, etaMs });
  };
}

class Cut extends Error {}

/** Resolves when `part` holds `bytes` bytes. Rejects DOWNLOAD_FAILED (what is there stays for the next run) or CHECKSUM_MISMATCH. */
export async function download(wanted: Download): Promise<void> {
  let withoutProgress = 0;
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
    const gained = (await sizeOf(wanted.part)) - before;
    withoutProgress = gained >= limits.downloadProgressBytesMin ? 0 : withoutProgress + 1;
    if (withoutProgress > 0)
      await sleep(Math.min((wanted.retryMs ?? limits.downloadRetryMs) * 2 ** (withoutProgress - 1), limits.downloadRetryMsMax));
  }
}

/** Without user name, password and query: those may be credentials. */
function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

async function attempt(wanted: Download, have: number): Promise<void> {
  const etagFile = `${wanted.part}.etag`;
  const etag = readIfThere(etagFile) ?? '';
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (have > 0) {
    headers['range'] = `bytes=${have}-`;
    // Without a strong validator the sha256 at the end tells whether the two halves belong together.
    if (etag !== '') headers['if-range'] = etag;
  }
  const response = await request(wanted.url, headers, limits.downloadRedirectsMax);
  try {
    const status = response.statusCode ?? 0;
    if (status === 416) {
      unlinkIfThere(wanted.part);
      throw new Cut('the server does not take the range');
    }
    if (status === 408 || status === 429 || status >= 500) throw new Cut(`the server answered ${status}`);
    if (status !== 200 && status !== 206) throw new SvcError('DOWNLOAD_FAILED', `${shown(wanted.url)}: the server answered ${status}`);
    const start = status === 206 ? startOf(response.headers['content-range']) : 0;
    if (start !== 0 && start !== have) throw new Cut('the server sent another range');
    const sent = response.headers['etag'] ?? '';
    if (sent.startsWith('"')) writeFileAtomic(etagFile, sent);
    else unlinkIfThere(etagFile);
    await receive(wanted, response, start);
  } finally {
    response.destroy();
  }
}

async function receive(wanted: Download, response: http.IncomingMessage, start: number): Promise<void> {
  const handle = await open(wanted.part, start === 0 ? 'w' : 'r+', 0o600);
  faultPoint('engine-part-opened');
  let at = start;
  try {
    for await (const bytes of steady(response, wanted.slowMsMax)) {
      if (at + bytes.length > wanted.bytes)
        throw new SvcError('CHECKSUM_MISMATCH', `${shown(wanted.url)} is larger than the ${wanted.bytes} bytes that are declared`);
      await writeAll(handle, bytes, at);
      at += bytes.length;
      wanted.onBytes(at);
      faultPoint('engine-part-written');
    }
  } catch (error) {
    if (error instanceof SvcError || isDisk(error)) throw error;
    throw error instanceof Cut ? error : new Cut(`the connection was cut (${errorCode(error)})`);
  } finally {
    await handle.close();
  }
  if (at < wanted.bytes) {
    if (response.complete && start === 0)
      throw new SvcError('CHECKSUM_MISMATCH', `${shown(wanted.url)} has ${at} bytes, ${wanted.bytes} are declared`);
    throw new Cut('the connection was cut');
  }
}

/** The body, as long as it comes at some pace: who sends a byte now and then would hold an installation for years. */
async function* steady(response: http.IncomingMessage, slowMsMax: number = limits.transferSlowMsMax): AsyncGenerator<Buffer> {
  let sinceMs = performance.now();
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    yield chunk;
    bytes += chunk.length;
    const ms = performance.now() - sinceMs;
    if (ms < slowMsMax) continue;
    if (bytes < (limits.transferBytesPerSecondMin * ms) / 1_000)
      throw new Cut(`it came slower than ${limits.transferBytesPerSecondMin} bytes a second`);
    [sinceMs, bytes] = [performance.now(), 0];
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}

const isDisk = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG'].includes(errorCode(error));

function startOf(range: string | undefined): number {
  const match = /^bytes ([0-9]+)-[0-9]+\/(?:[0-9]+|\*)$/.exec(range ?? '');
  if (match === null) throw new Cut('the server sent no range');
  return Number(match[1]);
}

/** The answer's head; its body flows with an idle deadline. */
function request(url: string, headers: Readonly<Record<string, string>>, redirects: number): Promise<http.IncomingMessage> {
  const target = new URL(url);
  const module = target.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const asked = module.get(target.href, { headers, agent: false, timeout: limits.downloadIdleMsMax });
    asked.once('timeout', () => asked.destroy(new Cut(`nothing came for ${limits.downloadIdleMsMax / 1_000} s`)));
    asked.once('error', (error) => reject(error instanceof Cut ? error : new Cut(errorCode(error) || error.message)));
    asked.once('response', (response) => {
      const location = response.headers.location;
      if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || location === undefined) {
        resolve(response);
        return;
      }
      response.destroy();
      try {
        resolve(request(nextUrl(target, location, redirects), headers, redirects - 1));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

function nextUrl(from: URL, location: string, redirects: number): string {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (redirects === 0) throw new SvcError('DOWNLOAD_FAILED', `${shown(from.href)}: more than ${limits.downloadRedirectsMax} redirects`);
  if (to === null || !['http:', 'https:'].includes(to.protocol) || (from.protocol === 'https:' && to.protocol === 'http:'))
    throw new SvcError('DOWNLOAD_FAILED', `${shown(from.href)}: a redirect that is not followed`);
  return to.href;
}

/** A small document, whole. Rejects NOT_FOUND, TOO_LARGE or DOWNLOAD_FAILED. */
export async function fetchDocument(url: string, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  try {
    const response = await request(url, { 'accept-encoding': 'identity' }, limits.downloadRedirectsMax);
    try {
      if (response.statusCode === 404) throw new SvcError('PACKAGE_SOURCE_MISSING', `${shown(url)} is not there`);
      if (response.statusCode !== 200) throw new Cut(`the server answered ${response.statusCode}`);
      for await (const chunk of steady(response)) {
        total += chunk.length;
        if (total > bytesMax) throw new SvcError('TOO_LARGE', `${shown(url)} is larger than ${bytesMax} bytes`);
        chunks.push(chunk);
      }
    } finally {
      response.destroy();
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
