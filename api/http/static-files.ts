/**
 * Files of the shell and of `_sdk/`, read from a folder of ours. A path is a list of plain names: anything else (dots, empty or
 * encoded separators, control characters) names no file, and a link that leads outside of the folder neither.
 */
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { encodedEtag, isKnown } from '../../schema/wire/etag.ts';
import { codingFor, encode, isWorthIt, type Coding } from './content-coding.ts';
import { limits } from '../limits.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

export function contentTypeOf(name: string): string {
  return contentTypes[path.extname(name).toLowerCase()] ?? 'application/octet-stream';
}

export interface StaticFile {
  readonly body: Buffer;
  readonly etag: string;
  readonly type: string;
  /** The name holds a hash of the content: it never changes under this name. */
  readonly immutable: boolean;
  /** The body in a coding; made once. Null: it is sent as it is. */
  encoded(coding: Coding): Promise<Buffer> | null;
}

export interface StaticFolder {
  /** `rawPath` is relative, percent-encoded as in the URL. */
  find(rawPath: string): Promise<StaticFile | null>;
}

export function plainSegments(rawPath: string): readonly string[] | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(rawPath);
  } catch {
    return null;
  }
  const segments = decoded.split('/');
  // A leading dot covers '.', '..' and hidden files.
  return segments.every((segment) => /^[A-Za-z0-9_@-][A-Za-z0-9._@-]*$/.test(segment)) ? segments : null;
}

export function createStaticFolder(dir: string): StaticFolder {
  const cache = new Map<string, { readonly mtimeMs: number; readonly size: number; readonly file: StaticFile }>();
  return {
    find: async (rawPath) => {
      const segments = plainSegments(rawPath);
      if (!segments) return null;
      const name = path.join(dir, ...segments);
      try {
        const [root, real] = await Promise.all([realpath(dir), realpath(name)]);
        if (!real.startsWith(root + path.sep)) return null;
        const info = await stat(real);
        if (!info.isFile() || info.size > limits.staticFileBytesMax) return null;
        const known = cache.get(real);
        if (known?.mtimeMs === info.mtimeMs && known.size === info.size) return known.file;
        const body = await readFile(real);
        const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
        const immutable = /[-.][A-Z0-9]{8}\.[a-z0-9]+$/.test(name);
        const type = contentTypeOf(name);
        const file: StaticFile = {
          body,
          etag,
          type,
          immutable,
          encoded: isWorthIt(type, body.length) ? onceEncoded(body, real, info.mtimeMs) : () => null,
        };
        cache.set(real, { mtimeMs: info.mtimeMs, size: info.size, file });
        return file;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  };
}

/** The build has put the best coding beside (setup/build.ts). */
function onceEncoded(body: Buffer, file: string, mtimeMs: number): (coding: Coding) => Promise<Buffer> {
  const made = new Map<Coding, Promise<Buffer>>();
  const ofBuild = async (): Promise<Buffer | null> => {
    const info = await stat(`${file}.br`).catch(() => null);
    return info !== null && info.mtimeMs >= mtimeMs ? await readFile(`${file}.br`) : null;
  };
  return (coding) => {
    const known = made.get(coding);
    if (known) return known;
    const bytes = (coding === 'br' ? ofBuild() : Promise.resolve(null)).then(async (kept) => kept ?? (await encode(body, coding, 'kept')));
    made.set(coding, bytes);
    return bytes;
  };
}

/** Answers GET and HEAD with validators; `headers` are added to every answer. */
export async function sendStatic(
  req: IncomingMessage,
  res: ServerResponse,
  file: StaticFile,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const coding = codingFor(req.headers['accept-encoding']);
  const encoded = coding === null ? null : file.encoded(coding);
  const common = {
    ...headers,
    etag: coding === null || encoded === null ? file.etag : encodedEtag(file.etag, coding),
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
  };
  if (isKnown(req.headers['if-none-match'], file.etag)) {
    res.writeHead(304, common).end();
    return;
  }
  const body = encoded === null ? file.body : await encoded;
  res.writeHead(200, {
    ...common,
    ...(coding === null || encoded === null ? {} : { 'content-encoding': coding }),
    'content-type': file.type,
    'content-length': body.length,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG';
}
