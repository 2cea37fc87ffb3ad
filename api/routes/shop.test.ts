/** The store over real HTTP: what is listed, asked for, refused and why; and the admin's packages. */
import { noServer } from '../testing/shop.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StoreSources } from '../../schema/gateway.ts';
import type { InstallView } from '../../schema/packages.ts';
import type { CatalogueManifest } from '../../schema/manifest/offered.ts';
import { icon } from '../testing/backends.ts';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let portal: PortalWorld;
let ana: Browser;
let enqueued: [string, boolean][];

beforeAll(async () => {
  portal = await createPortalWorld();
  ana = await portal.signedIn('ana');
  portal.bus.onEnqueue((key, urgent) => void (key.startsWith('Package/') && enqueued.push([key, urgent])));
});
afterAll(() => portal.close());

const offer = (id: string, versions: readonly string[], manifest: CatalogueManifest = {}) => ({
  id,
  repository: { place: '/apps', key: null, groups: null },
  versions: versions.map((version) => ({
    version,
    tamanho: 10,
    sha256: null,
    publicadoEm: '2026-11-21T05:00:00.000Z',
    novidades: `o que há em ${version}`,
    manifest: { instalacao: ['pessoa' as const], icon: 'icon.svg', developer: { name: 'Lia' }, publisher: { name: 'Casa' }, ...manifest },
  })),
});
const installed = (id: string, version: string, scope: 'pessoa' | 'sistema' = 'pessoa') => ({
  id,
  version,
  provides: [],
  scope,
  drift: false,
  previous: null,
});
const view = (key: string, more: Partial<InstallView>): InstallView => ({
  key: `Package/${key}`,
  app: 'agenda',
  scope: 'pessoa',
  wanted: '2.0.0',
  state: 'installing',
  reason: 'Installing',
  message: 'version 2.0.0',
  progress: { step: 'fetch', nome: 'agenda', bytes: 5, total: 10, etaMs: 700 },
  ...more,
});

function offered(more: Partial<StoreSources> = {}): void {
  const apps = [offer('agenda', ['2.0.0', '1.0.0', '0.9.0']), offer('mapa', ['1.0.0'], { instalacao: ['sistema'] })];
  portal.world.shop.sources.set('ana', {
    offers: { apps, problem: null },
    installed: [],
    installs: [],
    missingPackages: {},
    server: noServer,
    ...more,
  });
}

beforeEach(async () => {
  enqueued = [];
  offered();
  for (const { person, app, requestId } of await portal.store.installWishes()) await portal.store.deleteInstallWish(person, app, requestId);
});

describe('GET /api/loja', () => {
  test('is not sent again to who has it, and is sent once something of it is another', async () => {
    const first = await ana.call('GET', '/api/loja');
    const etag = String(first.headers['etag']);
    expect([first.status, first.headers['cache-control']]).toEqual([200, 'private, no-cache']);
    const again = () => ana.request('/api/loja', { headers: { 'sec-fetch-site': 'same-origin', 'if-none-match': etag } });
    expect([(await again()).status, (await again()).text]).toEqual([304, '']);
    offered({ installs: [view('ana/agenda', {})], installed: [installed('agenda', '1.0.0')] });
    const other = await again();
    expect([other.status, other.headers['etag'] === etag]).toEqual([200, false]);
  });

  test('tells who made it, what is new, how the installation goes and what can be asked', async () => {
    offered({ installs: [view('ana/agenda', {})], installed: [installed('agenda', '1.0.0')] });
    const answer = await ana.call('GET', '/api/loja');
    expect(answer.json()['apps'][0]).toMatchObject({
      id: 'agenda',
      developer: 'Lia',
      publisher: 'Casa',
      icone: '/api/loja/agenda/icone?versao=2.0.0',
      installed: '1.0.0',
      scope: 'pessoa',
      updatable: true,
      install: { wanted: '2.0.0', state: 'installing', progress: { step: 'fetch', bytes: 5, total: 10, etaMs: 700 } },
      actions: ['cancel'],
    });
    expect(answer.json()['apps'][0]['versions'][0]).toMatchObject({ version: '2.0.0', novidades: 'o que há em 2.0.0' });
    expect(answer.json()['apps'][1]).toMatchObject({ id: 'mapa', refused: [{ motivo: 'escopo' }], actions: [] });
  });

  test('an offered icon runs nothing and is kept, since its address names the version', async () => {
    const answer = await ana.request('/api/loja/agenda/icone?versao=2.0.0', { headers: { 'sec-fetch-site': 'same-origin' } });
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, icon, 'image/svg+xml; charset=utf-8']);
    expect(answer.headers['cache-control']).toBe('private, max-age=86400');
    expect(answer.headers['content-security-policy']).toContain('sandbox');
    const again = { 'sec-fetch-site': 'same-origin', 'if-none-match': String(answer.headers.etag) };
    expect((await ana.request('/api/loja/agenda/icone?versao=2.0.0', { headers: again })).status).toBe(304);
    expect((await ana.call('GET', '/api/loja/agenda/icone?versao=0.9.0')).json()['code']).toBe('NOT_FOUND');
    expect((await ana.call('GET', '/api/loja/agenda/icone?versao=7.0.0')).json()['code']).toBe('NOT_FOUND');
    expect((await ana.call('GET', '/api/loja/agenda/icone')).json()['code']).toBe('BAD_REQUEST');
  });

  test.for([
    ['?v=1.0.0', 'private, max-age=86400'],
    ['?v=0.1.0', 'private, no-cache'],
    ['', 'private, no-cache'],
  ] as const)('an installed icon at icone%s is answered with %s', async ([query, expected]) => {
    expect((await ana.call('GET', `/api/apps/notas/icone${query}`)).headers['cache-control']).toBe(expected);
  });
});

describe('POST /api/apps/:id/instalacao', () => {
  test.for([
    [{}, '2.0.0'],
    [null, '2.0.0'],
    [{ versao: '1.0.0' }, '1.0.0'],
  ] as const)('%j is stored as a wish for %s and told to the loop as urgent', async ([body, version]) => {
    const answer = await ana.call('POST', '/api/apps/agenda/instalacao', body ?? undefined);
    expect(answer.status).toBe(202);
    expect(answer.json()).toEqual({ requestId: expect.any(String) as string, versao: version });
    const wish = await portal.store.installWish('ana', 'agenda');
    expect(wish).toMatchObject({ version, requestId: answer.json()['requestId'] });
    expect(enqueued).toEqual([['Package/ana/agenda', true]]);
  });

  test.for([
    ['an app that is not offered', {}, 'nada', {}, 404, 'NOT_FOUND'],
    ['a version that is not offered', {}, 'agenda', { versao: '3.0.0' }, 404, 'NOT_FOUND'],
    ['a version that is none', {}, 'agenda', { versao: '../1' }, 400, 'BAD_REQUEST'],
    ['an unknown field', {}, 'agenda', { force: true }, 400, 'BAD_REQUEST'],
    ['an app for everybody', {}, 'mapa', {}, 422, 'PACKAGE_REFUSED'],
    ['installed for everybody', { installed: [installed('agenda', '1.0.0', 'sistema')] }, 'agenda', {}, 422, 'PACKAGE_REFUSED'],
    ['a Linux package is missing', { missingPackages: { agenda: ['ffmpeg|avconv'] } }, 'agenda', {}, 422, 'PACKAGE_REFUSED'],
    ['a document decides', { installs: [view('agenda-ana', { state: 'installed' })] }, 'agenda', {}, 409, 'CONFLICT'],
    ['another version is being installed', { installs: [view('ana/agenda', {})] }, 'agenda', { versao: '1.0.0' }, 409, 'CONFLICT'],
    [
      'it was rolled back',
      { installs: [view('ana/agenda', { state: 'outdated', reason: 'RolledBack', wanted: '1.0.0', progress: null })] },
      'agenda',
      { versao: '1.0.0' },
      409,
      'CONFLICT',
    ],
    ['it is being removed', { installs: [view('ana/agenda', { state: 'removing', wanted: null })] }, 'agenda', {}, 409, 'CONFLICT'],
  ] as const)('%s is refused', async ([, sources, id, body, status, code]) => {
    offered(sources);
    const answer = await ana.call('POST', `/api/apps/${id}/instalacao`, body);
    expect([answer.status, answer.json()['code']]).toEqual([status, code]);
    expect(await portal.store.installWishes()).toEqual([]);
    expect(enqueued).toEqual([]);
  });

  test('a refusal says why, and names the document that decides', async () => {
    offered({ missingPackages: { agenda: ['ffmpeg|avconv'] } });
    expect((await ana.call('POST', '/api/apps/agenda/instalacao', {})).json()['motivos']).toEqual([
      { motivo: 'pacote', texto: 'the server lacks ffmpeg|avconv', alvo: 'ffmpeg|avconv', sugestao: 'ffmpeg' },
    ]);
    offered({ installs: [view('agenda-ana', { state: 'installed' })] });
    expect((await ana.call('POST', '/api/apps/agenda/instalacao', {})).json()['documento']).toBe('agenda-ana');
  });

  test('the same click twice is one wish', async () => {
    const first = (await ana.call('POST', '/api/apps/agenda/instalacao', {})).json();
    offered({ installs: [view('ana/agenda', {})] });
    expect((await ana.call('POST', '/api/apps/agenda/instalacao', {})).json()).toEqual(first);
    expect(enqueued).toHaveLength(1);
  });

  test('is for oneself: nobody asks for another', async () => {
    const bia = await portal.signedIn('bia');
    expect((await bia.call('POST', '/api/apps/agenda/instalacao', {})).status).toBe(404);
    expect(await portal.store.installWishes()).toEqual([]);
  });
});

describe('DELETE /api/apps/:id/instalacao', () => {
  test('removes what the person installed', async () => {
    offered({ installed: [installed('agenda', '1.0.0')] });
    const answer = await ana.call('DELETE', '/api/apps/agenda/instalacao');
    expect([answer.status, answer.json()['versao']]).toEqual([202, null]);
    expect(await portal.store.installWish('ana', 'agenda')).toMatchObject({ version: null });
    expect(enqueued).toEqual([['Package/ana/agenda', true]]);
  });

  test('gives up an installation that is open, and only one that is', async () => {
    await ana.call('POST', '/api/apps/agenda/instalacao', {});
    offered({ installs: [view('ana/agenda', {})] });
    expect((await ana.call('DELETE', '/api/apps/agenda/instalacao?cancelar=1')).status).toBe(202);
    expect(await portal.store.installWish('ana', 'agenda')).toMatchObject({ version: null });
    // An update that is given up leaves what was there.
    await portal.store.deleteInstallWish('ana', 'agenda', (await portal.store.installWish('ana', 'agenda'))?.requestId ?? '');
    offered({ installed: [installed('agenda', '1.0.0')] });
    await ana.call('POST', '/api/apps/agenda/instalacao', {});
    offered({ installed: [installed('agenda', '1.0.0')], installs: [view('ana/agenda', { reason: 'Installing' })] });
    expect((await ana.call('DELETE', '/api/apps/agenda/instalacao')).status).toBe(202);
    expect(await portal.store.installWish('ana', 'agenda')).toMatchObject({ version: null, cancels: true });
    // Too late: it is there, and stays.
    offered();
    await ana.call('POST', '/api/apps/agenda/instalacao', { versao: '1.0.0' });
    offered({ installed: [installed('agenda', '1.0.0')], installs: [view('ana/agenda', { state: 'installed', progress: null })] });
    expect((await ana.call('DELETE', '/api/apps/agenda/instalacao?cancelar=1')).json()['code']).toBe('CONFLICT');
    expect(await portal.store.installWish('ana', 'agenda')).toMatchObject({ version: '1.0.0' });
  });

  test.for([
    ['nothing is there', {}, 404, 'NOT_FOUND'],
    ['it is there for everybody', { installed: [installed('agenda', '1.0.0', 'sistema')] }, 422, 'SCOPE_REFUSED'],
    [
      'a document decides',
      { installed: [installed('agenda', '1.0.0')], installs: [view('agenda-ana', { state: 'installed' })] },
      409,
      'CONFLICT',
    ],
  ] as const)('%s: refused', async ([, sources, status, code]) => {
    offered(sources);
    const answer = await ana.call('DELETE', '/api/apps/agenda/instalacao');
    expect([answer.status, answer.json()['code']]).toEqual([status, code]);
    expect(await portal.store.installWishes()).toEqual([]);
  });
});

describe('POST /api/loja/atualizar-tudo', () => {
  test('asks for the newest of what the person can update, and for nothing else', async () => {
    const apps = [
      offer('agenda', ['2.0.0', '1.0.0']),
      offer('mapa', ['2.0.0'], { requires: ['nada/v1'] }),
      offer('novo', ['1.0.0']),
      offer('todos', ['2.0.0']),
      offer('atual', ['1.0.0']),
    ];
    const own = ['agenda', 'mapa', 'atual'].map((id) => installed(id, '1.0.0'));
    offered({ offers: { apps, problem: null }, installed: [...own, installed('todos', '1.0.0', 'sistema')] });
    const answer = await ana.call('POST', '/api/loja/atualizar-tudo', {});
    expect(answer.status).toBe(202);
    expect(answer.json()['pedidos']).toEqual([{ id: 'agenda', requestId: expect.any(String) as string, versao: '2.0.0' }]);
    expect((await portal.store.installWishes()).map(({ app }) => app)).toEqual(['agenda']);
  });
});

describe('packages for admins', () => {
  const server = { name: 'casa', sight: 'reachable', reason: 'Reachable', packages: [], engines: [], running: [] } as const;

  test('are shown to admins only', async () => {
    portal.world.shop.packages = {
      servers: [{ ...server, missing: [{ package: 'ffmpeg', apps: ['mapa'], line: 'apt-get install ffmpeg' }] }],
    };
    const admin = await portal.signedIn('ana', { admin: true });
    expect((await admin.call('GET', '/api/admin/pacotes')).json()).toEqual(portal.world.shop.packages);
    expect((await ana.call('GET', '/api/admin/pacotes')).json()['code']).toBe('FORBIDDEN');
    expect((await ana.call('POST', '/api/admin/packages/rollback', { key: 'Package/x' })).json()['code']).toBe('FORBIDDEN');
  });

  test('are rolled back by their key, and the roll-back is ended by body or query', async () => {
    const path = '/api/admin/packages/rollback';
    const done = await portal.control('POST', path, { key: 'Package/ana/agenda' });
    expect([done.status, done.json()]).toEqual([202, { key: 'Package/ana/agenda', from: '2.0.0', to: '1.0.0' }]);
    expect((await portal.control('DELETE', path, { key: 'Package/ana/agenda' })).status).toBe(202);
    await portal.control('POST', path, { key: 'Package/mapa-casa' });
    expect((await portal.control('DELETE', `${path}?key=Package/mapa-casa`)).status).toBe(202);
    expect((await portal.control('DELETE', `${path}?key=Package/mapa-casa`)).json()['code']).toBe('NOT_FOUND');
    expect((await portal.control('DELETE', path)).json()['code']).toBe('BAD_REQUEST');
    expect((await portal.control('POST', path, { key: 'x y' })).json()['code']).toBe('BAD_REQUEST');
  });
});
