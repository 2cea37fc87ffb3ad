/**
 * Classifies a changed file: backend, page, manifest, source that build.sh makes them of, or nothing. Pure.
 * Decision: docs/decisions/0244-svc-dev.md
 */
import type { Chooser } from '../../kit/archive/walk.ts';
import { buildFile } from './builder.ts';

type Part = 'manifest' | 'backend' | 'page' | 'styles';

/** Never of an app that runs: what editors, tools and tests leave, at any depth. Hidden files and folders are none either. */
const ignoredNames =
  /^(?:\..*|__pycache__|node_modules|venv|.*~|#.*#|4913|.*\.(?:pyc|pyo|swp|swo|swx|tmp|temp|bak|orig|rej|log|part|crdownload)|.*___jb_[a-z]{1,8}___)$/i;
/** The temporary file of `sed -i`: six of these, and seldom a word. */
const ofSed = /^sed(?=[a-z]*[0-9A-Z])[A-Za-z0-9]{6}$/;
/** At the top of the folder. */
const ignoredAtTop = /^(?:data|dist-ssr|coverage|tests?|README(?:\..*)?|CHANGELOG(?:\..*)?|LICEN[CS]E(?:\..*)?|Makefile|\.svcignore)$/i;

/** Folders that build tools write: as source they would build for ever. */
const madeNames = /^(?:target|out|obj|build|dist|CMakeFiles|.*\.(?:o|obj|a|d|class))$/;

const namesOf = (path: string): readonly string[] => path.replace(/\/$/, '').split('/');

/** Never of an app, nor of its source. */
export function isNoise(path: string): boolean {
  const names = namesOf(path);
  return names.some((name) => ignoredNames.test(name) || ofSed.test(name)) || ignoredAtTop.test(names[0] ?? '');
}

/** `path` below the folder, with '/'; a folder ends in '/'. `ships`: what publishing would take (.svcignore). */
export const isIgnored = (path: string, ships: Chooser): boolean => isNoise(path) || isLeftOut(path, ships);

/** Not in the package. */
export function isLeftOut(path: string, ships: Chooser): boolean {
  const isFolder = path.endsWith('/');
  const names = namesOf(path);
  // Everything in a folder that stays out stays out, too.
  return names.some((_, at) => !ships(`${names.slice(0, at + 1).join('/')}${at < names.length - 1 || isFolder ? '/' : ''}`));
}

/** Not in the package, and no noise either: what build.sh reads, and build.sh itself. */
export function isSource(path: string, ships: Chooser): boolean {
  if (path === buildFile) return true;
  return isIgnored(path, ships) && !isNoise(path) && !namesOf(path).some((name) => madeNames.test(name));
}

export function partOf(path: string): Part {
  if (path === 'svc-app.json') return 'manifest';
  if (!path.startsWith('frontend/')) return 'backend';
  return path.endsWith('.css') ? 'styles' : 'page';
}

/** Work to be done, from one burst of changes or several. */
export interface Change {
  readonly files: readonly string[];
  /** build.sh is to be run; a change of its own. */
  readonly source: boolean;
  readonly manifest: boolean;
  readonly backend: boolean;
  readonly page: 'no' | 'page' | 'styles';
  /** When the first of them was seen. */
  readonly sinceMs: number;
}

export function changeOf(files: readonly string[], sinceMs: number): Change {
  const parts = new Set(files.map(partOf));
  const page = parts.has('page') ? 'page' : parts.has('styles') ? 'styles' : 'no';
  return { files, source: false, manifest: parts.has('manifest'), backend: parts.has('backend'), page, sinceMs };
}

export const sourceOf = (files: readonly string[], sinceMs: number): Change => ({
  files,
  source: true,
  manifest: false,
  backend: false,
  page: 'no',
  sinceMs,
});

/** Both are still to be done: none is lost, and nothing is done twice. */
export function merged(before: Change | null, after: Change): Change {
  if (before === null) return after;
  const page = new Set([before.page, after.page]);
  return {
    files: [...new Set([...before.files, ...after.files])],
    source: before.source || after.source,
    manifest: before.manifest || after.manifest,
    backend: before.backend || after.backend,
    page: page.has('page') ? 'page' : page.has('styles') ? 'styles' : 'no',
    sinceMs: Math.min(before.sinceMs, after.sinceMs),
  };
}
