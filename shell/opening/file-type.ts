/**
 * Which type a file is of: the longest end of its name that an app declares or the desktop knows, else its whole name, else its media type.
 * Decision: docs/decisions/0222-what-opens-what.md
 */
import { fileTypeNames } from '../../schema/wire/preferences.ts';
import type { AppSettings } from '../../schema/wire/settings.ts';
import { kindOfExtension, kindOfMime, kindOfName, type Kind } from './kinds.ts';

/** A file or folder with the facts by which its opener is elected. */
export interface FileToOpen {
  /** On the person's server: absolute, or `~` and what is below it. */
  readonly caminho: string;
  readonly nome: string;
  readonly mime?: string | undefined;
  readonly isFolder?: boolean;
}

export type Opener = Pick<AppSettings, 'id' | 'nome' | 'papel' | 'hosts' | 'tipos' | 'midias' | 'proprios' | 'menu'>;

export interface FileType {
  readonly kind: Kind;
  /** In lower case, without the dot; null: the name has none. */
  readonly extension: string | null;
  /** In lower case, without parameters; null where nobody said more than "bytes". */
  readonly mime: string | null;
  /** Key under which the person's choice is kept; null: none can be kept for such a file. */
  readonly key: string | null;
}

const extensionPattern = new RegExp(`^${fileTypeNames.extension}$`);
const mimePattern = new RegExp(`^${fileTypeNames.media}$`);

/** Without the dot and in lower case; null: nothing that a manifest could declare. */
export function bareExtension(extension: string): string | null {
  const bare = extension.replace(/^\./, '').toLowerCase();
  return extensionPattern.test(bare) ? bare : null;
}

/**
 * Extensions of a name, longest first: `notas.tar.gz` has `tar.gz`, `gz`. A dot at the beginning makes a hidden file, not an extension. A name that
 * is longer than a file can have is looked at from its end.
 */
export function extensionsOf(nome: string): readonly string[] {
  const parts = nome.replace(/^\.+/, '').slice(-fileTypeNames.nameCharsMax).split('.').slice(1);
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
