/** The question before something that is not saved in a window is lost. It is over the window, below the title bar, and the keyboard is in it. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import type { Asking, NotSaved, UnsavedAnswer } from '../windows/unsaved.ts';
import { keepTab } from './keep-tab.ts';
import { questionStyles } from './question-styles.ts';

/** A press that was meant for what was there before counts for nothing. */
const settleMs = 300;

export class SvcUnsaved extends LitElement {
  static override properties = {
    asking: { attribute: false },
    what: { attribute: false },
    name: { attribute: false },
    top: { attribute: false },
    answer: { attribute: false },
  };
  declare asking: Asking;
  declare what: NotSaved | undefined;
  /** Name of the app. */
  declare name: string;
  declare top: boolean;
  declare answer: (answer: UnsavedAnswer) => void;
  #watch = new Watch(this, () => [language]);
  #shownMs = 0;

  static override styles = [base, questionStyles];

  override firstUpdated(): void {
    void this.#watch;
    this.#shownMs = performance.now();
  }

  override updated(changed: PropertyValues<this>): void {
    if (this.top && changed.has('asking')) this.focusContent();
  }

  focusContent(): void {
    this.renderRoot.querySelector<HTMLElement>('[data-first]')?.focus({ preventScroll: true });
  }

  #answer(answer: UnsavedAnswer): void {
    if (answer === 'stay' || performance.now() - this.#shownMs >= settleMs) this.answer(answer);
  }

  #key(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#answer('stay');
    }
    keepTab(event, this.renderRoot);
  }

  override render(): TemplateResult {
    const { act, state } = this.asking;
    const saving = state === 'saving';
    const nome = this.what?.name ?? null;
    return html`<form
      role="alertdialog"
      aria-labelledby="who"
      aria-describedby="words"
      @keydown=${(event: KeyboardEvent) => this.#key(event)}
      @submit=${(event: SubmitEvent) => event.preventDefault()}
    >
      <h3 id="who">${this.name}</h3>
      <div id="words">
        <p>${nome === null ? text('unsaved.some') : text('unsaved.named', { nome })}</p>
        ${saving ? html`<p role="status">${text('unsaved.saving')}</p>` : nothing}
        ${state === 'failed' ? html`<p role="alert">${text('unsaved.failed')}</p>` : nothing}
      </div>
      <div class="buttons">
        <ui-button data-first @click=${() => this.#answer('stay')}>${text('unsaved.stay')}</ui-button>
        <ui-button variant="danger" @click=${() => this.#answer('discard')}> ${text(`unsaved.${act}`)} </ui-button>
        ${
          this.what?.saves === true
            ? html`<ui-button variant="primary" ?busy=${saving} @click=${() => this.#answer('save')}>
                ${text(`unsaved.save.${act}`)}
              </ui-button>`
            : nothing
        }
      </div>
    </form>`;
  }
}

customElements.define('svc-unsaved', SvcUnsaved);
