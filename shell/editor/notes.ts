/** Questions of the editor over a text, one at a time: their words and answers. Pure. Decision: docs/decisions/0217-the-text-editor.md */
import { relativeTime, text, type TextKey } from '../i18n/i18n.ts';
import { ApiError } from '../session/api.ts';
import type { Encoding } from '../opening/encoding.ts';
import { encodingName } from './words.ts';

export type Note =
  | { readonly kind: 'changed' }
  /** The server has no such file any more, or not even its folder: the text here is the only one. */
  | { readonly kind: 'gone'; readonly what: 'file' | 'folder' }
  | { readonly kind: 'restored'; readonly fromMs: number }
  | { readonly kind: 'unwritable' }
  | { readonly kind: 'failed'; readonly words: string }
  | { readonly kind: 'closing' };

/** `reload`: what is on the server in place of what is here; `drop`: the same, of changes that were recovered. */
export type NoteAct =
  | 'reload'
  | 'overwrite'
  | 'copy'
  | 'again-here'
  | 'elsewhere'
  | 'drop'
  | 'as-utf8'
  | 'save'
  | 'save-and-close'
  | 'close'
  | 'stay';

export interface NoteChoice {
  readonly label: TextKey;
  readonly act: NoteAct;
  readonly isFirst?: boolean;
}

const stay: NoteChoice = { label: 'editor.stay', act: 'stay' };
const elsewhere: NoteChoice = { label: 'editor.elsewhere', act: 'elsewhere' };

export function choicesOf(note: Note): readonly NoteChoice[] {
  switch (note.kind) {
    case 'changed':
      return [
        { label: 'editor.reload', act: 'reload' },
        { label: 'editor.overwrite', act: 'overwrite' },
        { label: 'editor.copy', act: 'copy', isFirst: true },
      ];
    case 'gone':
      return note.what === 'folder'
        ? [{ ...elsewhere, isFirst: true }, stay]
        : [{ label: 'editor.againHere', act: 'again-here', isFirst: true }, elsewhere, stay];
    case 'restored':
      return [
        { label: 'editor.discard', act: 'drop' },
        { label: 'editor.keep', act: 'stay', isFirst: true },
      ];
    case 'unwritable':
      return [{ label: 'editor.asUtf8', act: 'as-utf8', isFirst: true }, stay];
    case 'failed':
      return [{ label: 'editor.again', act: 'save', isFirst: true }, elsewhere, stay];
    default:
      return [{ label: 'editor.save', act: 'save-and-close', isFirst: true }, { label: 'editor.closeAnyway', act: 'close' }, stay];
  }
}

export function wordsOf(note: Note, name: string, encoding: Encoding, nowMs: number): string {
  switch (note.kind) {
    case 'failed':
      return note.words;
    case 'restored':
      return text('editor.restored', { quando: relativeTime(note.fromMs, nowMs) });
    case 'unwritable':
      return text('editor.unwritable', { codificacao: encodingName(encoding) });
    case 'closing':
      return text('editor.closing', { nome: name });
    case 'gone':
      return text(note.what === 'folder' ? 'editor.folderGone' : 'editor.gone', { nome: name });
    default:
      return text('editor.changed');
  }
}

/** The answer to HEAD has no code. */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
