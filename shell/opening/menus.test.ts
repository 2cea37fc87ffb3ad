/** Menus of files and folders, as the file manager gets them: with the real models, and a desk that says what was opened. */
import { describe, expect, test } from 'vitest';
import type { Preferences } from '../../schema/wire/preferences.ts';
import type { OpeningDesk } from './model.ts';
import { createGrants } from './grants.ts';
import { createSignal } from '../state/signal.ts';
import type { MenuGroup } from '../ui/menu.ts';
import type { FileToOpen, Opener } from './file-type.ts';
import { desktopMenu, fileMenu, folderMenu, jumpList, own, type PathActs } from './menus.ts';
import { createOpeningModel, type Place } from './model.ts';
import { openFile } from './open.ts';
import { opener } from './testing/openers.ts';

const item = (id: string, superficie: Opener['menu'][number]['superficie'], ordem = 100): Opener['menu'][number] => ({
  id,
  superficie,
  rotulo: id.toUpperCase(),
  ordem,
  extensoes: null,
  rota: superficie === 'icone-do-app' ? `rota/${id}` : null,
});

async function deskWith(apps: readonly Opener[], chosen: Preferences = {}, places: readonly Place[] = []) {
  const opened: unknown[] = [];
  const opening = createOpeningModel(async () => await Promise.resolve({ apps: apps as never }));
  opening.refresh();
  await opening.known();
  for (const place of places) opening.provide(place, { open: (file) => void opened.push([place, file.caminho]) });
  const desk = {
    opening,
    preferences: { state: createSignal<Preferences | null>(chosen) },
    apps: { find: (id: string) => (apps.some((app) => app.id === id) ? { id, name: id.toUpperCase(), icone: null } : undefined) },
    openApp: (id: string, options: unknown) => void opened.push([id, options]),
    grants: createGrants({ getItem: () => null, setItem: () => undefined, removeItem: () => undefined }, 'ana'),
    open: (_: string, section: string) => void opened.push([section]),
  } as unknown as OpeningDesk;
  return { desk, opened, opening };
}

const labels = (groups: readonly MenuGroup[]): readonly string[] => groups.flatMap(({ items }) => items.map(({ label }) => label));
const press = (groups: readonly MenuGroup[], label: string): void =>
  groups
    .flatMap(({ items }) => items)
    .find((each) => each.label === label)
    ?.run();
const file = (nome: string): FileToOpen => ({ caminho: `/home/ana/${nome}`, nome, mime: 'text/plain; charset=utf-8' });
const folder: FileToOpen = { caminho: '/home/ana/docs', nome: 'docs', isFolder: true };
const nothing = (): void => undefined;
const acts: PathActs = { newFolder: nothing, newFile: nothing, extract: nothing, pin: nothing, download: nothing, print: nothing };

describe('the menu of a file', () => {
  // Source: rules 2.2, "Built-in positions".
  test('has the desktop’s entries at their positions, and those of apps between them', async () => {
    const apps = [
      opener('carta', { menu: [item('antes', 'arquivo', 5), item('meio', 'arquivo', 27), item('fim', 'arquivo', 999)] }),
      opener('codigo', { papel: 'ide' }),
    ];
    const { desk } = await deskWith(apps, {}, ['@editor']);
    expect(labels(fileMenu(desk, file('a.txt'), acts))).toEqual([
      'ANTES',
      'Abrir',
      'Abrir no editor de texto',
      'MEIO',
      'Abrir em CODIGO',
      'Abrir com…',
      'Baixar',
      'Imprimir',
      'FIM',
    ]);
  });

  test('has no entry for what nobody can do', async () => {
    const { desk } = await deskWith([]);
    expect(labels(fileMenu(desk, file('a.txt'), {}))).toEqual(['Abrir', 'Abrir com…']);
    expect(labels(fileMenu(desk, file('a.zip'), { extract: nothing }))).toEqual(['Abrir', 'Extrair aqui', 'Abrir com…']);
  });

  test('an entry of an app opens it with the path, and says which entry it was', async () => {
    const { desk, opened } = await deskWith([opener('carta', { menu: [item('enviar', 'arquivo')] })]);
    press(fileMenu(desk, file('a.txt'), {}), 'ENVIAR');
    const context = { caminho: '/home/ana/a.txt', nome: 'a.txt', mime: 'text/plain', superficie: 'arquivo', item: 'enviar' };
    expect(opened).toEqual([['carta', { again: true, context }]]);
  });

  test('of nine entries of apps the last is below "More"', async () => {
    const apps = Array.from({ length: 9 }, (_each, n) => opener(`app-${n}`, { menu: [item(`i${n}`, 'arquivo')] }));
    const { desk } = await deskWith(apps);
    const groups = fileMenu(desk, file('a'), {});
    expect(labels(groups)).toEqual(['Abrir', 'Abrir com…', ...Array.from({ length: 8 }, (_each, n) => `I${n}`), 'Mais']);
    expect(groups.at(-1)?.items[0]?.items?.map(({ label }) => label)).toEqual(['I8']);
  });
});

test('the menu of a folder, and that of the background', async () => {
  const apps = [
    opener('concha', { papel: 'terminal' }),
    opener('carta', { menu: [item('aqui', 'pasta'), item('fundo', 'area-de-trabalho', 12)] }),
  ];
  const { desk, opened } = await deskWith(apps, { padroes: { terminal: 'concha' } }, ['@files']);
  expect(labels(folderMenu(desk, folder, acts))).toEqual(['Abrir', 'Abrir terminal aqui', 'Fixar na barra lateral', 'Baixar', 'AQUI']);
  const background = desktopMenu(desk, folder, acts);
  expect(labels(background)).toEqual(['Nova pasta', 'FUNDO', 'Novo arquivo', 'Abrir terminal aqui', 'Abrir em Arquivos']);
  press(background, 'Abrir terminal aqui');
  press(background, 'Abrir em Arquivos');
  expect(opened).toEqual([
    ['concha', { again: true, context: { caminho: '/home/ana/docs', nome: 'docs' } }],
    ['@files', '/home/ana/docs'],
  ]);
});

test('the jump list of an app has its own entries only, and goes to their route', async () => {
  const apps = ['notas', 'outro'].map((id) => opener(id, { menu: [item('nova', 'icone-do-app', 20)] }));
  const { desk, opened } = await deskWith(apps);
  const menu = jumpList(desk, 'notas', [
    own('open', 10, { label: 'Abrir', run: nothing }),
    own('pin', 40, { label: 'Fixar', run: nothing }),
  ]);
  expect(labels(menu)).toEqual(['Abrir', 'NOVA', 'Fixar']);
  press(menu, 'NOVA');
  expect(opened).toEqual([['notas', { again: true, route: 'rota/nova' }]]);
});

test('a part of the desktop is offered for what it takes, and for nothing else', async () => {
  const { desk, opened, opening } = await deskWith([]);
  opening.provide('@terminal', { takes: ({ isFolder = false }) => isFolder, open: ({ caminho }) => void opened.push(caminho) });
  expect(labels(fileMenu(desk, file('a.bin'), {}))).not.toContain('Abrir terminal aqui');
  press(folderMenu(desk, folder, {}), 'Abrir terminal aqui');
  press(desktopMenu(desk, { ...folder, caminho: '~' }, {}), 'Abrir terminal aqui');
  expect(opened).toEqual([folder.caminho, '~']);
});

test('of two programming environments the person chooses one in Settings', async () => {
  const { desk, opened } = await deskWith([opener('a', { papel: 'ide' }), opener('b', { papel: 'ide' })]);
  press(folderMenu(desk, folder, {}), 'Abrir no ambiente de programação');
  expect(opened).toEqual([['abrir']]);
});

test('what is elected is opened: an app with the path, a part of the desktop, else the person is asked', async () => {
  const { desk, opened, opening } = await deskWith(
    [opener('traco', { extensions: ['svg', 'nota'] }), opener('z', { extensions: ['nota'] })],
    {},
    ['@editor'],
  );
  await openFile(desk, { caminho: '/a.svg', nome: 'a.svg' });
  await openFile(desk, { caminho: '/a.py', nome: 'a.py' });
  expect(opening.asked.get()).toBeNull();
  expect(opened).toEqual([
    ['traco', { again: true, context: { caminho: '/a.svg', nome: 'a.svg' } }],
    ['@editor', '/a.py'],
  ]);
  for (const nome of ['a.nota', 'a.png', 'a.docx']) {
    await openFile(desk, { caminho: `/${nome}`, nome });
    expect(opening.asked.get()?.nome).toBe(nome);
  }
  expect(opened).toHaveLength(2);
});
