/** `svc keys rotate`: the portal's ssh key and the keys of its store, each a new one beside the old one. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { AdminCommands, ServerActEvent } from '../../schema/gateway.ts';
import * as schemas from '../../schema/wire/http.ts';
import type { KeyRings } from '../auth/key-rings.ts';
import { errorAnswers } from '../shell.ts';

interface KeyRouteDeps {
  readonly commands: Pick<AdminCommands, 'rotateKey'>;
  readonly rings: Pick<KeyRings, 'rotate'>;
}

export function addKeyRoute(app: FastifyInstance, { commands, rings }: KeyRouteDeps): void {
  app.post<{ Body: { server?: string; plan?: boolean } | null }>(
    '/api/admin/keys',
    {
      config: { access: 'admin' },
      schema: {
        summary: "Change the portal's keys; both are valid meanwhile",
        body: schemas.rotateKeysBody,
        produces: ['application/x-ndjson'],
        response: errorAnswers,
      },
    },
    async ({ body }, reply) => {
      const { server = null, plan = false } = body ?? {};
      const events = commands.rotateKey(server, plan)[Symbol.asyncIterator]();
      // A request that is refused at once changes no key.
      const first = await events.next();
      const own = server === null ? await ownKeys(rings, plan) : [];
      reply.header('content-type', 'application/x-ndjson; charset=utf-8').header('x-accel-buffering', 'no');
      return reply.send(linesOf(first, events, own));
    },
  );
}

async function ownKeys(rings: Pick<KeyRings, 'rotate'>, isPlan: boolean): Promise<readonly ServerActEvent[]> {
  if (isPlan)
    return [
      {
        event: 'plan',
        text: 'new keys for tickets, comebacks of sessions and marks of browsers; those before count until what they signed is over',
      },
    ];
  return (await rings.rotate()).map((text) => ({ event: 'step', text }));
}

/** A line of JSON for each event; `before` stands in front of the first one. */
export function linesOf(
  first: IteratorResult<ServerActEvent>,
  rest: AsyncIterator<ServerActEvent>,
  before: readonly ServerActEvent[] = [],
): Readable {
  async function* lines(): AsyncGenerator<string> {
    for (const event of before) yield `${JSON.stringify(event)}\n`;
    for (let at = first; at.done !== true; at = await rest.next()) yield `${JSON.stringify(at.value)}\n`;
  }
  return Readable.from(lines(), { objectMode: false });
}
