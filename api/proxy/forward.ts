/** Takes an admitted request to its backend: a connection from the pool, the exchange, once more when a kept connection was dead. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BackendRoute } from '../../schema/gateway.ts';
import { limits } from './limits.ts';
import type { Connection } from './connection.ts';
import type { ProxyCall, ProxyDeps, ProxyTarget } from './contract.ts';
import { isUnanswering, unansweringFailure } from './hold.ts';
import { runExchange, type Exchange, type ExchangeFailure } from './exchange.ts';
import { createPools, type Pools } from './pool.ts';
import { backendHead, type RequestHead } from './request-head.ts';
import { clientHeaders, type ResponsePolicy } from './response-headers.ts';
import type { ResponseHead } from './response-parser.ts';
import { runTunnel } from './tunnel.ts';
import type { Member, UnderWay } from './under-way.ts';

/** A request on its way; `tunnel` only for upgrades. */
export interface Passage {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly target: ProxyTarget;
  readonly head: RequestHead;
  readonly navigation: boolean;
  /** The client's socket and what came behind the head of its request. */
  readonly tunnel: { readonly socket: Socket; readonly first: Buffer } | null;
  /** Null: a request to the app itself. */
  readonly call: ProxyCall | null;
}

/** A request or tunnel under way. */
export interface Active extends Member {
  readonly target: ProxyTarget;
  /** The client's connection is cut; of a capability call that has no answer yet, `failure` becomes the answer. */
  readonly end: (failure?: ExchangeFailure) => void;
}

export interface Forwarder {
  readonly deps: ProxyDeps;
  readonly active: UnderWay<Active>;
  /** Status 0: the client left first. */
  readonly answered: (target: ProxyTarget, status: number) => void;
  /** Nothing was sent to the client yet. */
  readonly failed: (passage: Passage, failure: ExchangeFailure) => void;
}

/** The client side of the proxy: connections to backends and what goes over them. */
export interface Upstream {
  forward(passage: Passage, route: BackendRoute): void;
  /** Ends free and busy connections of all keys (`poolKey`) that `matches`. */
  drop(matches: (key: string) => boolean): void;
  close(): void;
}

export function createUpstream(via: Forwarder): Upstream {
  const pools = createPools(via.deps.clock);
  const own: Own = { ...via, pools };
  return {
    forward: (passage, route) => forward(own, passage, route),
    drop: (matches) => pools.drop(matches),
    close: () => pools.close(),
  };
}

interface Own extends Forwarder {
  readonly pools: Pools;
}

const nothing = (): void => {};

function forward(via: Own, passage: Passage, route: BackendRoute, fresh = false): void {
  const { res, target, tunnel } = passage;
  const key = poolKey(target.person, target.app);
  let stop: (failure?: ExchangeFailure) => void = nothing;
  const entry: Active = {
    place: -1,
    target,
    end: (failure) => {
      if (passage.call !== null && failure !== undefined) stop(failure);
      else if (tunnel === null) res.destroy();
      else tunnel.socket.destroy();
    },
  };
  const gone = (): void => {
    via.active.delete(entry);
    stop();
  };
  const over = (): void => {
    via.active.delete(entry);
    res.off('close', gone);
  };
  via.active.add(entry);
  res.on('close', gone);
  const cancelTake = via.pools.take(key, route, fresh, (connection, failure) => {
    if (connection !== null) {
      stop = runExchange(exchangeOf(via, passage, route, over), connection);
    } else {
      over();
      via.failed(passage, failure ?? { code: 'BACKEND_UNREACHABLE', message: 'no connection to the backend' });
    }
  });
  if (stop !== nothing) return;
  stop = (failure) => {
    cancelTake();
    if (failure === undefined) return via.answered(target, 0);
    over();
    via.failed(passage, failure);
  };
}

function exchangeOf(via: Own, passage: Passage, route: BackendRoute, over: () => void): Exchange {
  const { req, res, target, head, tunnel } = passage;
  const policy = policyOf(via.deps, passage);
  const key = poolKey(target.person, target.app);
  return {
    req,
    res,
    clock: via.deps.clock,
    head: backendHead(req, head, target.path, { token: route.token, mandate: mandateOf(via.deps, target, route) }, policy),
    body: head.body,
    // A call of an app passes nothing on that its head did not announce.
    hasTrailers: passage.call === null,
    headers: (answer) => passage.call?.shown(clientHeaders(answer, { ...policy, basePath: '/' })) ?? clientHeaders(answer, policy),
    protocol: tunnel === null ? '' : head.upgrade,
    released: (connection, reusable) => via.pools.release(key, connection, reusable),
    doubted: () => {
      route.doubted?.();
      // A navigation gets the panel, which reloads by itself. Any other request may still get its answer.
      const view = passage.navigation ? via.deps.appView(target.person, target.app) : null;
      return view !== null && isUnanswering(view) ? unansweringFailure(view) : null;
    },
    stale: () => {
      over();
      forward(via, passage, route, true);
    },
    failed: (failure) => {
      over();
      via.failed(passage, failure);
    },
    finished: (status) => {
      over();
      via.answered(target, status);
    },
    switched: (connection, answer, rest) => {
      over();
      openTunnel(via, passage, policy, { connection, answer, rest });
    },
  };
}

/** Only who is signed in has somebody speak for them. */
function mandateOf({ mandates }: ProxyDeps, { person, app, session }: ProxyTarget, { speaksForPeople = false }: BackendRoute): string {
  return speaksForPeople && session !== null ? (mandates?.give({ person, app, session }) ?? '') : '';
}

interface Switched {
  readonly connection: Connection;
  readonly answer: ResponseHead;
  readonly rest: Buffer;
}

function openTunnel(via: Own, passage: Passage, policy: ResponsePolicy, { connection, answer, rest }: Switched): void {
  const { res, target, tunnel } = passage;
  const { socket, first } = tunnel!;
  res.detachSocket(socket);
  // A laptop that was closed never says so: the kernel finds out.
  socket.setKeepAlive(true, limits.proxyKeepAliveProbeMs);
  socket.write(switchingHead(answer, policy), 'latin1');
  // The rest lies in the read buffer, which is filled again.
  if (rest.length > 0) socket.write(Buffer.from(rest));
  if (first.length > 0) connection.stream.write(first);
  const entry: Active = { place: -1, target, end: () => running.destroy() };
  const running = runTunnel(socket, connection, via.deps.clock, () => {
    via.active.delete(entry);
    via.pools.release(poolKey(target.person, target.app), connection, false);
    via.deps.metrics?.tunnels(target.app, -1);
  });
  via.active.add(entry);
  via.answered(target, 101);
  via.deps.metrics?.tunnels(target.app, 1);
}

export function switchingHead(answer: ResponseHead, policy: ResponsePolicy): string {
  const headers = clientHeaders(answer, policy);
  let lines = `HTTP/1.1 101 ${answer.reason}\r\nConnection: Upgrade\r\nUpgrade: ${answer.upgrade}\r\n`;
  for (let index = 0; index < headers.length; index += 2) lines += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${lines}\r\n`;
}

/** Neither a person's id nor an app's id holds a space. */
export function poolKey(person: string, app: string): string {
  return `${person} ${app}`;
}

export function policyOf(deps: ProxyDeps, { target, head, req }: Passage): ResponsePolicy {
  const { portalOrigin } = deps;
  return {
    basePath: target.basePath,
    host: head.host,
    proto: portalOrigin.startsWith('https:') ? 'https' : 'http',
    portalOrigin,
    fetchSite: head.fetchSite,
    takesTrailers: req.httpVersionMinor > 0,
  };
}
