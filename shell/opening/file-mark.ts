/** How a file is drawn and what the Type column says of it. Kinds that the desktop draws keep its icon. Source: rules 2.1 `proprios`, 2.5. */
import type { Preferences } from '../../schema/wire/preferences.ts';
import { text, type TextKey } from '../i18n/i18n.ts';
import { ownType } from './elections.ts';
import type { FileType, Opener } from './file-type.ts';
import type { Kind } from './kinds.ts';

export interface FileMark {
  readonly kind: Kind;
  /** Name of an app's own type; null: the type is none. */
  readonly nome: string | null;
  /** Sheet of a type that the app draws, in its colour with its badge and its icon; null: the desktop draws it. */
  readonly sheet: { readonly app: string; readonly cor: string; readonly selo: string | null; readonly icone: string | null } | null;
}

export function markOf(type: FileType, apps: readonly Opener[], chosen: Pick<Preferences, 'tipos'>): FileMark {
  const { kind } = type;
  const declared = kind === 'folder' ? null : ownType(type, apps, chosen);
  if (declared === null) return { kind, nome: null, sheet: null };
  const { app, own } = declared;
  const { cor, selo, icone, nome } = own;
  return { kind, nome, sheet: kind === 'unknown' ? { app, cor, selo, icone } : null };
}

const kindTexts: Readonly<Record<Kind, TextKey>> = {
  folder: 'kind.folder',
  image: 'kind.image',
  video: 'kind.video',
  audio: 'kind.audio',
  compressed: 'kind.compressed',
  code: 'kind.code',
  page: 'kind.page',
  text: 'kind.text',
  office: 'kind.office',
  pdf: 'kind.pdf',
  unknown: 'kind.unknown',
};

/** The text of the Type column. */
export function typeName({ kind, extension }: FileType, { nome }: FileMark): string {
  if (nome !== null) return nome;
  const name = text(kindTexts[kind]);
  return extension === null || kind === 'pdf' ? name : text('kind.with', { tipo: name, extensao: extension.toUpperCase() });
}
