/** `/api/passkeys`: the passkeys of the person; and the question for a sign-in by one. */
import type { FastifyInstance } from 'fastify';
import type { Passkeys } from '../auth/passkeys.ts';
import { serve } from '../http/serve.ts';
import { sessionOf } from '../portal/shell.ts';

export function addPasskeyRoutes(app: FastifyInstance, passkeys: Passkeys): void {
  serve(app, 'POST /api/sessao/passkey', () => passkeys.question());
  serve(app, 'GET /api/passkeys', async (request) => {
    const session = sessionOf(request);
    return { passkeys: [...(await passkeys.list(session.person))], podeCriar: passkeys.isOffered() && (await passkeys.mayMake(session)) };
  });
  serve(app, 'POST /api/passkeys/pedido', (request) => passkeys.request(sessionOf(request)));
  serve(app, 'POST /api/passkeys', (request) => passkeys.make(sessionOf(request), request.body.nome, request.body.passkey));
  serve(app, 'PATCH /api/passkeys/:id', async (request) => {
    await passkeys.rename(sessionOf(request).person, request.params.id, request.body.nome);
  });
  serve(app, 'DELETE /api/passkeys/:id', async (request) => ({
    encerradas: await passkeys.remove(sessionOf(request), request.params.id),
  }));
}
