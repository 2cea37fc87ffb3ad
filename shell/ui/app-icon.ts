/** The picture of an app: its icon, a glyph, or its initial on a colour that stays the same. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { AppProjection } from '../../schema/wire/http.ts';
import { devApp } from '../state/dev-app.ts';
import { base } from './base.ts';
import { glyph, type Glyph } from './glyphs.ts';

/** White letters have at least 4.5:1 on each. */
const colours = ['#2f5bd0', '#7a4bc2', '#a8387a', '#b53a34', '#9a5200', '#2a7547', '#0f6f80', '#4d5b73'] as const;

/** The same id has the same colour everywhere. */
export function colourOf(id: string): string {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973;
  return colours[sum % colours.length] ?? colours[0];
}

const initial = (name: string): string => String.fromCodePoint(name.codePointAt(0) ?? 63).toUpperCase();

export class SvcAppIcon extends LitElement {
  static override properties = {
    app: { attribute: false },
    icon: { attribute: false },
    builtin: { attribute: false },
    size: { type: Number },
    failed: { state: true },
  };
  declare app: Pick<AppProjection, 'id' | 'name' | 'icone'> | undefined;
  declare icon: { readonly kind: 'glyph'; readonly name: 'pasta' | 'globo' } | { readonly kind: 'url'; readonly url: string } | null;
  /** Picture of a window of the shell's own. */
  declare builtin: Glyph | null;
  declare size: number;
  /** Addresses that brought no picture. */
  declare failed: ReadonlySet<string>;

  constructor() {
    super();
    this.icon = null;
    this.builtin = null;
    this.size = 40;
    this.failed = new Set();
  }

  static override styles = [
    base,
    css`
      :host {
        display: inline-grid;
        position: relative;
        flex: none;
      }
      .tile {
        display: grid;
        place-items: center;
        border-radius: 24%;
        color: #fff;
        font-weight: 600;
      }
      /* Not text of the button that it is in: that has a name of its own. */
      .badge::after {
        content: 'dev';
      }
      .badge {
        position: absolute;
        inset-inline-end: -7px;
        bottom: -5px;
        padding: 0 3px;
        border-radius: 4px;
        background: var(--accent);
        color: var(--on-accent);
        font: 700 9px/13px var(--mono);
        letter-spacing: 0.02em;
      }
      /* The letter of a small one stays to be read: below it, not over it. */
      .badge.small {
        inset: auto auto -9px 50%;
        translate: -50%;
        line-height: 10px;
      }
      .tile.builtin {
        background: var(--accent);
        color: var(--on-accent);
      }
      img {
        display: block;
        border-radius: 20%;
        object-fit: contain;
      }
    `,
  ];

  override updated(): void {
    const tile = this.renderRoot.querySelector<HTMLElement>('.tile');
    if (tile === null) return;
    tile.style.width = tile.style.height = `${this.size}px`;
    tile.style.fontSize = `${Math.round(this.size * 0.46)}px`;
    if (this.builtin === null) tile.style.backgroundColor = colourOf(this.app?.id ?? '');
  }

  override render(): TemplateResult {
    const isDev = this.app !== undefined && this.app.id === devApp.get();
    return html`${this.#picture()}${isDev ? html`<span class="badge ${this.size < 32 ? 'small' : ''}"></span>` : nothing}`;
  }

  #picture(): TemplateResult {
    const inner = Math.round(this.size * 0.64);
    if (this.builtin !== null) return html`<span class="tile builtin">${glyph(this.builtin, inner)}</span>`;
    if (this.icon?.kind === 'glyph')
      return html`<span class="tile">${glyph(this.icon.name === 'pasta' ? 'folder' : 'globe', inner)}</span>`;
    const url = [this.icon?.url, this.app?.icone].find((each) => each != null && !this.failed.has(each));
    if (url == null) return html`<span class="tile" aria-hidden="true">${initial(this.app?.name ?? '?')}</span>`;
    return html`<img
      src=${url}
      alt=""
      width=${this.size}
      height=${this.size}
      draggable="false"
      @error=${() => (this.failed = new Set([...this.failed, url]))}
    />`;
  }
}

customElements.define('svc-app-icon', SvcAppIcon);
