/** `/api/sessao`: who am I, sign in by the one-time link, sign out (design 6). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { StoredPass } from '../../controller/store/store.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Gateway, PersonRecord } from '../../schema/gateway.ts';
import type { SessionAnswer } from '../../schema/wire/http.ts';
import { sessionAnswer, signInBody } from '../../schema/wire/http-schemas.ts';
import type { Clock } from '../../schema/clock.ts';
import type { Attempts } from '../auth/attempts.ts';
import { expiredSessionCookie, readSessionCookie, sessionCookie } from '../auth/cookies.ts';
import type { Passes } from '../auth/passes.ts';
import type { Session, Sessions } from '../auth/sessions.ts';
import type { Site } from '../hosts.ts';
import { errorAnswers, sessionOf, shellVersion } from '../shell.ts';

export interface SessionRouteDeps {
  readonly site: Site;
  readonly clock: Clock;
  readonly gateway: Pick<Gateway, 'person'>;
  readonly sessions: Sessions;
  readonly passes: Passes;
  readonly attempts: Attempts;
}

export function addSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const { site, sessions } = deps;
  app.get(
    '/api/sessao',
    { config: { access: 'person' }, schema: { summary: 'Who am I', response: { 200: sessionAnswer, ...errorAnswers } } },
    async (request, reply): Promise<SessionAnswer> => {
      const session = sessionOf(request);
      const renewed = await sessions.renew(session);
      const secret = readSessionCookie(request.raw.headers.cookie, site);
      if (renewed && secret !== null) reply.header('set-cookie', sessionCookie(site, secret, renewed.expiresAtMs - deps.clock.nowMs()));
      return answerFor(deps, session);
    },
  );
  app.post<{ Body: { passe: string } }>(
    '/api/sessao',
    {
      config: { access: 'open' },
      schema: { summary: 'Sign in by a one-time link', body: signInBody, response: { 200: sessionAnswer, ...errorAnswers } },
    },
    async (request, reply): Promise<SessionAnswer> => {
      const opened = await signIn(deps, request.raw.socket.remoteAddress ?? '', request.body.passe);
      await endPrevious(deps, request);
      reply.header('set-cookie', sessionCookie(site, opened.secret, opened.session.expiresAtMs - deps.clock.nowMs()));
      return answerFor(deps, opened.session);
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
}

/** Takes the pass and opens a portal session. Rejects PASS_REFUSED, or RATE_LIMITED after too many refused ones. */
export async function signIn(deps: SessionRouteDeps, address: string, passe: string): Promise<{ secret: string; session: Session }> {
  const blockedMs = deps.attempts.blockedMs(address);
  if (blockedMs > 0) {
    throw new SvcError('RATE_LIMITED', 'too many refused passes from this address; wait a minute', { retryAfterMs: Math.ceil(blockedMs) });
  }
  const pass: StoredPass | null = await deps.passes.takeForPortal(passe);
  if (!pass || !deps.gateway.person(pass.person)) {
    deps.attempts.failed(address);
    throw new SvcError('PASS_REFUSED', 'the sign-in link is unknown, was used or has expired; ask for a new one');
  }
  return await deps.sessions.open(pass.person, pass.admin);
}

/** A second sign-in in the same browser replaces the first: its cookie is gone, so its session must be too. */
async function endPrevious(deps: SessionRouteDeps, request: FastifyRequest): Promise<void> {
  if (request.session) await deps.sessions.end(request.session);
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
  };
}

/** First letters of the first and the last name. */
function initials({ nome, usuario }: PersonRecord): string {
  const words = nome.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  const letters = chosen.map((word) => /^\p{L}/u.exec(word ?? '')?.[0] ?? '').join('');
  return (letters || usuario.slice(0, 2)).toUpperCase();
}
