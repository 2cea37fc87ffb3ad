/** `/api/consentimentos`: what the person said to apps that use each other. No backend and no page of an app reaches it. Source: rules 5. */
import type { FastifyInstance } from 'fastify';
import type { Consents } from '../capabilities/capabilities.ts';
import { sessionOf } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';

export function addConsentRoutes(app: FastifyInstance, consents: Consents): void {
  serve(app, 'GET /api/consentimentos', (request) => consents.list(sessionOf(request).person));
  serve(app, 'PUT /api/consentimentos', (request) => consents.answer(sessionOf(request).person, request.body));
  serve(app, 'DELETE /api/consentimentos/:id', async (request) => {
    await consents.revoke(sessionOf(request).person, request.params.id);
  });
}
