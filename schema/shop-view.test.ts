import { expect, test } from 'vitest';
import type { InstallView } from './packages.ts';
import type { CatalogueManifest } from './manifest/offered.ts';
import { type InstalledForStore, type Offers, type OfferSignature, type StoreFor, storeView } from './shop-view.ts';

function offers(manifest: CatalogueManifest, ...versions: string[]): Offers {
  const entry = (version: string) => ({ version, tamanho: 1, sha256: null, publicadoEm: null, novidades: '', manifest });
  const repository = { place: '/apps', key: null, groups: null };
  return {
    apps: [{ id: 'notas', repository, versions: (versions.length > 0 ? versions : ['1.0.0']).map((one) => entry(one)) }],
    problem: null,
  };
}

const own = { instalacao: ['pessoa'] } as const;
const has = (id: string, version: string, more: Partial<InstalledForStore> = {}): InstalledForStore => ({
  id,
  version,
  provides: [],
  scope: 'pessoa',
  drift: false,
  previous: null,
  ...more,
});
const view = (key: string, more: Partial<InstallView> = {}): InstallView => ({
  key: `Package/${key}`,
  app: 'notas',
  scope: 'pessoa',
  wanted: '1.0.0',
  state: 'installed',
  reason: 'Installed',
  message: '',
  progress: null,
  ...more,
});
const whose = (more: Partial<StoreFor> = {}): StoreFor => ({
  person: 'ana',
  shellVersion: '2.0.5',
  installed: [],
  installs: [],
  missingPackages: {},
  server: { gpu: null, queue: null, groups: [] },
  manifest: () => null,
  ...more,
});
const running = { step: 'fetch', nome: null, bytes: 1, total: 2, etaMs: null } as const;

test.for([
  ['fits', own, []],
  ['a newer shell', { ...own, minShellVersion: '2.1' }, ['shell']],
  ['this very shell', { ...own, minShellVersion: '2.0.5' }, []],
  ['an older shell', { ...own, minShellVersion: '1' }, []],
  ['a capability that is there', { ...own, requires: ['texto/v1'] }, []],
  ['another version of a capability', { ...own, requires: ['texto/v2'] }, ['capability']],
  ['its own capability', { ...own, requires: ['mapa/v1'], provides: ['mapa/v1'] }, ['capability']],
  ['an optional capability', { ...own, usa: ['nada/v1'] }, []],
  ['nothing said: for everybody', {}, ['escopo']],
  ['one backend for all accounts: for everybody', { ...own, escopo: 'servidor' }, ['escopo']],
  ['a Linux package that is there, and one that is not', { ...own, requiredPackages: ['curl', 'x | y'] }, ['pacote']],
  [
    'engines: for everybody whatever is declared',
    { ...own, motores: [{ nome: 'm', versao: '1', url: 'http://h/1', sha256: 'a', tamanho: 1 }] },
    ['escopo'],
  ],
] as const)('refused and why: %s', ([, manifest, wanted]) => {
  const missingPackages = { notas: 'requiredPackages' in manifest ? [manifest.requiredPackages[1]] : [] };
  const [app] = storeView(offers(manifest), whose({ installed: [has('editor', '1.0.0', { provides: ['texto/v1'] })], missingPackages }));
  expect(app?.refused.map(({ motivo }) => motivo)).toEqual(wanted);
  expect(app?.actions).toEqual(wanted.length === 0 ? ['install'] : []);
});

test('an app whose name is empty, or shows nothing, is called by its id', () => {
  const names = ['Notas', '', ' \u200b', undefined].map(
    (name) => storeView(offers({ ...own, ...(name === undefined ? {} : { name }) }), whose())[0]?.name,
  );
  expect(names).toEqual(['Notas', 'notas', 'notas', 'notas']);
});

test('of a missing requirement the first alternative is suggested', () => {
  const [app] = storeView(offers(own), whose({ missingPackages: { notas: ['ffmpeg | libav-tools'] } }));
  expect(app?.refused[0]).toMatchObject({ motivo: 'pacote', alvo: 'ffmpeg | libav-tools', sugestao: 'ffmpeg' });
});

test.for([
  [['2.0.0', '1.0.0'], '1.0.0', true],
  [['1.10.0', '1.9.0'], '1.9.0', true],
  [['1.0.0'], '1.0.0', false],
  [['1.0.0'], '1.0.1', false],
  [['1.0.0'], '1.0.0-beta.2', true],
  [['1.0.0'], null, false],
] as const)('offered %s, installed %s: updatable %s', ([versions, installed, wanted]) => {
  const [app] = storeView(offers(own, ...versions), whose({ installed: installed === null ? [] : [has('notas', installed)] }));
  expect(app).toMatchObject({ installed, updatable: wanted });
  expect(app?.actions.includes('update')).toBe(wanted);
});

test.for([
  ['nothing there', {}, ['install']],
  ['own, newest', { installed: [has('notas', '2.0.0')] }, ['remove']],
  ['own, old', { installed: [has('notas', '1.0.0')] }, ['update', 'remove']],
  ['for everybody, old', { installed: [has('notas', '1.0.0', { scope: 'sistema' })] }, []],
  ['a document of this person', { installs: [view('notas-ana')], installed: [has('notas', '1.0.0')] }, []],
  ['being installed', { installs: [view('ana/notas', { state: 'installing', reason: 'Installing', progress: running })] }, ['cancel']],
  ['waiting for its turn', { installs: [view('ana/notas', { state: 'installing', reason: 'Installing' })] }, ['cancel']],
  ['being removed', { installs: [view('ana/notas', { state: 'removing', reason: 'Uninstalled', wanted: null })] }, []],
  ['failed', { installs: [view('ana/notas', { state: 'failed', reason: 'DiskFull' })] }, ['retry', 'cancel']],
  ['waits to try again', { installs: [view('ana/notas', { state: 'installing', reason: 'DiskFull' })] }, ['retry', 'cancel']],
  [
    'an update failed',
    { installed: [has('notas', '1.0.0')], installs: [view('ana/notas', { state: 'failed', reason: 'DiskFull', wanted: '2.0.0' })] },
    ['retry', 'cancel', 'remove'],
  ],
  [
    'an administrator went back from the newest',
    { installed: [has('notas', '1.0.0')], installs: [view('ana/notas', { state: 'outdated', reason: 'RolledBack', wanted: '2.0.0' })] },
    ['remove'],
  ],
  [
    'an administrator went back, and a newer one came',
    { installed: [has('notas', '1.0.0')], installs: [view('ana/notas', { state: 'outdated', reason: 'RolledBack', wanted: '1.5.0' })] },
    ['update', 'remove'],
  ],
  ['removal failed', { installs: [view('ana/notas', { state: 'failed', reason: 'ServerUnreachable', wanted: null })] }, ['retry']],
] as const)('what can be asked for: %s', ([, more, wanted]) => {
  expect(storeView(offers(own, '2.0.0', '1.0.0'), whose(more))[0]?.actions).toEqual(wanted);
});

test('what was wished goes before what documents say, and what is simply installed is not told', () => {
  const installs = [view('casa', { scope: 'sistema', state: 'outdated', reason: 'Outdated' }), view('ana/notas', { state: 'failed' })];
  expect(storeView(offers(own), whose({ installs }))[0]?.install?.key).toBe('Package/ana/notas');
  expect(storeView(offers(own), whose({ installs: [view('ana/notas')] }))[0]?.install).toBeNull();
});

test('what is installed and offered no more is still listed, by its manifest, and can be removed', () => {
  const manifest = (): CatalogueManifest => ({ name: 'Antigo', icon: 'i.svg', homepage: 'javascript:alert(1)' });
  const [, app] = storeView(offers(own), whose({ installed: [has('antigo', '1.0.0')], manifest }));
  expect(app).toMatchObject({ id: 'antigo', name: 'Antigo', versions: [], updatable: false, actions: ['remove'], homepage: null });
  expect(app?.icone).toBe('/api/loja/antigo/icone?versao=1.0.0');
});

test('what it needs, and whether the server has it; what nobody asked is not known', () => {
  const manifest = {
    ...own,
    minShellVersion: '2.0.0',
    requires: ['texto/v1', 'mapa/v1'],
    requiredPackages: ['ffmpeg | libav-tools', 'git'],
    recursos: { gpu: { modo: 'necessaria' }, fila: true },
  } as const;
  const needs = (more: Partial<StoreFor>) =>
    storeView(offers(manifest), whose({ installed: [has('editor', '1.0.0', { provides: ['texto/v1'] })], ...more }))[0]?.needs.map(
      ({ tipo, nome, aqui }) => `${tipo} ${nome} ${aqui}`,
    );
  const known = ['shell 2.0.0 sim', 'capability texto/v1 sim', 'capability mapa/v1 nao'];
  expect(needs({})).toEqual([
    ...known,
    'pacote ffmpeg | libav-tools desconhecido',
    'pacote git desconhecido',
    'gpu  desconhecido',
    'fila  desconhecido',
  ]);
  expect(needs({ missingPackages: { notas: ['git'] }, server: { gpu: false, queue: true, groups: [] } })).toEqual([
    ...known,
    'pacote ffmpeg | libav-tools sim',
    'pacote git nao',
    'gpu  nao',
    'fila  sim',
  ]);
});

test('an app of a repository for a group of the person is for them', () => {
  const [app] = offers(own).apps;
  const forGroup = (groups: readonly string[]) => {
    const from = { apps: [{ ...app!, repository: { place: '/r', key: null, groups: ['ti', 'redes'] } }], problem: null };
    return storeView(from, whose({ server: { gpu: null, queue: null, groups } }))[0]?.forGroup;
  };
  expect([forGroup(['redes', 'ti']), forGroup(['outro']), storeView(offers(own), whose())[0]?.forGroup]).toEqual(['ti', null, null]);
});

test('a version without a good signature is refused, a signed one names its key', () => {
  const signed = (signature: OfferSignature) => {
    const [one] = offers(own).apps;
    const versions = [{ ...one!.versions[0]!, signature }];
    const [app] = storeView({ apps: [{ ...one!, versions }], problem: null }, whose());
    return [app?.signedBy, app?.refused.map(({ motivo }) => motivo), app?.actions];
  };
  expect(signed({ refused: 'it is not signed' })).toEqual([null, ['assinatura'], []]);
  expect(signed({ text: '', signedBy: 'ABC' })).toEqual(['ABC', [], ['install']]);
});
