/** Texts of the editor about a file. */
import { text } from '../i18n/i18n.ts';
import { saySize } from '../shop/words.ts';
import { encodings, type Encoding, type TextFormat } from '../opening/encoding.ts';
import { grammarOf } from './languages.ts';
import { limits } from './limits.ts';
import type { Opened } from './open-text.ts';

/** `kept`: in the browser only. */
export type SaveState = 'saved' | 'unsaved' | 'kept' | 'saving';

/** `isForced`: whatever is there now; `isNew`: only where nothing is. */
export interface SaveHow {
  readonly isForced?: boolean;
  readonly format?: TextFormat | null;
  readonly path?: string;
  readonly isNew?: boolean;
}

const names: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Latin-1 (Windows-1252)',
};
export const encodingName = (encoding: Encoding): string => names[encoding];

const ends = { '\n': 'editor.ends.lf', '\r\n': 'editor.ends.crlf', '\r': 'editor.ends.cr', mixed: 'editor.ends.mixed' } as const;

export function statusOf(name: string, format: TextFormat | null): readonly string[] {
  if (format === null) return [];
  const encoding = encodingName(format.encoding);
  return [
    grammarOf(name)?.name ?? text('editor.plain'),
    format.mark ? text('editor.withMark', { nome: encoding }) : encoding,
    text(ends[format.lineEnd]),
  ];
}

/** Why it is not opened, and as what it could be all the same. */
export function refusalOf(opened: Exclude<Opened, { kind: 'text' }>): { readonly words: string; readonly encodings: readonly Encoding[] } {
  if (opened.kind === 'no-file') return { words: text('editor.noFile'), encodings: [] };
  const bytes = saySize(opened.bytes);
  if (opened.kind === 'large') return { words: text('editor.large', { bytes, limite: saySize(limits.editorBytesMax) }), encodings: [] };
  return { words: text('editor.binary', { bytes }), encodings };
}
