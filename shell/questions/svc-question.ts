/**
 * A single question of an app over its window: it names the app, has the keyboard in it, and Esc dismisses it. The title bar stays usable.
 */
import { html, LitElement, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/field.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { keepTab } from './keep-tab.ts';
import { questionStyles } from './question-styles.ts';
import type { Asked } from './questions.ts';

/** A press that was meant for what was there before counts for nothing. */
const settleMs = 300;

export class SvcQuestion extends LitElement {
  static override properties = { asked: { attribute: false }, name: { attribute: false }, top: { attribute: false } };
  declare asked: Asked;
  /** Name of the app. */
  declare name: string;
  declare top: boolean;
  #watch = new Watch(this, () => [language]);
  #shownMs = 0;

  static override styles = [base, questionStyles];

  override firstUpdated(): void {
    void this.#watch;
    this.#shownMs = performance.now();
    if (this.top) this.focusContent();
  }

  focusContent(): void {
    this.renderRoot.querySelector<HTMLElement>('[data-first]')?.focus({ preventScroll: true });
  }

  #answer(value: boolean | string | null): void {
    if (value === null || performance.now() - this.#shownMs >= settleMs) this.asked.answer(value);
  }

  #key(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#answer(null);
    }
    keepTab(event, this.renderRoot);
  }

  override render(): TemplateResult {
    return html`<form
      role="alertdialog"
      aria-labelledby="who"
      aria-describedby="words"
      @keydown=${(event: KeyboardEvent) => this.#key(event)}
      @submit=${(event: SubmitEvent) => this.#submit(event)}
    >
      <h3 id="who">${text('question.who', { app: this.name })}</h3>
      ${this.#body()}
    </form>`;
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    if (this.asked.question.kind === 'ask') this.#answer(this.renderRoot.querySelector('ui-field')?.value ?? '');
  }

  #body(): TemplateResult {
    const { question } = this.asked;
    const cancel = html`<ui-button @click=${() => this.#answer(null)}>${text('question.cancel')}</ui-button>`;
    if (question.kind === 'paste')
      return html`<p id="words">${text('question.paste')}</p>
        <ui-field
          data-first
          type="textarea"
          label=${text('question.pasteHere')}
          hide-label
          rows="2"
          @paste=${(event: ClipboardEvent) => this.#paste(event)}
        ></ui-field>
        <div class="buttons">${cancel}</div>`;
    const words = html`<p id="words">${question.texto}</p>`;
    if (question.kind === 'ask')
      return html`${words}<ui-field
          data-first
          label=${question.texto}
          hide-label
          .value=${question.valor ?? ''}
          maxlength="1000"
        ></ui-field>
        <div class="buttons">${cancel}<ui-button variant="primary" type="submit">${text('question.ok')}</ui-button></div>`;
    if (question.kind === 'choose')
      return html`${words}
        <ul>
          ${question.entre.map(
            (each, at) =>
              html`<li>
                <ui-button ?data-first=${at === 0} @click=${() => this.#answer(each)}>${each}</ui-button>
              </li>`,
          )}
        </ul>
        <div class="buttons">${cancel}</div>`;
    const { sim, nao, perigo } = question;
    return html`${words}
      <div class="buttons">
        <ui-button ?data-first=${perigo === true} @click=${() => this.#answer(false)}> ${nao ?? text('question.no')} </ui-button>
        <ui-button variant=${perigo === true ? 'danger' : 'primary'} ?data-first=${perigo !== true} @click=${() => this.#answer(true)}>
          ${sim ?? text('question.yes')}
        </ui-button>
      </div>`;
  }

  #paste(event: ClipboardEvent): void {
    event.preventDefault();
    this.#answer(event.clipboardData?.getData('text') ?? '');
  }
}

customElements.define('svc-question', SvcQuestion);
