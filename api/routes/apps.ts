/** `/api/apps…`: what a person has, starting and stopping it, its windows and its icon (rules 4.1). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView, AppView } from '../../schema/gateway.ts';
import { limits } from '../limits.ts';
import type { AppProjection, StartAnswer } from '../../schema/wire/http.ts';
import * as schemas from '../../schema/wire/http.ts';
import { iconQuery, typeIconQuery } from '../../schema/wire/shop.ts';
import type { Passes } from '../auth/passes.ts';
import type { Windows } from '../events/windows.ts';
import { goneSignal } from '../gone.ts';
import { appOrigin, appUrl, type Site } from '../hosts.ts';
import { cleanLocalPath } from '../navigation.ts';
import { typeIconOf } from '../settings/opening.ts';
import { loaderView, type ShellScripts } from '../settings/settings.ts';
import { errorAnswers, sessionOf } from '../shell.ts';
import type { Starts, StartOptions } from '../starts.ts';
import { sendIcon, windowIconFiles } from './icons.ts';

export interface AppRouteDeps {
  readonly site: Site;
  readonly apps: AppsView;
  readonly starts: Starts;
  readonly windows: Windows;
  readonly passes: Passes;
  readonly shellScripts: ShellScripts;
}

type AppRequest = FastifyRequest<{ Params: { id: string } }>;
type IconRequest = FastifyRequest<{ Params: { id: string }; Querystring: { v?: string } }>;

export function addAppRoutes(app: FastifyInstance, deps: AppRouteDeps): void {
  const { apps } = deps;
  const person = { config: { access: 'person' as const } };
  app.get<{ Querystring: { uso?: '1' } }>(
    '/api/apps',
    {
      ...person,
      schema: {
        summary: 'Apps installed for the person',
        querystring: schemas.appsQuery,
        response: { 200: schemas.appsAnswer, ...errorAnswers },
      },
    },
    async (request, reply) => {
      const { person: usuario } = sessionOf(request);
      // Source: rules 8, client cache of the app list. The shell asks with no-store when an event says that the list changed.
      const withUse = request.query.uso === '1';
      reply.headers({ 'cache-control': withUse ? 'no-store' : 'private, max-age=30', vary: 'Cookie' });
      if (withUse) await apps.observeUsage(usuario);
      return { apps: apps.of(usuario).map((each) => projection(deps, usuario, each)) };
    },
  );
  app.get<{ Params: { id: string } }>(
    '/api/apps/:id',
    { ...person, schema: { summary: 'One app', params: schemas.appParams, response: { 200: schemas.appProjection, ...errorAnswers } } },
    async (request) => {
      const { person: usuario } = sessionOf(request);
      return projection(deps, usuario, installed(apps, usuario, request.params.id));
    },
  );
  addIconRoutes(app, apps);
  addLifecycleRoutes(app, deps);
  addOpenRoute(app, deps);
}

function addIconRoutes(app: FastifyInstance, apps: AppsView): void {
  const person = { config: { access: 'person' as const } };
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
    (request, reply) => installedIcon(apps, request, reply),
  );
  app.get<{ Params: { id: string }; Querystring: { v?: string } }>(
    '/api/apps/:id/icone-da-janela',
    {
      ...person,
      schema: {
        summary: 'Icon of the windows: `window.icone.url` of the manifest, from the package on disk',
        params: schemas.appParams,
        querystring: iconQuery,
        produces: ['image/*'],
        response: errorAnswers,
      },
    },
    (request, reply) => windowIcon(apps, request, reply),
  );
  app.get<{ Params: { id: string }; Querystring: { extensao: string; v?: string } }>(
    '/api/apps/:id/icone-do-tipo',
    {
      ...person,
      schema: {
        summary: 'Icon of a file type of the app: `opens.proprios[].icone` of the manifest, from the package on disk',
        params: schemas.appParams,
        querystring: typeIconQuery,
        produces: ['image/*'],
        response: errorAnswers,
      },
    },
    (request, reply) => typeIcon(apps, request, reply),
  );
}

function addLifecycleRoutes(app: FastifyInstance, { starts, windows, apps }: AppRouteDeps): void {
  const config = { access: 'person' as const };
  const lifecycle = (summary: string) => ({
    config,
    schema: { summary, params: schemas.appParams, body: schemas.noBody, response: { 200: schemas.startAnswer, ...errorAnswers } },
  });
  const wait = (request: AppRequest, reply: FastifyReply, deadlineMs: number): readonly [string, string, StartOptions] => {
    return [sessionOf(request).person, request.params.id, { by: 'person', deadlineMs, signal: goneSignal(reply.raw) }];
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
      const { id } = installed(apps, person, request.params.id);
      return { abertas: await windows.count(person, request.body.pagina, id, request.body.abertas) };
    },
  );
}

/** Hands the person over to the app's origin by a one-time pass. Decision: docs/decisions/0003-sessions-and-passes.md */
function addOpenRoute(app: FastifyInstance, { site, apps, passes }: AppRouteDeps): void {
  app.get<{ Params: { id: string }; Querystring: { ir?: string; ida?: string } }>(
    '/api/apps/:id/abrir',
    {
      config: { access: 'navigation' },
      exposeHeadRoute: false,
      schema: { summary: 'Go to the app, signed in', params: schemas.appParams, querystring: schemas.openQuery, response: errorAnswers },
    },
    async (request, reply) => {
      const session = sessionOf(request);
      const { id } = installed(apps, session.person, request.params.id);
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

function installed(apps: AppsView, person: string, id: string): AppView {
  const view = apps.find(person, id);
  if (!view) throw new SvcError('NOT_FOUND', `app ${id} is not installed`);
  return view;
}

function projection({ site, apps, shellScripts }: AppRouteDeps, person: string, view: AppView): AppProjection {
  const manifest = apps.manifest(person, view.id);
  const icone = manifest?.icon === undefined ? null : `/api/apps/${view.id}/icone?v=${encodeURIComponent(view.version)}`;
  const loader = manifest === null ? null : loaderView(apps, person, manifest, shellScripts);
  return { ...view, url: appUrl(site, view.id), icone, loader };
}

async function installedIcon(apps: AppsView, request: IconRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { person } = sessionOf(request);
  const { id } = request.params;
  const manifest = apps.manifest(person, id);
  const icon = manifest?.icon ?? '';
  const bytes = icon === '' ? null : await apps.file(person, id, icon);
  return sendIcon(request, reply, { icon, bytes, kept: request.query.v === manifest?.version });
}

async function typeIcon(
  apps: AppsView,
  request: FastifyRequest<{ Params: { id: string }; Querystring: { extensao: string; v?: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { person } = sessionOf(request);
  const { id } = request.params;
  const { extensao, v } = request.query;
  const manifest = apps.manifest(person, id);
  const icon = manifest === null ? null : typeIconOf(manifest, extensao);
  if (icon === null) throw new SvcError('NOT_FOUND', 'the package has no such icon');
  return sendIcon(request, reply, { icon, bytes: await apps.file(person, id, icon), kept: v === manifest?.version });
}

/** The backend may be stopped, and would refuse the shell's page: it takes no image requests of another origin (docs/decisions/0042). */
async function windowIcon(apps: AppsView, request: IconRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { person } = sessionOf(request);
  const { id } = request.params;
  const manifest = apps.manifest(person, id);
  const declared = manifest?.window?.['icone'] as { readonly url?: unknown } | undefined;
  const kept = request.query.v === manifest?.version;
  for (const icon of windowIconFiles(declared?.url)) {
    const bytes = await apps.file(person, id, icon);
    if (bytes !== null) return sendIcon(request, reply, { icon, bytes, kept });
  }
  throw new SvcError('NOT_FOUND', 'the package has no such icon');
}
