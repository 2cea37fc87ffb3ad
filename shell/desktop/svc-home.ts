/**
 * The desktop itself: a greeting, the apps, and the files of the folder of the desktop, behind the windows, in sight and in reach until windows cover all of it (one is maximised,
 * two halves, or the screen is narrower than 600 px): only then it is out of the order of Tab. It once went away with the first window,
 * however small. While one of its apps has the keyboard's focus the windows in front are nearly transparent, so that the focus is always
 * seen.
 */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { SvcDeskFiles } from '../files/svc-desk-files.ts';
import { language, shownAs, text } from '../i18n/i18n.ts';
import { appEntries, desktopGroups, openAppMenu, openDesktopMenu, type AppEntry } from '../launcher/entries.ts';
import { nextTile } from '../launcher/grid-keys.ts';
import { tileStyles } from '../ui/tile-styles.ts';
import { Watch } from '../state/signal.ts';
import '../../sdk/web/ui/empty.ts';
import '../ui/app-icon.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { isMenuKey, type MenuPlace } from '../ui/menu.ts';
import { typeAhead } from '../../sdk/web/ui/type-ahead.ts';
import { loadPart } from '../windows/load-part.ts';
import { part } from '../session/part.ts';
import type { Desk } from './desk.ts';

export const greetingKey = (hour: number): 'home.morning' | 'home.afternoon' | 'home.evening' =>
  hour >= 5 && hour < 12 ? 'home.morning' : hour >= 12 && hour < 18 ? 'home.afternoon' : 'home.evening';

/** More apps than four rows of five take the width of the screen. */
const manyTiles = 20;

export class SvcHome extends LitElement {
  static override properties = { desk: { attribute: false }, focused: { state: true } };
  declare desk: Desk;
  declare focused: number;
  #watch = new Watch(this, () => [this.desk.apps.state, this.desk.shop.state, language]);
  #typed = typeAhead();

  constructor() {
    super();
    this.focused = 0;
  }

  static override styles = [
    base,
    tileStyles,
    css`
      :host {
        position: absolute;
        inset: 0;
        display: grid;
        justify-items: center;
        align-content: safe center;
        gap: 36px;
        padding: 32px 16px;
        overflow: auto;
      }
      :host([inert]) {
        visibility: hidden;
      }
      .greeting {
        text-align: center;
      }
      h1 {
        font-size: clamp(24px, 4vw, 34px);
        font-weight: 600;
        letter-spacing: -0.02em;
      }
      .date {
        margin-top: 6px;
        color: var(--wall-muted);
      }
      .tiles {
        width: min(680px, 100%);
        grid-template-columns: repeat(auto-fit, minmax(104px, 120px));
        justify-content: center;
        gap: 8px;
      }
      .tiles.many {
        width: min(1100px, 100%);
      }
      .tile:hover {
        background: var(--wall-hover);
      }
      .dot {
        border-color: var(--wall-edge);
      }
      ui-empty {
        --svc-texto-fraco: var(--wall-muted);
        padding: 0;
        justify-items: start;
        text-align: start;
      }
      .notice {
        display: flex;
        gap: 8px;
        max-width: 680px;
        padding: 10px 12px;
        border-radius: 8px;
        background: var(--note);
        color: var(--on-note);
      }
      .notice svg {
        flex: none;
      }
      svc-desk-files {
        width: min(680px, 100%);
      }
      svc-desk-files:not([filled]) {
        display: none;
      }
      @media (min-width: 1200px) {
        svc-desk-files {
          position: absolute;
          inset: 16px auto 16px 16px;
          width: 236px;
        }
      }
    `,
  ];

  /** Opens the menu of the background; the elements on it have menus of their own. */
  readonly #menu = (event: MouseEvent): void => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    this.#openGroundMenu({ x: event.clientX, y: event.clientY, of: this });
  };
  readonly #over = (event: DragEvent): void => this.#files?.allow?.(event);
  readonly #drop = (event: DragEvent): void => this.#files?.take?.(event);

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener('contextmenu', this.#menu);
    this.addEventListener('dragover', this.#over);
    this.addEventListener('drop', this.#drop);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeEventListener('contextmenu', this.#menu);
    this.removeEventListener('dragover', this.#over);
    this.removeEventListener('drop', this.#drop);
  }

  /** An element drawn before its module was loaded has none of its methods yet. */
  get #files(): Partial<SvcDeskFiles> | null {
    return this.renderRoot.querySelector<SvcDeskFiles>('svc-desk-files');
  }

  #openGroundMenu(place: MenuPlace): void {
    const files = this.#files;
    if (files?.isThere === true) files.openGroundMenu?.(place);
    else openDesktopMenu(this.desk, place);
  }

  get #tiles(): readonly HTMLButtonElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLButtonElement>('.tile')];
  }

  #key(event: KeyboardEvent, entries: readonly AppEntry[]): void {
    if (isMenuKey(event)) {
      event.preventDefault();
      const app = entries[this.focused]?.app ?? null;
      const of = this.#tiles[this.focused];
      if (of === undefined) return;
      const box = of.getBoundingClientRect();
      const place = { x: box.left + box.width / 2, y: box.top + box.height / 2, of };
      if (app === null) this.#openGroundMenu(place);
      else openAppMenu(this.desk, app, place);
      return;
    }
    const boxes = this.#tiles.map((tile) => tile.getBoundingClientRect());
    const letter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey;
    const next = letter
      ? this.#typed(
          event.key,
          entries.map(({ name }) => name),
          this.focused,
        )
      : nextTile(boxes, this.focused, event.key);
    if (next === null) return;
    event.preventDefault();
    this.focused = next;
    this.#tiles[next]?.focus();
  }

  override render(): TemplateResult {
    void this.#watch;
    const entries = appEntries(this.desk);
    const now = new Date();
    const firstName = this.desk.session.nome.split(' ', 1)[0] ?? '';
    const date = new Intl.DateTimeFormat(shownAs(), { weekday: 'long', day: 'numeric', month: 'long' }).format(now);
    const { loaded } = this.desk.apps.state.get();
    return html`
      <div class="greeting">
        <h1>${text(greetingKey(now.getHours()), { nome: firstName })}</h1>
        <p class="date">${date}</p>
      </div>
      ${
        this.desk.session.aviso?.reason === 'LingerBroken'
          ? html`<p class="notice" role="note">${glyph('warning')}<span>${text('home.lingerBroken')}</span></p>`
          : nothing
      }
      ${loaded && !entries.some(({ app }) => app !== null) ? html`<ui-empty>${text('home.empty')}</ui-empty>` : nothing}
      ${
        loaded
          ? html`<div
              class="tiles ${entries.length > manyTiles ? 'many' : ''}"
              role="group"
              aria-label=${text('launcher.title')}
              @keydown=${(event: KeyboardEvent) => this.#key(event, entries)}
            >
              ${entries.map((entry, index) => this.#tile(entry, index))}
            </div>`
          : nothing
      }
      ${loaded ? this.#deskFiles() : nothing}
    `;
  }

  #deskFiles(): TemplateResult {
    loadPart(this.desk, 'svc-desk-files', () => part('svc-desk-files', () => import('../files/svc-desk-files.ts')));
    return html`<svc-desk-files
      .desk=${this.desk}
      .others=${desktopGroups(this.desk)}
      @focusin=${(event: FocusEvent) => this.toggleAttribute('sought', (event.target as HTMLElement).matches(':focus-visible, :has(:focus-visible)'))}
      @focusout=${() => this.removeAttribute('sought')}
    ></svc-desk-files>`;
  }

  #tile(entry: AppEntry, index: number): TemplateResult {
    const { app } = entry;
    const state = app === null ? null : text(`state.${app.status}`);
    return html`<button
      class="tile"
      type="button"
      tabindex=${index === Math.min(this.focused, this.#tiles.length === 0 ? 0 : this.#tiles.length - 1) ? 0 : -1}
      title=${entry.description === '' ? nothing : entry.description}
      @focus=${(event: FocusEvent) => {
        this.focused = index;
        this.toggleAttribute('sought', (event.target as HTMLElement).matches(':focus-visible'));
      }}
      @blur=${() => this.removeAttribute('sought')}
      @click=${() => entry.run()}
      @contextmenu=${(event: MouseEvent) => {
        event.preventDefault();
        if (app !== null) openAppMenu(this.desk, app, { x: event.clientX, y: event.clientY, of: event.currentTarget as Element });
      }}
    >
      <span class="picture">
        <svc-app-icon .app=${app ?? undefined} .builtin=${entry.builtin} .size=${48}></svc-app-icon>
        ${app === null ? nothing : html`<span class="dot ${app.status}"></span>`}
        ${entry.badge === 0 ? nothing : html`<span class="badge" aria-hidden="true">${entry.badge}</span>`}
      </span>
      <span class="name">${entry.name}</span>
      ${entry.badge === 0 ? nothing : html`<span class="sr-only">${text('store.updates', { n: entry.badge })}</span>`}
      ${state === null ? nothing : html`<span class="sr-only">${state}</span>`}
    </button>`;
  }
}

customElements.define('svc-home', SvcHome);
