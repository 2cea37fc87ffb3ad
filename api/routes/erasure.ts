/** `svc person erase`: what is held of a person, the order that nothing is kept, and its end. */
import type { FastifyInstance } from 'fastify';
import type { AdminCommands } from '../../schema/gateway.ts';
import * as schemas from '../../schema/wire/http.ts';
import { errorAnswers } from '../shell.ts';
import { sendAct } from './act-lines.ts';

interface ErasureRouteDeps {
  readonly commands: Pick<AdminCommands, 'heldOf' | 'askErasure' | 'finishErasure'>;
}

interface Whose {
  readonly person: string;
}

const config = { access: 'admin' as const };

export function addErasureRoutes(app: FastifyInstance, { commands }: ErasureRouteDeps): void {
  const answers = { params: schemas.personParams, response: { 200: schemas.heldAnswer, ...errorAnswers } };
  app.get<{ Params: Whose }>(
    '/api/admin/people/:person/held',
    { config, schema: { summary: 'What is held of a person', ...answers } },
    ({ params }) => commands.heldOf(params.person),
  );
  app.post<{ Params: Whose; Body: { roomsTo?: string } | null }>(
    '/api/admin/people/:person/erasure',
    { config, schema: { summary: 'Keep nothing of a person when they leave', body: schemas.erasureBody, ...answers } },
    ({ params, body }) => commands.askErasure(params.person, body?.roomsTo ?? null),
  );
  app.post<{ Params: Whose }>(
    '/api/admin/people/:person/erasure/end',
    {
      config,
      schema: {
        summary: 'Wait until a person is erased',
        params: schemas.personParams,
        body: schemas.noBody,
        produces: ['application/x-ndjson'],
        response: errorAnswers,
      },
    },
    ({ params }, reply) => sendAct(reply, commands.finishErasure(params.person)),
  );
}
