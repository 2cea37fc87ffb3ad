/** Icons of packages, installed or only offered. What is sent is an image or nothing, and runs nothing. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import { dataPolicy } from '../security-headers.ts';
import { isKnown } from '../etag.ts';
import { contentTypeOf } from '../static-files.ts';

/** Source: spec 2.1 `icon`: .svg, .png, .jpg. */
const iconPattern = /\.(?:svg|png|jpe?g)$/i;

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
  if (bytes === null || !iconPattern.test(icon)) throw new SvcError('NOT_FOUND', 'the package has no icon');
  const etag = etagOf(bytes);
  const cacheControl = kept ? `private, max-age=${limits.iconKeptMs / 1_000}` : 'private, no-cache';
  reply.headers({ etag, 'cache-control': cacheControl, 'content-type': contentTypeOf(icon), 'content-security-policy': dataPolicy });
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
