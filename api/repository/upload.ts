/** The request of a publisher: its body with a watch on it, what its headers announce, and how it is turned away. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Announced } from '../../kit/repository/layout/writer.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { bytesMoved } from '../connections/young-memory.ts';
import { problemOf, problemType, sendProblem } from '../http/problems.ts';

/** Throws BAD_REQUEST or TOO_LARGE before a byte of the body was taken. */
export function readAnnounced(req: IncomingMessage, bytesMax: number): Announced {
  if (Number(req.headers['content-length'] ?? 0) > bytesMax) {
    throw new SvcError('TOO_LARGE', `expected at most ${bytesMax} bytes`, { bytesMax });
  }
  if (req.headers['content-encoding'] !== undefined || req.headers['content-range'] !== undefined) {
    throw new SvcError('BAD_REQUEST', 'expected the whole tarball as it is, without Content-Encoding or Content-Range');
  }
  return { novidades: textOf(req, 'svc-novidades'), sha256: digestOf(req), signature: textOf(req, 'svc-assinatura') || null };
}

/** The body; breaks off when the sender is silent for too long or goes away in the middle. */
export async function* arriving(clock: Clock, req: IncomingMessage): AsyncGenerator<Uint8Array> {
  const watch = watchIdle(clock, () => req.destroy());
  let sinceMs = clock.monotonicMs();
  let bytes = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      watch.moved();
      bytesMoved(chunk.length);
      yield chunk;
      bytes += chunk.length;
      const ms = clock.monotonicMs() - sinceMs;
      if (ms < sharedLimits.transferSlowMsMax) continue;
      // A byte now and then would keep one of the few places for uploads for ever.
      if (bytes < (sharedLimits.transferBytesPerSecondMin * ms) / 1_000)
        throw new SvcError('BAD_REQUEST', `the upload came slower than ${sharedLimits.transferBytesPerSecondMin} bytes a second`);
      [sinceMs, bytes] = [clock.monotonicMs(), 0];
    }
    if (!req.complete) throw new SvcError('BAD_REQUEST', 'the upload ended too soon');
  } catch (error) {
    throw error instanceof SvcError ? error : new SvcError('BAD_REQUEST', 'the upload broke off', {}, { cause: error });
  } finally {
    watch.end();
  }
}

/** `Svc-Novidades` and `Svc-Assinatura`: text of several lines as base64 of UTF-8, since headers hold no line breaks. */
function textOf(req: IncomingMessage, name: 'svc-novidades' | 'svc-assinatura'): string {
  const header = req.headers[name];
  if (header === undefined) return '';
  const bytes = typeof header === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(header) ? Buffer.from(header, 'base64') : null;
  try {
    if (bytes) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Reported below.
  }
  throw new SvcError('BAD_REQUEST', `${name}: expected the base64 of UTF-8 text`);
}

/** Source: RFC 9530. Algorithms that we don't know are passed over, as it says. */
function digestOf(req: IncomingMessage): string | null {
  const header = req.headers['content-digest'];
  const found = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(typeof header === 'string' ? header : '')?.[1];
  return found === undefined ? null : Buffer.from(found, 'base64').toString('hex');
}

/**
 * A problem as the answer. To an upload it goes out whole while some of the body is still taken in and thrown away, so that a
 * sender in the middle of it reads the answer instead of a reset.
 */
export function turnAway(clock: Clock, req: IncomingMessage, res: ServerResponse, error: SvcError): void {
  if (error.code === 'UNAUTHENTICATED') res.setHeader('www-authenticate', 'Bearer realm="svc repository"');
  if (req.complete || req.method === 'GET' || req.method === 'HEAD') return sendProblem(res, error, req.method);
  const body = JSON.stringify(problemOf(error));
  const headers = { 'content-type': problemType, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' };
  res.writeHead(error.status, { ...headers, connection: 'close' });
  res.write(body);
  const end = (): void => {
    cancel();
    res.end();
  };
  const cancel = clock.at(clock.monotonicMs() + limits.repositoryLingerMs, end);
  req.once('close', end);
  req.once('end', end);
  req.resume();
}

/** Calls `idle` when `moved` was not called for too long. */
export function watchIdle(clock: Clock, idle: () => void): { readonly moved: () => void; readonly end: () => void } {
  const arm = (): (() => void) => clock.at(clock.monotonicMs() + limits.repositoryIdleMs, idle);
  let cancel = arm();
  return {
    moved: () => {
      cancel();
      cancel = arm();
    },
    end: () => cancel(),
  };
}
