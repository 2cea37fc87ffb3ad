/** The dialog of a change: its form, then what it does and which lines it writes, and the word that writes it. Decision: docs/decisions/0345-the-desktop-writes-one-file.md */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import type { OwnDraftAnswer, OwnDraftBody, OwnFileAnswer } from '../../schema/wire/own-file.ts';
import { language, text } from '../i18n/i18n.ts';
import { draftOwn, writeOwn } from '../session/admin-api.ts';
import { ApiError } from '../session/api.ts';
import type { ShopDesk } from '../shop/context.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { packageIn, personIn, type Begun } from './changes.ts';
import { doOne } from './doing.ts';
import { packageFields, personFields } from './forms.ts';
import { mayBeWritten, reviewOf } from './review.ts';
import { adminPanelStyles } from './styles.ts';

export class SvcAdminChange extends LitElement {
  static override properties = {
    desk: { attribute: false },
    own: { attribute: false },
    begun: { attribute: false },
    body: { state: true },
    draft: { state: true },
    trouble: { state: true },
    busy: { state: true },
    app: { state: true },
    everywhere: { state: true },
  };
  declare desk: ShopDesk;
  declare own: OwnFileAnswer;
  declare begun: Begun;
  /** The change that is shown; null: the form is. */
  declare body: OwnDraftBody | null;
  declare draft: OwnDraftAnswer | null;
  declare trouble: string | null;
  declare busy: boolean;
  /** Id of the chosen app; '' the first one. */
  declare app: string;
  declare everywhere: boolean;
  #watch = new Watch(this, () => [language, this.desk.shop.state]);

  constructor() {
    super();
    this.body = null;
    this.draft = null;
    this.trouble = null;
    this.busy = false;
    this.app = '';
    this.everywhere = false;
  }

  static override styles = [
    base,
    adminPanelStyles,
    css`
      ui-dialog {
        --ui-dialog-width: 600px;
      }
      form {
        display: grid;
        gap: 14px;
      }
      [hidden] {
        display: none;
      }
      fieldset {
        display: grid;
        gap: 4px;
        min-width: 0;
        margin: 0;
        padding: 0;
        border: 0;
      }
      legend {
        margin-bottom: 4px;
        padding: 0;
        font-weight: 600;
      }
      section + section {
        margin-top: 18px;
      }
      h3 {
        margin-bottom: 4px;
        font-size: 15px;
      }
      .about {
        margin-top: 8px;
      }
      .errors li,
      .diff li {
        min-height: 0;
        border: 0;
      }
      .errors li {
        padding: 4px 0;
      }
      .diff {
        border: 1px solid var(--line);
        border-radius: 8px;
        overflow: clip;
      }
      .diff li {
        display: grid;
        grid-template-columns: 3ch 2ch minmax(0, 1fr);
        gap: 0 6px;
        padding: 1px 8px;
        border-inline-start: 3px solid transparent;
        font-family: var(--mono);
        font-size: 13px;
      }
      .diff code {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .number {
        color: var(--muted);
        text-align: end;
      }
      .diff .added {
        border-inline-start-color: var(--accent);
        background: var(--selected);
      }
      .diff .removed {
        border-inline-start-color: var(--danger);
        background: var(--note);
        color: var(--on-note);
      }
      .diff .removed .number {
        color: inherit;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    if (this.begun.kind === 'app') {
      this.everywhere = this.begun.app?.everywhere === true;
      // An administrator who has just put an app into the repository looks for it here.
      this.desk.shop.refresh();
    }
    if (this.begun.kind === 'remove') void this.#show({ act: 'remove', kind: this.begun.of, name: this.begun.name });
  }

  async #show(body: OwnDraftBody): Promise<void> {
    await doOne(this, async () => {
      this.draft = await draftOwn(body);
      this.body = body;
    });
    await this.#focus();
  }

  /** Where the step begins; what had the focus is gone. */
  async #focus(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector('ui-dialog')?.focus();
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    if (this.begun.kind === 'person') void this.#show(personIn(data));
    else if (this.begun.kind === 'app') {
      const body = packageIn(data, this.begun.app);
      if (body.package?.everywhere === true || body.package?.servers?.length !== 0) void this.#show(body);
      else this.trouble = text('admin.whereNone');
    }
  }

  async #back(): Promise<void> {
    this.body = null;
    this.draft = null;
    this.trouble = null;
    if (this.begun.kind === 'app') this.desk.shop.refresh();
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('form ui-field, form ui-select')?.focus();
  }

  async #write(): Promise<void> {
    const { body, draft } = this;
    if (body === null || draft === null || !mayBeWritten(draft)) return;
    await doOne(this, async () => {
      try {
        await writeOwn({ ...body, digest: draft.digest });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'FILE_CHANGED') throw error;
        this.draft = await draftOwn(body);
        this.trouble = text('admin.changedMeanwhile');
        return;
      }
      this.dispatchEvent(new CustomEvent<OwnDraftBody>('written', { detail: body }));
    });
    if (this.isConnected) await this.#focus();
  }

  get #title(): string {
    const { begun } = this;
    if (begun.kind === 'person') return text('admin.addPerson');
    if (begun.kind === 'app') return begun.app === null ? text('admin.addApp') : text('admin.changeApp', { nome: begun.app.name });
    return text('admin.removeOne', { nome: begun.name });
  }

  override render(): TemplateResult {
    const isForm = this.body === null && this.begun.kind !== 'remove';
    return html`<ui-dialog open label=${this.#title} ?busy=${this.busy} @close=${() => this.dispatchEvent(new CustomEvent('close'))}>
      ${this.trouble === null ? nothing : html`<p class="note" role="alert">${glyph('warning')}<span>${this.trouble}</span></p>`}
      ${this.begun.kind === 'remove' ? nothing : this.#form(isForm)} ${this.draft === null ? nothing : reviewOf(this.draft, this.#about)}
      ${isForm || this.draft !== null || this.trouble !== null ? nothing : html`<p class="quiet" role="status">${text('admin.asking')}</p>`}
      ${this.#actions(isForm)}
    </ui-dialog>`;
  }

  get #about(): string | null {
    const { begun } = this;
    if (begun.kind === 'person') return text('admin.aboutPerson');
    return begun.kind === 'remove' && begun.of === 'Person' ? text('admin.aboutRemoval') : null;
  }

  /** It stays while the change is shown, so that the way back finds what was typed. */
  #form(isShown: boolean): TemplateResult {
    const { begun, own } = this;
    const offered = this.desk.shop.state.get().apps.filter(({ versions }) => versions.length > 0);
    const fields =
      begun.kind === 'app'
        ? packageFields({
            own,
            of: begun.app,
            offered,
            app: begun.app?.app ?? (this.app === '' ? (offered[0]?.id ?? '') : this.app),
            everywhere: this.everywhere,
            choose: (app) => (this.app = app),
            setEverywhere: (everywhere) => (this.everywhere = everywhere),
          })
        : personFields(own);
    return html`<form id="change" ?hidden=${!isShown} @submit=${(event: SubmitEvent) => this.#submit(event)}>${fields}</form>`;
  }

  #actions(isForm: boolean): TemplateResult {
    if (isForm)
      return html`<ui-button slot="actions" data-close>${text('admin.cancel')}</ui-button>
        <ui-button
          slot="actions"
          variant="primary"
          ?busy=${this.busy}
          @click=${() => this.renderRoot.querySelector<HTMLFormElement>('#change')?.requestSubmit()}
        >
          ${text('admin.seeChange')}
        </ui-button>`;
    const isRemoval = this.begun.kind === 'remove';
    return html`${
        isRemoval
          ? html`<ui-button slot="actions" data-close>${text('admin.cancel')}</ui-button>`
          : html`<ui-button slot="actions" ?disabled=${this.busy} @click=${() => void this.#back()}>${text('admin.back')}</ui-button>`
      }
      <ui-button
        slot="actions"
        variant=${isRemoval ? 'danger' : 'primary'}
        ?busy=${this.busy}
        ?disabled=${this.draft === null || !mayBeWritten(this.draft) || this.draft.diff.length === 0}
        @click=${() => void this.#write()}
      >
        ${text(isRemoval ? 'admin.remove' : 'admin.write')}
      </ui-button>`;
  }
}

customElements.define('svc-admin-change', SvcAdminChange);
