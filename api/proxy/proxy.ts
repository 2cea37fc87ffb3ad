/**
 * The proxy in front of every backend (`/proxy/app/<id>/…` and the apps' own origins). contract.ts says how it is used and which
 * file does what; this one decides what happens with a request.
 */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { SvcError, type ErrorCode } from '../../schema/errors.ts';
import type { BackendRoute } from '../../schema/gateway.ts';
import { sendProblem } from '../problems.ts';
import type { Connection } from './connection.ts';
import type { Proxy, ProxyDeps, ProxyTarget } from './contract.ts';
import { runExchange, type ExchangeFailure } from './exchange.ts';
import { createHeld, retryAfterHeader } from './hold.ts';
import { callerFault, isNavigation } from './origin-rules.ts';
import { createOwnRoutes, ownPrefix } from './own-routes.ts';
import { pathFault } from './path-rules.ts';
import { createPools } from './pool.ts';
import { backendHead, readRequestHead, type RequestHead } from './request-head.ts';
import { clientHeaders, type ResponsePolicy } from './response-headers.ts';
import type { ResponseHead } from './response-parser.ts';
import { runTunnel } from './tunnel.ts';

/** One request or tunnel that is under way. */
interface Active {
  readonly target: ProxyTarget;
  readonly end: () => void;
}

/** What one request needs on its way; `tunnel` only for upgrades. */
interface Passage {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly target: ProxyTarget;
  readonly head: RequestHead;
  readonly navigation: boolean;
  readonly tunnel: { readonly socket: Duplex; readonly first: Buffer } | null;
}

const noStop = (): void => {};

/** Protocols that would let a page speak HTTP to the backend past these rules. */
const refusedProtocols = /^(?:h2c?|http|tls)\b/i;

export function createProxy(deps: ProxyDeps): Proxy {
  const pools = createPools(deps.clock);
  const own = createOwnRoutes(deps);
  const held = createHeld(deps);
  const active = new Set<Active>();

  const answered = (target: ProxyTarget, status: number): void => deps.metrics?.request(target.app, status);

  const refuse = (passage: Pick<Passage, 'req' | 'res' | 'target'>, code: ErrorCode, message: string, retryAfterMs?: number): void => {
    const { req, res, target } = passage;
    if (res.destroyed) return;
    const error = new SvcError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
    sendProblem(res, error, req.method, retryAfterMs === undefined ? {} : retryAfterHeader(retryAfterMs));
    answered(target, error.status);
  };

  const policyOf = (passage: Passage): ResponsePolicy => ({
    basePath: passage.target.basePath,
    host: passage.head.host,
    proto: deps.portalOrigin.startsWith('https:') ? 'https' : 'http',
    portalOrigin: deps.portalOrigin,
  });

  /** The backend could not be asked or did not answer properly; nothing was sent to the client yet. */
  const failed = (passage: Passage, failure: ExchangeFailure): void => {
    if (passage.res.destroyed) return;
    if (passage.navigation) return held.panel(passage, failure, (status) => answered(passage.target, status));
    refuse(passage, failure.code, failure.message, 1_000);
  };

  const forward = (passage: Passage, route: BackendRoute, fresh: boolean): void => {
    const { req, res, target, head } = passage;
    const policy = policyOf(passage);
    const key = `${target.person}\0${target.app}`;
    let stop = noStop;
    const entry: Active = { target, end: () => (passage.tunnel === null ? res.destroy() : passage.tunnel.socket.destroy()) };
    const gone = (): void => {
      active.delete(entry);
      stop();
    };
    const over = (): void => {
      active.delete(entry);
      res.off('close', gone);
    };
    active.add(entry);
    res.on('close', gone);
    const run = (connection: Connection): void => {
      stop = runExchange(
        {
          req,
          res,
          clock: deps.clock,
          head: backendHead(req, head, target.path, route.token, policy),
          body: head.body,
          policy,
          released: (used, reusable) => pools.release(key, used, reusable),
          stale: () => {
            over();
            forward(passage, route, true);
          },
          failed: (failure) => {
            over();
            failed(passage, failure);
          },
          finished: (status) => {
            over();
            answered(target, status);
          },
          protocol: passage.tunnel === null ? '' : head.upgrade,
          switched: (used, answer, rest) => {
            over();
            openTunnel(passage, policy, key, used, answer, rest);
          },
        },
        connection,
      );
    };
    const cancelTake = pools.take(key, route, fresh, (connection, failure) => {
      if (connection !== null) return run(connection);
      over();
      failed(passage, failure ?? { code: 'BACKEND_UNREACHABLE', message: 'no connection to the backend' });
    });
    if (active.has(entry) && stop === noStop) stop = cancelTake;
  };

  const openTunnel = (
    passage: Passage,
    policy: ResponsePolicy,
    key: string,
    connection: Connection,
    answer: ResponseHead,
    rest: Buffer,
  ): void => {
    const { res, target, tunnel } = passage;
    const { socket, first } = tunnel!;
    res.detachSocket(socket as never);
    socket.write(switchingHead(answer, policy), 'latin1');
    if (rest.length > 0) socket.write(Buffer.from(rest));
    if (first.length > 0) connection.stream.write(first);
    const entry: Active = { target, end: () => running.destroy() };
    const running = runTunnel(socket, connection, deps.clock, () => {
      active.delete(entry);
      pools.release(key, connection, false);
      deps.metrics?.tunnels(target.app, -1);
    });
    active.add(entry);
    answered(target, 101);
    deps.metrics?.tunnels(target.app, 1);
  };

  /** Everything that is refused before a backend is looked for. False: answered. */
  const admitted = (passage: Passage): boolean => {
    const { req, target, head, tunnel } = passage;
    if (head.refusal !== null) return refused(passage, head.refusal.code, head.refusal.message);
    const path = pathFault(target.path);
    if (path !== null) return refused(passage, 'PATH_REFUSED', path);
    const caller = callerFault(req.method!, head, deps.portalOrigin);
    if (caller !== null) return refused(passage, 'CROSS_ORIGIN', caller);
    if (tunnel !== null && (req.method !== 'GET' || head.body !== 'none' || refusedProtocols.test(head.upgrade))) {
      return refused(passage, 'BAD_REQUEST', 'an upgrade is a GET without a body, to a protocol other than HTTP');
    }
    return true;
  };
  const refused = (passage: Passage, code: ErrorCode, message: string): false => {
    refuse(passage, code, message);
    return false;
  };

  const pass = (passage: Passage): void => {
    if (!admitted(passage)) return;
    const { req, res, target, head } = passage;
    if (passage.tunnel === null && target.path.startsWith(ownPrefix)) {
      void own.answer(req, res, target, head);
      return;
    }
    const route = deps.route(target.person, target.app);
    if (route !== null) return forward(passage, route, false);
    if (deps.appView(target.person, target.app) === null)
      return refuse(passage, 'NOT_FOUND', `app ${target.app} is not installed for this person`);
    if (!passage.navigation) return refuse(passage, 'APP_NOT_RUNNING', `app ${target.app} is not running`, held.retryAfterMs(target));
    held.navigation(passage, {
      ready: (found) => forward(passage, found, false),
      answered: (status) => answered(target, status),
    });
  };

  return {
    handle: (req, res, target) => {
      const head = readRequestHead(req);
      pass({ req, res, target, head, navigation: isNavigation(req.method!, head), tunnel: null });
    },
    upgrade: (req, socket, first, target) => {
      socket.on('error', () => socket.destroy());
      pass({ req, res: responseOn(req, socket), target, head: readRequestHead(req), navigation: false, tunnel: { socket, first } });
    },
    closeFor: (person, app) => {
      for (const entry of active) if (entry.target.person === person && (app === null || entry.target.app === app)) entry.end();
      const prefix = app === null ? `${person}\0` : `${person}\0${app}`;
      pools.drop((key) => (app === null ? key.startsWith(prefix) : key === prefix));
    },
    closeSession: (session) => {
      for (const entry of active) if (entry.target.session === session) entry.end();
    },
    close: () => {
      for (const entry of active) entry.end();
      pools.close();
    },
  };
}

/** Refusals of an upgrade are ordinary answers, after which the connection ends. */
function responseOn(req: IncomingMessage, socket: Duplex): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket as never);
  res.on('finish', () => {
    res.detachSocket(socket as never);
    socket.end();
  });
  return res;
}

function switchingHead(answer: ResponseHead, policy: ResponsePolicy): string {
  const headers = clientHeaders(answer, policy);
  let lines = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${answer.upgrade}\r\n`;
  for (let index = 0; index < headers.length; index += 2) lines += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${lines}\r\n`;
}
