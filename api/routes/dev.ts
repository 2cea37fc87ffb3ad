/** `/api/dev`: what the panel of `svc dev` shows. */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import { devAnswer, type DevAnswer } from '../../schema/wire/dev.ts';
import type { PortalDev } from '../dev/contract.ts';
import { errorAnswers } from '../shell.ts';

export function addDevRoute(app: FastifyInstance, dev: PortalDev | undefined): void {
  app.get(
    '/api/dev',
    {
      config: { access: 'person' },
      schema: { summary: 'The app that svc dev runs: its last change, errors, log', response: { 200: devAnswer, ...errorAnswers } },
    },
    (): DevAnswer => {
      if (dev === undefined) throw new SvcError('NOT_FOUND', 'this portal was not started by svc dev');
      return dev.state();
    },
  );
}
