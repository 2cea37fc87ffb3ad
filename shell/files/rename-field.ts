/** The field in which the name of an entry is edited. */
import { html, type TemplateResult } from 'lit';
import '../../sdk/web/ui/field.ts';
import type { FileItem } from '../../schema/wire/files.ts';
import { text } from '../i18n/i18n.ts';
import { whenLeft } from '../ui/when-left.ts';

/** `end` is called once: with what was typed, or null where it was given up. */
export function renameField(item: FileItem, end: (name: string | null) => void): TemplateResult {
  let isOver = false;
  const once = (name: string | null): void => {
    if (isOver) return;
    isOver = true;
    end(name);
  };
  return html`<ui-field
    class="rename"
    label=${text('files.newName', { nome: item.nome })}
    hide-label
    autocomplete="off"
    .value=${item.nome}
    spellcheck="false"
    @keydown=${(event: KeyboardEvent) => {
      event.stopPropagation();
      if (event.key === 'Enter') once((event.target as SvcUiField).value);
      else if (event.key === 'Escape') once(null);
    }}
    @blur=${({ target }: Event) => whenLeft(target as SvcUiField, () => once((target as SvcUiField).value))}
  ></ui-field>`;
}
