/** Paths of a person's files in their exact form, as the portal gives them. Source: schema/wire/file-path.ts, docs/files.md. */
import { shownName, textBytes } from '../../schema/wire/file-path.ts';

/** The trash, where a path may stand: no path begins like it. */
export const trashPlace = '@lixo';

/** The exact form of a name that a person typed. */
export const exactName = (typed: string): string => typed.replaceAll('%', '%25');

export const joinPath = (folder: string, exact: string): string => `${folder === '/' ? '' : folder}/${exact}`;

/** Null: `/`, or no absolute path. */
export function parentOf(path: string): string | null {
  const at = path.lastIndexOf('/');
  return path === '/' || at === -1 ? null : path.slice(0, Math.max(1, at));
}

/** The last name, for showing; of `/` that. */
export function nameOfPath(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '') return path;
  const bytes = textBytes(name);
  return bytes === null ? name : shownName(bytes);
}

/** Whether it is the folder or something in it. */
export const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** The folders between one and what is somewhere in it, for showing; '' where there is none. */
export function wayBetween(folder: string, path: string): string {
  const parent = parentOf(path);
  if (parent === null || parent === folder || !isWithin(parent, folder)) return '';
  return parent
    .slice(folder === '/' ? 1 : folder.length + 1)
    .split('/')
    .map(nameOfPath)
    .join('/');
}

export interface Crumb {
  readonly path: string;
  readonly name: string;
}

/** From the root, or from the home where the path is in it. */
export function crumbsOf(path: string, home: string, homeName: string): readonly Crumb[] {
  const start: Crumb = isWithin(path, home) ? { path: home, name: homeName } : { path: '/', name: '/' };
  const crumbs: Crumb[] = [];
  for (let at: string | null = path; at !== null && at !== start.path; at = parentOf(at))
    crumbs.unshift({ path: at, name: nameOfPath(at) });
  return [start, ...crumbs];
}
