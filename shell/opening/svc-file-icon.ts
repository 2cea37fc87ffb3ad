/** The picture of a file: a sheet with a sign for the kinds that the desktop knows, a sheet in the colour of an app with its badge for types of its own. */
import { css, html, LitElement, nothing, svg, type PropertyValues, type SVGTemplateResult, type TemplateResult } from 'lit';
import { base } from '../ui/base.ts';
import type { FileMark } from './file-mark.ts';
import type { Kind } from './kinds.ts';

/** On a sheet of 32 × 32: what is drawn in it, and its colour. White on it has at least 4.5:1. */
const signs: Readonly<Record<Exclude<Kind, 'folder'>, { readonly colour: string; readonly shape: SVGTemplateResult }>> = {
  image: { colour: '#7a4bc2', shape: svg`<circle cx="13" cy="16" r="1.6"/><path d="m9.5 24 4.5-5 2.6 2.8 2.4-2.6 3.5 4.8z"/>` },
  video: { colour: '#a8387a', shape: svg`<rect x="9" y="15" width="9" height="9" rx="1.5"/><path d="m18.5 18.5 4-2v6l-4-2z"/>` },
  audio: {
    colour: '#0f6f80',
    shape: svg`<path d="M13 23.5v-7l7-1.5v7"/><circle cx="11.5" cy="23" r="1.8"/><circle cx="18.5" cy="21.8" r="1.8"/>`,
  },
  compressed: {
    colour: '#9a5200',
    shape: svg`<path d="M15 12v2m2 0v2m-2 0v2m2 0v2"/><rect x="13.5" y="20.5" width="5" height="4" rx="1"/>`,
  },
  code: { colour: '#2f5bd0', shape: svg`<path d="m13 16.5-3.5 3.2 3.5 3.2m6-6.4 3.5 3.2-3.5 3.2m-2-7.4-2 8.4"/>` },
  page: {
    colour: '#2a7547',
    shape: svg`<circle cx="16" cy="20" r="5"/><path d="M11 20h10m-5-5c3.2 3.2 3.2 6.8 0 10m0-10c-3.2 3.2-3.2 6.8 0 10"/>`,
  },
  text: { colour: '#4d5b73', shape: svg`<path d="M10.5 16.5h11m-11 3.5h11m-11 3.5h7"/>` },
  office: { colour: '#1d63a8', shape: svg`<rect x="10" y="15.5" width="12" height="9" rx="1"/><path d="M10 18.5h12m-8-3v9"/>` },
  pdf: {
    colour: '#b53a34',
    shape: svg`<path d="M11 24c3-3 5-7 4.6-8.4-.4-1.3-1.7-.4-1.2 1.4.6 2.4 3 4.6 6 5 1.5.2 1.6-1 .1-1.2-2.5-.3-6.5.8-9.5 3.2z"/>`,
  },
  unknown: { colour: '#6a7486', shape: svg`` },
};

export class SvcFileIcon extends LitElement {
  static override properties = { mark: { attribute: false }, size: { type: Number }, broken: { state: true } };
  declare mark: FileMark;
  declare size: number;
  /** The address that brought no picture. */
  declare broken: string | null;

  constructor() {
    super();
    this.mark = { kind: 'unknown', nome: null, sheet: null };
    this.size = 32;
    this.broken = null;
  }

  static override styles = [
    base,
    css`
      :host {
        position: relative;
        display: inline-grid;
        flex: none;
      }
      .paper {
        fill: var(--surface);
        stroke: var(--idle);
      }
      .fold {
        fill: var(--hover);
        stroke: var(--idle);
      }
      .folder {
        fill: light-dark(#5b86e8, #4a72d4);
      }
      .lid {
        fill: light-dark(#3f6be0, #3a60bf);
      }
      img {
        position: absolute;
        inset: 30% 26% auto 26%;
        width: 48%;
        height: 36%;
        object-fit: contain;
      }
    `,
  ];

  override updated(changed: PropertyValues<this>): void {
    if (!changed.has('mark') && !changed.has('size')) return;
    this.style.width = this.style.height = `${this.size}px`;
    const { sheet } = this.mark;
    // By the object model: the policy of the page refuses styles in markup.
    if (sheet !== null) for (const part of this.renderRoot.querySelectorAll<SVGElement>('.own')) part.style.fill = sheet.cor;
  }

  override render(): TemplateResult {
    const { mark, size } = this;
    if (mark.kind === 'folder')
      return html`<svg width=${size} height=${size} viewBox="0 0 32 32" aria-hidden="true">
        <path class="lid" d="M3 8.5C3 7 4 6 5.5 6H12l2.5 3H26c1.7 0 3 1 3 2.5V14H3z" />
        <path class="folder" d="M3 12h26v11.5c0 1.5-1.2 2.5-2.7 2.5H5.7C4.2 26 3 25 3 23.5z" />
      </svg>`;
    return html`<svg width=${size} height=${size} viewBox="0 0 32 32" aria-hidden="true">
        <path class="paper" d="M7.5 2.5h12l6 6v19c0 1.1-.9 2-2 2h-16c-1.1 0-2-.9-2-2v-23c0-1.1.9-2 2-2z" />
        <path class="fold" d="M19.5 2.5v4c0 1.1.9 2 2 2h4z" />
        ${mark.sheet === null ? this.#sign(mark.kind) : this.#badge(mark.sheet)}
      </svg>
      ${this.#picture()}`;
  }

  #sign(kind: Exclude<Kind, 'folder'>): SVGTemplateResult {
    const { colour, shape } = signs[kind];
    return svg`<g fill="none" stroke=${colour} stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">${shape}</g>`;
  }

  #badge({ selo }: NonNullable<FileMark['sheet']>): SVGTemplateResult {
    return svg`<path class="own" d="M7.5 2.5h12l6 6H7.5c-1.1 0-2 0-2-1v-3c0-1.1.9-2 2-2z" />
      ${
        selo === null
          ? nothing
          : svg`<rect class="own" x="3" y="20.5" width="26" height="9" rx="2.5" /><text x="16" y="27.6" fill="#fff" font-size=${selo.length > 4 ? 6.2 : 7.4} font-weight="700" text-anchor="middle">${selo}</text>`
      }`;
  }

  /** The icon of the type, else of its app; it is smaller than its badge, and says nothing that the badge does not. */
  #picture(): TemplateResult | typeof nothing {
    const { sheet } = this.mark;
    if (sheet === null) return nothing;
    const address = sheet.icone ?? `/api/apps/${sheet.app}/icone`;
    return this.broken === address
      ? nothing
      : html`<img src=${address} alt="" draggable="false" @error=${() => (this.broken = address)} />`;
  }
}

customElements.define('svc-file-icon', SvcFileIcon);
