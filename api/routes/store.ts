/** `GET /api/loja`: the repository as one person sees it (design 6). */
import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../../schema/gateway.ts';
import { storeView } from '../../schema/repository/store-view.ts';
import { storeAnswer } from '../../schema/wire/http-schemas.ts';
import { errorAnswers, sessionOf, shellVersion } from '../shell.ts';

export function addStoreRoutes(app: FastifyInstance, gateway: Gateway): void {
  app.get(
    '/api/loja',
    {
      config: { access: 'person' },
      schema: { summary: 'What can be installed, and why not', response: { 200: storeAnswer, ...errorAnswers } },
    },
    async (request) => {
      const { offers, installed } = await gateway.store(sessionOf(request).person);
      return { apps: storeView(offers, { shellVersion, installed }), problem: offers.problem };
    },
  );
}
