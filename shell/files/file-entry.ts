/** Parts that show an entry of a folder: its picture, its name and its other facts, in a list or as an icon. */
import { html, nothing, type TemplateResult } from 'lit';
import type { FileItem } from '../../schema/wire/files.ts';
import { text } from '../i18n/i18n.ts';
import type { FileMark } from '../opening/file-mark.ts';
import '../opening/svc-file-icon.ts';
import { glyph } from '../ui/glyphs.ts';

export type ViewMode = 'lista' | 'icones';

/** Texts of an entry besides its name. */
export interface EntryWords {
  readonly mark: FileMark;
  readonly type: string;
  readonly size: string;
  readonly date: string;
}

/** `where`: in which folder a search found it; '' elsewhere. */
export function entryContent(item: FileItem, words: EntryWords, mode: ViewMode, where: string): TemplateResult {
  return html`<span class="picture"
      ><svc-file-icon .mark=${words.mark} .size=${mode === 'icones' ? 48 : 24}></svc-file-icon
      >${item.atalho ? html`<span class="arrow">${glyph('link', 14)}</span>` : nothing}</span
    >
    <span class="name"
      >${item.nome}${where === '' ? nothing : html`<span class="where"><span class="sr-only">, </span>${text('files.foundIn', { pasta: where })}</span>`}</span
    >
    ${
      mode === 'icones'
        ? html`<span class="sr-only">, ${words.type}</span>`
        : html`<span class="type">${words.type}</span><span class="size">${words.size}</span><span class="date">${words.date}</span>`
    }`;
}
