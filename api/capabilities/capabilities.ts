/**
 * Capability calls: `ANY /api/capacidades/<nome>/<versao>/…`, answered before Fastify so that bodies stream both ways (front.ts), and the list of
 * offers without a further path. This file judges who may ask whom and waits for the provider; the rest of the folder:
 * offers.ts (what manifests say), consents.ts (what the person said), calls.ts (what is under way, and its bounds), call-path.ts and heads.ts
 * (what reaches the provider and what comes back). The request itself is passed on by the proxy.
 * Source: rules 2.1, 4.2, 4.3, 5, 7. Decisions: docs/decisions/0200-capability-calls.md, 0201-consent.md
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Bus } from '../../store/bus.ts';
import type { Clock } from '../../schema/clock.ts';
import { isAppId } from '../../schema/app-id.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppCommands, AppsView } from '../../schema/gateway.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { OffersAnswer } from '../../schema/wire/capabilities.ts';
import type { Credentials } from '../auth/credentials.ts';
import { pageSession, refuseOtherOrigins } from '../auth/page-session.ts';
import type { Sessions } from '../auth/sessions.ts';
import { appBasePath, appOrigin, type Site } from '../http/hosts.ts';
import { pathOf } from '../http/navigation.ts';
import type { PreferencesOf } from '../preferences/preferences.ts';
import { sendProblem } from '../http/problems.ts';
import type { Proxy } from '../proxy/proxy.ts';
import { createRate } from '../http/rate.ts';
import { shellHeaders } from '../http/security-headers.ts';
import { loaderOf } from '../settings/settings.ts';
import type { Starts } from '../portal/starts.ts';
import { callPathFault } from './call-path.ts';
import { createCalls, type Call, type Calls, type Carrier } from './calls.ts';
import { createConsents, type ConsentDeps, type Consents } from './consents.ts';
import { answerHeaders, callHeaders } from './heads.ts';
import { limits } from './limits.ts';
import { declares, offerOf, offersFor, offersOf, type Offer } from './offers.ts';

export type { Consents };

export interface Capabilities {
  /** Whether the raw path of a request on the shell's host is a call or a list of offers. */
  owns(url: string): boolean;
  request(req: IncomingMessage, res: ServerResponse): void;
  readonly consents: Consents;
  /** Ends the calls that a portal session carries. */
  endSession(root: string): void;
  close(): void;
}

export interface CapabilityDeps extends Omit<ConsentDeps, 'apps' | 'calls' | 'bus'> {
  readonly site: Site;
  readonly sessions: Pick<Sessions, 'portal'>;
  readonly credentials: Credentials;
  readonly apps: Pick<AppsView, 'installed' | 'manifest'>;
  readonly commands: Pick<AppCommands, 'route'>;
  readonly preferences: Pick<PreferencesOf, 'read'>;
  readonly starts: Pick<Starts, 'startAndWait'>;
  readonly proxy: Pick<Proxy, 'call'>;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Counts a refusal of ours, by route pattern; for /metrics. The proxy counts the calls that reach a provider. */
  readonly observe: (method: string, route: string, status: number, durationMs: number) => void;
  readonly log: Pick<Logger, 'info'>;
  readonly onError: (error: unknown) => void;
}

interface Own extends CapabilityDeps {
  readonly calls: Calls;
  readonly consents: Consents;
  /** Throws RATE_LIMITED when one more of this app of the person is too many. */
  count(usuario: string, app: string): void;
}

export function createCapabilities(deps: CapabilityDeps): Capabilities {
  const { apps, bus, clock } = deps;
  const calls = createCalls();
  const consents = createConsents({ ...deps, calls });
  const rate = createRate(clock, { burst: limits.capabilityCallsBurst, refillMs: limits.capabilityCallRefillMs });
  const count = (usuario: string, app: string): void => rate(`${usuario} ${app}`);
  const own: Own = { ...deps, calls, consents, count };
  const isPossible = ({ usuario, de, para, capacidade }: Call): boolean =>
    (de === para || declares(apps.manifest(usuario, de), capacidade)) && offerOf(apps.manifest(usuario, para), capacidade) !== null;
  const endRemoved = bus.onPublish((person, event) => {
    if (event.type !== 'apps-changed') return;
    const error = new SvcError('CAPABILITY_UNKNOWN', 'one of the two apps was removed or replaced while the call was under way');
    calls.endWhere(person, (call) => !isPossible(call), error);
  });
  const endBackends = bus.onCredentialEnded((hash) =>
    calls.endWhere(null, ({ carrier }) => carrier.credential === hash, ended('SVC_PORTAL_TOKEN')),
  );
  return {
    owns: (url) => url.startsWith('/api/capacidades/'),
    request: (req, res) => {
      const beganMs = clock.monotonicMs();
      answer(own, req, res).catch((error: unknown) => {
        refuse(own, req, res, error);
        const code = error instanceof SvcError ? error.code : 'INTERNAL';
        deps.log.info(
          { method: req.method, path: pathOf(req.url ?? '').slice(0, 256), app: req.headers['x-svc-app'], status: res.statusCode, code },
          'capability call refused',
        );
        deps.observe(req.method ?? '', pattern, res.statusCode, clock.monotonicMs() - beganMs);
      });
    },
    consents,
    endSession: (root) => calls.endWhere(null, ({ carrier }) => carrier.session === root, ended('the session')),
    close: () => {
      endRemoved();
      endBackends();
    },
  };
}

function ended(what: string): SvcError {
  return new SvcError('UNAUTHENTICATED', `${what} has ended`);
}

function refuse({ site, onError }: Own, req: IncomingMessage, res: ServerResponse, thrown: unknown): void {
  if (!(thrown instanceof SvcError)) onError(thrown);
  if (res.destroyed) return;
  const error = thrown instanceof SvcError ? thrown : new SvcError('INTERNAL', 'the portal failed; its log has the cause');
  const { retryAfterMs, allow } = error.details;
  sendProblem(res, error, req.method, {
    ...shellHeaders(site),
    ...(typeof retryAfterMs === 'number' ? { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) } : {}),
    ...(typeof allow === 'string' ? { allow } : {}),
  });
}

interface Caller {
  readonly usuario: string;
  readonly app: string;
  readonly carrier: Carrier;
}

/** A backend by its credential, which says the app; else a page of the shell by the person's session, which says for which window it asks. */
async function callerOf({ site, sessions, credentials }: Own, req: IncomingMessage): Promise<Caller> {
  const { authorization, 'x-svc-app': app } = req.headers;
  if (authorization !== undefined) {
    const { usuario, app: ofCredential, credential, session } = await credentials.check(req.headers, 'capacidades');
    return { usuario, app: ofCredential, carrier: { session, credential } };
  }
  refuseOtherOrigins(req, site);
  const session = await pageSession(req, site, sessions);
  if (session === null) throw new SvcError('UNAUTHENTICATED', 'sign in first');
  if (typeof app !== 'string' || !isAppId(app)) throw new SvcError('BAD_REQUEST', 'X-Svc-App: expected the id of the app that asks');
  return { usuario: session.person, app, carrier: { session: session.root, credential: null } };
}

const pattern = '/api/capacidades/:nome/:versao/*';
const shape = /^\/api\/capacidades\/(?<nome>[a-z][a-z0-9-]*)\/(?<versao>v[0-9]+)(?<rest>\/[^?]*(?:\?.*)?)?$/s;

async function answer(own: Own, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const caller = await callerOf(own, req);
  const { usuario, app: de } = caller;
  const { nome, versao, rest } = shape.exec(req.url ?? '')?.groups ?? {};
  if (nome === undefined) throw new SvcError('NOT_FOUND', 'expected /api/capacidades/<name>/v<number>/<path>');
  const capacidade = `${nome}/${versao ?? ''}`;
  own.count(usuario, de);
  const itself = asksItself(own, req, caller);
  if (!itself && !declares(own.apps.manifest(usuario, de), capacidade)) {
    const detail = `${de} is no app of this person that declares ${capacidade} in "requires" or "usa"`;
    throw new SvcError('CAPABILITY_UNDECLARED', detail, { de, capacidade });
  }
  const offers = itself ? offersOf(own.apps, usuario, [de], capacidade) : offersFor(own.apps, usuario, de, capacidade);
  if (rest === undefined) return sendOffers(own, req, res, offers);
  const fault = callPathFault(rest);
  if (fault !== null) throw new SvcError('PATH_REFUSED', fault);
  const offer = await chosen(own, req, { usuario, capacidade, offers });
  await carry(own, req, res, { caller, offer, capacidade, rest });
}

/** The loader of an engine, which the shell runs, asks its own backend: nothing to declare and nothing to consent to. Decision: docs/decisions/0205-engines-in-the-environment.md */
function asksItself({ apps }: Own, req: IncomingMessage, { usuario, app, carrier }: Caller): boolean {
  const manifest = apps.manifest(usuario, app);
  return carrier.credential === null && req.headers['x-svc-fornecedor'] === app && manifest !== null && loaderOf(manifest) !== null;
}

/** Lists the providers without starting any (rules 4.3 `apps.listar`). */
function sendOffers({ site }: Own, req: IncomingMessage, res: ServerResponse, offers: readonly Offer[]): void {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    throw new SvcError('METHOD_NOT_ALLOWED', 'without a further path this lists who offers the capability', { allow: 'GET, HEAD' });
  }
  const ofertas: OffersAnswer['ofertas'] = shown(offers);
  const body = JSON.stringify({ ofertas });
  const headers = { ...shellHeaders(site), 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  res.writeHead(200, { ...headers, 'cache-control': 'no-store' }).end(req.method === 'HEAD' ? undefined : body);
}

function shown(offers: readonly Offer[]): OffersAnswer['ofertas'] {
  return offers.map(({ app, nome, rotulo }) => ({ app, nome, rotulo }));
}

/** The one that the request names; else the person's default app for the capability; else the only one. */
async function chosen({ preferences }: Own, req: IncomingMessage, { usuario, capacidade, offers }: Choice): Promise<Offer> {
  const named = req.headers['x-svc-fornecedor'];
  const [first, second] = named === undefined ? offers : offers.filter(({ app }) => app === named);
  if (first === undefined) {
    const who = named === undefined ? 'no installed app' : 'the app that was asked for is none that';
    throw new SvcError('CAPABILITY_UNKNOWN', `${who} offers ${capacidade}`, { capacidade });
  }
  if (second === undefined) return first;
  const { padroes } = (await preferences.read(usuario)).value;
  const preferred = offers.find(({ app }) => app === padroes?.[capacidade]);
  if (preferred !== undefined) return preferred;
  const detail = `several apps offer ${capacidade}: name one in X-Svc-Fornecedor, or the person chooses their default app`;
  throw new SvcError('PROVIDER_CHOICE', detail, { capacidade, ofertas: shown(offers) });
}

interface Choice {
  readonly usuario: string;
  readonly capacidade: string;
  readonly offers: readonly Offer[];
}

interface Wanted {
  readonly caller: Caller;
  readonly offer: Offer;
  readonly capacidade: string;
  readonly rest: string;
}

async function carry(own: Own, req: IncomingMessage, res: ServerResponse, { caller, offer, capacidade, rest }: Wanted): Promise<void> {
  const { site, proxy } = own;
  const { usuario, app: de, carrier } = caller;
  const { app: para, rota } = offer;
  const isBackend = carrier.credential !== null;
  const { call, over } = own.calls.begin({ usuario, de, para, capacidade }, carrier, isBackend ? single(req, 'x-svc-pedido') : null);
  if (res.closed) return over();
  res.once('close', over);
  const pass = isBackend ? null : single(req, 'x-svc-consentimento');
  if (de !== para) await own.consents.require(call, pass, isBackend ? 'backend' : 'page');
  if (call.ended !== null) throw call.ended;
  if (own.commands.route(usuario, para) === null) await started(own, call, res);
  if (res.closed) return;
  const path = rota + rest;
  const origin = appOrigin(site, para);
  const basePath = appBasePath(site, para);
  const asked = { prefix: `/api/capacidades/${capacidade}`, rota, origin, basePath, path, para };
  const target = { person: usuario, app: para, path, basePath, session: carrier.session };
  const cut = proxy.call(req, res, target, {
    headers: callHeaders(req.rawHeaders, new URL(origin).host),
    added: ['X-Svc-Chamador', de, 'X-Svc-Pedido', call.id],
    shown: (answer) => answerHeaders(answer, asked),
  });
  call.onEnd = cut;
}

function single(req: IncomingMessage, name: string): string | null {
  const value = req.headers[name];
  return typeof value === 'string' ? value : null;
}

/** Starts a provider that does not run, as a navigation does, and waits as long. Rejects with why it does not answer, or why the call ended. */
async function started({ commands, starts }: Own, call: Call, res: ServerResponse): Promise<void> {
  const { usuario, para } = call;
  const waiting = new AbortController();
  const leave = (): void => waiting.abort();
  res.once('close', leave);
  call.onEnd = leave;
  try {
    const {
      status,
      reason,
      message,
      retryAfterMs = 1_000,
    } = await starts.startAndWait(usuario, para, {
      by: 'navigation',
      deadlineMs: sharedLimits.navigationHoldMsMax,
      signal: waiting.signal,
    });
    if (commands.route(usuario, para) === null) throw new SvcError('APP_NOT_RUNNING', message, { app: para, status, reason, retryAfterMs });
  } catch (error) {
    throw call.ended ?? error;
  } finally {
    res.off('close', leave);
  }
  if (call.ended !== null) throw call.ended;
}
