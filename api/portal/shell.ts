/**
 * The shell's origin and the control socket, as one Fastify instance without a listener: portal.ts passes it requests. Each route declares
 * who may call it (`access`); that is checked here for all of them, and defaults to the strictest.
 * Decision: docs/decisions/0035-http-border.md
 */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import { isAppId } from '../../schema/app-id.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import { encodedEtag } from '../../schema/wire/etag.ts';
import type { Access } from '../../schema/routes/route.ts';
import type { BackendCaller, Credentials, PersonCaller } from '../auth/credentials.ts';
import type { Carrying, OpenAnswers } from '../auth/open-answers.ts';
import type { HttpAudit } from '../audit/http-audit.ts';
import type { Ending } from '../audit/rows.ts';
import { pageSession, refuseOtherOrigins } from '../auth/page-session.ts';
import type { Session, Sessions } from '../auth/sessions.ts';
import { isLocalScrape } from '../front.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { workFor, type Worker } from '../budgets/loop-time.ts';
import { codingFor, encode, isWorthIt } from '../http/content-coding.ts';
import { signInAddress, type Site } from '../http/hosts.ts';
import { addJsonBodies } from '../http/json-body.ts';
import { lazySchemas, type LazySchemas } from '../http/lazy-schemas.ts';
import { cleanLocalPath, isNavigation, pathOf } from '../http/navigation.ts';
import { peoplePage } from './people-page.ts';
import { patternOf } from '../http/serve.ts';
import { codedError, problemOf, problemType } from '../http/problems.ts';
import { dataPolicy, shellHeaders } from '../http/security-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Null on the control socket and on open routes. */
    session: Session | null;
    /** Came with the credential of a backend: there is no session then. */
    backend: PersonCaller | null;
    /** The same on routes of the queue and of metrics, where an app may ask for itself. */
    appCaller: BackendCaller | null;
    /** Came with the token of this job. */
    job: string | null;
    /** Came over the 0600 socket: the caller is the account that runs the portal. */
    control: boolean;
    /** Account of the process at the other end of the control socket; null when the request came elsewhere or the account is unknown. */
    controlUid: number | null;
    /** Code of the error that is answered. */
    refusal: string | null;
    /** How the act ends whose progress is the answer; it does not reject. Null for other answers. */
    actEnd: Promise<Ending> | null;
  }
}

export const shellVersion: string = packageJson.version;

export interface Shell {
  readonly app: FastifyInstance;
  /** Every route as `METHOD /path`, HEAD left out: tests and the 405 answers read it. */
  readonly routes: readonly { readonly method: string; readonly url: string; readonly access: Access }[];
  handle(req: IncomingMessage, res: ServerResponse): void;
}

export interface ShellDeps {
  readonly site: Site;
  readonly sessions: Sessions;
  readonly credentials: Credentials;
  readonly open: Pick<OpenAnswers, 'holdRequest'>;
  readonly budgets: Pick<Budgets, 'turn' | 'answered'>;
  /** Answers the job of a bearer token. Rejects UNAUTHENTICATED. */
  readonly executor: { check(authorization: string): Promise<string> };
  readonly log: Logger;
  /** Account that asks at the control socket; null when unknown, undefined for requests from elsewhere. */
  readonly controlUid: (req: IncomingMessage) => number | null | undefined;
  /** Where a request comes from (auth/client-address.ts). */
  readonly address: (req: IncomingMessage) => string;
  /** Counts an answered request, by route pattern; for /metrics. */
  readonly observe: (method: string, route: string, status: number, durationMs: number) => void;
  readonly audit: Pick<HttpAudit, 'answered' | 'began'>;
  readonly schemas: LazySchemas | undefined;
  readonly register: (app: FastifyInstance) => void;
}

interface Route {
  readonly method: string;
  readonly url: string;
  readonly access: Access;
  readonly pattern: RegExp;
}

/** Routes with a person: the session is there. */
export function sessionOf(request: FastifyRequest): Session {
  if (!request.session) throw new SvcError('UNAUTHENTICATED', 'this route acts for a person: sign in first');
  return request.session;
}

/** Routes of the wrapper of a job. */
export function jobIn({ job }: FastifyRequest): string {
  if (job === null) throw new SvcError('UNAUTHENTICATED', 'this route acts for a running job: bring its token');
  return job;
}

export async function createShell(deps: ShellDeps): Promise<Shell> {
  const routes: Route[] = [];
  const feed: { current: (req: IncomingMessage, res: ServerResponse) => void } = { current: () => {} };
  const app = fastify({
    schemaController: { compilersFactory: (deps.schemas ?? lazySchemas()).factories },
    serverFactory: (handler) => {
      feed.current = handler;
      return http.createServer();
    },
    logger: false,
    bodyLimit: limits.apiBodyBytesMax,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    // The query of a sign-in link holds its pass: paths are logged by us, without it.
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: false, allowUnionTypes: true } },
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 128 },
    return503OnClosing: false,
    // A path that the router gives up on: Fastify's own answer repeats it.
    frameworkErrors: (_error, _request, untyped) => {
      const reply = untyped as unknown as FastifyReply;
      reply.headers({ ...shellHeaders(deps.site), 'content-security-policy': dataPolicy, 'cache-control': 'no-store' });
      const error = new SvcError('BAD_REQUEST', 'the path is badly encoded, or a part of it is longer than any name here');
      reply.code(error.status).header('content-type', problemType).serializer(JSON.stringify).send(problemOf(error));
      drainLeftover(reply);
    },
  });
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const each of [method].flat()) {
      if (each !== 'HEAD') routes.push({ method: each, url, access: config?.access ?? 'admin', pattern: patternOf(url) });
    }
  });
  addJsonBodies(app, { budgets: deps.budgets, workerOf });
  addHooks(app, deps);
  addErrors(app, deps, routes);
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'svc portal', version: shellVersion, description: 'See docs/api.md.' } },
  });
  await app.register(async (scope) => deps.register(scope));
  await app.ready();
  return { app, routes, handle: (req, res) => feed.current(req, res) };
}

function addHooks(app: FastifyInstance, deps: ShellDeps): void {
  const { site } = deps;
  app.decorateRequest('session', null);
  app.decorateRequest('backend', null);
  app.decorateRequest('appCaller', null);
  app.decorateRequest('job', null);
  app.decorateRequest('control', false);
  app.decorateRequest('controlUid', null);
  app.decorateRequest('refusal', null);
  app.decorateRequest('actEnd', null);
  app.addHook('onRequest', async (request, reply) => {
    const uid = deps.controlUid(request.raw);
    request.control = uid !== undefined;
    request.controlUid = uid ?? null;
    reply.headers({ ...shellHeaders(site), 'content-security-policy': dataPolicy, 'cache-control': 'no-store' });
    reply.header('x-request-id', request.id);
    if (request.is404) return;
    deps.audit.began(request);
    await admit(request, deps);
    const carrying = carryingOf(request);
    if (carrying !== null) deps.open.holdRequest(carrying, request.raw, reply.raw);
    const who = workerOf(request);
    if (who !== null) await deps.budgets.turn(who.person);
    // A person who follows a link into an app gets the sign-in page; a frame of the shell gets an error, and the shell asks.
    if (isAskedByStranger(request)) {
      await reply.redirect(destinationOf(request, site), 302);
    }
  });
  // Not async: what follows is to run within it. A request that breaks its schema is work as well.
  app.addHook('preValidation', (request, _reply, done) => {
    const who = workerOf(request);
    if (who === null) done();
    else workFor(who, done);
  });
  // Also where nobody waits for the answer any more: what was done was done.
  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.is404) deps.audit.answered(request, reply, payload, request.refusal);
    return payload;
  });
  app.addHook('onSend', encodeAnswer);
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    deps.observe(request.method, route, reply.statusCode, reply.elapsedTime);
    const who = workerOf(request);
    if (who !== null) deps.budgets.answered(who, reply.statusCode);
    const fields = { requestId: request.id, method: request.method, path: loggedPath(request.url), status: reply.statusCode };
    const person =
      request.session?.person ??
      request.backend?.usuario ??
      request.appCaller?.owner ??
      request.job ??
      (request.control ? 'control' : null);
    const uid = deps.controlUid(request.raw);
    const from = person === null ? { address: deps.address(request.raw) } : {};
    const whom = { person, ...from, ...(uid === undefined ? {} : { uid }) };
    deps.log.info({ ...fields, ...whom, durationMs: Math.round(reply.elapsedTime) }, 'request');
  });
}

/** The session that a request ends with: of the page, or of the person for whom a server-scope app speaks. */
function carryingOf({ session, backend, appCaller }: FastifyRequest): Carrying | null {
  if (session !== null) return { person: session.person, session: session.root };
  const caller = backend ?? appCaller;
  return caller?.session ? { person: caller.owner, session: caller.session } : null;
}

/** For whom the portal works when it answers. */
function workerOf({ session, backend, appCaller }: FastifyRequest): Worker | null {
  if (session !== null) return { person: session.person, app: null };
  const caller = backend ?? appCaller;
  return caller === null ? null : { person: caller.owner, app: caller.app };
}

/** Answers that are whole already: a file or a stream goes as it is. */
async function encodeAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || request.method === 'HEAD' || reply.hasHeader('content-encoding')) return payload;
  if (!isWorthIt(String(reply.getHeader('content-type') ?? ''), payload.length)) return payload;
  reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '));
  const coding = codingFor(request.headers['accept-encoding']);
  if (coding === null) return payload;
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string') reply.header('etag', encodedEtag(etag, coding));
  reply.header('content-encoding', coding).removeHeader('content-length');
  return await encode(payload, coding, 'once');
}

/** Without the text in the place of a secret's name, in any encoding: people put the value there by mistake. */
function loggedPath(url: string): string {
  const path = pathOf(url);
  const spelled = path.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const before = /^.*?\/segredos\/(?=.)/is.exec(spelled)?.[0];
  return (before === undefined ? path : `${before}:nome`).slice(0, 256);
}

/** Throws unless the caller may call this route in this way. */
async function admit(request: FastifyRequest, { site, sessions, credentials, executor }: ShellDeps): Promise<void> {
  const access = request.routeOptions.config.access ?? 'admin';
  if (request.control) return;
  const { authorization } = request.raw.headers;
  // A page can't send this header here without a preflight (CORS), which is never granted: no cookie counts besides it.
  if (access === 'room' && authorization !== undefined) {
    request.backend = await credentials.check(request.raw.headers, 'salas');
    return;
  }
  if ((access === 'queue' || access === 'metricas') && authorization !== undefined) {
    request.appCaller = await credentials.checkApp(request.raw.headers, access === 'queue' ? 'fila' : 'metricas');
    return;
  }
  if (access === 'executor' && authorization !== undefined) {
    request.job = await executor.check(authorization);
    return;
  }
  if (access === 'metrics' && isLocalScrape(request.raw)) return;
  const opens =
    (access === 'navigation' && isNavigation(request.raw)) || (access === 'callback' && isNavigation(request.raw) && isDocument(request));
  if (!opens) refuseOtherOrigins(request.raw, site);
  request.session = await pageSession(request.raw, site, sessions);
  if (access === 'open' || access === 'callback' || isAskedByStranger(request)) return;
  if (!request.session) throw new SvcError('UNAUTHENTICATED', 'sign in first');
  if ((access === 'admin' || access === 'metrics') && !request.session.admin) {
    throw new SvcError('FORBIDDEN', 'for admins: over the control socket, or with a session that was opened by an admin link');
  }
}

/** The sign-in page, with where the link led: the shell opens it once the person is signed in. Anything but an app or a path of one is left out. */
function destinationOf(request: FastifyRequest, site: Site): string {
  const { id } = request.params as { readonly id?: string };
  const wanted = cleanLocalPath((request.query as { readonly ir?: string }).ir ?? '/');
  return id !== undefined && isAppId(id) && wanted !== null ? signInAddress(site, id, wanted) : `${site.origin}/`;
}

/** A page of its own, not in a frame, wanted by somebody who is not signed in. */
function isAskedByStranger(request: FastifyRequest): boolean {
  if (request.control || request.session || request.routeOptions.config.access !== 'navigation') return false;
  return isNavigation(request.raw) && isDocument(request);
}

/** A page of its own, not in a frame. */
function isDocument(request: FastifyRequest): boolean {
  return (request.raw.headers['sec-fetch-dest'] ?? 'document') === 'document';
}

function addErrors(app: FastifyInstance, deps: ShellDeps, routes: readonly Route[]): void {
  const send = (reply: FastifyReply, error: SvcError): FastifyReply => {
    drainLeftover(reply);
    reply.request.refusal = error.code;
    const page = reply.request.control ? null : peoplePage(reply.request.raw, error, deps.site);
    if (page !== null) return reply.code(error.status).headers(page.headers).send(page.body);
    return reply.code(error.status).header('content-type', problemType).serializer(JSON.stringify).send(problemOf(error));
  };
  app.setErrorHandler((thrown, request, reply) => {
    const error = codedError(thrown, request.id);
    if (error.code === 'INTERNAL') deps.log.error({ requestId: request.id, err: thrown }, 'request failed');
    if (error.code === 'RATE_LIMITED' && typeof error.details['retryAfterMs'] === 'number') {
      reply.header('retry-after', String(Math.ceil(error.details['retryAfterMs'] / 1_000)));
    }
    return send(reply, error);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    const methods = [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
    if (methods.length === 0) return send(reply, new SvcError('NOT_FOUND', 'the portal has no such route'));
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    reply.header('allow', allow);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    return send(reply, new SvcError('METHOD_NOT_ALLOWED', `this path takes ${allow}`));
  });
}

/**
 * A body that was refused in the middle is read to its end and thrown away: the sender gets the answer instead of a reset, and the next request
 * on the connection its turn. How long that may take is bounded where the connection is (portal.ts).
 */
function drainLeftover({ request, raw }: FastifyReply): void {
  raw.once('finish', () => {
    if (!request.raw.complete) request.raw.resume();
  });
}
