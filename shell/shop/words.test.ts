import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ShopApp, ShopInstall } from '../../schema/wire/shop.ts';
import { language } from '../i18n/i18n.ts';
import { moved } from './model.ts';
import { goesOn, newsOf, sayAuthors, sayChanges, sayProblem, sayProgress, sayRefusal, saySize, standingOf } from './words.ts';

beforeEach(() => language.set('pt'));
afterEach(() => language.set('pt'));

const install = (more: Partial<ShopInstall> = {}): ShopInstall => ({
  key: 'Package/ana/agenda',
  wanted: '2.0.0',
  state: 'installing',
  reason: 'Installing',
  message: '',
  progress: null,
  ...more,
});
const app = (more: Partial<ShopApp> = {}): ShopApp => ({
  id: 'agenda',
  name: 'Agenda',
  description: '',
  category: 'Office',
  type: 'app',
  developer: 'Lia',
  publisher: '',
  license: '',
  homepage: null,
  documentacao: null,
  imagens: [],
  icone: null,
  provides: [],
  needs: [],
  forGroup: null,
  instalacao: ['pessoa'],
  motores: [],
  signedBy: null,
  versions: ['2.0.0', '1.1.0', '1.0.0'].map((version) => ({ version, tamanho: 1, publicadoEm: null, novidades: '' })),
  installed: null,
  scope: null,
  drift: false,
  previous: null,
  updatable: false,
  refused: [],
  install: null,
  actions: ['install'],
  ...more,
});

test.for([
  ['being installed', install(), ['cancel'], true],
  ['waiting for its turn', install({ state: 'outdated', reason: 'Outdated' }), [], true],
  ['rolled back by an administrator', install({ state: 'outdated', reason: 'RolledBack' }), ['remove'], false],
  ['a document waits for a Linux package', install({ state: 'missing', reason: 'PackageMissing' }), [], false],
] as const)('what goes on by itself shows progress: %s', ([, one, actions, wanted]) => {
  expect(goesOn(app({ actions: [...actions], install: one }), one)).toBe(wanted);
});

test.for([
  ['removed, as asked', install({ state: 'removed', reason: 'Uninstalled', wanted: null }), ['install'], 'over'],
  ['installed, as asked', install({ state: 'installed', reason: 'Installed' }), ['remove'], 'over'],
  ['given up by whoever asked', install({ state: 'installing', reason: 'Cancelled' }), [], 'over'],
  ['being removed', install({ state: 'removing', reason: 'Uninstalled' }), [], 'going'],
  ['failed', install({ state: 'failed', reason: 'InstallFailed' }), ['retry'], 'failed'],
  ['held by an administrator', install({ state: 'outdated', reason: 'RolledBack' }), ['remove'], 'held'],
  ['installed, its repair paused', install({ state: 'installed', reason: 'Paused' }), [], 'held'],
] as const)('a word of warning for what failed or waits only: %s', ([, one, actions, standing]) => {
  expect(standingOf(app({ actions: [...actions], install: one }), one)).toBe(standing);
});

test.for([
  [0, '0 byte'],
  [999, '999 byte'],
  [1_000, '1 kB'],
  [12_345_678, '12,3 MB'],
  [2_500_000_000, '2,5 GB'],
] as const)('%i bytes are %s', ([bytes, expected]) => {
  // ICU writes a no-break space, and "bytes" in the plural in some releases.
  expect(saySize(bytes).replaceAll(/\s/g, ' ').replace('bytes', 'byte')).toBe(expected);
});

test('a repository that does not answer: an older list is told from none at all', () => {
  expect(sayProblem([app()])).toBe('A lista pode estar desatualizada: o repositório não respondeu.');
  for (const none of [[], [app({ versions: [] })]]) expect(sayProblem(none)).toMatch(/^O repositório não respondeu: não se sabe agora/);
});

describe('progress', () => {
  test.for([
    [install(), 'Esperando a vez', ''],
    [install({ state: 'removing', wanted: null }), 'Removendo', ''],
    [install({ progress: { step: 'check', nome: null, bytes: null, total: null, etaMs: null } }), 'Conferindo', ''],
    [
      install({ progress: { step: 'fetch', nome: null, bytes: 1_000, total: 3_000_000, etaMs: 65_000 } }),
      'Baixando o pacote',
      '1 kB de 3 MB · faltam 65 s',
    ],
    [
      install({ progress: { step: 'engines', nome: 'rosto', bytes: 1_000, total: 2_000, etaMs: 300_000 } }),
      'Baixando rosto',
      '1 kB de 2 kB · faltam 5 min',
    ],
    [install({ progress: { step: 'fetch', nome: null, bytes: 2_000, total: 2_000, etaMs: 0 } }), 'Baixando o pacote', '2 kB de 2 kB'],
  ] as const)('%j', ([standing, step, bytes]) => {
    const said = sayProgress(standing);
    expect([said.step, said.bytes.replaceAll(/\s/g, ' ')]).toEqual([step, bytes]);
  });
});

describe('refusals tell what to ask for', () => {
  const refusal = (motivo: ShopApp['refused'][number]['motivo'], alvo: string | null = null, sugestao: string | null = null) => {
    return { motivo, texto: 'in English', alvo, sugestao };
  };
  test.for([
    ['shell', '3.0', 'atualize o svc'],
    ['capability', 'texto/v1', 'aplicativo que ofereça texto/v1'],
    ['pacote', 'ffmpeg|avconv', 'instale ffmpeg no servidor'],
    ['documento', 'agenda-ana', 'apague o documento agenda-ana'],
    ['escopo', null, 'instale agenda 2.0.0'],
  ] as const)('%s', ([motivo, alvo, asked]) => {
    const said = sayRefusal(
      refusal(motivo, alvo, motivo === 'pacote' ? 'ffmpeg' : null),
      app(),
      { shellVersion: '1.0.0', admin: false },
      [],
    );
    expect(said.ask).toContain(asked);
    expect(said.why).toContain(alvo ?? 'Só um administrador');
  });

  test('an administrator is told what to write', () => {
    expect(sayRefusal(refusal('escopo'), app(), { shellVersion: '1', admin: true }, []).ask).toContain(
      'documento Package com app agenda, versao 2.0.0',
    );
  });

  test('an app of the store that offers the capability is named', () => {
    expect(sayRefusal(refusal('capability', 'texto/v1'), app(), { shellVersion: '1', admin: false }, ['Bloco', 'Notas']).ask).toBe(
      'Instale antes Bloco ou Notas, que oferece isso.',
    );
  });

  test('what a newer portal adds is said as it says it', () => {
    expect(sayRefusal(refusal('lua' as 'shell'), app(), { shellVersion: '1', admin: false }, [])).toEqual({ why: 'in English', ask: null });
  });
});

test.for([
  ['Lia', '', 'por Lia'],
  ['Lia', 'Casa', 'por Lia · portado por Casa'],
  ['Lia', 'Lia', 'por Lia'],
  ['', 'Casa', 'portado por Casa'],
  ['', '', ''],
] as const)('developer %s, publisher %s: %s', ([developer, publisher, expected]) => {
  expect(sayAuthors({ developer, publisher })).toBe(expected);
});

test.for([
  [null, ['2.0.0']],
  ['1.0.0', ['2.0.0', '1.1.0']],
  ['2.0.0', []],
  ['0.1.0', ['2.0.0']],
] as const)('news for who has %s: %j', ([installed, expected]) => {
  expect(newsOf(app({ installed })).map(({ version }) => version)).toEqual(expected);
});

test.for([
  ['nothing happened', app(), app(), ''],
  ['installed', app(), app({ installed: '2.0.0' }), 'Agenda 2.0.0 está instalado'],
  ['updated', app({ installed: '1.0.0' }), app({ installed: '2.0.0' }), 'Agenda 2.0.0 está instalado'],
  ['removed', app({ installed: '1.0.0' }), app(), 'Agenda foi removido'],
  ['began', app(), app({ install: install(), actions: ['cancel'] }), 'Instalando Agenda'],
  ['cancelled', app({ install: install(), actions: ['cancel'] }), app(), 'A instalação de Agenda foi cancelada'],
  ['there, and then done', app({ installed: '2.0.0', install: install(), actions: ['cancel'] }), app({ installed: '2.0.0' }), ''],
  [
    'failed',
    app({ install: install(), actions: ['cancel'] }),
    app({ install: install({ state: 'failed', reason: 'DiskFull' }), actions: ['retry', 'cancel'] }),
    'A instalação de Agenda não deu certo: Disco cheio',
  ],
  ['a new app', null, app(), ''],
] as const)('a reader hears: %s', ([, before, after, expected]) => {
  expect(sayChanges(before === null ? [] : [before], [after])).toBe(expected);
});

test('an event moves the progress of what is under way, and of nothing else', () => {
  const progress = { step: 'fetch', nome: null, bytes: 1, total: 2, etaMs: null } as const;
  const event = { type: 'install-progress', app: 'agenda', state: 'installing', reason: 'Installing', message: 'm', progress } as const;
  expect(moved(app({ install: install() }), event).install).toEqual(install({ message: 'm', progress }));
  expect(moved(app(), event).install).toBeNull();
  const other = app({ id: 'mapa', install: install() });
  expect(moved(other, event)).toBe(other);
});
