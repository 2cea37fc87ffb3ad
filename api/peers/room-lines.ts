/** Orders to the portal that has a room: it brings a version back. The asking portal checked who may. On the lines of peer-lines.ts. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { lineShape } from '../../schema/compile-shape.ts';
import { type ErrorCode, errorKinds, SvcError } from '../../schema/errors.ts';
import { canais } from '../../schema/rooms.ts';
import { closed, count, oneOf } from '../../schema/static.ts';
import { appId, personId } from '../../schema/wire/http.ts';
import { roomParams } from '../../schema/wire/rooms.ts';
import { limits } from '../limits.ts';
import type { RevertAsked } from '../rooms/contract.ts';
import { post, textOf } from './record-lines.ts';

export const roomPath = '/room';

export type Revert = (asked: RevertAsked) => Promise<void>;

const owner = { type: 'string', pattern: `^$|${personId.pattern}` } as const;
const trouble = lineShape(
  closed({
    key: closed({ sala: roomParams.properties.id, canal: oneOf(canais) }),
    seq: count,
    usuario: personId,
    app: appId,
    dona: owner,
  }),
);

/** An error is its code, with the status of that code. */
export async function answerRevert(revert: Revert | undefined, req: IncomingMessage, res: ServerResponse): Promise<void> {
  res.setHeader('connection', 'close');
  if (revert === undefined || req.method !== 'POST') return void res.writeHead(404).end();
  try {
    await revert(readAsked(await textOf(req, limits.peerQuestionBytesMax)));
    res.writeHead(204).end();
  } catch (error) {
    const { code, status, message } = error instanceof SvcError ? error : { code: 'INTERNAL', status: 500, message: '' };
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ code, message }));
  }
}

function readAsked(said: string | null): RevertAsked {
  try {
    const value: unknown = JSON.parse(said ?? '');
    if (trouble(value) === null) return value as RevertAsked;
  } catch {
    // No JSON.
  }
  throw new SvcError('BAD_REQUEST', 'this is no order about a room');
}

/** Rejects with the code that the other portal answered, PORTAL_UNREACHABLE when it did not. */
export async function askRevert(address: string, key: string, asked: RevertAsked): Promise<void> {
  const away = (): SvcError => new SvcError('PORTAL_UNREACHABLE', `the portal at ${address}, which has the room, does not answer`);
  const { status, said } = await post(address, key, {
    path: roomPath,
    question: asked,
    msMax: limits.peerRoomMsMax,
    bytesMax: limits.peerQuestionBytesMax,
    away,
  });
  if (status !== 204) throw refusalIn(said) ?? away();
}

function refusalIn(said: string | null): SvcError | null {
  try {
    const { code, message } = JSON.parse(said ?? '') as { readonly code?: unknown; readonly message?: unknown };
    if (typeof code !== 'string' || !Object.hasOwn(errorKinds, code)) return null;
    return new SvcError(code as ErrorCode, typeof message === 'string' ? message.slice(0, 200) : 'the portal that has the room refused');
  } catch {
    return null;
  }
}
