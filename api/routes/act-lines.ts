/** The progress of a long act of an administrator: one JSON object a line, as it happens. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ServerActEvent } from '../../schema/gateway.ts';

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
  return reply.send(Readable.from(linesOf(own, first, events), { objectMode: false }));
}

async function* linesOf(
  before: readonly ServerActEvent[],
  first: IteratorResult<ServerActEvent>,
  rest: AsyncIterator<ServerActEvent>,
): AsyncGenerator<string> {
  for (const event of before) yield `${JSON.stringify(event)}\n`;
  for (let at = first; at.done !== true; at = await rest.next()) yield `${JSON.stringify(at.value)}\n`;
}
