/**
 * Which type a file is of: the longest end of its name that an app declares or the desktop knows, else its whole name, else its media type.
 * Decision: docs/decisions/0222-what-opens-what.md
 */
import { fileTypeNames } from '../../schema/wire/preferences.ts';
import type { AppSettings } from '../../schema/wire/settings.ts';
import { kindOfExtension, kindOfMime, kindOfName, type Kind } from './kinds.ts';

/** What a file or folder is opened by. */
export interface FileToOpen {
  /** On the person's server: absolute, or `~` and what is below it. */
  readonly caminho: string;
  readonly nome: string;
  readonly mime?: string | undefined;
  readonly isFolder?: boolean;
}

/** What an `abertura` carries besides `rota`. Source: spec 6 `open-context`. */
export interface OpenContext {
  readonly caminho?: string;
  readonly nome?: string;
  readonly mime?: string;
  /** Of an entry of a context menu: the surface and the id of the entry. */
  readonly superficie?: 'arquivo' | 'pasta' | 'area-de-trabalho';
  readonly item?: string;
  readonly url?: string;
}

export type Opener = Pick<AppSettings, 'id' | 'nome' | 'papel' | 'hosts' | 'tipos' | 'midias' | 'proprios' | 'menu'>;

export interface FileType {
  readonly kind: Kind;
  /** In lower case, without the dot; null: the name has none. */
  readonly extension: string | null;
  /** In lower case, without parameters; null where nobody said more than "bytes". */
  readonly mime: string | null;
  /** What a choice of the person is kept under; null: of such a file none can be kept. */
  readonly key: string | null;
}

const extensionPattern = new RegExp(`^${fileTypeNames.extension}$`);
const mimePattern = new RegExp(`^${fileTypeNames.media}$`);

/** Without the dot and in lower case; null: nothing that a manifest could declare. */
export function bareExtension(extension: string): string | null {
  const bare = extension.replace(/^\./, '').toLowerCase();
  return extensionPattern.test(bare) ? bare : null;
}

/** Of `notas.tar.gz`: `tar.gz`, `gz`; of `a.b.c.d.e` those from `b` on. A dot at the beginning makes a hidden file, not an extension. */
export function extensionsOf(nome: string): readonly string[] {
  // Nothing is behind the last dot.
  if (nome.endsWith('.')) return [];
  const parts = nome.replace(/^\.+/, '').split('.').slice(1).slice(-fileTypeNames.extensionParts);
  return parts.flatMap((_part, at) => bareExtension(parts.slice(at).join('.')) ?? []);
}

export function bareMime(mime: string | undefined): string | null {
  const bare = (mime ?? '').split(';', 1)[0]!.trim().toLowerCase();
  return mimePattern.test(bare) && bare !== 'application/octet-stream' ? bare : null;
}

export function typeOf({ nome, mime, isFolder = false }: FileToOpen, apps: readonly Pick<Opener, 'tipos'>[]): FileType {
  if (isFolder) return { kind: 'folder', extension: null, mime: null, key: null };
  const ends = extensionsOf(nome);
  const isDeclared = (extension: string): boolean => apps.some(({ tipos }) => tipos.some(({ extensao }) => extensao === extension));
  const decided = ends.find((extension) => isDeclared(extension) || kindOfExtension(extension) !== null);
  const extension = decided ?? ends.at(-1) ?? null;
  const media = bareMime(mime);
  const kind =
    decided === undefined
      ? (kindOfName(nome) ?? (media === null ? null : kindOfMime(media)) ?? 'unknown')
      : (kindOfExtension(decided) ?? 'unknown');
  return { kind, extension, mime: media, key: extension ?? media };
}
