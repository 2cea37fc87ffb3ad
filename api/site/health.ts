/** For what watches the portal from outside: a load balancer, a monitor. Callers learn nothing else. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Store } from '../../store/store.ts';
import { limits } from '../limits.ts';

export const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** `/healthz`: the process answers. `/readyz`: it can do its work, which is 503 while the store does not answer; apps go on meanwhile. */
export function addHealthRoutes(app: FastifyInstance, store: Pick<Store, 'value'>): void {
  const config = { access: 'open' } as const;
  const produces = ['text/plain'];
  app.get('/healthz', { config, schema: { summary: 'Whether the portal answers', produces } }, (_, reply) => reply.send('ok\n'));
  app.get('/readyz', { config, schema: { summary: 'Whether the portal can do its work', produces } }, async (_, reply) => {
    const read = store.value('doctor').then(
      () => true,
      () => false,
    );
    const isReady = await Promise.race([read, pause(limits.readyMsMax, false, { ref: false })]);
    return await reply.code(isReady ? 200 : 503).send(isReady ? 'ok\n' : 'the store does not answer\n');
  });
}
