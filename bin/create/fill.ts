/** The files of a new app: those of its template with its own words in the places that are marked `{{so}}`. */
import { escapeHtml } from '../../schema/html.ts';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { editorFiles } from '../../schema/manifest/editor-files.ts';
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import { isMissing } from '../../kit/atomic-file.ts';
import { type TemplateName, templates } from './templates.ts';
import { type Wrapped, wrapLine, wrappedExample, wrappedManifest } from './wrapped.ts';

export interface NewApp {
  readonly id: string;
  readonly nome: string;
  readonly descricao: string;
  readonly template: TemplateName;
  /** Language of the readme and the log. Pages speak both, as the desktop does. */
  readonly language: TextLanguage;
  /** For the template `wrap`; absent, it is the example. */
  readonly wrapped?: Wrapped;
}

export interface NewFile {
  /** From the folder of the app. */
  readonly path: string;
  readonly bytes: Uint8Array | string;
  readonly executable: boolean;
}

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(import.meta.dirname, 'templates');
/** Made by setup/build.ts, with the yjs that the desktop's own rooms are tested with. */
const yjs = path.join(root, 'build/create/yjs.mjs');

export function filesOf(app: NewApp): readonly NewFile[] {
  const files = new Map<string, NewFile>();
  for (const layer of templates[app.template].layers) for (const file of filesIn(layer, app)) files.set(file.path, file);
  if (app.template === 'rooms') files.set('frontend/yjs.mjs', { path: 'frontend/yjs.mjs', bytes: bundledYjs(), executable: false });
  if (app.template === 'wrap' && app.wrapped !== undefined) fillWrapped(files, app.wrapped);
  for (const { path: name, text } of editorFiles()) files.set(name, { path: name, bytes: text, executable: false });
  return [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The program is the author's: its packages and health path, and no page of the example. */
function fillWrapped(files: Map<string, NewFile>, wrapped: Wrapped): void {
  files.delete('site/index.html');
  const manifest = files.get('svc-app.json');
  if (manifest !== undefined) files.set(manifest.path, { ...manifest, bytes: wrappedManifest(String(manifest.bytes), wrapped) });
}

function filesIn(layer: string, app: NewApp): readonly NewFile[] {
  const from = path.join(folder, layer);
  return readdirSync(from, { recursive: true, encoding: 'utf8' }).flatMap((name): NewFile[] => {
    const file = path.join(from, name);
    const stat = statSync(file);
    // A run of a template's own test leaves such files.
    if (!stat.isFile() || name.includes('__pycache__')) return [];
    const readme = /^README\.(pt|en)\.md$/.exec(name);
    if (readme !== null && readme[1] !== app.language) return [];
    const placed = readme === null ? name.replace(/(^|\/)dot-/, '$1.') : 'README.md';
    return [{ path: placed, bytes: filled(readFileSync(file, 'utf8'), placed, app), executable: (stat.mode & 0o100) !== 0 }];
  });
}

/** The one kind of place that takes any text is written for its file: a name may hold quotes, `<` and `{{`. */
function filled(text: string, name: string, app: NewApp): string {
  const written = writing[path.extname(name)] ?? ((value) => value);
  const words = wordsOf(app);
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, key: string) => (Object.hasOwn(words, key) ? written(words[key] ?? '') : whole));
}

const writing: Readonly<Record<string, (text: string) => string>> = {
  '.json': (text) => JSON.stringify(text).slice(1, -1),
  '.html': escapeHtml,
  '.svg': escapeHtml,
};

/** White on each of these is at least 4.5:1. */
const colors = ['#1f5fd0', '#7a1fa2', '#b3261e', '#1b6b3a', '#8a4b00', '#00616b', '#5b3fc4', '#a3195b'] as const;

function wordsOf({ id, nome, descricao, language, wrapped = wrappedExample }: NewApp): Readonly<Record<string, string>> {
  const [sum = 0] = createHash('sha256').update(id).digest();
  return {
    id,
    nome,
    descricao,
    // A capability begins with a letter, an id need not.
    capacidade: /^[a-z]/.test(id) ? id : `app-${id}`,
    letra: Array.from(nome.toLocaleUpperCase())[0] ?? '',
    // A word of the backend's log: its author reads it.
    contou: language === 'pt' ? 'contou' : 'counted',
    comando: wrapLine(wrapped),
    cor: colors[sum % colors.length] ?? colors[0],
  };
}

function bundledYjs(): string {
  const version = (name: string): string =>
    `${name} ${(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }).dependencies[name]}`;
  try {
    const code = readFileSync(yjs, 'utf8');
    return `/* ${['yjs', 'y-protocols', 'lib0'].map(version).join(', ')}, MIT licence, by Kevin Jahns: one file with Y and awarenessProtocol. */\n${code}`;
  } catch (error) {
    if (isMissing(error)) throw new SvcError('NOT_FOUND', `${yjs} is not there: node setup/build.ts makes it`);
    throw error;
  }
}
