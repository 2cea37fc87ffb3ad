/** `/api/apps…`: what a person has, starting and stopping it, its windows and its icon (rules 4.1). */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { createTurns } from '../../schema/turns.ts';
import { amountsName, checkedAmounts, readAmounts, usableAmounts, type Amounts } from '../../schema/cluster-form.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView, AppView } from '../../schema/gateway.ts';
import { limits } from '../limits.ts';
import type { AppProjection } from '../../schema/wire/http.ts';
import type { Passes } from '../auth/passes.ts';
import type { Windows } from '../events/windows.ts';
import { goneSignal } from '../http/gone.ts';
import { appOrigin, appUrl, type Site } from '../http/hosts.ts';
import { cleanLocalPath } from '../http/navigation.ts';
import { typeIconOf } from '../settings/opening.ts';
import { loaderView, type ShellScripts } from '../settings/settings.ts';
import { sessionOf } from '../portal/shell.ts';
import { type Asked, serve } from '../http/serve.ts';
import type { Store } from '../../store/store.ts';
import type { Starts, StartOptions } from '../portal/starts.ts';
import { sendIcon, windowIconFiles } from './icons.ts';

export interface AppRouteDeps {
  readonly site: Site;
  readonly apps: AppsView;
  readonly starts: Starts;
  readonly windows: Windows;
  readonly passes: Passes;
  readonly shellScripts: ShellScripts;
  readonly store: Pick<Store, 'value' | 'putValue'>;
}

export function addAppRoutes(app: FastifyInstance, deps: AppRouteDeps): void {
  const { apps } = deps;
  serve(app, 'GET /api/apps', async (request, reply) => {
    const { person: usuario } = sessionOf(request);
    // Source: rules 8, client cache of the app list. The shell asks with no-store when an event says that the list changed.
    const withUse = request.query.uso === '1';
    reply.headers({ 'cache-control': withUse ? 'no-store' : 'private, max-age=30', vary: 'Cookie' });
    if (withUse) await apps.observeUsage(usuario);
    return { apps: apps.of(usuario).map((each) => projection(deps, usuario, each)) };
  });
  serve(app, 'GET /api/apps/:id', async (request) => {
    const { person: usuario } = sessionOf(request);
    return projection(deps, usuario, installed(apps, usuario, request.params.id));
  });
  addIconRoutes(app, apps);
  addLifecycleRoutes(app, deps);
  addOpenRoute(app, deps);
}

function addIconRoutes(app: FastifyInstance, apps: AppsView): void {
  serve(app, 'GET /api/apps/:id/icone', (request, reply) => installedIcon(apps, request, reply));
  serve(app, 'GET /api/apps/:id/icone-da-janela', (request, reply) => windowIcon(apps, request, reply));
  serve(app, 'GET /api/apps/:id/icone-do-tipo', (request, reply) => typeIcon(apps, request, reply));
}

/** Stores the amounts before the start that they are for, and for the next ones; one after another, as they are of one value. Rejects BAD_REQUEST. */
function amountsKeeper({ apps, store }: AppRouteDeps) {
  const inTurn = createTurns();
  return async (person: string, id: string, asked: Partial<Amounts> | undefined): Promise<void> => {
    if (asked === undefined) return;
    const cluster = apps.cluster(person, installed(apps, person, id).id);
    if (cluster === null) throw new SvcError('BAD_REQUEST', `pedido: ${id} runs on its server, where nothing is asked for`);
    const amounts = checkedAmounts(cluster.form, asked);
    const name = amountsName(person);
    await inTurn(name, async () => {
      const before = readAmounts(await store.value(name));
      // Forgets apps that are not installed any more.
      const kept = Object.entries(before).filter(([app]) => app !== id && apps.has(person, app));
      await store.putValue(name, JSON.stringify(Object.fromEntries([...kept, [id, amounts]])));
    });
  };
}

function addLifecycleRoutes(app: FastifyInstance, deps: AppRouteDeps): void {
  const { starts, windows, apps } = deps;
  const keepAmounts = amountsKeeper(deps);
  const wait = (
    request: Asked<'POST /api/apps/:id/start' | 'POST /api/apps/:id/restart' | 'POST /api/apps/:id/stop'>,
    reply: FastifyReply,
    deadlineMs: number,
  ): readonly [string, string, StartOptions] => {
    return [sessionOf(request).person, request.params.id, { by: 'person', deadlineMs, signal: goneSignal(reply.raw) }];
  };
  serve(app, 'POST /api/apps/:id/start', async (request, reply) => {
    await keepAmounts(sessionOf(request).person, request.params.id, request.body?.pedido);
    return await starts.startAndWait(...wait(request, reply, limits.startWaitMsMax));
  });
  serve(app, 'GET /api/apps/:id/pedido', async (request) => {
    const { person } = sessionOf(request);
    const { id } = installed(apps, person, request.params.id);
    const cluster = apps.cluster(person, id);
    if (cluster === null) throw new SvcError('NOT_FOUND', `${id} runs on its server, not on a cluster`);
    const asked = readAmounts(await deps.store.value(amountsName(person)))[id] ?? {};
    return { cluster: cluster.name, formulario: cluster.form, pedido: usableAmounts(cluster.form, asked) };
  });
  serve(app, 'POST /api/apps/:id/restart', (request, reply) =>
    starts.restartAndWait(...wait(request, reply, limits.startWaitMsMax + limits.stopWaitMsMax)),
  );
  serve(app, 'POST /api/apps/:id/stop', (request, reply) => starts.stopAndWait(...wait(request, reply, limits.stopWaitMsMax)));
  serve(app, 'POST /api/apps/:id/janelas', async (request) => {
    const { person } = sessionOf(request);
    const { id } = installed(apps, person, request.params.id);
    return { abertas: await windows.count(person, request.body.pagina, id, request.body.abertas) };
  });
}

/** Hands the person over to the app's origin by a one-time pass. Decision: docs/decisions/0003-sessions-and-passes.md */
function addOpenRoute(app: FastifyInstance, { site, apps, passes }: AppRouteDeps): void {
  serve(app, 'GET /api/apps/:id/abrir', async (request, reply) => {
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
  });
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

async function installedIcon(apps: AppsView, request: Asked<'GET /api/apps/:id/icone'>, reply: FastifyReply): Promise<FastifyReply> {
  const { person } = sessionOf(request);
  const { id } = request.params;
  const manifest = apps.manifest(person, id);
  const icon = manifest?.icon ?? '';
  const bytes = icon === '' ? null : await apps.file(person, id, icon);
  return sendIcon(request, reply, { icon, bytes, kept: request.query.v === manifest?.version });
}

async function typeIcon(apps: AppsView, request: Asked<'GET /api/apps/:id/icone-do-tipo'>, reply: FastifyReply): Promise<FastifyReply> {
  const { person } = sessionOf(request);
  const { id } = request.params;
  const { extensao, v } = request.query;
  const manifest = apps.manifest(person, id);
  const icon = manifest === null ? null : typeIconOf(manifest, extensao);
  if (icon === null) throw new SvcError('NOT_FOUND', 'the package has no such icon');
  return sendIcon(request, reply, { icon, bytes: await apps.file(person, id, icon), kept: v === manifest?.version });
}

/** The backend may be stopped, and would refuse the shell's page: it takes no image requests of another origin (docs/decisions/0042). */
async function windowIcon(apps: AppsView, request: Asked<'GET /api/apps/:id/icone-da-janela'>, reply: FastifyReply): Promise<FastifyReply> {
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
