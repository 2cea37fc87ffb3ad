/**
 * The first thing that sees a request: by host it goes to the shell's routes, to an app's origin or nowhere. App traffic, and what apps ask of each
 * other, never passes through Fastify. Decision: docs/decisions/0035-http-border.md
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isAppId, nearAppIdFault } from '../schema/app-id.ts';
import { SvcError } from '../schema/errors.ts';
import type { AppOrigins } from './portal/app-origins.ts';
import type { Capabilities } from './capabilities/capabilities.ts';
import { answerCertificateQuestion, isCertificateQuestion } from './portal/certificate-question.ts';
import { refuseUpgrade } from './http/refuse-upgrade.ts';
import type { RoomEntrance } from './rooms/entrance.ts';
import { healthPaths } from './site/health.ts';
import { classifyHost, type Site } from './http/hosts.ts';
import { isNavigation, pathOf } from './http/navigation.ts';
import type { PageSocketEntrance } from './portal/page-sockets.ts';
import { sendProblem } from './http/problems.ts';
import { isOfAProxy } from './proxy/proxy.ts';
import { terminalsPath } from './terminals/entrance.ts';

export interface Front {
  request(req: IncomingMessage, res: ServerResponse): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface FrontDeps {
  readonly site: Site;
  readonly apps: AppOrigins;
  /** `/ws/salas/…` */
  readonly rooms: RoomEntrance;
  /** Sockets that pages of the shell open. */
  readonly events: PageSocketEntrance;
  /** `/ws/terminais/…` */
  readonly terminals: PageSocketEntrance;
  /** Requests between apps. */
  readonly capabilities: Pick<Capabilities, 'owns' | 'request'>;
  /** Host by which backends on this machine call (SVC_PORTAL_URL). */
  readonly direct: string;
  /** Files of people, on their origin. */
  readonly previews: (req: IncomingMessage, res: ServerResponse) => void;
  /** Fastify: the shell's own routes. */
  readonly shell: (req: IncomingMessage, res: ServerResponse) => void;
}

const proxied = /^\/proxy\/app\/([^/?]*)(.*)$/s;

/** App and rest of a raw `/proxy/app/<id>/…` path; null when it is another path. Never decoded: an encoded prefix is none. */
export function splitProxyPath(url: string): { readonly app: string; readonly rest: string } | null {
  const [, app = '', rest = ''] = proxied.exec(url) ?? [];
  return isAppId(app) ? { app, rest } : null;
}

/** Why the app of such a path can't be one; null when it can, and for any other path. */
function proxyPathFault(url: string): string | null {
  return nearAppIdFault(proxied.exec(url)?.[1] ?? '');
}

/** Null when the request line or the Host header is fit to be routed. */
export function requestFault(req: IncomingMessage): SvcError | null {
  const hosts = hostsOf(req.rawHeaders);
  if (hosts !== 1) return new SvcError('BAD_REQUEST', `expected one Host header, got ${hosts}`);
  if (!req.url?.startsWith('/')) return new SvcError('BAD_REQUEST', 'expected a path that starts with / in the request line');
  return null;
}

function hostsOf(raw: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < raw.length; index += 2) if (isHost(raw[index]!)) hosts += 1;
  return hosts;
}

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'host';

export function createFront(deps: FrontDeps): Front {
  const { site, apps } = deps;
  const ownRoute = (req: IncomingMessage, res: ServerResponse): void =>
    deps.capabilities.owns(req.url ?? '/') ? deps.capabilities.request(req, res) : deps.shell(req, res);

  const request = (req: IncomingMessage, res: ServerResponse): void => {
    const fault = requestFault(req);
    if (fault) return sendProblem(res, fault, req.method, { connection: 'close' });
    const url = req.url ?? '/';
    const host = classifyHost(req.headers.host, site);
    if (host.kind === 'app') return apps.request(req, res, host.app);
    if (host.kind === 'files') return deps.previews(req, res);
    if (isCertificateQuestion(req) && isLocalQuestion(req)) return answerCertificateQuestion(req, res, { site, apps });
    if (host.kind === 'other')
      return isLocalScrape(req) || isLocalLook(req) || isBackendCall(req, deps.direct) || isEngineFetch(req, deps.direct)
        ? ownRoute(req, res)
        : sendElsewhere(req, res, site, host.why);
    const inApp = splitProxyPath(url);
    if (inApp) return apps.prefixed(req, res, inApp.app, inApp.rest);
    const pathFault = proxyPathFault(url);
    if (pathFault !== null) return sendProblem(res, new SvcError('NOT_FOUND', pathFault), req.method);
    ownRoute(req, res);
  };

  const upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    if (requestFault(req)) return refuseUpgrade(socket, 400, 'Bad Request');
    const url = req.url ?? '/';
    const host = classifyHost(req.headers.host, site);
    if (host.kind === 'other' && !isBackendCall(req, deps.direct)) return refuseUpgrade(socket, 421, 'Misdirected Request');
    if (host.kind === 'files') return refuseUpgrade(socket, 404, 'Not Found');
    if (host.kind === 'app') return apps.upgrade(req, socket, head, { app: host.app, path: url });
    const inApp = splitProxyPath(url);
    if (inApp) {
      if (site.origins === 'subdomain') return refuseUpgrade(socket, 421, 'Misdirected Request');
      return apps.upgrade(req, socket, head, { app: inApp.app, path: inApp.rest });
    }
    if (url.startsWith('/ws/salas/')) {
      deps.rooms(req, socket, head).catch(() => refuseUpgrade(socket, 503, 'Service Unavailable'));
      return;
    }
    const open = pathOf(url) === '/ws/events' ? deps.events : url.startsWith(terminalsPath) ? deps.terminals : null;
    if (open === null) return refuseUpgrade(socket, 404, 'Not Found');
    open(req, socket, head).catch(() => refuseUpgrade(socket, 500, 'Internal Server Error'));
  };

  return { request, upgrade };
}

/** An unknown host name: browsers are redirected to the portal, programs get an error. */
function sendElsewhere(req: IncomingMessage, res: ServerResponse, site: Site, why?: string): void {
  const error = new SvcError('WRONG_HOST', `this portal is reached at ${site.origin}${why === undefined ? '' : `; ${why}`}`);
  if (!isNavigation(req)) return sendProblem(res, error, req.method);
  res.writeHead(308, { location: `${site.origin}/`, 'cache-control': 'no-store', 'content-length': 0 }).end();
}

/** A scraper on the portal's own machine asks by address: `http://127.0.0.1:8787/metrics`. No web page can send that Host. */
export const isLocalScrape = (req: IncomingMessage): boolean => pathOf(req.url ?? '') === '/metrics' && isLocalQuestion(req);

const isLocalLook = (req: IncomingMessage): boolean => healthPaths.has(pathOf(req.url ?? '')) && isLocalQuestion(req);

/** From a program on this machine, which knows the portal by address alone. */
function isLocalQuestion(req: IncomingMessage): boolean {
  if (!isLoopback(req.socket.remoteAddress)) return false;
  // A proxy on this machine that hands on the Host of its client.
  if (Object.keys(req.headers).some(isOfAProxy)) return false;
  return /^(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?$/i.test(req.headers.host ?? '');
}

/**
 * A backend calls by address, where no name server knows the portal's name. Its credential or its ticket says who it is; a web page that
 * was led to this address has neither, and can't send the header without asking first.
 */
export function isBackendCall(req: IncomingMessage, direct: string): boolean {
  if (req.headers.host !== direct) return false;
  const path = pathOf(req.url ?? '');
  return path.startsWith('/ws/salas/') || (path.startsWith('/api/') && /^Bearer /i.test(req.headers.authorization ?? ''));
}

/** An installer on this machine fetches an engine by address. Every caller gets it: it needs no token. Source: rules 4.1 `/v1/motor`. */
function isEngineFetch(req: IncomingMessage, direct: string): boolean {
  const reads = req.method === 'GET' || req.method === 'HEAD';
  return reads && req.headers.host === direct && pathOf(req.url ?? '').startsWith('/v1/motor/');
}

function isLoopback(address: string | undefined): boolean {
  return address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1';
}
