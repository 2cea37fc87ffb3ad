/** `/api/consentimentos`: what the person said to apps that use each other. No backend and no page of an app reaches it. Source: rules 5. */
import type { FastifyInstance } from 'fastify';
import { noBody } from '../../schema/wire/http.ts';
import type { ConsentAnswer, ConsentBody, ConsentsAnswer } from '../../schema/wire/capabilities.ts';
import * as schemas from '../../schema/wire/capabilities.ts';
import type { Consents } from '../capabilities/capabilities.ts';
import { errorAnswers, sessionOf } from '../shell.ts';

const config = { access: 'person' as const };

export function addConsentRoutes(app: FastifyInstance, consents: Consents): void {
  app.get(
    '/api/consentimentos',
    { config, schema: { summary: 'What I let apps use of each other', response: { 200: schemas.consentsAnswer, ...errorAnswers } } },
    (request): Promise<ConsentsAnswer> => consents.list(sessionOf(request).person),
  );
  app.put<{ Body: ConsentBody }>(
    '/api/consentimentos',
    {
      config,
      schema: {
        summary: 'Let an app use a capability of another, or not: always, or for one call',
        body: schemas.consentBody,
        response: { 200: schemas.consentAnswer, ...errorAnswers },
      },
    },
    (request): Promise<ConsentAnswer> => consents.answer(sessionOf(request).person, request.body),
  );
  app.delete<{ Params: { id: string } }>(
    '/api/consentimentos/:id',
    {
      config,
      schema: {
        summary: 'Take it back: calls under way end',
        params: schemas.consentParams,
        body: noBody,
        response: { 204: { type: 'null' }, ...errorAnswers },
      },
    },
    async (request, reply) => {
      await consents.revoke(sessionOf(request).person, request.params.id);
      return reply.code(204).send();
    },
  );
}
