/**
 * `/api/loja…` and `/api/apps/:id/instalacao`: the repository as one person sees it, and what they ask for. A wish is stored and its key enqueued;
 * the controller installs.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Bus } from '../../store/bus.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView, ShopView } from '../../schema/gateway.ts';
import type { CatalogueManifest } from '../../schema/manifest/offered.ts';
import { documentOf, isUnderWay, type Offers, refusalsOf, type StoreFor, storeView, wishKey } from '../../schema/shop-view.ts';
import type { InstallAnswer, ShopAnswer, UpdateAllAnswer } from '../../schema/wire/shop.ts';
import { sessionOf, shellVersion } from '../portal/shell.ts';
import { type Asked, serve } from '../http/serve.ts';
import { isKnown } from '../../schema/wire/etag.ts';
import { etagOf, sendIcon } from './icons.ts';

export interface StoreRouteDeps {
  readonly apps: Pick<AppsView, 'manifest' | 'file'>;
  readonly shop: ShopView;
  readonly store: Pick<Store, 'putInstallWish' | 'installWish'>;
  readonly bus: Bus;
  readonly clock: Clock;
}

interface Sources {
  readonly person: string;
  readonly offers: Offers;
  readonly whose: StoreFor;
}

export function addStoreRoutes(app: FastifyInstance, deps: StoreRouteDeps): void {
  serve(app, 'GET /api/loja', async (request, reply) => {
    const { offers, whose } = await sourcesFor(deps, request);
    const answer: ShopAnswer = { apps: storeView(offers, whose), problem: offers.problem };
    // Every page asks after every event, and mostly for what it has: the whole catalogue.
    const etag = etagOf(JSON.stringify(answer));
    reply.headers({ etag, 'cache-control': 'private, no-cache' });
    return isKnown(request.headers['if-none-match'], etag) ? reply.code(304).send() : answer;
  });
  serve(app, 'GET /api/loja/:id/icone', (request, reply) => offeredIcon(deps, request, reply));
  serve(app, 'GET /api/loja/:id/imagem', (request, reply) => offeredPicture(deps, request, reply));
  serve(app, 'POST /api/loja/atualizar-tudo', async (request) => await updateAll(deps, await sourcesFor(deps, request)));
  addInstallRoutes(app, deps);
}

function addInstallRoutes(app: FastifyInstance, deps: StoreRouteDeps): void {
  serve(
    app,
    'POST /api/apps/:id/instalacao',
    async (request) => await ask(deps, await sourcesFor(deps, request), request.params.id, request.body?.versao ?? null),
  );
  serve(app, 'DELETE /api/apps/:id/instalacao', async (request) => {
    const sources = await sourcesFor(deps, request);
    return await giveBack(deps, sources, request.params.id, request.query.cancelar === '1');
  });
}

async function sourcesFor({ apps, shop }: StoreRouteDeps, request: FastifyRequest): Promise<Sources> {
  const { person } = sessionOf(request);
  const { offers, installed, installs, missingPackages, server } = await shop.sources(person);
  const manifest = (app: string): CatalogueManifest | null => apps.manifest(person, app);
  return { person, offers, whose: { person, shellVersion, installed, installs, missingPackages, server, manifest } };
}

/** Stored first, then published: after a crash in between the wish is found. */
async function wish(
  { store, bus, clock }: StoreRouteDeps,
  person: string,
  app: string,
  version: string | null,
  cancels = false,
): Promise<InstallAnswer> {
  const requestId = randomUUID();
  await store.putInstallWish({ person, app, version, requestId, atMs: clock.nowMs(), ...(cancels ? { cancels } : {}) });
  bus.enqueue(wishKey(person, app), true);
  return { requestId, versao: version };
}

async function ask(deps: StoreRouteDeps, { person, offers, whose }: Sources, id: string, asked: string | null): Promise<InstallAnswer> {
  const offer = offers.apps.find((one) => one.id === id);
  if (!offer) throw new SvcError('NOT_FOUND', `the repository does not offer ${id}`);
  const version = asked === null ? offer.versions[0] : offer.versions.find((one) => one.version === asked);
  if (!version) throw new SvcError('NOT_FOUND', `the repository does not offer ${id} ${asked ?? ''}`.trim());
  refuseDocument(whose, id);
  const underWay = whose.installs.find((one) => one.key === wishKey(person, id) && isUnderWay(one));
  if (underWay) {
    const before = await deps.store.installWish(person, id);
    // The same click twice.
    if (before?.version === version.version) return { requestId: before.requestId, versao: before.version };
    throw new SvcError('CONFLICT', `${id} is being ${underWay.wanted === null ? 'removed' : `installed in version ${underWay.wanted}`}`);
  }
  const held = whose.installs.find((one) => one.key === wishKey(person, id) && one.reason === 'RolledBack');
  if (held?.wanted === version.version) throw new SvcError('CONFLICT', `an administrator went back from ${id} ${version.version}`);
  const motivos = refusalsOf(id, version, whose).filter(
    // Missing things are known of the newest version only; another one is judged when it installs.
    ({ motivo }) => motivo !== 'pacote' || version === offer.versions[0],
  );
  if (motivos.length > 0) {
    const text = motivos.map(({ texto }) => texto).join('; ');
    throw new SvcError('PACKAGE_REFUSED', `${id} ${version.version} can't be installed: ${text}`, { motivos });
  }
  return await wish(deps, person, id, version.version);
}

async function giveBack(deps: StoreRouteDeps, { person, whose }: Sources, id: string, cancel: boolean): Promise<InstallAnswer> {
  refuseDocument(whose, id);
  const here = whose.installed.find((one) => one.id === id);
  const before = await deps.store.installWish(person, id);
  const view = whose.installs.find(({ key }) => key === wishKey(person, id));
  const open = before !== null && before.version !== null && !(view?.state === 'installed' && view.progress === null);
  // So that a cancel that comes too late does not remove what was just installed.
  if (cancel && !open) throw new SvcError('CONFLICT', `no installation of ${id} is open`);
  if (here?.scope !== 'pessoa' && before === null) {
    if (here) throw new SvcError('SCOPE_REFUSED', `${id} is installed for everybody: an administrator removes it`);
    throw new SvcError('NOT_FOUND', `${id} is not installed for you`);
  }
  // While it runs, removing means giving up: what was there before stays.
  return await wish(deps, person, id, null, cancel || (open && view !== undefined && isUnderWay(view)));
}

function refuseDocument(whose: StoreFor, id: string): void {
  const documento = documentOf(id, whose);
  if (documento !== null) throw new SvcError('CONFLICT', `the Package document ${documento} decides about ${id}`, { documento });
}

async function updateAll(deps: StoreRouteDeps, { person, offers, whose }: Sources): Promise<UpdateAllAnswer> {
  const pedidos: UpdateAllAnswer['pedidos'][number][] = [];
  for (const { id, actions, versions } of storeView(offers, whose)) {
    const [newest] = versions;
    if (!newest || !actions.includes('update')) continue;
    const { requestId } = await wish(deps, person, id, newest.version);
    pedidos.push({ id, requestId, versao: newest.version });
  }
  return { pedidos };
}

async function offeredIcon(deps: StoreRouteDeps, request: Asked<'GET /api/loja/:id/icone'>, reply: FastifyReply): Promise<FastifyReply> {
  const { person, offers, whose } = await sourcesFor(deps, request);
  const { id } = request.params;
  const { versao } = request.query;
  const offer = offers.apps.find((one) => one.id === id)?.versions.find(({ version }) => version === versao);
  const here = offer ? undefined : whose.installed.find((one) => one.id === id && one.version === versao);
  const icon = offer?.manifest.icon ?? (here && whose.manifest(id)?.icon);
  if (icon === undefined) throw new SvcError('NOT_FOUND', 'this version has no icon');
  const bytes = here ? await deps.apps.file(person, id, icon) : ((await deps.shop.file(id, versao, icon))?.bytes ?? null);
  // A package that is not packed may change its files and keep its version.
  return sendIcon(request, reply, { icon, bytes, kept: offer !== undefined && offer.tamanho !== null });
}

async function offeredPicture(
  { shop }: StoreRouteDeps,
  request: Asked<'GET /api/loja/:id/imagem'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { offers } = await shop.sources(sessionOf(request).person);
  const { versao, n } = request.query;
  const offer = offers.apps.find(({ id }) => id === request.params.id)?.versions.find(({ version }) => version === versao);
  const picture = offer?.page?.pictures[Number(n)];
  if (offer === undefined || picture === undefined) throw new SvcError('NOT_FOUND', 'this version has no such picture');
  const bytes = (await shop.file(request.params.id, versao, picture.file))?.bytes ?? null;
  return sendIcon(request, reply, { icon: picture.file, bytes, kept: offer.tamanho !== null });
}
