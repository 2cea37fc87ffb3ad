/** The sidebar of the file manager: folders of the account, those that the person pinned, the trash. Files can be dropped on each. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { PlacesAnswer } from '../../schema/wire/files.ts';
import type { FilesDesk } from './desk-acts.ts';
import { language, text } from '../i18n/i18n.ts';
import { trashPlace } from '../opening/file-path.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { openMenu } from '../ui/menu.ts';
import { actsOf } from './desk-acts.ts';
import { allowDrop, dropInTrash, takeDrop } from './file-drags.ts';
import { pinnedMenu, placesOf, type Place } from './places.ts';

export class SvcFilePlaces extends LitElement {
  static override properties = { desk: { attribute: false }, places: { attribute: false }, path: {}, over: { state: true } };
  declare desk: FilesDesk;
  /** Null until they are known. */
  declare places: PlacesAnswer | null;
  /** Where the window is. */
  declare path: string;
  declare over: string;
  #watch = new Watch(this, () => [this.desk.preferences.state, language]);

  constructor() {
    super();
    this.places = null;
    this.path = '';
    this.over = '';
  }

  static override styles = [
    base,
    css`
      nav {
        display: grid;
        align-content: start;
        gap: 2px;
        height: 100%;
        padding: 8px;
        overflow: auto;
      }
      button {
        display: flex;
        align-items: center;
        gap: 10px;
        width: 100%;
        min-height: var(--control);
        padding: 0 10px;
        border: 0;
        border-radius: 8px;
        background: transparent;
        text-align: start;
      }
      button:hover {
        background: var(--hover);
      }
      button[aria-current] {
        background: var(--selected);
        font-weight: 600;
      }
      button.over {
        box-shadow: inset 0 0 0 2px var(--accent);
      }
      span {
        min-width: 0;
        overflow: clip;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      svg {
        flex: none;
        color: var(--muted);
      }
      hr {
        width: 100%;
        margin: 6px 0;
        border: 0;
        border-top: 1px solid var(--line);
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  #go(path: string): void {
    this.dispatchEvent(new CustomEvent('go', { detail: path, bubbles: true, composed: true }));
  }

  override render(): TemplateResult {
    const groups = placesOf(this.desk, this.places);
    return html`<nav aria-label=${text('files.places')}>
      ${groups.map((group, index) => html`${index === 0 ? nothing : html`<hr />`}${group.map((place) => this.#place(place))}`)}
    </nav>`;
  }

  #place({ path, name, glyph: sign, isPinned }: Place): TemplateResult {
    const drop = (event: DragEvent): void => {
      this.over = '';
      if (path === trashPlace) dropInTrash(this.desk, actsOf(this.desk), event);
      else takeDrop(this.desk, actsOf(this.desk), event, path);
    };
    const menu = (event: MouseEvent): void => {
      event.preventDefault();
      event.stopPropagation();
      if (!isPinned) return;
      openMenu(name, [{ items: pinnedMenu(this.desk, path) }], { x: event.clientX, y: event.clientY, of: event.currentTarget as Element });
    };
    return html`<button
      type="button"
      class=${this.over === path ? 'over' : ''}
      title=${isPinned ? path : nothing}
      aria-current=${this.path === path ? 'page' : nothing}
      @click=${() => this.#go(path)}
      @contextmenu=${menu}
      @dragover=${(event: DragEvent) => (allowDrop(event), (this.over = path))}
      @dragleave=${() => (this.over = '')}
      @drop=${drop}
    >
      ${glyph(sign)}<span>${name}</span>
    </button>`;
  }
}

customElements.define('svc-file-places', SvcFilePlaces);
