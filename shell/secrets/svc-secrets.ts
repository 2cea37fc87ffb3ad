/**
 * The dialog of an app's secrets: which it asks for, which are set; set, replace and remove. A value lives in its input until it is sent,
 * and nowhere else in the page; none ever comes from the portal. Source: rules 2.1 `secrets`, 5.
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import '../../sdk/web/ui/empty.ts';
import '../../sdk/web/ui/field.ts';
import type { SecretsView, SecretView } from '../../schema/wire/http.ts';
import { language, text, type TextKey } from '../i18n/i18n.ts';
import { deleteSecret, listSecrets, putSecret, restartApp } from '../session/api.ts';
import { sayError } from '../session/say-error.ts';
import { type Signal, Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { secretsStyles } from './secrets-styles.ts';
import type { Shell } from '../windows/shell.ts';

export interface SecretsDesk extends Shell {
  /** The app whose secrets are shown. */
  readonly secretsApp: Signal<string | null>;
}

/** Open part of the list: at most one secret at a time. */
interface Open {
  readonly kind: 'edit' | 'remove';
  readonly name: string;
  /** A value of several lines was pasted, which a field of one line would join. */
  readonly lines?: boolean;
}

export class SvcSecrets extends LitElement {
  static override properties = {
    desk: { attribute: false },
    app: { attribute: false },
    view: { state: true },
    open: { state: true },
    busy: { state: true },
    problem: { state: true },
    done: { state: true },
  };
  declare desk: SecretsDesk;
  /** Id of the app. */
  declare app: string;
  declare view: SecretsView | null;
  declare open: Open | null;
  declare busy: boolean;
  declare problem: string | null;
  /** The last act, which a screen reader says, too. */
  declare done: string;
  #watch = new Watch(this, () => [this.desk.apps.state, language]);

  constructor() {
    super();
    this.view = null;
    this.open = null;
    this.busy = false;
    this.problem = null;
    this.done = '';
  }

  static override styles = [base, secretsStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  override firstUpdated(): void {
    void this.#carryOut(() => listSecrets(this.app), '');
  }

  get #name(): string {
    return this.desk.apps.find(this.app)?.name ?? this.app;
  }

  #close(): void {
    this.desk.secretsApp.set(null);
  }

  /** True when it was done. */
  async #carryOut(act: () => Promise<SecretsView>, done: string): Promise<boolean> {
    this.busy = true;
    this.problem = null;
    this.done = '';
    try {
      this.view = await act();
      this.done = done;
      this.open = null;
      this.desk.apps.refresh();
      return true;
    } catch (error) {
      this.problem = sayError(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  async #send(event: SubmitEvent, name: string): Promise<void> {
    event.preventDefault();
    const field = this.renderRoot.querySelector('ui-field');
    if (field === null || this.busy) return;
    if (field.value === '') {
      this.problem = text('secrets.empty');
      field.focus();
      return;
    }
    const { value } = field;
    if (await this.#carryOut(() => putSecret(this.app, name, value), text('secrets.saved', { segredo: name }))) {
      field.value = '';
      await this.#focus(name);
    } else {
      await this.updateComplete;
      field.focus();
    }
  }

  async #remove(name: string): Promise<void> {
    if (await this.#carryOut(() => deleteSecret(this.app, name), text('secrets.removed', { segredo: name }))) await this.#focus(name);
  }

  async #restart(): Promise<void> {
    const restart = async (): Promise<SecretsView> => {
      await restartApp(this.app);
      return listSecrets(this.app);
    };
    await this.#carryOut(restart, text('secrets.restarted', { nome: this.#name }));
  }

  /** Back to the secret that was worked on; to the dialog when it is gone. */
  async #focus(name: string): Promise<void> {
    await this.updateComplete;
    const row = [...this.renderRoot.querySelectorAll<HTMLElement>('li')].find((item) => item.dataset['secret'] === name);
    (row?.querySelector('ui-button') ?? this.renderRoot.querySelector('ui-dialog'))?.focus();
  }

  async #show(open: Open): Promise<void> {
    this.open = open;
    this.problem = null;
    this.done = '';
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(open.kind === 'edit' ? 'ui-field' : '[data-verb=confirm]')?.focus();
  }

  #hide(): void {
    const name = this.open?.name;
    this.open = null;
    this.problem = null;
    if (name !== undefined) void this.#focus(name);
  }

  /** Escape leaves what is open first, then the dialog. */
  #cancel(event: SvcUiDialogEvents['cancel']): void {
    if (this.open === null || event.detail.by !== 'escape') return;
    event.preventDefault();
    this.#hide();
  }

  /** A field of one line would drop line breaks without a word, and the value would be another one. */
  async #paste(event: ClipboardEvent): Promise<void> {
    const pasted = event.clipboardData?.getData('text') ?? '';
    if (this.open === null || !/[\r\n]/.test(pasted.replace(/\r?\n$/, ''))) return;
    event.preventDefault();
    this.open = { ...this.open, lines: true };
    await this.updateComplete;
    const field = this.renderRoot.querySelector('ui-field');
    if (field === null) return;
    await field.updateComplete;
    field.value = pasted;
    field.focus();
  }

  override render(): TemplateResult {
    const { view } = this;
    return html`<ui-dialog
      open
      autofocus
      label=${text('secrets.title', { nome: this.#name })}
      @close=${() => this.#close()}
      @cancel=${(event: SvcUiDialogEvents['cancel']) => this.#cancel(event)}
    >
      <p class="lead">${text('secrets.lead', { nome: this.#name })}</p>
      ${view?.restartNeeded === true ? this.#restartNote() : nothing}
      ${
        this.problem === null || this.open !== null
          ? nothing
          : html`<div class="note" role="alert">
              ${glyph('warning')}
              <p>${this.problem}</p>
            </div>`
      }
      <p class="sr-only" role="status">${this.done}</p>
      ${
        view === null
          ? nothing
          : view.secrets.length === 0
            ? html`<ui-empty>${text('secrets.none')}</ui-empty>`
            : html`<ul aria-busy=${this.busy}>
                ${view.secrets.map((secret) => this.#row(secret))}
              </ul>`
      }
    </ui-dialog>`;
  }

  #restartNote(): TemplateResult {
    return html`<div class="note" role="status">
      ${glyph('reload')}
      <p>${text('secrets.restartNeeded', { nome: this.#name })}</p>
      <ui-button data-verb="restart" ?disabled=${this.busy} @click=${() => this.#restart()}> ${text('secrets.restart')} </ui-button>
    </div>`;
  }

  #row(secret: SecretView): TemplateResult {
    const { name, description } = secret;
    const open = this.open?.name === name ? this.open.kind : null;
    const state = stateOf(secret);
    return html`<li data-secret=${name}>
      <div class="name">
        <code>${name}</code>
        <span class="state ${state.warns ? 'missing' : ''}">${state.warns ? glyph('warning', 14) : nothing}${text(state.key)}</span>
      </div>
      ${description === '' ? nothing : html`<p class="description">${description}</p>`}
      ${open === 'edit' ? this.#form(name) : open === 'remove' ? this.#confirm(name) : this.#verbs(secret)}
    </li>`;
  }

  #verbs({ name, set, declared }: SecretView): TemplateResult {
    const verb = set ? 'secrets.replace' : 'secrets.set';
    return html`<div class="verbs">
      ${
        declared
          ? html`<ui-button
              data-verb="set"
              label="${text(verb)} ${name}"
              ?disabled=${this.busy}
              @click=${() => this.#show({ kind: 'edit', name })}
            >
              ${text(verb)}
            </ui-button>`
          : nothing
      }
      ${
        set
          ? html`<ui-button
              variant="quiet"
              data-verb="remove"
              label="${text('secrets.remove')} ${name}"
              ?disabled=${this.busy}
              @click=${() => this.#show({ kind: 'remove', name })}
            >
              ${text('secrets.remove')}
            </ui-button>`
          : nothing
      }
    </div>`;
  }

  #form(name: string): TemplateResult {
    const lines = this.open?.lines === true;
    return html`<form novalidate @submit=${(event: SubmitEvent) => this.#send(event, name)}>
      <ui-field
        class=${lines ? 'lines' : ''}
        label=${text('secrets.value', { segredo: name })}
        type=${lines ? 'textarea' : 'password'}
        rows="6"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        hint=${lines ? text('secrets.lines') : ''}
        error=${this.problem ?? ''}
        @paste=${(event: ClipboardEvent) => this.#paste(event)}
      ></ui-field>
      <ui-button variant="primary" type="submit" ?disabled=${this.busy}>${text('secrets.save')}</ui-button>
      <ui-button @click=${() => this.#hide()}>${text('secrets.cancel')}</ui-button>
    </form>`;
  }

  #confirm(name: string): TemplateResult {
    return html`<div class="verbs" role="group" aria-label=${text('secrets.removeAsk', { segredo: name })}>
      <ui-button variant="danger" data-verb="confirm" ?disabled=${this.busy} @click=${() => this.#remove(name)}>
        ${text('secrets.removeSure')}
      </ui-button>
      <ui-button @click=${() => this.#hide()}>${text('secrets.cancel')}</ui-button>
      ${this.problem === null ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
    </div>`;
  }
}

function stateOf({ set, required, declared }: SecretView): { readonly key: TextKey; readonly warns: boolean } {
  if (!declared) return { key: 'secrets.stateUnasked', warns: false };
  if (set) return { key: 'secrets.stateSet', warns: false };
  return required ? { key: 'secrets.stateMissing', warns: true } : { key: 'secrets.stateUnset', warns: false };
}

customElements.define('svc-secrets', SvcSecrets);
