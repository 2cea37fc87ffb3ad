/** `/api/sessao/oidc`: to the provider and back. Both are navigations; the shell's sign-in page shows errors. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import { limits } from '../limits.ts';
import { oidcCookie, readOidcCookie } from '../auth/cookies.ts';
import { type Oidc } from '../auth/oidc.ts';
import type { SignIn } from '../auth/sign-in.ts';
import type { Site } from '../http/hosts.ts';
import { queryOf } from '../http/navigation.ts';
import { serve } from '../http/serve.ts';

export interface OidcRouteDeps {
  readonly site: Site;
  readonly oidc: Oidc;
  readonly signIn: SignIn;
  /** With its cause, for the log; and the login, once it is known. */
  readonly onRefused: (req: IncomingMessage, error: unknown, login?: string) => void;
  readonly people: Pick<PeopleView, 'find'>;
}

export function addOidcRoutes(app: FastifyInstance, deps: OidcRouteDeps): void {
  const { site, oidc } = deps;
  let underCheck = 0;
  /** Passwords can't be guessed here: the bound is on the number of concurrent requests to the provider. */
  const finish = async (secret: string, query: URLSearchParams): Promise<string> => {
    if (underCheck >= limits.signInsMax) throw new SvcError('RATE_LIMITED', 'too many people sign in at the provider at this moment');
    underCheck += 1;
    try {
      return await oidc.finish(secret, query);
    } finally {
      underCheck -= 1;
    }
  };
  const home = (reply: FastifyReply, error: unknown, person?: string): FastifyReply => {
    const named = error instanceof SvcError ? error.details['login'] : undefined;
    deps.onRefused(reply.request.raw, error, person === undefined ? (named as string | undefined) : deps.people.find(person)?.login);
    const code = error instanceof SvcError ? error.code : 'INTERNAL';
    return reply.redirect(`${site.origin}/?entrada=${code}`, 302);
  };
  serve(app, 'GET /api/sessao/oidc', async (request, reply) => {
    const { raw } = request;
    try {
      const { location, secret } = await oidc.begin(readOidcCookie(raw.headers.cookie, site));
      return await reply.header('set-cookie', oidcCookie(site, secret)).redirect(location, 302);
    } catch (error) {
      return home(reply, error);
    }
  });
  serve(app, 'GET /api/sessao/oidc/retorno', async (request, reply) => {
    const { raw } = request;
    const query = queryOf(raw.url ?? '');
    const secret = readOidcCookie(raw.headers.cookie, site);
    // Any page can send a browser here: without a request of its own nothing is asked, counted or forgotten.
    if (secret === null || !oidc.isOwn(secret, query.get('state'))) {
      // Back and forth in the history of who is signed in already.
      if (request.session) return await reply.redirect(`${site.origin}/`, 302);
      return home(reply, new SvcError('OIDC_STATE', 'the sign-in took too long, or was begun in another browser'));
    }
    reply.header('set-cookie', oidcCookie(site, null));
    let person: string | undefined;
    try {
      person = await finish(secret, query);
      const { cookies } = await deps.signIn.as(raw, person, 'oidc');
      return await reply.header('set-cookie', [...cookies]).redirect(`${site.origin}/`, 302);
    } catch (error) {
      return home(reply, error, person);
    }
  });
}
