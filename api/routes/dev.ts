/** `/api/dev`: what the panel of `svc dev` shows. */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { PortalDev } from '../dev/contract.ts';
import { serve } from '../http/serve.ts';

export function addDevRoute(app: FastifyInstance, dev: PortalDev | undefined): void {
  serve(app, 'GET /api/dev', () => {
    if (dev === undefined) throw new SvcError('NOT_FOUND', 'this portal was not started by svc dev');
    return dev.state();
  });
}
