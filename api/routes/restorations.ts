/** `/api/admin/restorations`: a parcel of the state folder is put into the running portal (`svc restore --room`, `--person`). */
import type { FastifyInstance } from 'fastify';
import type { ParcelAnswer } from '../../schema/parcels.ts';
import * as schemas from '../../schema/wire/http.ts';
import { errorAnswers } from '../shell.ts';

export function addRestorationRoute(app: FastifyInstance, restore: (parcel: string) => Promise<ParcelAnswer>): void {
  app.post<{ Body: { parcel: string } }>(
    '/api/admin/restorations',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Put a room, or what is one person’s, back from a backup',
        body: schemas.restorationBody,
        response: { 200: schemas.restorationAnswer, ...errorAnswers },
      },
    },
    async ({ body }) => await restore(body.parcel),
  );
}
