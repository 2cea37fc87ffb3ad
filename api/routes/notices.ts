/** `/api/salas/:id/avisos` and `/api/avisos…`: notices between people in a room, and the bell of the shell. Source: rules 4.3, 6. */
import type { FastifyInstance } from 'fastify';
import type { PeopleView } from '../../schema/gateway.ts';
import { noBody } from '../../schema/wire/http.ts';
import type { AppNoticeBody, NoticesAnswer, NoticesReadBody } from '../../schema/wire/rooms.ts';
import * as schemas from '../../schema/wire/rooms.ts';
import { roomCaller } from '../rooms/callers.ts';
import type { Notices, NoticeWish } from '../rooms/notices.ts';
import type { Rates } from '../rooms/rates.ts';
import { errorAnswers, sessionOf } from '../shell.ts';

export interface NoticeRouteDeps {
  readonly people: Pick<PeopleView, 'find'>;
  readonly notices: Notices;
  readonly rates: Rates;
}

/** The bell is the person's: no backend reads it. */
const config = { access: 'person' as const };
const bell = { 200: schemas.noticesAnswer, ...errorAnswers } as const;
const none = { 204: { type: 'null' }, ...errorAnswers } as const;

export function addNoticeRoutes(app: FastifyInstance, { people, notices, rates }: NoticeRouteDeps): void {
  app.post<{ Params: { id: string }; Querystring: { app?: string }; Body: NoticeWish }>(
    '/api/salas/:id/avisos',
    {
      config: { access: 'room' },
      schema: {
        summary: 'Let people in the room know of a comment; the same one once',
        params: schemas.roomParams,
        querystring: schemas.roomQuery,
        body: schemas.noticeBody,
        response: { 200: schemas.noticesSentAnswer, ...errorAnswers },
      },
    },
    async (request) => {
      const caller = roomCaller(request, people, request.query.app);
      rates.count('notice', caller.usuario);
      return { enviados: await notices.send(caller, request.params.id, request.body) };
    },
  );
  app.get('/api/avisos', { config, schema: { summary: 'My bell, the newest first', response: bell } }, (request): Promise<NoticesAnswer> =>
    notices.bell(sessionOf(request).person),
  );
  app.post<{ Body: AppNoticeBody }>(
    '/api/avisos',
    {
      config,
      schema: {
        summary: 'An app tells the person who uses it, and nobody else',
        body: schemas.appNoticeBody,
        response: { 201: schemas.appNoticeAnswer, ...errorAnswers },
      },
    },
    async (request, reply) => {
      const { person } = sessionOf(request);
      rates.count('appNotice', `${person}/${request.body.app}`);
      return reply.code(201).send({ id: await notices.tell(person, request.body) });
    },
  );
  app.post<{ Body: NoticesReadBody }>(
    '/api/avisos/lidos',
    { config, schema: { summary: 'Mark as read: these, or with null all', body: schemas.noticesReadBody, response: bell } },
    (request): Promise<NoticesAnswer> => notices.markRead(sessionOf(request).person, request.body.ids),
  );
  app.delete('/api/avisos', { config, schema: { summary: 'Empty my bell', body: noBody, response: none } }, async (request, reply) => {
    await notices.drop(sessionOf(request).person, null);
    return reply.code(204).send();
  });
  app.delete<{ Params: { id: string } }>(
    '/api/avisos/:id',
    { config, schema: { summary: 'Delete one notice of mine', params: schemas.noticeParams, body: noBody, response: none } },
    async (request, reply) => {
      await notices.drop(sessionOf(request).person, request.params.id);
      return reply.code(204).send();
    },
  );
}
