/** The way to the folder, the heads of the columns, and the line below the entries. */
import { html, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/field.ts';
import type { FileItem, SpaceAnswer } from '../../schema/wire/files.ts';
import { text } from '../i18n/i18n.ts';
import { crumbsOf, trashPlace } from '../opening/file-path.ts';
import type { ListBy } from '../session/files-api.ts';
import { saySize } from '../shop/words.ts';
import { whenLeft } from '../ui/when-left.ts';
import type { ListingState } from './listing.ts';
import type { Found } from './place.ts';

export function columnHeads(
  { ordem, inversa }: ListBy,
  isTrash: boolean,
  canSort: boolean,
  sort: (by: Pick<ListBy, 'ordem' | 'inversa'>) => void,
): TemplateResult {
  const column = (order: ListBy['ordem'], name: string): TemplateResult => {
    const isIt = ordem === order && !isTrash;
    return html`<button
      type="button"
      class=${order}
      ?disabled=${isTrash || !canSort}
      title=${text('files.sortBy', { nome: name })}
      aria-pressed=${String(isIt)}
      @click=${() => sort({ ordem: order, inversa: isIt && !inversa })}
    >
      ${name}<span class="direction" aria-hidden="true">${isIt ? (inversa ? '↓' : '↑') : ''}</span>
    </button>`;
  };
  return html`<div class="columns">
    ${column('nome', text('files.name'))}${column('tipo', text('files.type'))}${column('tamanho', text('files.size'))}${column(
      'data',
      text(isTrash ? 'files.deleted' : 'files.date'),
    )}
  </div>`;
}

/** In place of the crumbs. Null: given up. */
export function pathField(path: string, end: (typed: string | null) => void): TemplateResult {
  return html`<ui-field
    class="path"
    label=${text('files.path')}
    hide-label
    autocomplete="off"
    spellcheck="false"
    .value=${path}
    @keydown=${(event: KeyboardEvent) => {
      event.stopPropagation();
      if (event.key === 'Escape') end(null);
      else if (event.key === 'Enter') end((event.target as SvcUiField).value);
    }}
    @blur=${({ target }: Event) => whenLeft(target as SvcUiField, () => end(null))}
  ></ui-field>`;
}

interface CrumbActs {
  readonly go: (path: string) => void;
  readonly type: () => void;
  readonly over: (event: DragEvent) => void;
  readonly drop: (event: DragEvent, path: string) => void;
}

/** The way to a folder; files can be dropped on each part of it. */
export function crumbTrail(path: string, home: string, { go, type, over, drop }: CrumbActs): TemplateResult {
  const isTrash = path === trashPlace;
  const crumbs = isTrash ? [{ path, name: text('files.trash') }] : crumbsOf(path, home, text('files.home'));
  return html`<nav class="crumbs" aria-label=${text('files.path')} @dblclick=${() => !isTrash && type()}>
    ${crumbs.map(
      (crumb, index) =>
        html`${index === 0 ? nothing : html`<span aria-hidden="true">›</span>`}<button
            type="button"
            aria-current=${crumb.path === path ? 'page' : nothing}
            @click=${() => go(crumb.path)}
            @dragover=${(event: DragEvent) => !isTrash && over(event)}
            @drop=${(event: DragEvent) => !isTrash && drop(event, crumb.path)}
          >
            ${crumb.name}
          </button>`,
    )}
  </nav>`;
}

export function statusBar(
  state: ListingState | null,
  found: Found | null,
  chosen: readonly FileItem[],
  space: SpaceAnswer | null,
): TemplateResult {
  const { total = null, hidden = 0, isCut = false } = state ?? {};
  const bytes = chosen.reduce((sum, item) => sum + (item.tipo === 'arquivo' ? item.bytes : 0), 0);
  const parts = [
    found !== null && !found.isOver ? text('files.searching') : '',
    total === null ? '' : text(found === null ? 'files.count' : 'files.found', { n: total }),
    found === null && hidden > 0 ? text('files.hiddenCount', { n: hidden }) : '',
    found !== null && found.refused > 0 ? text('files.refused', { n: found.refused }) : '',
    found?.isCut === true ? text('files.foundCut') : isCut ? text('files.cut') : '',
    chosen.length === 0 ? '' : `${text('files.chosen', { n: chosen.length })}${bytes > 0 ? ` (${saySize(bytes)})` : ''}`,
  ];
  return html`<footer>
    <span role="status">${parts.filter((part) => part !== '').join(' · ')}</span>
    ${space === null ? nothing : html`<span>${text('files.free', { livre: saySize(space.livreBytes) })}</span>`}
  </footer>`;
}
