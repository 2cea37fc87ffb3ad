/** `/api/sessao`: who am I, the ways to sign in, signing in and out; `/api/sessoes`: where the person is signed in (design 6). */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { Gateway } from '../../schema/gateway.ts';
import type { SessionAnswer, SessionsAnswer, SignInMethodsAnswer } from '../../schema/wire/http.ts';
import * as schemas from '../../schema/wire/http-schemas.ts';
import { expiredSessionCookie } from '../auth/cookies.ts';
import type { Session, Sessions, SessionView } from '../auth/sessions.ts';
import type { SignIn } from '../auth/sign-in.ts';
import type { Site } from '../hosts.ts';
import { initials } from '../people.ts';
import { errorAnswers, sessionOf, shellVersion } from '../shell.ts';

export interface SessionRouteDeps {
  readonly site: Site;
  readonly gateway: Pick<Gateway, 'person' | 'signIn'>;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
}

type SignInBody = { readonly passe: string } | { readonly login: string; readonly senha: string };

export function addSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const { site, sessions, gateway, signIn } = deps;
  app.get(
    '/api/sessao',
    { config: { access: 'person' }, schema: { summary: 'Who am I', response: { 200: schemas.sessionAnswer, ...errorAnswers } } },
    (request): SessionAnswer => answerFor(deps, sessionOf(request)),
  );
  app.get(
    '/api/sessao/metodos',
    {
      config: { access: 'open' },
      schema: { summary: 'The ways to sign in', response: { 200: schemas.signInMethodsAnswer, ...errorAnswers } },
    },
    (): SignInMethodsAnswer => {
      const { ssh, oidc } = gateway.signIn();
      return { link: true, ssh, oidc: oidc && { label: oidc.label ?? new URL(oidc.issuer).host } };
    },
  );
  app.post<{ Body: SignInBody }>(
    '/api/sessao',
    {
      config: { access: 'open' },
      schema: {
        summary: 'Sign in by a one-time link, or by login and password',
        body: schemas.signInBody,
        response: { 200: schemas.sessionAnswer, ...errorAnswers },
      },
    },
    async (request, reply): Promise<SessionAnswer> => {
      const { body, raw } = request;
      const signedIn = 'passe' in body ? await signIn.byPass(raw, body.passe) : await signIn.byPassword(raw, body.login, body.senha);
      reply.header('set-cookie', signedIn.cookies);
      return answerFor(deps, signedIn.session);
    },
  );
  app.delete(
    '/api/sessao',
    {
      config: { access: 'open' },
      schema: { summary: 'Sign out, on the app origins too', response: { 204: { type: 'null' }, ...errorAnswers } },
    },
    async (request, reply) => {
      if (request.session) await sessions.end(request.session);
      return reply.code(204).header('set-cookie', expiredSessionCookie(site)).send();
    },
  );
  addListRoutes(app, deps);
}

function addListRoutes(app: FastifyInstance, { sessions, site }: SessionRouteDeps): void {
  app.get(
    '/api/sessoes',
    {
      config: { access: 'person' },
      schema: { summary: 'Where I am signed in', response: { 200: schemas.sessionsAnswer, ...errorAnswers } },
    },
    async (request): Promise<SessionsAnswer> => {
      const { person, root } = sessionOf(request);
      return { sessoes: (await sessions.list(person)).map((each) => rowOf(each, root)) };
    },
  );
  app.delete<{ Querystring: { outras?: '1' } }>(
    '/api/sessoes',
    {
      config: { access: 'person' },
      schema: {
        summary: 'Sign out everywhere; with outras=1 everywhere else',
        querystring: schemas.sessionsQuery,
        response: { 200: schemas.sessionsEndedAnswer, ...errorAnswers },
      },
    },
    async (request, reply) => {
      const { person, root } = sessionOf(request);
      const keep = request.query.outras === '1';
      if (!keep) reply.header('set-cookie', expiredSessionCookie(site));
      return { encerradas: await sessions.endAll(person, keep ? root : undefined) };
    },
  );
  app.delete<{ Params: { id: string } }>(
    '/api/sessoes/:id',
    {
      config: { access: 'person' },
      schema: { summary: 'End one of my sessions', params: schemas.sessionParams, response: { 204: { type: 'null' }, ...errorAnswers } },
    },
    async (request, reply) => {
      const { person } = sessionOf(request);
      if (!(await sessions.endListed(person, request.params.id))) throw new SvcError('NOT_FOUND', 'no such session of yours');
      return reply.code(204).send();
    },
  );
}

export function rowOf(view: SessionView, current: string | null): SessionsAnswer['sessoes'][number] {
  const { id, method, address, agent, admin, createdAtMs, seenAtMs, expiresAtMs } = view;
  return { id, method, address, agent, admin, createdAtMs, seenAtMs, expiresAtMs, current: view.root === current };
}

function answerFor(deps: SessionRouteDeps, session: Session): SessionAnswer {
  const person = deps.gateway.person(session.person);
  if (!person) throw new SvcError('UNAUTHENTICATED', 'this person no longer exists');
  const { usuario, nome, login, grupos } = person;
  const { site } = deps;
  const appUrlTemplate = site.origins === 'path' ? `${site.origin}/proxy/app/{id}/` : `${site.scheme}://{id}.${site.host}/`;
  return {
    usuario,
    nome,
    login,
    iniciais: initials(person),
    grupos,
    admin: session.admin,
    appUrlTemplate,
    origins: site.origins,
    shellVersion,
    aviso: person.notice ?? null,
  };
}
