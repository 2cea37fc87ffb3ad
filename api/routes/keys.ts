/** `svc keys rotate`: the portal's ssh key and the keys of its store, each a new one beside the old one. */
import type { FastifyInstance } from 'fastify';
import type { AdminCommands, ServerActEvent } from '../../schema/gateway.ts';
import type { KeyRings } from '../auth/key-rings.ts';
import { serve } from '../http/serve.ts';
import { sendAct } from './act-lines.ts';

interface KeyRouteDeps {
  readonly commands: Pick<AdminCommands, 'rotateKey'>;
  readonly rings: Pick<KeyRings, 'rotate'>;
}

export function addKeyRoute(app: FastifyInstance, { commands, rings }: KeyRouteDeps): void {
  serve(app, 'POST /api/admin/keys', async ({ body }, reply) => {
    const { server = null, plan = false } = body ?? {};
    // A request that is refused at once changes no key.
    return await sendAct(reply, commands.rotateKey(server, plan), async () => (server === null ? await ownKeys(rings, plan) : []));
  });
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
