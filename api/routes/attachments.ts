/**
 * `/api/salas/:id/anexos…`: bytes of a room by their sha256 (rules 4.1). People upload them and others see them: they are never served as a page of
 * the portal, whatever their declared type. Decision: docs/decisions/0099-attachments.md
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import { limits } from '../limits.ts';
import type { AttachmentAnswer } from '../../schema/wire/rooms.ts';
import { arriving } from '../repository/upload.ts';
import { isShownInPlace, servedType } from '../rooms/attachment-type.ts';
import type { Attachments, OpenAttachment } from '../rooms/attachments.ts';
import { roomCaller } from '../rooms/callers.ts';
import type { Rates } from '../rooms/rates.ts';
import { sendFile } from '../http/send-file.ts';
import { takeRaw } from './queue-files.ts';
import { type Asked, serve } from '../http/serve.ts';

export interface AttachmentRouteDeps {
  readonly people: Pick<PeopleView, 'find'>;
  readonly attachments: Attachments;
  readonly rates: Rates;
  readonly clock: Clock;
}

export function addAttachmentRoutes(app: FastifyInstance, deps: AttachmentRouteDeps): void {
  serve(app, 'GET /api/salas/:id/anexos/:sha', (request, reply) => sendAttachment(deps, request, reply));
  void app.register(async (scope) => {
    takeRaw(scope);
    serve(scope, 'PUT /api/salas/:id/anexos', (request) => putAttachment(deps, request));
  });
}

async function putAttachment(
  { people, attachments, rates, clock }: AttachmentRouteDeps,
  request: Asked<'PUT /api/salas/:id/anexos'>,
): Promise<AttachmentAnswer> {
  const caller = roomCaller(request, people, request.query.app);
  rates.count('change', caller.usuario);
  const { headers } = request.raw;
  if (headers['content-encoding'] !== undefined || headers['content-range'] !== undefined) {
    throw new SvcError('BAD_REQUEST', 'expected the whole attachment as it is, without Content-Encoding or Content-Range');
  }
  const length = headers['content-length'];
  const announced = length === undefined ? null : Number(length);
  return await attachments.put(caller, request.params.id, mediaType(headers['content-type']), arriving(clock, request.raw), announced);
}

/** `type/subtype` in lower case, without parameters. Source: RFC 9110, 8.3.1. */
export function mediaType(header: string | undefined): string {
  if (header === undefined) return 'application/octet-stream';
  const [, type] = /^\s*([a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+)\s*(?:;.*)?$/is.exec(header) ?? [];
  if (type === undefined || type.length > limits.attachmentTypeCharsMax) {
    throw new SvcError('UNSUPPORTED_MEDIA', 'Content-Type: expected a media type such as image/png');
  }
  return type.toLowerCase();
}

function headersOf({ sha, tipo }: OpenAttachment): Record<string, string> {
  const type = servedType(tipo);
  return {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'content-disposition': isShownInPlace(type) ? 'inline' : `attachment; filename="${sha.slice(0, 16)}"`,
    // Bytes under a sha never change; who may see them does, hence never in a shared cache.
    'cache-control': 'private, max-age=31536000, immutable',
    vary: 'Cookie, Authorization, Sec-Fetch-Dest',
  };
}

/** Destinations for which a page may want an attachment. Programs send none. */
const destinations: ReadonlySet<unknown> = new Set([undefined, 'empty', 'image', 'audio', 'video', 'document', 'iframe']);

/** Refuses scripts, styles, workers and whatever else a page loads to obey it. Old browsers say it of a service worker in a header of its own. */
function refuseCode({ headers }: FastifyRequest['raw']): void {
  if (destinations.has(headers['sec-fetch-dest']) && headers['service-worker'] === undefined) return;
  throw new SvcError('FORBIDDEN', 'an attachment is data: it is no script, style or worker');
}

async function sendAttachment(
  { people, attachments, clock }: AttachmentRouteDeps,
  request: Asked<'GET /api/salas/:id/anexos/:sha'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  refuseCode(request.raw);
  const { id, sha } = request.params;
  const file = await attachments.open(roomCaller(request, people, request.query.app), id, sha);
  return await sendFile(clock, request, reply, file, { etag: `"${sha}"`, headers: headersOf(file) });
}
