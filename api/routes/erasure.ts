/** `svc person`: what is held of a person, the order that nothing is kept, and its end; and their move to another server. */
import type { FastifyInstance } from 'fastify';
import type { AdminCommands } from '../../schema/gateway.ts';
import { serve } from '../http/serve.ts';
import { sendAct } from './act-lines.ts';

interface ErasureRouteDeps {
  readonly commands: Pick<AdminCommands, 'heldOf' | 'askErasure' | 'finishErasure' | 'movePerson'>;
}

export function addErasureRoutes(app: FastifyInstance, { commands }: ErasureRouteDeps): void {
  serve(app, 'GET /api/admin/people/:person/held', ({ params }) => commands.heldOf(params.person));
  serve(app, 'POST /api/admin/people/:person/erasure', ({ params, body }) => commands.askErasure(params.person, body?.roomsTo ?? null));
  serve(app, 'POST /api/admin/people/:person/erasure/end', ({ params }, reply) => sendAct(reply, commands.finishErasure(params.person)));
  serve(app, 'POST /api/admin/people/:person/move', ({ params, body: { to, act, isPlan = false } }, reply) =>
    sendAct(reply, commands.movePerson(params.person, { to, act, isPlan })),
  );
}
