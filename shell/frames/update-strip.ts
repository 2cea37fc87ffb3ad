/** Over the page of an app whose update waits until it stops: which version comes, a button that lets it come, and one that puts this away. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import type { AppProjection } from '../../schema/wire/http.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import type { FrameDesk } from './frame-desk.ts';
import { stripStyles } from './strip-styles.ts';

interface Words {
  readonly title: string;
  readonly hint: string;
}

export class SvcUpdateStrip extends LitElement {
  static override properties = {
    desk: { attribute: false },
    app: { attribute: false },
    window: { attribute: false },
    later: { state: true },
  };
  declare desk: FrameDesk;
  declare app: AppProjection | undefined;
  declare window: string;
  /** The version that the person put off in this window. */
  declare later: string | null;
  #watch = new Watch(this, () => [this.desk.updating, language]);

  constructor() {
    super();
    this.later = null;
  }

  static override styles = [
    base,
    stripStyles,
    css`
      :host {
        display: block;
        flex: none;
      }
      .strip {
        flex-wrap: wrap;
        gap: 8px 12px;
      }
      .strip [role='status'] {
        flex: 1 1 200px;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
        margin-inline-start: auto;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  /** Null: nothing is said. */
  #words(app: AppProjection, going: string | undefined): Words | null {
    const { name: nome, update: versao, updateOthers: n, pinned } = app;
    if (going !== undefined) return { title: text('update.going', { nome, versao: going }), hint: text('update.goingHint') };
    if (versao === null || app.pid === null || this.later === versao) return null;
    const why = pinned ? 'update.pinned' : n > 0 ? 'update.others' : 'update.hint';
    return { title: text('update.title', { nome, versao }), hint: text(why, { nome, n }) };
  }

  /** The button goes with what was pressed: the keyboard goes on in the page. */
  #press(act: () => void): void {
    this.desk.activate(this.window);
    act();
  }

  override render(): TemplateResult {
    const { app } = this;
    const going = app === undefined ? undefined : this.desk.updating.get().get(app.id);
    const words = app === undefined ? null : this.#words(app, going);
    // The status is there before its words are: a screen reader says what comes into it.
    return html`<div class=${words === null ? '' : 'strip'}>
      ${words === null ? nothing : going === undefined ? glyph('reload') : html`<span class="spinner" aria-hidden="true"></span>`}
      <div role="status">${words === null ? nothing : html`<p><strong>${words.title}</strong><span>${words.hint}</span></p>`}</div>
      ${app === undefined || words === null || going !== undefined ? nothing : this.#buttons(app)}
    </div>`;
  }

  #buttons({ id, update, updateOthers, pinned }: AppProjection): TemplateResult {
    return html`<div class="buttons">
      ${
        pinned || updateOthers > 0
          ? nothing
          : html`<ui-button @click=${() => this.#press(() => this.desk.updateApp(id))}>${text('update.now')}</ui-button>`
      }
      <ui-button variant="quiet" @click=${() => this.#press(() => (this.later = update))}>${text('update.later')}</ui-button>
    </div>`;
  }
}

customElements.define('svc-update-strip', SvcUpdateStrip);
