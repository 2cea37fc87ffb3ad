/** The home of an account, and the folders in it that desktops know (XDG user folders). */
import { pathText, shownName } from '../../schema/wire/file-path.ts';
import type { PlacesAnswer, SpaceAnswer } from '../../schema/wire/files.ts';
import { isFault } from './file-fault.ts';
import { joined, nameOf, type FileSystem } from './file-system.ts';
import { limits } from './limits.ts';
import { readAll } from './transfer.ts';

/** As xdg-user-dirs names them where its file says nothing. */
const defaults = {
  desktop: 'Desktop',
  documents: 'Documents',
  download: 'Downloads',
  music: 'Music',
  pictures: 'Pictures',
  videos: 'Videos',
  templates: 'Templates',
  publicshare: 'Public',
} as const;
type Role = keyof typeof defaults;

export async function placesOf(fs: FileSystem, account: string, home: Buffer): Promise<PlacesAnswer> {
  const said = await userFolders(fs, home);
  const found: PlacesAnswer['pastas'][number][] = [];
  for (const papel of Object.keys(defaults) as Role[]) {
    const path = await folderFor(fs, home, papel, said);
    if (path !== null) found.push({ papel, caminho: pathText(path), nome: shownName(nameOf(path)) });
  }
  return { conta: account, casa: pathText(home), pastas: found, espaco: await spaceOf(fs, home).catch(orNull) };
}

/** Null: the account has none, or may not come to it. Rejects where that can't be told now: a desk without files would stay so until it is loaded again. */
export async function deskFolderOf(fs: FileSystem, home: Buffer): Promise<string | null> {
  const path = await folderFor(fs, home, 'desktop', await userFolders(fs, home, unlessUnknown), unlessUnknown);
  return path === null ? null : pathText(path);
}

async function folderFor(
  fs: FileSystem,
  home: Buffer,
  role: Role,
  said: ReadonlyMap<Role, Buffer>,
  otherwise = orNull,
): Promise<Buffer | null> {
  const path = said.get(role) ?? joined(home, Buffer.from(defaults[role]));
  const facts = await fs.stat(path).catch(otherwise);
  // xdg-user-dirs says "there is none" by naming the home.
  return facts?.kind === 'folder' && !path.equals(home) ? path : null;
}

export async function spaceOf(fs: FileSystem, path: Buffer): Promise<SpaceAnswer> {
  const { totalBytes, freeBytes, freeFiles } = await fs.space(path);
  return { totalBytes, livreBytes: freeBytes, livreArquivos: freeFiles };
}

function orNull(error: unknown): null {
  if (isFault(error)) return null;
  throw error;
}

function unlessUnknown(error: unknown): null {
  if (isFault(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EKIND', 'EISDIR')) return null;
  throw error;
}

async function userFolders(fs: FileSystem, home: Buffer, otherwise = orNull): Promise<ReadonlyMap<Role, Buffer>> {
  const file = await fs.open(joined(home, Buffer.from('.config/user-dirs.dirs')), 'read').catch(otherwise);
  if (file === null) return new Map();
  try {
    return foldersIn((await readAll(file, limits.userDirsBytesMax, fs.pieceBytes())).toString('latin1'), home);
  } catch (error) {
    return otherwise(error) ?? new Map();
  } finally {
    await file.close().catch(() => undefined);
  }
}

/** Matches a single line: with the flag `m` a `\s*` would run over all lines behind it, from each of them. */
const userDirLine = /^[ \t]*XDG_([A-Z]{1,32})_DIR="(\$HOME)?\/?((?:[^"\\]|\\.)*)"/;

/** Lines `XDG_DESKTOP_DIR="$HOME/…"` of ~/.config/user-dirs.dirs, bytes as latin1. The last line of a folder counts. */
export function foldersIn(text: string, home: Buffer): ReadonlyMap<Role, Buffer> {
  const said = new Map<Role, Buffer>();
  for (const line of text.split('\n')) {
    const [, role = '', inHome, rest = ''] = userDirLine.exec(line) ?? [];
    const name = role.toLowerCase();
    if (!Object.hasOwn(defaults, name)) continue;
    const path = Buffer.from(withoutSlashes(rest.replaceAll(/\\(.)/g, '$1')), 'latin1');
    if (path.includes(0)) continue;
    const place = inHome === undefined ? Buffer.concat([Buffer.from('/'), path]) : path.length === 0 ? home : joined(home, path);
    said.set(name as Role, place);
  }
  return said;
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
