/** `/api/sessao`: who am I, the ways to sign in, signing in and out; `/api/sessoes`: where the person is signed in. */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import type { ComeBackAnswer, LinkOwnerAnswer, SessionAnswer, SessionsAnswer, SignInMethodsAnswer } from '../../schema/wire/http.ts';
import * as schemas from '../../schema/wire/http.ts';
import { expiredSessionCookie, sessionCookie } from '../auth/cookies.ts';
import { shortHash } from '../auth/secrets.ts';
import type { KeyAnswer, SessionKeys } from '../auth/session-keys.ts';
import type { Session, Sessions, SessionView } from '../auth/sessions.ts';
import type { SignIn } from '../auth/sign-in.ts';
import type { PortalDev } from '../dev/contract.ts';
import type { Site } from '../hosts.ts';
import { initials } from '../people.ts';
import { errorAnswers, sessionOf, shellVersion } from '../shell.ts';

export interface SessionRouteDeps {
  readonly site: Site;
  readonly people: PeopleView;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly keys: SessionKeys;
  readonly dev: PortalDev | undefined;
}

type SignInBody = { readonly passe: string } | { readonly login: string; readonly senha: string };

export function addSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const { site, sessions, people, signIn } = deps;
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
      const { ssh, oidc } = people.signIn();
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
  app.post<{ Body: { readonly passe: string } }>(
    '/api/sessao/link',
    {
      config: { access: 'open' },
      schema: {
        summary: 'Whose a one-time link is; it stays good',
        body: schemas.linkOwnerBody,
        response: { 200: schemas.linkOwnerAnswer, ...errorAnswers },
      },
    },
    async (request): Promise<LinkOwnerAnswer> => {
      const { person, admin } = await signIn.whose(request.raw, request.body.passe);
      return { usuario: person, nome: people.find(person)?.nome ?? person, admin };
    },
  );
  app.delete<{ Body: KeyAnswer | null | undefined }>(
    '/api/sessao',
    {
      config: { access: 'open' },
      schema: {
        summary: 'Sign out, on the app origins too; the session of a key as well, if the request is signed with it',
        body: schemas.signOutBody,
        response: { 204: { type: 'null' }, ...errorAnswers },
      },
    },
    async ({ session, body }, reply) => {
      if (session) await sessions.end(session);
      // The cookie may have been thrown away while its session lives. Decision: docs/decisions/0122-a-session-outlives-its-cookie.md A
      // caller with neither cookie nor key is signed out already: asking twice is no error.
      const isEnded = body ? await deps.keys.end(body) : true;
      if (!session && !isEnded) throw new SvcError('UNAUTHENTICATED', 'no session of this key could be ended');
      return reply.code(204).header('set-cookie', expiredSessionCookie(site)).send();
    },
  );
  addKeyRoutes(app, deps);
  addListRoutes(app, deps);
}

/** A session that lost its cookie comes back by its key. Decision: docs/decisions/0122-a-session-outlives-its-cookie.md */
function addKeyRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const { keys, site } = deps;
  app.post<{ Body: { readonly chave: string } }>(
    '/api/sessao/chave',
    {
      config: { access: 'person' },
      schema: {
        summary: 'Binds a key of the browser to this session',
        body: schemas.sessionKeyBody,
        response: { 200: schemas.sessionKeyAnswer, ...errorAnswers },
      },
    },
    async (request) => ({ bilhete: await keys.bind(sessionOf(request), request.body.chave) }),
  );
  app.get(
    '/api/sessao/volta',
    {
      config: { access: 'open' },
      schema: { summary: 'A question for the key of a session', response: { 200: schemas.questionAnswer, ...errorAnswers } },
    },
    async () => ({ pergunta: await keys.question() }),
  );
  app.post<{ Body: KeyAnswer }>(
    '/api/sessao/volta',
    {
      config: { access: 'open' },
      schema: {
        summary: 'The same session under a new cookie, for a request signed with its key',
        body: schemas.comeBackBody,
        response: { 200: schemas.comeBackAnswer, ...errorAnswers },
      },
    },
    async (request, reply): Promise<ComeBackAnswer> => {
      const { secret, session } = await keys.renew(request.body);
      reply.header('set-cookie', sessionCookie(site, secret));
      return { sessao: answerFor(deps, session), bilhete: await keys.bind(session, request.body.chave) };
    },
  );
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
  const person = deps.people.find(session.person);
  if (!person) throw new SvcError('UNAUTHENTICATED', 'this person no longer exists');
  const { usuario, nome, login, grupos } = person;
  const { site } = deps;
  const appUrlTemplate = site.origins === 'path' ? `${site.origin}/proxy/app/{id}/` : `${site.scheme}://{id}.${site.host}/`;
  return {
    usuario,
    sessao: shortHash(session.root),
    nome,
    login,
    iniciais: initials(person),
    grupos,
    admin: session.admin,
    appUrlTemplate,
    origins: site.origins,
    shellVersion,
    aviso: person.notice ?? null,
    dev: deps.dev?.app ?? null,
  };
}
