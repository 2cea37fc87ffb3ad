/**
 * Inputs and outputs of the proxy. The api classifies a request (host, session, app), then calls `handle` or `upgrade` with a target; everything
 * between there and the backend's socket is the business of this folder: in the order in which a request meets them proxy.ts (the switch),
 * request-head.ts (with header-names.ts), path-rules.ts and origin-rules.ts (refusals), own-routes.ts and panel.ts (`/__svc/…` and the error panel),
 * hold.ts (held navigations), forward.ts, pool.ts and connection.ts (sockets per backend generation), exchange.ts (one request) or tunnel.ts (one
 * upgrade), response-parser.ts, response-headers.ts.
 * Source: rules 3.2, 3.3 rule 3, 4.1, 5.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Bus } from '../../store/bus.ts';
import type { Clock } from '../../schema/clock.ts';
import type { BackendRoute } from '../../schema/gateway.ts';
import type { AppProjection, StartAnswer } from '../../schema/wire/http.ts';
import type { Mandates } from '../auth/mandates.ts';
import type { ExchangeFailure } from './exchange.ts';

/** Where a request goes, decided by the api. The session of the person was checked before. */
export interface ProxyTarget {
  readonly person: string;
  readonly app: string;
  /** Raw path and query as the client sent it, without the prefix of path mode; starts with '/'. Never decoded or normalised. */
  readonly path: string;
  /** '/' on an app's own origin, '/proxy/app/<id>/' in path mode. */
  readonly basePath: string;
  /** Hash of the session that carries the request: `closeSession` ends its tunnels and streams. Null: none to end. */
  readonly session: string | null;
}

export interface ProxyDeps {
  /** schema/gateway.ts: null unless a process is believed to answer. Asked once per request. */
  route(person: string, app: string): BackendRoute | null;
  /** The gate of the backend refused the token of the route. */
  tokenRefused(person: string, app: string): void;
  /** An answer of the backend was no HTTP, or can't be passed on: the client got 502 with the same reason. */
  badAnswer(person: string, app: string, reason: string): void;
  /** Posts the wish to start (by: navigation) and waits for the verdict. The signal fires when the client is gone. */
  hold(person: string, app: string, signal: AbortSignal): Promise<StartAnswer>;
  /** Null when the app is not installed for the person. */
  appView(person: string, app: string): AppView | null;
  /** Last lines of run.log, redacted. */
  logTail(person: string, app: string): Promise<string>;
  /** The panel's buttons: posts the wish (by: person), does not wait for its outcome. */
  wish(person: string, app: string, wish: 'start' | 'stop'): Promise<void>;
  /** Mandates for server-scope apps that speak for who asks them; absent: they get none. */
  readonly mandates?: Pick<Mandates, 'give'>;
  readonly bus: Pick<Bus, 'onPublish'>;
  /** `http://svc.localhost:8787`: the shell, which may frame apps and call them. */
  readonly portalOrigin: string;
  readonly clock: Clock;
  readonly metrics?: ProxyMetrics;
}

export type AppView = Pick<
  AppProjection,
  'id' | 'name' | 'escopo' | 'status' | 'ready' | 'reason' | 'message' | 'wanted' | 'pinned' | 'nextAttemptAtMs' | 'lastExit' | 'step'
>;

/** Called on the hot path: must be cheap and must not throw. */
export interface ProxyMetrics {
  /** Counts an answered request; `status` 0 when the client went away first. */
  request(app: string, status: number): void;
  /** Open tunnels changed by one. */
  tunnels(app: string, change: 1 | -1): void;
}

/** A request of another app (api/capabilities): its right was judged there, and each side sees less than a client would. */
export interface ProxyCall {
  /** Names and values by turns, as if the client had sent these. */
  readonly headers: readonly string[];
  /** Names and values by turns: what only the portal says to a backend. */
  readonly added: readonly string[];
  /** Filters the headers for the caller, out of those for a page on the app's own origin: alternating names and values. */
  shown(answer: readonly string[]): string[];
}

export interface Proxy {
  /** Answers the request in any case, with a coded problem when it is refused. Never throws, never rejects. */
  handle(req: IncomingMessage, res: ServerResponse, target: ProxyTarget): void;
  /**
   * As `handle`, for a capability call: no panel, no start, no route of our own. Returns what ends it early: with `failure` as its answer, or
   * cut when the answer had begun.
   */
  call(req: IncomingMessage, res: ServerResponse, target: ProxyTarget, call: ProxyCall): (failure: ExchangeFailure) => void;
  /** For the server's `upgrade` event. Answers or destroys the socket in any case. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, target: ProxyTarget): void;
  /** Ends tunnels, streams and pooled sockets of one app of the person, or of all when `app` is null. */
  closeFor(person: string, app: string | null): void;
  /** Ends what a session carries: sign-out, expiry. */
  closeSession(session: string): void;
  /** Sessions that carry a tunnel, a stream or any other request now. */
  carried(): readonly { readonly person: string; readonly session: string }[];
  close(): void;
}
