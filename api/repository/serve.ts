/**
 * A repository over HTTP: what a plain web server would answer for the folder's `v1/`, and publishing by PUT with a token. A
 * handler for node:http, used by `svc repository DIR` and by the portal for `/v1/`. How a version gets in (staging, the check of a
 * package, the record) is given from outside as a `RepositoryWriter`.
 * Source: rules 4.1 `/v1/motor`. Decision: docs/decisions/0055-repository-on-disk.md
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits as apiLimits } from '../limits.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { type RepositoryItem, parseRepositoryPath, pathOfItem } from '../../kit/repository/layout/paths.ts';
import type { RepositoryWriter } from '../../kit/repository/layout/writer.ts';
import { pathOf } from '../http/navigation.ts';
import { codedError } from '../http/problems.ts';
import { dataPolicy } from '../http/security-headers.ts';
import { judge, partOf } from './conditions.ts';
import { type RepositoryFile, type RepositoryFiles, createRepositoryFiles } from './files.ts';
import { admitPublisher } from './tokens.ts';
import { arriving, readAnnounced, turnAway, watchIdle } from './upload.ts';

export interface RepositoryOptions {
  readonly root: string;
  readonly writer: RepositoryWriter;
  readonly clock: Clock;
  readonly log: Logger;
}

export type RepositoryHandler = (req: IncomingMessage, res: ServerResponse) => void;

export function isRepositoryPath(path: string): boolean {
  return path.startsWith('/v1/');
}

export function createRepositoryHandler(options: RepositoryOptions): RepositoryHandler {
  const files = createRepositoryFiles(options.root);
  const uploads = { count: 0 };

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const item = parseRepositoryPath(pathOf(req.url ?? '/'));
    if (item === null) throw new SvcError('NOT_FOUND', 'the repository has no such path');
    const { method = '' } = req;
    // The body of a GET is not read: a client that keeps sending one would keep the connection.
    if (!req.complete && (req.headers['content-length'] ?? req.headers['transfer-encoding']) !== undefined && method !== 'PUT')
      res.setHeader('connection', 'close');
    if (method === 'GET' || method === 'HEAD') return await send(options, files, item, req, res);
    const tarball = item.kind === 'tarball' || item.kind === 'engine' ? item : null;
    if (method === 'PUT' && tarball) return await receive(options, uploads, tarball, req, res);
    const allow = tarball ? 'GET, HEAD, PUT' : 'GET, HEAD';
    res.setHeader('allow', allow);
    throw new SvcError('METHOD_NOT_ALLOWED', `this path takes ${allow}`);
  };

  return (req, res) => {
    handle(req, res).catch((thrown: unknown) => {
      const id = randomUUID();
      const error = codedError(thrown, id);
      if (error.code === 'INTERNAL') options.log.error({ requestId: id, err: thrown }, 'repository request failed');
      if (res.headersSent) res.destroy();
      else turnAway(options.clock, req, res, error);
    });
  };
}

async function send(
  { clock, log }: RepositoryOptions,
  files: RepositoryFiles,
  item: RepositoryItem,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const file = await files.open(item);
  if (file === null) throw new SvcError('NOT_FOUND', `the repository has no ${pathOfItem(item)}`);
  try {
    await answer(clock, file, req, res);
  } catch (error) {
    // A client that was cut off comes back with a range.
    if (!res.destroyed && !res.closed) throw error;
    log.debug({ path: pathOfItem(item) }, 'reader went away');
  } finally {
    await file.handle.close();
  }
}

async function answer(clock: Clock, file: RepositoryFile, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { method = 'GET' } = req;
  const verdict = judge(method, req.headers, file);
  const headers = headersOf(file);
  if (verdict.status === 304) {
    res.writeHead(304, headers).end();
    return;
  }
  const { headers: ofPart, part } = partOf(verdict, file.bytes);
  if (part === null) {
    res.writeHead(verdict.status, { ...headers, ...ofPart, 'content-length': 0 }).end();
    return;
  }
  res.writeHead(verdict.status, { ...headers, ...ofPart, 'content-type': file.type });
  if (method === 'HEAD' || file.bytes === 0) res.end();
  else await stream(clock, file, part.start, part.end - part.start + 1, res);
}

function headersOf(file: RepositoryFile): Record<string, string> {
  return {
    etag: file.etag,
    'last-modified': new Date(file.modifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
    'content-security-policy': dataPolicy,
  };
}

/** At most a chunk or two in memory, for any size; a reader that takes nothing for too long is cut. */
async function stream(clock: Clock, { handle }: RepositoryFile, start: number, length: number, res: ServerResponse): Promise<void> {
  const source = handle.createReadStream({
    start,
    end: start + length - 1,
    autoClose: false,
    highWaterMark: apiLimits.repositoryChunkBytes,
  });
  const watch = watchIdle(clock, () => res.destroy());
  res.on('drain', watch.moved);
  try {
    await pipeline(source, res, { end: false });
  } finally {
    watch.end();
    res.off('drain', watch.moved);
  }
  // Shorter than it was a moment ago: the reader must not take it for whole.
  if (source.bytesRead === length) res.end();
  else res.destroy();
}

async function receive(
  { root, writer, clock }: RepositoryOptions,
  uploads: { count: number },
  item: RepositoryItem & { readonly kind: 'tarball' | 'engine' },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const isEngine = item.kind === 'engine';
  await admitPublisher(root, req.headers.authorization, isEngine ? item.nome : item.id);
  const announced = readAnnounced(req, isEngine ? sharedLimits.engineTarballBytesMax : sharedLimits.packageTarballBytesMax);
  if (uploads.count >= limits.repositoryUploadsMax) throw new SvcError('REPOSITORY_BUSY', 'too many uploads at once: try again');
  uploads.count += 1;
  try {
    const body = arriving(clock, req);
    const { outcome, record } = isEngine
      ? await writer.putEngine(item.nome, item.versao, body, announced)
      : await writer.putPackage(item.id, item.version, body, announced);
    const text = JSON.stringify({ outcome, record });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' };
    res.writeHead(outcome === 'published' ? 201 : 200, { ...headers, location: `/${pathOfItem(item)}`, etag: `"${record.sha256}"` });
    res.end(text);
  } finally {
    uploads.count -= 1;
  }
}
