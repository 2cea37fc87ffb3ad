/** Shown without a session: the ways to sign in that the portal offers (a form, a provider's button) and the one-time link. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/field.ts';
import type { SignInMethodsAnswer } from '../../schema/wire/http.ts';
import { language, text } from '../i18n/i18n.ts';
import { createRetry } from '../state/retry.ts';
import { Watch } from '../state/signal.ts';
import { glyph } from '../ui/glyphs.ts';
import type { Ended } from './leave.ts';
import { signIn, signInMethods, type SignInBody } from './api.ts';
import { passOf } from './link.ts';
import { enterByPasskey, knowsPasskeys } from './passkey.ts';
import { sayRefusal, type Refusal } from './say-refusal.ts';
import { signInStyles } from './sign-in-styles.ts';

const linkCodes: ReadonlySet<string> = new Set(['PASS_REFUSED', 'LINK_FROM_APP', 'MALFORMED_LINK']);

export class SvcSignIn extends LitElement {
  static override properties = {
    refusal: { attribute: false },
    ended: { attribute: false },
    methods: { state: true },
    away: { state: true },
    busy: { state: true },
    shown: { state: true },
    byLink: { state: true },
  };
  /** Why the last attempt came to nothing. */
  declare refusal: Refusal | null;
  /** How the session ended that this page had. */
  declare ended: Ended | null;
  /** Null until the portal said so. */
  declare methods: SignInMethodsAnswer | null;
  /** It could not be asked, and is asked again: links are taken meanwhile. */
  declare away: boolean;
  declare busy: boolean;
  /** The password can be read. */
  declare shown: boolean;
  /** A link was refused: where to paste one stays open. */
  declare byLink: boolean;
  #watch = new Watch(this, () => [language]);
  #retry = createRetry(() => void this.#load());

  constructor() {
    super();
    this.refusal = null;
    this.ended = null;
    this.methods = null;
    this.away = false;
    this.busy = false;
    this.shown = false;
    this.byLink = false;
  }

  /** In the document itself, with the browser's own inputs: what fills in passwords need not look into shadow trees. */
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, signInStyles.styleSheet!];
    void this.#watch;
    void this.#load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== signInStyles.styleSheet);
    this.#retry.succeeded();
  }

  override willUpdate(): void {
    if (this.#ofLink) this.byLink = true;
  }

  /** On a small screen what was said moved the field out of view. */
  async #toForm(field: HTMLElement | null): Promise<void> {
    await this.updateComplete;
    field?.focus();
    field?.closest('form')?.scrollIntoView({ block: 'nearest' });
  }

  get #ofLink(): boolean {
    return this.refusal !== null && linkCodes.has(this.refusal.code);
  }

  async #load(): Promise<void> {
    try {
      this.methods = await signInMethods();
    } catch (error) {
      this.away = true;
      return this.#retry.failed(error);
    }
    this.#retry.succeeded();
    // Keeps the text that was typed meanwhile.
    const typed = this.#field('link')?.value ?? '';
    this.away = false;
    await this.updateComplete;
    const link = this.#field('link');
    if (typed !== '' && link !== null) {
      link.value = typed;
      link.closest('details')?.setAttribute('open', '');
    } else if (this.#ofLink) await this.#toForm(link);
    else if (this.methods.ssh) this.#field('login')?.focus();
  }

  #field(id: string): HTMLInputElement | (HTMLElement & SvcUiField) | null {
    return this.querySelector<HTMLInputElement>(`#${id}`);
  }

  async #paste(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const field = this.#field('link');
    const passe = passOf(field?.value ?? '');
    if (passe !== null) return await this.#enter({ passe }, field);
    this.refusal = { code: 'MALFORMED_LINK' };
    await this.#toForm(field);
  }

  async #password(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const [login, senha] = [this.#field('login'), this.#field('senha')];
    if (login === null || senha === null) return;
    await this.#enter({ login: login.value.trim(), senha: senha.value }, senha);
  }

  async #enter(body: SignInBody, field: HTMLInputElement | (HTMLElement & SvcUiField) | null): Promise<void> {
    await this.#try(() => signIn(body), field);
  }

  /** The page reloads when it was accepted. */
  async #try(enter: () => Promise<void>, field: HTMLInputElement | (HTMLElement & SvcUiField) | null): Promise<void> {
    this.busy = true;
    this.refusal = null;
    try {
      await enter();
      location.replace('/');
    } catch (error) {
      this.refusal = error as Refusal;
      this.busy = false;
      if (field?.type === 'password') field.value = '';
      await this.#toForm(field);
    }
  }

  override render(): TemplateResult {
    const { methods, refusal } = this;
    const ssh = methods?.ssh === true;
    const passkey = methods?.passkey === true && knowsPasskeys();
    const hasOther = passkey || (methods?.oidc ?? null) !== null;
    const others = ssh || hasOther;
    const hasLink = methods !== null || this.away;
    return html`<main aria-busy=${methods === null && !this.away}>
      <span class="mark">${glyph('apps', 26)}</span>
      <h1>${text('signin.title')}</h1>
      ${this.ended === null || refusal !== null ? nothing : html`<p class="ended" role="status">${text(`signin.${this.ended}`)}</p>`}
      ${refusal === null || (hasLink && this.#ofLink) ? nothing : this.#problem(refusal)} ${ssh ? this.#form() : nothing}
      ${ssh && hasOther ? html`<p class="or"><span>${text('signin.or')}</span></p>` : nothing} ${passkey ? this.#passkey(ssh) : nothing}
      ${methods?.oidc == null ? nothing : this.#provider(methods.oidc.label, ssh || passkey)}
      ${
        others
          ? html`<details ?open=${this.byLink}>
              <summary>${text('signin.byLink')}</summary>
              <p class="lead">${text('signin.askLink')}</p>
              ${this.#link()}
            </details>`
          : nothing
      }
      ${
        methods === null || others
          ? nothing
          : html`<p class="lead">${text('signin.lead')}</p>
              ${this.#link()}${this.#steps()}`
      }
      ${
        methods === null && this.away
          ? html`<p class="lead" role="status">${text('signin.away')}</p>
              ${this.#link()}`
          : nothing
      }
      <p class="help"><a href=${`/ajuda/${language.get()}/sign-in.html`}>${text('help.title')}</a></p>
    </main>`;
  }

  #problem(refusal: Refusal): TemplateResult {
    return html`<p class="problem" role="alert">${glyph('warning')}<span>${sayRefusal(refusal)}</span></p>`;
  }

  #form(): TemplateResult {
    return html`<form class="account" @submit=${(event: SubmitEvent) => this.#password(event)}>
      <label class="label" for="login">${text('signin.login')}</label>
      <input
        class="control"
        id="login"
        name="username"
        type="text"
        autocomplete="username"
        autocapitalize="none"
        autocorrect="off"
        spellcheck="false"
        maxlength="128"
        required
      />
      <label class="label" for="senha">${text('signin.password')}</label>
      <span class="secret">
        <input
          class="control"
          id="senha"
          name="password"
          type=${this.shown ? 'text' : 'password'}
          autocomplete="current-password"
          autocapitalize="none"
          spellcheck="false"
          maxlength="1024"
          aria-describedby="which"
          required
        />
        <ui-button
          variant="quiet"
          label=${text(this.shown ? 'signin.hidePassword' : 'signin.showPassword')}
          @click=${() => (this.shown = !this.shown)}
        >
          ${text(this.shown ? 'signin.hide' : 'signin.show')}
        </ui-button>
      </span>
      <p class="hint" id="which">${text('signin.whichPassword')}</p>
      <ui-button variant="primary" type="submit" ?disabled=${this.busy}>${text(this.busy ? 'signin.checking' : 'signin.enter')}</ui-button>
    </form>`;
  }

  #passkey(second: boolean): TemplateResult {
    return html`<ui-button
      variant=${second ? 'plain' : 'primary'}
      class="provider"
      ?disabled=${this.busy}
      @click=${() => void this.#try(enterByPasskey, null)}
      >${text('signin.passkey')}</ui-button
    >`;
  }

  #provider(label: string, second: boolean): TemplateResult {
    return html`<ui-button variant=${second ? 'plain' : 'primary'} class="provider" href="/api/sessao/oidc"
      >${text('signin.provider', { nome: label })}</ui-button
    >`;
  }

  /** Only administrators have the portal's terminal. */
  #steps(): TemplateResult {
    return html`<details>
      <summary>${text('signin.forAdmins')}</summary>
      <ul>
        <li>${text('signin.step1')} <code>${text('signin.command')}</code></li>
        <li>${text('signin.step2')}</li>
        <li>${text('signin.step3')}</li>
      </ul>
    </details>`;
  }

  #link(): TemplateResult {
    return html`<form class="by-link" @submit=${(event: SubmitEvent) => this.#paste(event)}>
      ${this.refusal !== null && this.#ofLink ? this.#problem(this.refusal) : nothing}
      <ui-field id="link" label=${text('signin.paste')} autocomplete="off" spellcheck="false"></ui-field>
      <ui-button
        variant=${this.methods?.ssh === true || this.methods?.passkey === true ? 'plain' : 'primary'}
        type="submit"
        ?disabled=${this.busy}
      >
        ${text('signin.enter')}
      </ui-button>
    </form>`;
  }
}

customElements.define('svc-sign-in', SvcSignIn);
