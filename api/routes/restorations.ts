/** `/api/admin/restorations`: a parcel of the state folder is put into the running portal (`svc restore --room`, `--person`). */
import type { FastifyInstance } from 'fastify';
import type { ParcelAnswer } from '../../schema/parcels.ts';
import { serve } from '../http/serve.ts';

export function addRestorationRoute(app: FastifyInstance, restore: (parcel: string) => Promise<ParcelAnswer>): void {
  serve(app, 'POST /api/admin/restorations', async ({ body }) => await restore(body.parcel));
}
