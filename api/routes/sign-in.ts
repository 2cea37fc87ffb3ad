/** The routes of every way to sign in, and of sessions. */
import type { FastifyInstance } from 'fastify';
import type { SignInDeps } from '../auth/sign-in.ts';
import { addAdminSessionRoutes, type AdminSessionDeps } from './admin-sessions.ts';
import { addOidcRoutes, type OidcRouteDeps } from './oidc.ts';
import { addPasskeyRoutes } from './passkeys.ts';
import { addSessionRoutes, type SessionRouteDeps } from './session.ts';
import type { Passkeys } from '../auth/passkeys.ts';

type Deps = SessionRouteDeps & Omit<OidcRouteDeps, 'onRefused'> & AdminSessionDeps & Pick<SignInDeps, 'onRefused'>;

export function addSignInRoutes(app: FastifyInstance, deps: Deps & { readonly passkeys: Passkeys }): void {
  addSessionRoutes(app, deps);
  addPasskeyRoutes(app, deps.passkeys);
  addOidcRoutes(app, { ...deps, onRefused: (req, ...refusal) => deps.onRefused(req, 'oidc', ...refusal) });
  addAdminSessionRoutes(app, deps);
}
