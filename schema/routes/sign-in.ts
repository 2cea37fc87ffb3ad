/** Signing in and out, sessions, and what the audit record says of a person. */
import * as audit from '../wire/audit.ts';
import * as http from '../wire/http.ts';
import { nothing, type Routes } from './route.ts';

export const signInRoutes = {
  'GET /api/atividade': {
    access: 'person',
    says: 'What was done by me and to what is mine, the newest first',
    query: audit.activityQuery,
    answer: audit.activityAnswer,
    more: '50, at most 500; `antes` is of the next page, which may come before any row was found; `parcial`: another portal of the site has lines as well and does not answer ([audit.md](audit.md))',
  },
  'GET /api/sessao': {
    access: 'person',
    says: 'Who am I',
    answer: http.sessionAnswer,
    more: '`dev` is the id of the app that `svc dev` runs here, or null; `aviso` is what the person should know about their account',
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
    says: 'Sign out, on the app origins too; the session of a key as well, if the request is signed with it',
    body: http.signOutBody,
    answer: nothing,
    status: 204,
    more: 'also when nothing is signed in and no key is sent; 401 when a key was to end a session and neither it nor the cookie could. Ends the sessions on app origins, their tunnels and event connections',
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
    says: 'Whose a one-time link is; it stays good',
    body: http.linkOwnerBody,
    answer: http.linkOwnerAnswer,
    more: '401 `PASS_REFUSED`',
  },
  'GET /api/sessao/metodos': {
    access: 'open',
    says: 'The ways to sign in',
    answer: http.signInMethodsAnswer,
    more: '`link` is always true',
  },
  'GET /api/sessao/oidc': { access: 'open', says: 'Sign in at the provider: a navigation', head: 'refused' },
  'GET /api/sessao/oidc/retorno': {
    access: 'callback',
    says: 'Back from the provider: a navigation',
    query: http.oidcReturnQuery,
    head: 'refused',
    more: '302 to `/`, or to `/?entrada=CODE` when it came to nothing',
  },
  'GET /api/sessao/volta': { access: 'open', says: 'A question for the key of a session', answer: http.questionAnswer },
  'POST /api/sessao/volta': {
    access: 'open',
    says: 'The same session under a new cookie, for a request signed with its key',
    body: http.comeBackBody,
    answer: http.comeBackAnswer,
    more: "`bilhete` is the key's new ticket; 401 when the session has ended",
  },
  'GET /api/sessoes': { access: 'person', says: 'Where I am signed in', answer: http.sessionsAnswer, more: 'the last used first' },
  'DELETE /api/sessoes': {
    access: 'person',
    says: 'Sign out everywhere; with outras=1 everywhere else',
    query: http.sessionsQuery,
    answer: http.sessionsEndedAnswer,
    more: 'they end with everything they carry, at once',
  },
  'DELETE /api/sessoes/:id': {
    access: 'person',
    says: 'End one of my sessions',
    params: http.sessionParams,
    answer: nothing,
    status: 204,
    more: 'it ends with everything it carries, at once',
  },
} as const satisfies Routes;
