/** Signing in and out, sessions, and what the audit record says of a person. */
import * as audit from '../wire/audit.ts';
import * as http from '../wire/http.ts';
import { nothing, type Routes } from './route.ts';

export const signInRoutes = {
  'GET /api/atividade': {
    access: 'person',
    says: 'Acts by me and on mine, newest first',
    query: audit.activityQuery,
    answer: audit.activityAnswer,
    more: '50, at most 500; `antes`: of the next page, also of an empty one; `parcial`: another portal has lines too and does not answer ([audit.md](audit.md))',
  },
  'GET /api/sessao': {
    access: 'person',
    says: 'My session',
    answer: http.sessionAnswer,
    more: '`dev`: id of the app of `svc dev`, or null; `aviso`: what to know about the account',
  },
  'POST /api/sessao': {
    access: 'open',
    says: 'Sign in by a one-time link, or by login and password',
    body: http.signInBody,
    answer: http.sessionAnswer,
    more: '401 `PASS_REFUSED` or `CREDENTIALS_REFUSED`, 403 `PASSWORD_EXPIRED` or `SIGN_IN_ASKS_MORE` (with `told`), 404 `SIGN_IN_METHOD`, 503 `PASSWORD_UNCHECKED`, 429 `RATE_LIMITED` (with `retryAfterMs`)',
  },
  'DELETE /api/sessao': {
    access: 'open',
    says: 'Sign out; the session of a key as well, if the request is signed with it',
    body: http.signOutBody,
    answer: nothing,
    status: 204,
    more: '401 when neither key nor cookie could end it. Sessions on app origins, tunnels and event connections end too',
  },
  'POST /api/sessao/chave': {
    access: 'person',
    says: 'Binds a key of the browser to this session',
    body: http.sessionKeyBody,
    answer: http.sessionKeyAnswer,
    more: 'a P-256 key ([0122](decisions/0122-a-session-outlives-its-cookie.md))',
  },
  'POST /api/sessao/link': {
    access: 'open',
    says: 'The person of a one-time link',
    body: http.linkOwnerBody,
    answer: http.linkOwnerAnswer,
    more: '401 `PASS_REFUSED`',
  },
  'GET /api/sessao/metodos': {
    access: 'open',
    says: 'The ways to sign in',
    answer: http.signInMethodsAnswer,
  },
  'GET /api/sessao/oidc': { access: 'open', says: 'Sign in at the provider: a navigation', head: 'refused' },
  'GET /api/sessao/oidc/retorno': {
    access: 'callback',
    says: 'Back from the provider: a navigation',
    query: http.oidcReturnQuery,
    head: 'refused',
    more: '302 to `/`, or on failure to `/?entrada=CODE`',
  },
  'GET /api/sessao/volta': { access: 'open', says: 'A question for the key of a session', answer: http.questionAnswer },
  'POST /api/sessao/volta': {
    access: 'open',
    says: 'The same session under a new cookie, by its key',
    body: http.comeBackBody,
    answer: http.comeBackAnswer,
    more: "`bilhete`: the key's new ticket; 401: it ended",
  },
  'GET /api/sessoes': { access: 'person', says: 'Where I am signed in', answer: http.sessionsAnswer, more: 'the last used first' },
  'DELETE /api/sessoes': {
    access: 'person',
    says: 'Sign out everywhere; with outras=1 everywhere else',
    query: http.sessionsQuery,
    answer: http.sessionsEndedAnswer,
    more: 'with everything they carry',
  },
  'DELETE /api/sessoes/:id': {
    access: 'person',
    says: 'End one of my sessions',
    params: http.sessionParams,
    answer: nothing,
    status: 204,
    more: 'with everything it carries',
  },
} as const satisfies Routes;
