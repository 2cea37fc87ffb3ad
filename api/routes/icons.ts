/** Icons and pictures of packages, installed or only offered. The answer is an image or nothing, and runs nothing. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import { dataPolicy } from '../http/security-headers.ts';
import { isKnown } from '../../schema/wire/etag.ts';
import { contentTypeOf, plainSegments } from '../http/static-files.ts';
import { drawingWork } from './drawing-work.ts';

const beginsWith =
  (...head: readonly number[]) =>
  (bytes: Uint8Array): boolean =>
    head.every((byte, at) => bytes[at] === byte);
const jpeg = beginsWith(0xff, 0xd8, 0xff);
/** Checks by the first bytes of each type: other bytes are not sent as an image. Source: rules 2.1 `icon`. */
const images: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  '.svg': (bytes) => /^\ufeff?\s*<[^]*<svg[\s/>]|^\ufeff?\s*<svg[\s/>]/i.test(Buffer.from(bytes.subarray(0, 4_096)).toString('utf8')),
  '.png': beginsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  '.jpg': jpeg,
  '.jpeg': jpeg,
};
const isImage = (name: string, bytes: Uint8Array): boolean => images[path.extname(name).toLowerCase()]?.(bytes) === true;

/**
 * Where the file of `window.icone.url`, a path inside the app, may be in the package: in `frontend/`, which `web.spa` serves (rules 4.5), else as it
 * is written. None where it leaves the app. Decision: docs/decisions/0042-who-may-call-an-app.md
 */
export function windowIconFiles(url: unknown): readonly string[] {
  const inside = 'http://app.invalid';
  if (typeof url !== 'string' || !URL.canParse(url, inside)) return [];
  const { origin, pathname } = new URL(url, inside);
  const segments = plainSegments(pathname.slice(1));
  if (origin !== inside || segments === null) return [];
  const name = segments.join('/');
  return images[path.extname(name).toLowerCase()] === undefined ? [] : [`frontend/${name}`, name];
}

const isMuchWork = (bytes: Uint8Array): boolean => (drawingWork(new TextDecoder().decode(bytes)) ?? Infinity) > limits.iconElementsMax;

export interface Icon {
  /** Its path in the package. */
  readonly icon: string;
  readonly bytes: Uint8Array | null;
  /** The address names the version that is answered: it may be kept without asking again. */
  readonly kept: boolean;
}

export const etagOf = (content: Uint8Array | string): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;

export function sendIcon(request: FastifyRequest, reply: FastifyReply, { icon, bytes, kept }: Icon): FastifyReply {
  if (bytes === null || !isImage(icon, bytes)) throw new SvcError('NOT_FOUND', 'the package has no icon');
  const etag = etagOf(bytes);
  const cacheControl = kept ? `private, max-age=${limits.iconKeptMs / 1_000}` : 'private, no-cache';
  reply.headers({ etag, 'cache-control': cacheControl, 'content-type': contentTypeOf(icon), 'content-security-policy': dataPolicy });
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (path.extname(icon).toLowerCase() === '.svg' && isMuchWork(bytes))
    throw new SvcError('NOT_FOUND', 'the icon is too much work to draw');
  return reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
