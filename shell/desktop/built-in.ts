/** The windows of the shell's own, one row each. To add one: its row here and its element. */
import { html, type TemplateResult } from 'lit';
import { unpackedEnding } from '../../schema/wire/files.ts';
import { language, type Language } from '../i18n/i18n.ts';
import type { BuiltInEntry } from '../launcher/launcher-desk.ts';
import type { FileToOpen } from '../opening/file-type.ts';
import type { Place, Provider } from '../opening/model.ts';
import type { Role } from '../opening/roles.ts';
import { wholePath } from '../session/content-api.ts';
import { part } from '../session/part.ts';
import type { SectionId } from '../settings/model.ts';
import { updatesIn } from '../shop/model.ts';
import { createSignal } from '../state/signal.ts';
import type { Glyph } from '../ui/glyphs.ts';
import { attempt } from '../windows/attempt.ts';
import { loadPart } from '../windows/load-part.ts';
import type { WindowState } from '../windows/manager.ts';
import type { WindowOptions } from '../windows/options.ts';
import type { BuiltInId } from '../windows/shell.ts';
import type { Desk } from './desk.ts';

interface BuiltIn {
  readonly title: Readonly<Record<Language, string>>;
  readonly glyph: Glyph;
  /** There is one for each path, which is its route; else one at most, and a route is a place in it. */
  readonly many?: true;
  /** Page of shell/help about it. */
  readonly help?: string;
  /** The launcher has an entry for it; `admins`: for administrators alone. */
  readonly inLauncher?: true | 'admins';
  /** Its entry opens the app that the person chose for the role instead. */
  readonly role?: Role;
  /** How many things wait there for the person. */
  readonly badge?: (desk: Desk) => number;
  /** Shows that place in it. */
  readonly goTo?: (desk: Desk, route: string) => void;
  /** Opens files and folders. */
  readonly opens?: (desk: Desk) => Provider;
  /** Its element and what defines it; absent: own-windows.ts does, for several. */
  readonly load?: readonly [element: string, load: () => Promise<unknown>];
  content(desk: Desk, window: WindowState): TemplateResult;
}

/** Whether what own-windows.ts brings is here: before, its elements would be given what they can't take yet. */
export const ownWindows = createSignal(false);

export async function fetchOwnWindows(): Promise<void> {
  await part('own-windows', () => import('./own-windows.ts'));
  ownWindows.set(true);
}

const filesIn = (id: BuiltInId) => (desk: Desk) => ({
  takes: ({ isFolder = false }: FileToOpen) => !isFolder,
  open: ({ caminho }: FileToOpen) => attempt(desk, async () => desk.open(id, await wholePath(caminho))),
});

async function extract(desk: Desk, { caminho, nome }: FileToOpen): Promise<void> {
  const { offerExtract } = await part('offer-extract', () => import('../files/offer-extract.ts'));
  await offerExtract(desk, await wholePath(caminho), nome);
}

const rows: Readonly<Record<BuiltInId, BuiltIn>> = {
  '@loja': {
    title: { pt: 'Loja', en: 'Store' },
    glyph: 'shop',
    help: 'apps.html',
    inLauncher: true,
    badge: (desk) => updatesIn(desk.shop.state.get()),
    // The page of an app.
    goTo: (desk, id) => desk.shop.page.set({ kind: 'app', id }),
    content: (desk) => html`<svc-shop .desk=${desk}></svc-shop>`,
  },
  '@configuracoes': {
    title: { pt: 'Configurações', en: 'Settings' },
    glyph: 'settings',
    help: 'settings.html',
    inLauncher: true,
    goTo: (desk, section) => desk.settings.section.set(section as SectionId),
    content: (desk) => html`<svc-settings .desk=${desk}></svc-settings>`,
  },
  '@files': {
    title: { pt: 'Arquivos', en: 'Files' },
    glyph: 'folder',
    many: true,
    help: 'files.html',
    inLauncher: true,
    role: 'fileBrowser',
    opens: (desk) => ({
      takes: ({ isFolder = false, nome }) => isFolder || unpackedEnding.test(nome),
      open: (file) => {
        if (file.isFolder !== true) return attempt(desk, async () => await extract(desk, file));
        // The window is there at once and asks for what it lacks: what is opened while the server is slow comes to the front, and stays there.
        const home = desk.homePath.get();
        desk.open('@files', home === null && file.caminho === '~' ? '' : file.caminho.replace(/^~(?=\/|$)/, () => home ?? '~'));
      },
    }),
    load: ['svc-files', () => import('../files/svc-files.ts')],
    content: (desk, { id, route }) => html`<svc-files class="builtin" .desk=${desk} .window=${id} .path=${route}></svc-files>`,
  },
  '@terminal': {
    title: { pt: 'Terminal', en: 'Terminal' },
    glyph: 'terminal',
    help: 'terminal.html',
    inLauncher: true,
    role: 'terminal',
    // A shell that begins in that folder, in a tab of its own.
    goTo: (desk, folder) => desk.terminalFolders.set([...desk.terminalFolders.get(), folder]),
    opens: (desk) => ({
      takes: ({ isFolder = false }) => isFolder,
      // It begins in the home folder.
      open: ({ caminho }) => desk.open('@terminal', caminho === '~' ? '' : caminho),
    }),
    load: ['svc-terminal', () => import('../terminal/svc-terminal.ts')],
    content: (desk) => html`<svc-terminal class="builtin" .desk=${desk}></svc-terminal>`,
  },
  '@fila': {
    title: { pt: 'Fila', en: 'Queue' },
    glyph: 'queue',
    help: 'jobs.html',
    inLauncher: true,
    // Shows a job of the person's own.
    goTo: ({ queue }, job) => {
      if (queue.state.get().of !== null) queue.show(null);
      queue.chosen.set(job);
    },
    content: (desk) => html`<svc-queue .desk=${desk}></svc-queue>`,
  },
  '@tarefas': {
    title: { pt: 'Gerenciador de tarefas', en: 'Task manager' },
    glyph: 'tasks',
    help: 'settings.html',
    inLauncher: true,
    goTo: (desk, app) => desk.tasksApp.set(app),
    content: (desk) => html`<svc-task-manager .desk=${desk}></svc-task-manager>`,
  },
  '@administracao': {
    title: { pt: 'Administração', en: 'Administration' },
    glyph: 'shield',
    help: 'settings.html',
    inLauncher: 'admins',
    load: ['svc-administration', () => import('../admin/svc-administration.ts')],
    content: (desk) => html`<svc-administration class="builtin" .desk=${desk}></svc-administration>`,
  },
  '@dev': {
    title: { pt: 'Desenvolvimento', en: 'Development' },
    glyph: 'puzzle',
    load: ['svc-dev', () => import('../dev/svc-dev.ts')],
    content: (desk) => html`<svc-dev class="builtin" .desk=${desk}></svc-dev>`,
  },
  '@viewer': {
    title: { pt: 'Visualizador', en: 'Viewer' },
    glyph: 'image',
    many: true,
    help: 'text-and-pictures.html',
    opens: filesIn('@viewer'),
    load: ['svc-viewer', () => import('../viewer/svc-viewer.ts')],
    content: (desk, { id, route }) => html`<svc-viewer class="builtin" .desk=${desk} .window=${id} .path=${route}></svc-viewer>`,
  },
  '@editor': {
    title: { pt: 'Editor de texto', en: 'Text editor' },
    glyph: 'text',
    many: true,
    help: 'text-and-pictures.html',
    opens: filesIn('@editor'),
    load: ['svc-editor', () => import('../editor/svc-editor.ts')],
    content: (desk, { id, route }) => html`<svc-editor class="builtin" .desk=${desk} .window=${id} .path=${route}></svc-editor>`,
  },
};

/** A map, since an app may be called `constructor`. */
const builtIns: ReadonlyMap<string, BuiltIn> = new Map(Object.entries(rows));

export const builtIn = (id: string): BuiltIn | undefined => builtIns.get(id);

export const nameOf = (id: BuiltInId): string => builtIns.get(id)?.title[language.get()] ?? id;

/** Options of a window of the shell's own; null for any other id. */
export function builtinOptions(id: string): WindowOptions | null {
  const row = builtIns.get(id);
  if (row === undefined) return null;
  return {
    title: row.title[language.get()],
    size: { width: 1_020, height: 620 },
    least: {},
    position: 'centrada',
    manyWindows: row.many === true,
    tabs: false,
    header: 'ambiente',
    icon: null,
    noDrag: [],
  };
}

/** Windows with large libraries load them when first opened. */
export function builtinContent(desk: Desk, window: WindowState): TemplateResult {
  const row = builtIns.get(window.app);
  if (row === undefined || (row.load === undefined && !ownWindows.get())) {
    loadPart(desk, 'svc-task-manager', fetchOwnWindows);
    return html``;
  }
  if (row.load !== undefined) {
    const [element, load] = row.load;
    loadPart(desk, element, () => part(element, load));
  }
  return row.content(desk, window);
}

/** Opens it, or raises the open one; of several the one with that route. */
export function openBuiltIn(desk: Desk, id: BuiltInId, route: string): void {
  const row = builtIns.get(id);
  const options = builtinOptions(id);
  if (row === undefined || options === null) throw new Error(`No window of the shell is called ${id}.`);
  if (route !== '') row.goTo?.(desk, route);
  const isMany = row.many === true;
  const open = desk.windows.ofApp(id).find((each) => !isMany || each.route === route);
  if (open === undefined) desk.windows.open(id, options, isMany ? route : '');
  else desk.activate(open.id);
}

/** Opens the help in a tab of its own, at the page about the window in front. Decision: docs/decisions/0428-a-help-of-static-pages.md */
export function openHelp({ windows }: Desk): void {
  const page = builtIns.get(windows.top()?.app ?? '')?.help ?? '';
  window.open(`/ajuda/${language.get()}/${page}`, '_blank', 'noopener');
}

/** The desktop's own windows for files. */
export function provideFiles(desk: Desk): void {
  for (const [id, { opens }] of builtIns) if (opens !== undefined) desk.opening.provide(id as Place, opens(desk));
}

/** Returns the windows that have an entry in the launcher. */
export const launcherRows = (desk: Desk): readonly BuiltInEntry[] =>
  [...builtIns]
    .filter(([, { inLauncher }]) => inLauncher === true || (inLauncher === 'admins' && desk.session.admin))
    .map(([id, { glyph, role = null, badge }]) => ({ id: id as BuiltInId, glyph, role, badge: badge?.(desk) ?? 0 }));
