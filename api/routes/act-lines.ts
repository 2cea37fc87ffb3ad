/** The progress of a long act of an administrator: one JSON object a line, as it happens. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ServerActEvent } from '../../schema/gateway.ts';
import type { Ending } from '../audit/rows.ts';

/** An immediate refusal rejects, so it is an answer with a status. `before`: asked once nothing was refused; its events stand in front. */
export async function sendAct(
  reply: FastifyReply,
  act: AsyncIterable<ServerActEvent>,
  before: () => Promise<readonly ServerActEvent[]> = async () => [],
): Promise<FastifyReply> {
  const events = act[Symbol.asyncIterator]();
  const first = await events.next();
  const own = await before();
  reply.header('content-type', 'application/x-ndjson; charset=utf-8').header('x-accel-buffering', 'no');
  const lines = new Readable({ read: () => undefined });
  const put = (event: ServerActEvent): void => void lines.push(`${JSON.stringify(event)}\n`);
  for (const event of own) put(event);
  reply.request.actEnd = toTheEnd(first, events, put).finally(() => lines.push(null));
  return reply.send(lines);
}

/** Also when the reader is gone: the act goes on, and the audit record says how it ended. */
async function toTheEnd(
  first: IteratorResult<ServerActEvent>,
  rest: AsyncIterator<ServerActEvent>,
  put: (event: ServerActEvent) => void,
): Promise<Ending> {
  let ending: Ending = { result: 'begun' };
  try {
    for (let at = first; at.done !== true; at = await rest.next()) {
      put(at.value);
      if (at.value.event === 'done') ending = { result: 'ok' };
      if (at.value.event === 'error') ending = { result: 'failed', code: at.value.code };
    }
  } catch {
    put({ event: 'error', code: 'INTERNAL', text: 'the act ended without a word' });
    return { result: 'failed', code: 'INTERNAL' };
  }
  return ending;
}
