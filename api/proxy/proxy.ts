/**
 * The proxy in front of every backend (`/proxy/app/<id>/…` and the apps' own origins), and the public file of this folder, the one that
 * others import. contract.ts says how it is used and which file does what; this one decides what happens with a request.
 */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errorKinds, SvcError, type ErrorCode } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { domainCookieRemovals } from '../connections/domain-cookies.ts';
import { largeHeadPage } from '../connections/large-head.ts';
import { sendProblem } from '../http/problems.ts';
import type { AppView, Proxy, ProxyDeps, ProxyTarget } from './contract.ts';
import { createUpstream, poolKey, type Active, type Forwarder, type Passage, type Upstream } from './forward.ts';
import type { ExchangeFailure } from './exchange.ts';
import { createHeld, isUnanswering, retryAfterHeader, unansweringFailure, type Held } from './hold.ts';
import { callerFault, isNavigation } from './origin-rules.ts';
import { createOwnRoutes, ownPrefix, type OwnRoutes } from './own-routes.ts';
import { isOfAProxy, remembered } from './header-names.ts';
import { pathFault } from './path-rules.ts';
import { createUnderWay } from './under-way.ts';
import { callHead, readRequestHead } from './request-head.ts';

export { isOfAProxy, pathFault, remembered };
export type { Proxy, ProxyDeps, ProxyMetrics, ProxyTarget } from './contract.ts';

interface Parts {
  readonly deps: ProxyDeps;
  readonly own: OwnRoutes;
  readonly held: Held;
  readonly via: Forwarder;
  readonly upstream: Upstream;
}

const stopped: ExchangeFailure = { code: 'BACKEND_UNREACHABLE', message: 'the app ended before it answered' };

/** Protocols that would let a page speak HTTP to the backend past these rules. */
const refusedProtocols = /^(?:h2c?|http|tls)\b/i;

/** `makeUpstream`: the benchmark puts another client there (api/proxy/testing/undici-upstream.ts). */
export function createProxy(deps: ProxyDeps, makeUpstream: (via: Forwarder) => Upstream = createUpstream): Proxy {
  const active = createUnderWay<Active>();
  const held = createHeld(deps);
  const answered: Forwarder['answered'] = (target, status) => deps.metrics?.request(target.app, status);
  const via: Forwarder = {
    deps,
    active,
    answered,
    failed: (passage, failure) => {
      if (failure.code === 'BACKEND_REFUSED_TOKEN') deps.tokenRefused(passage.target.person, passage.target.app);
      if (failure.code === 'BACKEND_BAD_RESPONSE') deps.badAnswer(passage.target.person, passage.target.app, failure.message);
      if (passage.res.destroyed) return;
      if (passage.navigation) held.panel(passage, failure, (status) => answered(passage.target, status));
      else refuse(parts, passage, failure.code, failure.message, errorKinds[failure.code].retry === 'transient' ? 1_000 : undefined);
    },
  };
  const upstream = makeUpstream(via);
  const parts: Parts = { deps, held, via, upstream, own: createOwnRoutes(deps) };
  const endWhere = (matches: (entry: Active) => boolean, failure?: ExchangeFailure): void => {
    for (const entry of active.all()) if (matches(entry)) entry.end(failure);
  };
  return {
    handle: (req, res, target) => {
      const head = readRequestHead(req);
      pass(parts, { req, res, target, head, navigation: isNavigation(req.method!, head), tunnel: null, call: null });
    },
    call: (req, res, target, call) => {
      pass(parts, { req, res, target, head: callHead(req.method, call), navigation: false, tunnel: null, call });
      return (failure) => endWhere((entry) => entry.target === target, failure);
    },
    upgrade: (req, stream, first, target) => {
      // node:http passes the connection's own socket, although its types say otherwise.
      const socket = stream as Socket;
      socket.on('error', () => socket.destroy());
      pass(parts, {
        req,
        res: responseOn(req, socket),
        target,
        head: readRequestHead(req, true),
        navigation: false,
        tunnel: { socket, first },
        call: null,
      });
    },
    closeFor: (person, app) => {
      endWhere(({ target }) => target.person === person && (app === null || target.app === app), stopped);
      upstream.drop((key) => (app === null ? key.startsWith(`${person} `) : key === poolKey(person, app)));
    },
    carried: () => {
      const people = new Map<string, string>();
      for (const { target } of active.all()) if (target.session !== null) people.set(target.session, target.person);
      return [...people].map(([session, person]) => ({ person, session }));
    },
    closeSession: (session) => endWhere(({ target }) => target.session === session),
    close: () => {
      endWhere(() => true);
      upstream.close();
    },
  };
}

function pass(parts: Parts, passage: Passage): void {
  if (!admitted(parts, passage)) return;
  const { deps, held, via, upstream } = parts;
  const { req, res, target, head } = passage;
  if (passage.tunnel === null && passage.call === null && target.path.startsWith(ownPrefix)) {
    void parts.own.answer(req, res, target, head);
    return;
  }
  const route = deps.route(target.person, target.app);
  const silent = route !== null && passage.navigation ? unansweringView(deps, target) : null;
  if (silent !== null) {
    route?.doubted?.();
    held.panel(passage, unansweringFailure(silent), (status) => via.answered(target, status));
  } else if (route !== null) {
    upstream.forward(passage, route);
  } else if (deps.appView(target.person, target.app) === null) {
    refuse(parts, passage, 'NOT_FOUND', `app ${target.app} is not installed for this person`);
  } else if (!passage.navigation) {
    refuse(parts, passage, 'APP_NOT_RUNNING', `app ${target.app} is not running`, held.retryAfterMs(target));
  } else {
    held.navigation(passage, {
      ready: (found) => upstream.forward(passage, found),
      answered: (status) => via.answered(target, status),
    });
  }
}

/** Null unless the app is known not to answer: then nothing but a second wait would come of asking it. */
function unansweringView(deps: ProxyDeps, { person, app }: ProxyTarget): AppView | null {
  const view = deps.appView(person, app);
  return view !== null && isUnanswering(view) ? view : null;
}

/** Everything that is refused before a backend is looked for. False: answered. */
function admitted(parts: Parts, passage: Passage): boolean {
  const { req, target, head, tunnel } = passage;
  if (head.refusal !== null) return refuse(parts, passage, head.refusal.code, head.refusal.message);
  if (head.cookieBytes > limits.proxyCookieBytesMax) return refuseCookies(parts, passage);
  const path = pathFault(target.path);
  if (path !== null) return refuse(parts, passage, 'PATH_REFUSED', path);
  const caller = passage.call === null ? callerFault(req.method!, head, parts.deps.portalOrigin) : null;
  if (caller !== null) return refuse(parts, passage, 'CROSS_ORIGIN', caller);
  if (tunnel !== null && (req.method !== 'GET' || head.body !== 'none' || refusedProtocols.test(head.upgrade))) {
    return refuse(parts, passage, 'BAD_REQUEST', 'an upgrade is a GET without a body, to a protocol other than HTTP');
  }
  return true;
}

/** Cookies that a sibling's script set for the whole domain come along: a backend would break on them without a word. */
function refuseCookies(parts: Parts, passage: Passage): false {
  const { head, navigation, req, res, target } = passage;
  const { host = '', cookie = '' } = req.headers;
  res.setHeader('set-cookie', domainCookieRemovals(host, req.url ?? '/', cookie));
  if (!navigation)
    return refuse(
      parts,
      passage,
      'HEADERS_TOO_LARGE',
      `expected at most ${limits.proxyCookieBytesMax} bytes of cookies, got ${head.cookieBytes}`,
    );
  const { headers, body } = largeHeadPage(head.acceptLanguage, parts.deps.portalOrigin);
  res.writeHead(431, headers).end(req.method === 'HEAD' ? undefined : body);
  parts.via.answered(target, 431);
  return false;
}

/** Answers with a problem document. Always false. */
function refuse(parts: Parts, passage: Passage, code: ErrorCode, message: string, retryAfterMs?: number): false {
  const { req, res, target } = passage;
  if (res.destroyed) return false;
  const error = new SvcError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
  sendProblem(res, error, req.method, retryAfterMs === undefined ? {} : retryAfterHeader(retryAfterMs));
  parts.via.answered(target, error.status);
  return false;
}

/** Answers to an upgrade other than 101 are ordinary ones, after which the connection ends. */
function responseOn(req: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.on('finish', () => {
    res.detachSocket(socket);
    socket.end();
  });
  return res;
}
