/**
 * Two questions shown instead of the desktop: whether to sign in by a link that another page led to (its person is named above the button),
 * and whether to go on as the person who signed in while this page was open. Decision: docs/decisions/0121-who-led-to-a-link.md
 */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import type { LinkOwnerAnswer, SessionAnswer } from '../../schema/wire/http.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { isPassing, signIn } from './api.ts';
import { sayError } from './say-error.ts';
import { sayRefusal, type Refusal } from './say-refusal.ts';
import { signInStyles } from './sign-in-styles.ts';

export type Question =
  | { readonly kind: 'link'; readonly passe: string; readonly owner: LinkOwnerAnswer; readonly session: SessionAnswer | null }
  | { readonly kind: 'other'; readonly session: SessionAnswer };

/**
 * Against a page that provokes clicks and shows this one after the first: none of the series has an effect. This page may have loaded long
 * before, under a window that the first click closes: the time counts only while it is in front and is not pressed.
 */
const readyMs = 800;

const problem = (words: string): TemplateResult => html`<p class="problem" role="alert">${glyph('warning')}<span>${words}</span></p>`;

export class SvcLinkQuestion extends LitElement {
  static override properties = {
    question: { attribute: false },
    leave: { attribute: false },
    ready: { state: true },
    refusal: { state: true },
    problem: { state: true },
  };
  declare question: Question;
  /** Signs out and reloads. */
  declare leave: () => Promise<void>;
  declare ready: boolean;
  declare refusal: Refusal | null;
  /** Why signing out failed. */
  declare problem: string | null;
  #watch = new Watch(this, () => [language]);
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A press that began when the button was ready. */
  #pressed = false;
  #entering = false;

  constructor() {
    super();
    this.ready = false;
    this.refusal = null;
    this.problem = null;
  }

  static override styles = [
    base,
    signInStyles,
    css`
      /* A press on it reaches the page, which counts anew. */
      ui-button[disabled] {
        pointer-events: none;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    for (const change of ['focus', 'blur', 'pageshow']) addEventListener(change, this.#count);
    addEventListener('pointerdown', this.#press);
    document.addEventListener('visibilitychange', this.#count);
    this.#count();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const change of ['focus', 'blur', 'pageshow']) removeEventListener(change, this.#count);
    removeEventListener('pointerdown', this.#press);
    document.removeEventListener('visibilitychange', this.#count);
    clearTimeout(this.#timer);
  }

  /** From now, or not at all. */
  #count = (): void => {
    clearTimeout(this.#timer);
    this.ready = false;
    this.#pressed = false;
    if (this.#entering || document.visibilityState !== 'visible' || !document.hasFocus()) return;
    this.#timer = setTimeout(() => (this.ready = true), readyMs);
  };

  /** A press that comes too early was meant for something else, and so may be the next: the delay starts anew. */
  #press = (): void => {
    if (!this.ready) this.#count();
  };

  /** By the keyboard there is no press: `detail` counts clicks of a pointer. */
  #clicked(event: MouseEvent, act: () => void): void {
    const meant = this.ready && (event.detail === 0 || this.#pressed);
    this.#pressed = false;
    if (meant) act();
  }

  async #enter(passe: string): Promise<void> {
    this.#entering = true;
    this.ready = false;
    this.refusal = null;
    try {
      await signIn({ passe });
      location.replace('/');
    } catch (error) {
      this.refusal = error as Refusal;
      if (!isPassing(error)) return;
      // The link is as good as before.
      this.#entering = false;
      this.#count();
    }
  }

  async #leave(): Promise<void> {
    this.problem = null;
    try {
      await this.leave();
    } catch (error) {
      this.problem = text('tasks.error', { erro: sayError(error) });
    }
  }

  override render(): TemplateResult {
    const { question } = this;
    return question.kind === 'link' ? this.#link(question) : this.#other(question.session);
  }

  #button(label: string, act: () => void): TemplateResult {
    return html`<ui-button
      variant="primary"
      ?disabled=${!this.ready}
      @pointerdown=${() => (this.#pressed = this.ready)}
      @click=${(event: MouseEvent) => this.#clicked(event, act)}
    >
      ${label}
    </ui-button>`;
  }

  #link({ passe, owner, session }: Extract<Question, { kind: 'link' }>): TemplateResult {
    const { nome, usuario, admin } = owner;
    return html`<main>
      <span class="mark">${glyph('apps', 26)}</span>
      <h1>${text('link.title', { nome })}</h1>
      ${this.refusal === null ? nothing : problem(sayRefusal(this.refusal))}
      <p class="lead">${text('link.lead', { nome, usuario })}</p>
      ${admin ? html`<p class="lead">${text('link.admin')}</p>` : nothing}
      ${session === null || session.usuario === usuario ? nothing : html`<p class="lead">${text('link.leaves', { nome: session.nome })}</p>`}
      ${this.#button(text('link.enter', { nome }), () => void this.#enter(passe))}
      <ui-button @click=${() => location.replace('/')}>${text('link.cancel')}</ui-button>
    </main>`;
  }

  #other({ nome }: SessionAnswer): TemplateResult {
    return html`<main>
      <span class="mark">${glyph('apps', 26)}</span>
      <h1>${text('other.title', { nome })}</h1>
      ${this.problem === null ? nothing : problem(this.problem)}
      <p class="lead">${text('other.lead')}</p>
      ${this.#button(text('other.stay', { nome }), () => location.replace('/'))}
      <ui-button @click=${() => void this.#leave()}>${text('prefs.signOut')}</ui-button>
    </main>`;
  }
}

customElements.define('svc-link-question', SvcLinkQuestion);
