/**
 * Requests for an app, on its own origin or below `/proxy/app/<id>/`: authenticated here, then handled by the proxy. `_sdk/…` is served from our own
 * files and never reaches a backend (rules 4.2).
 * Decision: docs/decisions/0003-sessions-and-passes.md
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView } from '../../schema/gateway.ts';
import { askCookie, readAskCookie, readSessionCookie, sessionCookie } from '../auth/cookies.ts';
import type { Passes } from '../auth/passes.ts';
import { mayUpgrade } from '../auth/same-origin.ts';
import { newSecret, secretHash } from '../auth/secrets.ts';
import type { Session, Sessions } from '../auth/sessions.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { workFor } from '../budgets/loop-time.ts';
import { refuseUpgrade } from '../http/refuse-upgrade.ts';
import { appBasePath, appOrigin, signInAddress, type Site } from '../http/hosts.ts';
import { cleanLocalPath, isNavigation, isPrefetch, pathOf, queryOf } from '../http/navigation.ts';
import { sendRefusal } from './people-page.ts';
import { sendProblem } from '../http/problems.ts';
import type { Proxy, ProxyTarget } from '../proxy/proxy.ts';
import { appAnswerHeaders } from '../http/security-headers.ts';
import { sendStatic, type StaticFolder } from '../http/static-files.ts';

export interface AppOrigins {
  /** Whether anybody has the app: then there is such an origin. */
  isInstalled(app: string): boolean;
  /** A request on the app's own origin. */
  request(req: IncomingMessage, res: ServerResponse, app: string): void;
  /** A request below `/proxy/app/<id>` on the shell's origin; `rest` starts with '/' or '?' or is empty. */
  prefixed(req: IncomingMessage, res: ServerResponse, app: string, rest: string): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, asked: Asked): void;
}

export interface AppOriginDeps {
  readonly site: Site;
  readonly sessions: Sessions;
  readonly passes: Passes;
  readonly apps: Pick<AppsView, 'has' | 'isInstalled'>;
  readonly budgets: Pick<Budgets, 'turn' | 'answered'>;
  readonly proxy: Pick<Proxy, 'handle' | 'upgrade'>;
  readonly sdk: StaticFolder;
  readonly onError: (error: unknown) => void;
}

/** Path and query below the app's base, as sent. */
interface Asked {
  readonly app: string;
  readonly path: string;
}

export function createAppOrigins(deps: AppOriginDeps): AppOrigins {
  const { site, sessions } = deps;
  const said = cookieReader(site);
  const answer = (req: IncomingMessage, res: ServerResponse, asked: Asked): void => {
    const sdkPath = sdkPathOf(asked.path);
    if (sdkPath !== null) return void sendSdk(deps, req, res, sdkPath).catch((error: unknown) => fail(deps, req, res, error));
    if (site.origins === 'subdomain' && pathOf(asked.path) === '/__svc/entrar') {
      return void enter(deps, req, res, asked).catch((error: unknown) => fail(deps, req, res, error));
    }
    const preflight = isPreflight(req) ? preflightAnswer(site, req, asked) : null;
    if (preflight) return void res.writeHead(204, preflight).end();
    const { secret, id } = said(req);
    const known = id === null ? undefined : peek(sessions, site, id, asked.app);
    // The hot path stays synchronous: no store, no promise.
    if (known) return pass(deps, req, res, { asked, session: known });
    find(sessions, site, secret, asked.app)
      .then((session) => (session ? pass(deps, req, res, { asked, session }) : sendToSignIn(site, req, res, asked)))
      .catch((error: unknown) => fail(deps, req, res, error));
  };

  return {
    isInstalled: (app) => deps.apps.isInstalled(app),
    request: (req, res, app) => answer(req, res, { app, path: req.url ?? '/' }),
    prefixed: (req, res, app, rest) => {
      if (!rest.startsWith('/')) return redirect(res, 308, `/proxy/app/${app}/${rest}`);
      // Method and body are kept: old addresses go on working from the shell's origin.
      if (site.origins === 'subdomain') return redirect(res, 307, appOrigin(site, app) + rest);
      answer(req, res, { app, path: rest });
    },
    upgrade: (req, socket, head, asked) => {
      if (!asked.path.startsWith('/') || sdkPathOf(asked.path) !== null) return refuseUpgrade(socket, 404, 'Not Found');
      if (!mayUpgrade(req, [appOrigin(site, asked.app), site.origin])) return refuseUpgrade(socket, 403, 'Forbidden');
      openTunnel(deps, req, socket, { head, asked }).catch((error: unknown) => {
        deps.onError(error);
        refuseUpgrade(socket, 500, 'Internal Server Error');
      });
    },
  };
}

async function openTunnel(
  { site, sessions, apps, proxy }: AppOriginDeps,
  req: IncomingMessage,
  socket: Duplex,
  { head, asked }: { readonly head: Buffer; readonly asked: Asked },
): Promise<void> {
  const session = await find(sessions, site, readSessionCookie(req.headers.cookie, site), asked.app);
  if (!session) return refuseUpgrade(socket, 401, 'Unauthorized');
  if (!apps.has(session.person, asked.app)) return refuseUpgrade(socket, 404, 'Not Found');
  proxy.upgrade(req, socket, head, targetOf(site, asked, session));
}

/** In path mode an app is served on the shell's origin, with the shell's session: trusted apps only. */
function find(sessions: Sessions, site: Site, secret: string | null, app: string): Promise<Session | null> {
  return site.origins === 'path' ? sessions.portal(secret) : sessions.app(secret, app);
}

function peek(sessions: Sessions, site: Site, id: string, app: string): Session | undefined {
  return site.origins === 'path' ? sessions.peekPortal(id) : sessions.peekApp(id, app);
}

interface Said {
  readonly cookie: string | undefined;
  readonly secret: string | null;
  /** Its hash: that it was read before says nothing of whether it is still good. */
  readonly id: string | null;
}

/** A connection says the same cookies with each request: they are read, and the secret in them is hashed, once for as long as it does. */
function cookieReader(site: Site): (req: IncomingMessage) => Said {
  const last = new WeakMap<IncomingMessage['socket'], Said>();
  return ({ socket, headers: { cookie } }) => {
    const before = last.get(socket);
    if (before !== undefined && before.cookie === cookie) return before;
    const secret = readSessionCookie(cookie, site);
    const now: Said = { cookie, secret, id: secret === null ? null : secretHash(secret) };
    last.set(socket, now);
    return now;
  };
}

function targetOf(site: Site, { app, path }: Asked, session: Session): ProxyTarget {
  return { person: session.person, app, path, basePath: appBasePath(site, app), session: session.root };
}

function pass(
  deps: AppOriginDeps,
  req: IncomingMessage,
  res: ServerResponse,
  { asked, session }: { asked: Asked; session: Session },
): void {
  const who = { person: session.person, app: asked.app };
  res.once('close', () => deps.budgets.answered(who, res.statusCode));
  // A refusal is work as well.
  const answer = (): void => {
    if (!deps.apps.has(session.person, asked.app))
      return refuse(deps.site, req, res, new SvcError('NOT_FOUND', `app ${asked.app} is not installed`));
    const extra = closeTabsHeaders(deps.site, req, asked);
    if (extra !== null) for (const [name, value] of Object.entries(extra)) res.setHeader(name, value);
    deps.proxy.handle(req, res, targetOf(deps.site, asked, session));
  };
  const go = (): void => workFor(who, answer);
  const turn = deps.budgets.turn(session.person);
  if (turn === null) return go();
  turn
    .then(() => (res.destroyed ? undefined : go()))
    .catch((error: unknown) => (error instanceof SvcError ? refuse(deps.site, req, res, error) : deps.onError(error)));
}

/** No session on this origin: a browser is redirected to the portal and comes back with a pass, a program gets an error. */
function sendToSignIn(site: Site, req: IncomingMessage, res: ServerResponse, asked: Asked): void {
  if (!isNavigation(req)) {
    return sendProblem(res, new SvcError('UNAUTHENTICATED', 'no session on this origin'), req.method, appAnswerHeaders(site));
  }
  const wanted = cleanLocalPath(asked.path) ?? '/';
  if (site.origins === 'path') {
    // A frame is inside the shell, which asks for the hand-over.
    const alone = (req.headers['sec-fetch-dest'] ?? 'document') === 'document';
    return redirect(res, 302, alone ? signInAddress(site, asked.app, wanted) : `${site.origin}/`);
  }
  // Frames that ask at the same time share one question.
  const ask = readAskCookie(req.headers.cookie, site) ?? newSecret();
  res.setHeader('set-cookie', askCookie(site, ask));
  const query = new URLSearchParams({ ir: wanted, ida: secretHash(ask) });
  redirect(res, 302, `${site.origin}/api/apps/${asked.app}/abrir?${query.toString()}`);
}

/** `/__svc/entrar?passe=…&ir=…`: takes the pass that the portal gave, sets the app's own cookie, goes on to the clean path. */
async function enter(deps: AppOriginDeps, req: IncomingMessage, res: ServerResponse, asked: Asked): Promise<void> {
  const { site } = deps;
  const headers = appAnswerHeaders(site);
  if (req.method !== 'GET' || isPrefetch(req)) {
    return sendProblem(res, new SvcError('METHOD_NOT_ALLOWED', 'only a GET takes the pass'), req.method, { ...headers, allow: 'GET' });
  }
  const query = queryOf(asked.path);
  const wanted = cleanLocalPath(query.get('ir') ?? '/');
  if (wanted === null) return sendProblem(res, new SvcError('BAD_REQUEST', 'ir: expected a path of this origin'), req.method, headers);
  const ask = readAskCookie(req.headers.cookie, site);
  // Callers without the ask cookie can't be answered, so nothing is looked up: an image of any web page could send these requests.
  const taken = ask === null ? null : await deps.passes.takeForApp(query.get('passe') ?? '', asked.app, secretHash(ask));
  const opened = taken?.kind === 'granted' ? await deps.sessions.openForApp(taken.person, asked.app, taken.root) : null;
  if (opened) {
    res.setHeader('set-cookie', [sessionCookie(site, opened.secret), askCookie(site, null)]);
    return redirect(res, 302, wanted);
  }
  // Two frames asked at the same time: the other one is in already, or this one asks again by the cookie that both share now.
  const session = await deps.sessions.app(readSessionCookie(req.headers.cookie, site), asked.app);
  if (session || taken?.kind === 'other-asker') return redirect(res, 302, wanted);
  refuse(site, req, res, new SvcError('PASS_REFUSED', 'open the app from the shell again'));
}

/** Path below `_sdk/`, or null. Encoded spellings count too, so that no backend ever sees one. */
function sdkPathOf(path: string): string | null {
  if (!path.includes('_') && !path.includes('%')) return null;
  const match = /^\/+([^/]*)\/(.*)$/s.exec(pathOf(path));
  return match && decoded(match[1] ?? '') === '_sdk' ? (match[2] ?? '') : null;
}

function decoded(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

async function sendSdk(deps: AppOriginDeps, req: IncomingMessage, res: ServerResponse, sdkPath: string): Promise<void> {
  const headers = appAnswerHeaders(deps.site);
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    const error = new SvcError('METHOD_NOT_ALLOWED', 'files of the SDK are read only');
    return sendProblem(res, error, req.method, { ...headers, allow: 'GET, HEAD' });
  }
  const file = await deps.sdk.find(sdkPath);
  if (!file) return sendProblem(res, new SvcError('NOT_FOUND', 'the SDK has no such file'), req.method, headers);
  await sendStatic(req, res, file, headers);
}

/** The one call that the shell makes on an app's origin: `POST <base>close-tabs` (rules 3.3 rule 6). */
function isCloseTabs(site: Site, req: IncomingMessage, asked: Asked): boolean {
  return req.headers.origin === site.origin && pathOf(asked.path) === '/close-tabs';
}

function isPreflight(req: IncomingMessage): boolean {
  return req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
}

/** Headers of the answer to a preflight; null when the app's backend shall see it. A preflight carries no cookie. */
function preflightAnswer(site: Site, req: IncomingMessage, asked: Asked): Record<string, string> | null {
  if (!isCloseTabs(site, req, asked) || req.headers['access-control-request-method'] !== 'POST') return null;
  return {
    ...corsHeaders(site),
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type',
    'access-control-max-age': '600',
  };
}

function closeTabsHeaders(site: Site, req: IncomingMessage, asked: Asked): Record<string, string> | null {
  return req.method === 'POST' && site.origins === 'subdomain' && isCloseTabs(site, req, asked) ? corsHeaders(site) : null;
}

function corsHeaders(site: Site): Record<string, string> {
  return { 'access-control-allow-origin': site.origin, 'access-control-allow-credentials': 'true', vary: 'Origin' };
}

function redirect(res: ServerResponse, status: 302 | 307 | 308, location: string): void {
  res.writeHead(status, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'content-length': 0 }).end();
}

/** For what a person may meet who follows a link. */
function refuse(site: Site, req: IncomingMessage, res: ServerResponse, error: SvcError): void {
  sendRefusal(req, res, error, { site, headers: appAnswerHeaders(site) });
}

function fail(deps: AppOriginDeps, req: IncomingMessage, res: ServerResponse, error: unknown): void {
  deps.onError(error);
  if (res.headersSent) return void res.destroy();
  refuse(deps.site, req, res, new SvcError('INTERNAL', 'the portal failed; its log has the cause'));
}
