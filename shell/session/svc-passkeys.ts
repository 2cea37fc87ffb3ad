/** The passkeys of the person, a section of Settings: made, named, removed. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import '../../sdk/web/ui/field.ts';
import type { PasskeyRow, PasskeysAnswer } from '../../schema/wire/passkeys.ts';
import { language, relativeTime, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { browserOf } from './agent.ts';
import { knowsPasskeys, listPasskeys, makePasskey, removePasskey, renamePasskey, sayPasskeyTrouble } from './passkey.ts';
import { passkeyStyles } from './passkey-styles.ts';

/** Asked now; `null` of a name: a new one. */
type Open = { readonly kind: 'name'; readonly row: PasskeyRow | null } | { readonly kind: 'remove'; readonly row: PasskeyRow };

const nameCharsMax = 64;

/** Says which device it is; the person may change it. */
export const passkeyName = (): string => (browserOf(navigator.userAgent) ?? text('passkeys.one')).slice(0, nameCharsMax);

export class SvcPasskeys extends LitElement {
  static override properties = {
    answer: { state: true },
    open: { state: true },
    busy: { state: true },
    problem: { state: true },
    done: { state: true },
  };
  /** Null until they were read. */
  declare answer: PasskeysAnswer | null;
  declare open: Open | null;
  declare busy: boolean;
  declare problem: string | null;
  /** The last act, for a screen reader. */
  declare done: string;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.answer = null;
    this.open = null;
    this.busy = false;
    this.problem = null;
    this.done = '';
  }

  static override styles = [base, passkeyStyles];

  override firstUpdated(): void {
    void this.#watch;
    void this.#act(async () => undefined, '');
  }

  /** True when it was done; the list is read anew in any case. */
  async #act(act: () => Promise<unknown>, done: string): Promise<boolean> {
    this.busy = true;
    this.problem = null;
    this.done = '';
    let isDone = false;
    try {
      await act();
      this.open = null;
      this.done = done;
      isDone = true;
    } catch (error) {
      this.problem = sayPasskeyTrouble(error);
    }
    try {
      this.answer = await listPasskeys();
    } catch (error) {
      this.problem ??= sayPasskeyTrouble(error);
    }
    this.busy = false;
    return isDone;
  }

  async #name(event: SubmitEvent, row: PasskeyRow | null): Promise<void> {
    event.preventDefault();
    const nome = this.renderRoot.querySelector('ui-field')?.value.trim() ?? '';
    if (nome === '' || this.busy) return;
    const act = row === null ? () => makePasskey(nome) : () => renamePasskey(row.id, nome);
    await this.#act(act, text(row === null ? 'passkeys.made' : 'passkeys.renamed', { nome }));
  }

  async #remove({ id, nome }: PasskeyRow): Promise<void> {
    if (!(await this.#act(() => removePasskey(id), text('passkeys.removed', { nome })))) return;
    // The button that was pressed is gone.
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('.lead')?.focus();
  }

  override render(): TemplateResult {
    const { answer, open } = this;
    const knows = knowsPasskeys();
    const may = answer?.podeCriar === true && knows;
    return html`
      <p class="lead" tabindex="-1">${text('passkeys.lead')}</p>
      ${this.problem !== null && open === null ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      <p class="sr-only" role="status">${this.done}</p>
      ${answer?.passkeys.length === 0 ? html`<p class="lead">${text('passkeys.none')}</p>` : nothing}
      <ul aria-label=${text('passkeys.title')} aria-busy=${answer === null}>
        ${repeat(
          answer?.passkeys ?? [],
          ({ id }) => id,
          (row) => this.#row(row),
        )}
      </ul>
      <div class="actions">
        ${answer === null || may ? nothing : html`<p class="lead">${text(knows ? 'passkeys.signInAgain' : 'passkeys.unknown')}</p>`}
        <ui-button ?disabled=${this.busy || !may} @click=${() => (this.open = { kind: 'name', row: null })}
          >${text('passkeys.add')}</ui-button
        >
      </div>
      ${open?.kind === 'name' ? this.#naming(open.row) : nothing} ${open?.kind === 'remove' ? this.#removing(open.row) : nothing}
    `;
  }

  #row(row: PasskeyRow): TemplateResult {
    const { nome, criadaEm, usadaEm, copiada } = row;
    const now = Date.now();
    const facts = [
      text('passkeys.madeAt', { quando: relativeTime(criadaEm, now) }),
      usadaEm === 0 ? text('passkeys.unused') : text('passkeys.seen', { quando: relativeTime(usadaEm, now) }),
      ...(copiada ? [text('passkeys.copied')] : []),
    ].join(' · ');
    return html`<li>
      <div class="what">
        <strong>${nome}</strong>
        <p>${facts}</p>
      </div>
      <ui-button ?disabled=${this.busy} label=${text('passkeys.renameOne', { nome })} @click=${() => (this.open = { kind: 'name', row })}>
        ${text('passkeys.rename')}
      </ui-button>
      <ui-button ?disabled=${this.busy} label=${text('passkeys.removeOne', { nome })} @click=${() => (this.open = { kind: 'remove', row })}>
        ${text('passkeys.remove')}
      </ui-button>
    </li>`;
  }

  #close(): void {
    this.open = null;
    this.problem = null;
  }

  get #trouble(): TemplateResult | typeof nothing {
    return this.problem === null ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`;
  }

  #naming(row: PasskeyRow | null): TemplateResult {
    return html`<ui-dialog
      open
      label=${row === null ? text('passkeys.add') : text('passkeys.renameOne', { nome: row.nome })}
      ?busy=${this.busy}
      @close=${() => this.#close()}
    >
      <form id="named" @submit=${(event: SubmitEvent) => this.#name(event, row)}>
        ${this.#trouble}
        <ui-field
          autofocus
          label=${text('passkeys.name')}
          hint=${row === null ? text('passkeys.nameHint') : ''}
          maxlength=${nameCharsMax}
          autocomplete="off"
          .value=${row?.nome ?? passkeyName()}
        ></ui-field>
        <div class="actions">
          <ui-button @click=${() => this.#close()}>${text('passkeys.cancel')}</ui-button>
          <ui-button variant="primary" type="submit" ?disabled=${this.busy}>
            ${text(row === null ? 'passkeys.goOn' : 'passkeys.rename')}
          </ui-button>
        </div>
      </form>
    </ui-dialog>`;
  }

  #removing(row: PasskeyRow): TemplateResult {
    return html`<ui-dialog
      open
      alert
      label=${text('passkeys.removeOne', { nome: row.nome })}
      ?busy=${this.busy}
      @close=${() => this.#close()}
    >
      ${this.#trouble}
      <p>${text('passkeys.removeWhat')}</p>
      <ui-button slot="actions" autofocus @click=${() => this.#close()}>${text('passkeys.cancel')}</ui-button>
      <ui-button slot="actions" variant="danger" ?disabled=${this.busy} @click=${() => void this.#remove(row)}>
        ${text('passkeys.remove')}
      </ui-button>
    </ui-dialog>`;
  }
}

customElements.define('svc-passkeys', SvcPasskeys);
