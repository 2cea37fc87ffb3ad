/** `/api/admin/sessions`: who is signed in where, and signing out for them (`svc sessions`). */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import * as schemas from '../../schema/wire/http.ts';
import type { Oidc } from '../auth/oidc.ts';
import type { Sessions } from '../auth/sessions.ts';
import { errorAnswers } from '../shell.ts';
import { rowOf } from './session.ts';

export interface AdminSessionDeps {
  readonly people: Pick<PeopleView, 'find' | 'all'>;
  readonly sessions: Sessions;
  readonly oidc: Pick<Oidc, 'forget'>;
}

const config = { access: 'admin' as const };

export function addAdminSessionRoutes(app: FastifyInstance, { people, sessions, oidc }: AdminSessionDeps): void {
  const known = (person: string): string => {
    if (!people.find(person)) throw new SvcError('NOT_FOUND', `no person ${person}`);
    return person;
  };
  app.get<{ Querystring: { person?: string } }>(
    '/api/admin/sessions',
    {
      config,
      schema: {
        summary: 'Who is signed in, and where',
        querystring: schemas.adminSessionsQuery,
        response: { 200: schemas.adminSessionsAnswer, ...errorAnswers },
      },
    },
    async ({ query, session }) => {
      const asked = query.person === undefined ? people.all().map(({ usuario }) => usuario) : [known(query.person)];
      const lists = await Promise.all(
        asked.map(async (person) =>
          (await sessions.list(person)).map((view) => Object.assign({ person }, rowOf(view, session?.root ?? null))),
        ),
      );
      return { sessions: lists.flat() };
    },
  );
  app.delete<{ Params: { person: string } }>(
    '/api/admin/sessions/:person',
    {
      config,
      schema: {
        summary: 'Sign a person out everywhere',
        params: schemas.personParams,
        response: { 200: schemas.sessionsEndedAnswer, ...errorAnswers },
      },
    },
    async ({ params }) => ({ encerradas: await sessions.endAll(known(params.person)) }),
  );
  app.delete<{ Params: { person: string; id: string } }>(
    '/api/admin/sessions/:person/:id',
    {
      config,
      schema: {
        summary: 'End one session of a person',
        params: schemas.adminSessionParams,
        response: { 200: schemas.sessionsEndedAnswer, ...errorAnswers },
      },
    },
    async ({ params }) => {
      if (!(await sessions.endListed(known(params.person), params.id))) {
        throw new SvcError('NOT_FOUND', `${params.person} has no session ${params.id}`);
      }
      return { encerradas: 1 };
    },
  );
  app.delete<{ Params: { person: string } }>(
    '/api/admin/identities/:person',
    {
      config,
      schema: {
        summary: 'Forget which identity of the provider a person is; signs them out',
        params: schemas.personParams,
        response: { 200: schemas.sessionsEndedAnswer, ...errorAnswers },
      },
    },
    async ({ params }) => {
      await oidc.forget(params.person);
      return { encerradas: await sessions.endAll(params.person) };
    },
  );
}
