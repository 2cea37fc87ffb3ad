/** `/api/salas/:id/avisos` and `/api/avisos…`: notices between people in a room, and the bell of the shell. Source: rules 4.3, 6. */
import type { FastifyInstance } from 'fastify';
import type { PeopleView } from '../../schema/gateway.ts';
import { roomCaller } from '../rooms/callers.ts';
import type { Notices } from '../rooms/notices.ts';
import type { Rates } from '../rooms/rates.ts';
import { sessionOf } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';

export interface NoticeRouteDeps {
  readonly people: Pick<PeopleView, 'find'>;
  readonly notices: Notices;
  readonly rates: Rates;
}

export function addNoticeRoutes(app: FastifyInstance, { people, notices, rates }: NoticeRouteDeps): void {
  serve(app, 'POST /api/salas/:id/avisos', async (request) => {
    const caller = roomCaller(request, people, request.query.app);
    rates.count('notice', caller.usuario);
    return { enviados: await notices.send(caller, request.params.id, request.body) };
  });
  serve(app, 'GET /api/avisos', (request) => notices.bell(sessionOf(request).person));
  serve(app, 'POST /api/avisos', async (request) => {
    const { person } = sessionOf(request);
    rates.count('appNotice', `${person}/${request.body.app}`);
    return { id: await notices.tell(person, request.body) };
  });
  serve(app, 'POST /api/avisos/lidos', (request) => notices.markRead(sessionOf(request).person, request.body.ids));
  serve(app, 'DELETE /api/avisos', async (request) => {
    await notices.drop(sessionOf(request).person, null);
  });
  serve(app, 'DELETE /api/avisos/:id', async (request) => {
    await notices.drop(sessionOf(request).person, request.params.id);
  });
}
