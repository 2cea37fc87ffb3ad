/** Questions of the file manager, over everything: a name that is taken, and what can't be undone. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/checkbox.ts';
import '../../sdk/web/ui/button.ts';
import { text } from '../i18n/i18n.ts';
import { base } from '../ui/base.ts';
import { dialogStyles } from '../ui/dialog-styles.ts';
import type { Conflict } from './uploads.ts';

interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly kind?: 'primary' | 'danger';
}

export class SvcFileQuestion extends LitElement {
  static override properties = { heading: {}, words: {}, choices: { attribute: false }, more: { type: Number } };
  declare heading: string;
  declare words: string;
  declare choices: readonly Choice<string>[];
  /** So many others may be answered alike; below 2 that is not asked. */
  declare more: number;
  answer: (value: string | null, all: boolean) => void = () => undefined;

  constructor() {
    super();
    this.heading = '';
    this.words = '';
    this.choices = [];
    this.more = 0;
  }

  static override styles = [
    base,
    dialogStyles,
    css`
      dialog {
        width: min(540px, calc(100vw - 24px));
      }
      form {
        display: grid;
        gap: 16px;
        padding: 16px 20px 20px;
        overflow-wrap: anywhere;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        justify-content: end;
        gap: 8px;
      }
      .danger {
        background: var(--danger);
        color: var(--on-danger);
        border-color: transparent;
      }
    `,
  ];

  override firstUpdated(): void {
    const dialog = this.renderRoot.querySelector('dialog');
    dialog?.showModal();
    this.renderRoot.querySelector<HTMLElement>('ui-button[variant=primary], ui-button')?.focus();
  }

  #answer(value: string | null): void {
    const all = this.renderRoot.querySelector<SvcUiCheckbox>('ui-checkbox')?.checked === true;
    this.remove();
    this.answer(value, all);
  }

  override render(): TemplateResult {
    return html`<dialog
      aria-labelledby="heading"
      @close=${() => this.#answer(null)}
      @cancel=${(event: Event) => (event.preventDefault(), this.#answer(null))}
    >
      <header><h2 id="heading">${this.heading}</h2></header>
      <form @submit=${(event: Event) => event.preventDefault()}>
        <p>${this.words}</p>
        ${this.more < 2 ? nothing : html`<ui-checkbox label=${text('files.forAll')}></ui-checkbox>`}
        <div class="buttons">
          <ui-button variant="quiet" @click=${() => this.#answer(null)}>${text('files.cancel')}</ui-button>
          ${this.choices.map(
            ({ value, label, kind }) =>
              html`<ui-button variant=${kind ?? 'plain'} @click=${() => this.#answer(value)}>${label}</ui-button>`,
          )}
        </div>
      </form>
    </dialog>`;
  }
}

customElements.define('svc-file-question', SvcFileQuestion);

function ask(question: Pick<SvcFileQuestion, 'heading' | 'words' | 'choices' | 'more'>): Promise<{ value: string; all: boolean } | null> {
  const back = document.activeElement;
  return new Promise((resolve) => {
    const element = Object.assign(new SvcFileQuestion(), question);
    element.answer = (value, all) => {
      if (back instanceof HTMLElement) back.focus();
      resolve(value === null ? null : { value, all });
    };
    document.body.append(element);
  });
}

/** A name that is taken. A folder is not replaced by a file. */
export interface Taken {
  readonly name: string;
  readonly isFolder: boolean;
  /** It and those after it that may be answered alike. */
  readonly left: number;
}

/** Null: put away, and with it all that are left. */
export async function askConflict({ name, isFolder, left }: Taken): Promise<{ readonly choice: Conflict; readonly all: boolean } | null> {
  const answer = await ask({
    heading: text('files.takenTitle'),
    words: text(isFolder ? 'files.takenFolder' : 'files.taken', { nome: name }),
    more: left,
    choices: [
      { value: 'pular', label: text('files.skip') },
      ...(isFolder ? [] : [{ value: 'substituir', label: text('files.replace') }]),
      { value: 'renomear', label: text('files.keepBoth'), kind: 'primary' },
    ],
  });
  return answer === null ? null : { choice: answer.value as Conflict, all: answer.all };
}

/** For what an app is to write. */
export async function askReplace(name: string): Promise<boolean> {
  const choices = [{ value: 'yes', label: text('files.replace'), kind: 'danger' as const }];
  return (await ask({ heading: text('files.takenTitle'), words: text('files.taken', { nome: name }), more: 0, choices })) !== null;
}

export async function askErase(words: string): Promise<boolean> {
  const choices = [{ value: 'yes', label: text('files.eraseYes'), kind: 'danger' as const }];
  return (await ask({ heading: text('files.eraseTitle'), words, more: 0, choices })) !== null;
}

/** A compressed file was opened. */
export async function askExtract(name: string): Promise<boolean> {
  const choices = [{ value: 'yes', label: text('menu.extract'), kind: 'primary' as const }];
  return (await ask({ heading: name, words: text('files.extractWords', { nome: name }), more: 0, choices })) !== null;
}

/** Files do not fit. */
export async function askRoom(words: string): Promise<boolean> {
  const choices = [{ value: 'yes', label: text('files.sendWhatFits'), kind: 'primary' as const }];
  return (await ask({ heading: text('files.noRoomTitle'), words, more: 0, choices })) !== null;
}
