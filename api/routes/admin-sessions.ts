/** `/api/admin/sessions`: who is signed in where, and signing out for them (`svc sessions`). */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import type { Oidc } from '../auth/oidc.ts';
import type { Passkeys } from '../auth/passkeys.ts';
import type { Sessions } from '../auth/sessions.ts';
import { serve } from '../http/serve.ts';
import { rowOf } from './session.ts';

export interface AdminSessionDeps {
  readonly people: Pick<PeopleView, 'find' | 'all'>;
  readonly sessions: Sessions;
  readonly oidc: Pick<Oidc, 'forget'>;
  readonly passkeys: Pick<Passkeys, 'forget'>;
}

export function addAdminSessionRoutes(app: FastifyInstance, { people, sessions, oidc, passkeys }: AdminSessionDeps): void {
  const known = (person: string): string => {
    if (!people.find(person)) throw new SvcError('NOT_FOUND', `no person ${person}`);
    return person;
  };
  serve(app, 'GET /api/admin/sessions', async ({ query, session }) => {
    const asked = query.person === undefined ? people.all().map(({ usuario }) => usuario) : [known(query.person)];
    const lists = await Promise.all(
      asked.map(async (person) =>
        (await sessions.list(person)).map((view) => Object.assign({ person }, rowOf(view, session?.root ?? null))),
      ),
    );
    return { sessions: lists.flat() };
  });
  serve(app, 'DELETE /api/admin/sessions/:person', async ({ params }) => ({ encerradas: await sessions.endAll(known(params.person)) }));
  serve(app, 'DELETE /api/admin/sessions/:person/:id', async ({ params }) => {
    if (!(await sessions.endListed(known(params.person), params.id))) {
      throw new SvcError('NOT_FOUND', `${params.person} has no session ${params.id}`);
    }
    return { encerradas: 1 };
  });
  serve(app, 'DELETE /api/admin/identities/:person', async ({ params }) => {
    await oidc.forget(params.person);
    await passkeys.forget(params.person);
    return { encerradas: await sessions.endAll(params.person) };
  });
}
