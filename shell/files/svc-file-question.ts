/** Questions of the file manager, over everything: a name that is taken, and what can't be undone. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/checkbox.ts';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import { text } from '../i18n/i18n.ts';
import { base } from '../ui/base.ts';
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
    css`
      ui-dialog {
        --ui-dialog-width: 540px;
      }
      ui-checkbox {
        margin-top: 16px;
      }
    `,
  ];

  #answer(value: string | null): void {
    const all = this.renderRoot.querySelector<SvcUiCheckbox>('ui-checkbox')?.checked === true;
    this.remove();
    this.answer(value, all);
  }

  override render(): TemplateResult {
    const primary = this.choices.some(({ kind }) => kind === 'primary');
    return html`<ui-dialog open alert label=${this.heading} @close=${() => this.#answer(null)}>
      <p>${this.words}</p>
      ${this.more < 2 ? nothing : html`<ui-checkbox label=${text('files.forAll')}></ui-checkbox>`}
      <ui-button slot="actions" ?autofocus=${!primary} @click=${() => this.#answer(null)}>${text('files.cancel')}</ui-button>
      ${this.choices.map(
        ({ value, label, kind }) =>
          html`<ui-button slot="actions" variant=${kind ?? 'plain'} ?autofocus=${kind === 'primary'} @click=${() => this.#answer(value)}
            >${label}</ui-button
          >`,
      )}
    </ui-dialog>`;
  }
}

customElements.define('svc-file-question', SvcFileQuestion);

function ask(question: Pick<SvcFileQuestion, 'heading' | 'words' | 'choices' | 'more'>): Promise<{ value: string; all: boolean } | null> {
  return new Promise((resolve) => {
    const element = Object.assign(new SvcFileQuestion(), question);
    element.answer = (value, all) => resolve(value === null ? null : { value, all });
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
