/** `/api/apps…`: what a person has, starting and stopping it, its windows and its icon (spec 4.1; design 6). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { SvcError } from '../../schema/errors.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import type { AppProjection, StartAnswer } from '../../schema/wire/http.ts';
import * as schemas from '../../schema/wire/http-schemas.ts';
import { iconQuery } from '../../schema/wire/store-schemas.ts';
import type { Passes } from '../auth/passes.ts';
import type { Windows } from '../events/windows.ts';
import { appOrigin, appUrl, type Site } from '../hosts.ts';
import { cleanLocalPath } from '../navigation.ts';
import { errorAnswers, sessionOf } from '../shell.ts';
import type { Starts, StartOptions } from '../starts.ts';
import { addSecretRoutes } from './secrets.ts';
import { sendIcon } from './icons.ts';

export interface AppRouteDeps {
  readonly site: Site;
  readonly gateway: Gateway;
  readonly starts: Starts;
  readonly windows: Windows;
  readonly passes: Passes;
  readonly log: Logger;
}

type AppRequest = FastifyRequest<{ Params: { id: string } }>;
type IconRequest = FastifyRequest<{ Params: { id: string }; Querystring: { v?: string } }>;

/** Fires when the caller goes away before the answer. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

export function addAppRoutes(app: FastifyInstance, deps: AppRouteDeps): void {
  const { gateway } = deps;
  const person = { config: { access: 'person' as const } };
  app.get(
    '/api/apps',
    { ...person, schema: { summary: 'Apps installed for the person', response: { 200: schemas.appsAnswer, ...errorAnswers } } },
    async (request, reply) => {
      const { person: usuario } = sessionOf(request);
      // Source: spec 8, client cache of the app list. The shell asks with no-store when an event says that the list changed.
      reply.headers({ 'cache-control': 'private, max-age=30', vary: 'Cookie' });
      return { apps: gateway.apps(usuario).map((each) => projection(deps, usuario, each)) };
    },
  );
  app.get<{ Params: { id: string } }>(
    '/api/apps/:id',
    { ...person, schema: { summary: 'One app', params: schemas.appParams, response: { 200: schemas.appProjection, ...errorAnswers } } },
    async (request) => {
      const { person: usuario } = sessionOf(request);
      return projection(deps, usuario, installed(gateway, usuario, request.params.id));
    },
  );
  app.get<{ Params: { id: string }; Querystring: { v?: string } }>(
    '/api/apps/:id/icone',
    {
      ...person,
      schema: {
        summary: 'Icon of the package',
        params: schemas.appParams,
        querystring: iconQuery,
        produces: ['image/*'],
        response: errorAnswers,
      },
    },
    (request, reply) => installedIcon(gateway, request, reply),
  );
  addLifecycleRoutes(app, deps);
  addSecretRoutes(app, deps);
  addOpenRoute(app, deps);
}

function addLifecycleRoutes(app: FastifyInstance, { starts, windows, gateway }: AppRouteDeps): void {
  const config = { access: 'person' as const };
  const lifecycle = (summary: string) => ({
    config,
    schema: { summary, params: schemas.appParams, body: schemas.noBody, response: { 200: schemas.startAnswer, ...errorAnswers } },
  });
  const wait = (request: AppRequest, reply: FastifyReply, deadlineMs: number): readonly [string, string, StartOptions] => {
    return [sessionOf(request).person, request.params.id, { by: 'person', deadlineMs, signal: goneSignal(reply) }];
  };
  app.post<{ Params: { id: string } }>(
    '/api/apps/:id/start',
    lifecycle('Start and wait for the verdict'),
    (request, reply): Promise<StartAnswer> => starts.startAndWait(...wait(request, reply, limits.startWaitMsMax)),
  );
  app.post<{ Params: { id: string } }>(
    '/api/apps/:id/restart',
    lifecycle('Stop, start and wait for the verdict'),
    (request, reply): Promise<StartAnswer> => starts.restartAndWait(...wait(request, reply, limits.startWaitMsMax + limits.stopWaitMsMax)),
  );
  app.post<{ Params: { id: string } }>(
    '/api/apps/:id/stop',
    lifecycle('Stop and wait until it is stopped'),
    (request, reply): Promise<StartAnswer> => starts.stopAndWait(...wait(request, reply, limits.stopWaitMsMax)),
  );
  app.post<{ Params: { id: string }; Body: { abertas: number; pagina: string } }>(
    '/api/apps/:id/janelas',
    {
      config,
      schema: {
        summary: 'How many windows of the app this page has open',
        params: schemas.appParams,
        body: schemas.windowsBody,
        response: { 200: schemas.windowsAnswer, ...errorAnswers },
      },
    },
    async (request) => {
      const { person } = sessionOf(request);
      const { id } = installed(gateway, person, request.params.id);
      return { abertas: await windows.count(person, request.body.pagina, id, request.body.abertas) };
    },
  );
}

/** Hands the person over to the app's origin by a one-time pass. Decision: docs/decisions/0003-sessions-and-passes.md */
function addOpenRoute(app: FastifyInstance, { site, gateway, passes }: AppRouteDeps): void {
  app.get<{ Params: { id: string }; Querystring: { ir?: string; ida?: string } }>(
    '/api/apps/:id/abrir',
    {
      config: { access: 'navigation' },
      exposeHeadRoute: false,
      schema: { summary: 'Go to the app, signed in', params: schemas.appParams, querystring: schemas.openQuery, response: errorAnswers },
    },
    async (request, reply) => {
      const session = sessionOf(request);
      const { id } = installed(gateway, session.person, request.params.id);
      const wanted = cleanLocalPath(request.query.ir ?? '/');
      if (wanted === null) throw new SvcError('BAD_REQUEST', 'ir: expected a path of the app that starts with one slash');
      if (site.origins === 'path') return reply.redirect(appUrl(site, id) + wanted.slice(1), 302);
      const { ida } = request.query;
      // The app's origin asks, so that only the browser that asked can use the answer.
      if (ida === undefined) return reply.redirect(appOrigin(site, id) + wanted, 302);
      const query = new URLSearchParams({ passe: await passes.forApp(session, id, ida), ir: wanted });
      return reply.redirect(`${appOrigin(site, id)}/__svc/entrar?${query.toString()}`, 302);
    },
  );
}

function installed(gateway: Gateway, person: string, id: string): ReturnType<Gateway['app']> & object {
  const view = gateway.app(person, id);
  if (!view) throw new SvcError('NOT_FOUND', `app ${id} is not installed`);
  return view;
}

function projection({ site, gateway }: AppRouteDeps, person: string, view: Omit<AppProjection, 'url' | 'icone'>): AppProjection {
  const icon = gateway.manifest(person, view.id)?.icon;
  const icone = icon === undefined ? null : `/api/apps/${view.id}/icone?v=${encodeURIComponent(view.version)}`;
  return { ...view, url: appUrl(site, view.id), icone };
}

async function installedIcon(gateway: Gateway, request: IconRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { person } = sessionOf(request);
  const { id } = request.params;
  const manifest = gateway.manifest(person, id);
  const icon = manifest?.icon ?? '';
  const bytes = icon === '' ? null : await gateway.packageFile(person, id, icon);
  return sendIcon(request, reply, { icon, bytes, kept: request.query.v === manifest?.version });
}
