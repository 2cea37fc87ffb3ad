/** `/api/sessao`: who am I, the ways to sign in, signing in and out; `/api/sessoes`: where the person is signed in. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import type { PartOf } from '../../schema/routes/call.ts';
import type { SessionAnswer, SessionsAnswer } from '../../schema/wire/http.ts';
import { expiredSessionCookie, sessionCookie } from '../auth/cookies.ts';
import { shortHash } from '../auth/secrets.ts';
import type { SessionKeys } from '../auth/session-keys.ts';
import type { Session, Sessions, SessionView } from '../auth/sessions.ts';
import type { Passkeys } from '../auth/passkeys.ts';
import type { SignedIn, SignIn } from '../auth/sign-in.ts';
import type { PortalDev } from '../dev/contract.ts';
import type { Site } from '../http/hosts.ts';
import { initials } from '../portal/people.ts';
import { sessionOf, shellVersion } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';

export interface SessionRouteDeps {
  readonly site: Site;
  readonly people: PeopleView;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly keys: SessionKeys;
  readonly passkeys: Pick<Passkeys, 'isOffered'>;
  readonly dev: PortalDev | undefined;
}

export function addSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const { site, sessions, people, signIn } = deps;
  serve(app, 'GET /api/sessao', (request) => answerFor(deps, sessionOf(request)));
  serve(app, 'GET /api/sessao/metodos', () => {
    const { ssh, oidc } = people.signIn();
    return { link: true, ssh, oidc: oidc && { label: oidc.label ?? new URL(oidc.issuer).host }, passkey: deps.passkeys.isOffered() };
  });
  serve(app, 'POST /api/sessao', async (request, reply) => {
    const { body, raw } = request;
    const signedIn = await entered(signIn, raw, body);
    reply.header('set-cookie', signedIn.cookies);
    return answerFor(deps, signedIn.session);
  });
  serve(app, 'POST /api/sessao/link', async (request) => {
    const { person, admin } = await signIn.whose(request.raw, request.body.passe);
    return { usuario: person, nome: people.find(person)?.nome ?? person, admin };
  });
  serve(app, 'DELETE /api/sessao', async ({ session, body }, reply) => {
    if (session) await sessions.end(session);
    // The cookie may have been thrown away while its session lives. Decision: docs/decisions/0122-a-session-outlives-its-cookie.md A
    // caller with neither cookie nor key is signed out already: asking twice is no error.
    const isEnded = body ? await deps.keys.end(body) : true;
    if (!session && !isEnded) throw new SvcError('UNAUTHENTICATED', 'no session of this key could be ended');
    reply.header('set-cookie', expiredSessionCookie(site));
  });
  addKeyRoutes(app, deps);
  addListRoutes(app, deps);
}

function entered(signIn: SignIn, raw: IncomingMessage, body: PartOf<'POST /api/sessao', 'body'>): Promise<SignedIn> {
  if ('passe' in body) return signIn.byPass(raw, body.passe);
  return 'passkey' in body ? signIn.byPasskey(raw, body.passkey) : signIn.byPassword(raw, body.login, body.senha);
}

/** A session that lost its cookie comes back by its key. Decision: docs/decisions/0122-a-session-outlives-its-cookie.md */
function addKeyRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const { keys, site } = deps;
  serve(app, 'POST /api/sessao/chave', async (request) => ({ bilhete: await keys.bind(sessionOf(request), request.body.chave) }));
  serve(app, 'GET /api/sessao/volta', async () => ({ pergunta: await keys.question() }));
  serve(app, 'POST /api/sessao/volta', async (request, reply) => {
    const { secret, session } = await keys.renew(request.body);
    reply.header('set-cookie', sessionCookie(site, secret));
    return { sessao: answerFor(deps, session), bilhete: await keys.bind(session, request.body.chave) };
  });
}

function addListRoutes(app: FastifyInstance, { sessions, site }: SessionRouteDeps): void {
  serve(app, 'GET /api/sessoes', async (request) => {
    const { person, root } = sessionOf(request);
    return { sessoes: (await sessions.list(person)).map((each) => rowOf(each, root)) };
  });
  serve(app, 'DELETE /api/sessoes', async (request, reply) => {
    const { person, root } = sessionOf(request);
    const keep = request.query.outras === '1';
    if (!keep) reply.header('set-cookie', expiredSessionCookie(site));
    return { encerradas: await sessions.endAll(person, keep ? root : undefined) };
  });
  serve(app, 'DELETE /api/sessoes/:id', async (request) => {
    const { person } = sessionOf(request);
    if (!(await sessions.endListed(person, request.params.id))) throw new SvcError('NOT_FOUND', 'no such session of yours');
  });
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
