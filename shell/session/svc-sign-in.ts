/** Shown when nobody is signed in: how to get a link, and a place to paste one. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { ApiError, signIn } from './api.ts';
import { sayError } from './say-error.ts';
import { passOf } from './link.ts';

export class SvcSignIn extends LitElement {
  static override properties = { problem: { state: true }, busy: { state: true } };
  declare problem: string | null;
  declare busy: boolean;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.problem = null;
    this.busy = false;
  }

  static override styles = [
    base,
    css`
      :host {
        display: grid;
        align-content: safe center;
        justify-items: center;
        min-height: 100dvh;
        padding: 24px 16px;
      }
      main {
        width: min(440px, 100%);
        padding: 32px;
        border: 1px solid var(--line);
        border-radius: 16px;
        background: var(--raised);
        box-shadow: var(--shadow-high);
      }
      .mark {
        display: inline-grid;
        place-items: center;
        width: 44px;
        height: 44px;
        border-radius: 12px;
        background: var(--accent);
        color: var(--on-accent);
      }
      h1 {
        margin: 16px 0 8px;
        font-size: 24px;
        letter-spacing: -0.01em;
      }
      p,
      li {
        color: var(--muted);
        line-height: 1.55;
      }
      ol {
        display: grid;
        gap: 8px;
        margin: 16px 0 24px;
        padding-left: 20px;
        list-style: decimal;
      }
      form {
        display: grid;
        gap: 8px;
        padding-top: 20px;
        border-top: 1px solid var(--line);
      }
      label {
        font-size: 14px;
        font-weight: 600;
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
      }
      .field {
        flex: 1 1 180px;
        min-width: 0;
        min-height: 44px;
      }
      .button {
        min-height: 44px;
      }
      .problem {
        display: flex;
        gap: 8px;
        margin-bottom: 16px;
        padding: 10px 12px;
        border-radius: 8px;
        background: var(--note);
        color: var(--on-note);
      }
      .problem svg {
        flex: none;
      }
      @media (max-width: 399px) {
        main {
          padding: 24px 20px;
        }
      }
    `,
  ];

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const field = this.renderRoot.querySelector('input');
    const pass = passOf(field?.value ?? '');
    if (pass === null) {
      this.problem = text('signin.malformed');
      field?.focus();
      return;
    }
    await this.enter(pass);
  }

  /** Spends a pass; the page starts anew when it was good. */
  async enter(pass: string): Promise<void> {
    this.busy = true;
    this.problem = null;
    try {
      await signIn(pass);
      location.replace('/');
    } catch (error) {
      const refused = error instanceof ApiError && error.status >= 400 && error.status < 500;
      this.problem = refused ? text('signin.refused') : text('signin.error', { erro: sayError(error) });
      this.busy = false;
    }
  }

  override render(): TemplateResult {
    void this.#watch;
    return html`<main>
      <span class="mark">${glyph('apps', 26)}</span>
      <h1>${text('signin.title')}</h1>
      ${this.problem === null ? nothing : html`<p class="problem" role="alert">${glyph('warning')}<span>${this.problem}</span></p>`}
      <p>${text('signin.lead')}</p>
      <ol>
        <li>${text('signin.step1')}</li>
        <li>${text('signin.step2')}</li>
        <li>${text('signin.step3')}</li>
      </ol>
      <form @submit=${(event: SubmitEvent) => this.#submit(event)}>
        <label for="link">${text('signin.paste')}</label>
        <div class="row">
          <input class="field" id="link" type="text" autocomplete="off" spellcheck="false" required />
          <button class="button primary" type="submit" ?disabled=${this.busy}>${text('signin.enter')}</button>
        </div>
      </form>
    </main>`;
  }
}

customElements.define('svc-sign-in', SvcSignIn);
