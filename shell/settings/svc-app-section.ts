/** A section of Settings that an app draws: what goes wrong in it stays in it. */
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import type { AppSettings } from '../../schema/wire/settings.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { noteStyles } from '../ui/piece-styles.ts';
import { dark } from '../ui/theme.ts';
import { scriptFault, within } from '../scripts/registry.ts';
import { appSections, type RegisteredSection } from '../scripts/sections.ts';

export class SvcAppSection extends LitElement {
  static override properties = { app: { attribute: false }, problem: { state: true }, busy: { state: true } };
  declare app: AppSettings;
  /** The error that was thrown; undefined: none. */
  declare problem: unknown;
  declare busy: boolean;
  #watch = new Watch(this, () => [language]);
  #end: unknown = null;
  #draws = 0;

  constructor() {
    super();
    this.problem = undefined;
    this.busy = false;
  }

  static override styles = [
    base,
    noteStyles,
    css`
      .technical {
        margin-top: 8px;
        color: var(--muted);
        font-size: 13px;
        overflow-wrap: anywhere;
      }
      ui-button {
        margin-top: 12px;
      }
      .drawn {
        overflow: auto;
      }
    `,
  ];

  override updated(changed: PropertyValues<this>): void {
    void this.#watch;
    if (changed.has('app') && changed.get('app')?.secao?.endereco !== this.app.secao?.endereco) void this.#draw();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
  }

  #leave(): void {
    const end = this.#end;
    this.#end = null;
    try {
      leave(end);
    } catch (error) {
      this.problem = error;
    }
  }

  async #draw(): Promise<void> {
    const { app } = this;
    const draw = (this.#draws += 1);
    const isOver = (): boolean => draw !== this.#draws || !this.isConnected;
    this.#leave();
    this.problem = undefined;
    this.busy = true;
    try {
      const section = await appSections.load(app.id, app.secao?.endereco ?? '');
      if (isOver()) return;
      const end = await drawn(section, this.#empty(), app.id);
      // The person went elsewhere while it was drawn.
      if (isOver()) return leave(end);
      this.#end = end;
    } catch (error) {
      if (isOver()) return;
      this.#empty();
      this.problem = error ?? null;
    }
    this.busy = false;
  }

  /** A place of its own: what another section still draws goes nowhere. */
  #empty(): HTMLElement {
    const place = document.createElement('div');
    this.renderRoot.querySelector('.drawn')?.replaceChildren(place);
    return place;
  }

  override render(): TemplateResult {
    const { problem, app } = this;
    return html`<div class="drawn" aria-busy=${this.busy}></div>
      ${this.busy ? html`<p role="status">${text('settings.sectionLoading')}</p>` : nothing}
      ${
        problem === undefined
          ? nothing
          : html`<p class="problem" role="alert">${text('settings.sectionBroken', { nome: app.nome })}</p>
              <p class="technical">${scriptFault(problem, language.get())}</p>
              <ui-button @click=${() => void this.#draw()}>${text('settings.again')}</ui-button>`
      }`;
  }
}

/** `end`: what drawing it gave; it may be anything. */
function leave(end: unknown): void {
  if (typeof end === 'function') end();
}

/** Draws the section; returns the function that ends it. */
async function drawn(section: RegisteredSection, place: HTMLElement, app: string): Promise<unknown> {
  const tema = dark.get() ? ('escuro' as const) : ('claro' as const);
  return await within(section.montar(place, { app, idioma: language.get(), tema }), 'script.lateToDraw');
}

customElements.define('svc-app-section', SvcAppSection);
