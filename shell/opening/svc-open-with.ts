/** "Open with": all that can open a file, apps and parts of the desktop; what is chosen is kept for its type when the person says so. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/checkbox.ts';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import '../../sdk/web/ui/radio-group.ts';
import type { OpeningDesk } from './model.ts';
import { language, text } from '../i18n/i18n.ts';
import { nameAmong } from '../state/app-names.ts';
import { Watch } from '../state/signal.ts';
import '../ui/app-icon.ts';
import { base } from '../ui/base.ts';
import { glyph, type Glyph } from '../ui/glyphs.ts';
import { leadOn } from '../ui/lead-on.ts';
import { candidates, chosenFor, elect, offered } from './elections.ts';
import { markOf, typeName } from './file-mark.ts';
import { typeOf, type FileToOpen } from './file-type.ts';
import { destinations, type Destination } from './kinds.ts';
import { destinationName, carryOut, isThere, keepChoice } from './open.ts';
import './svc-file-icon.ts';

interface Offer {
  /** The id of an app, or a destination. */
  readonly value: string;
  readonly label: string;
  readonly app?: string;
  readonly glyph?: Glyph;
}

const glyphs: Readonly<Record<Destination, Glyph>> = { '@viewer': 'app', '@editor': 'text', '@files': 'folder' };

export class SvcOpenWith extends LitElement {
  static override properties = { desk: { attribute: false }, file: { attribute: false }, chosen: { state: true }, always: { state: true } };
  declare desk: OpeningDesk;
  declare file: FileToOpen;
  declare chosen: string | null;
  declare always: boolean;
  #watch = new Watch(this, () => [this.desk.opening.openers, this.desk.opening.places, this.desk.apps.state, language]);

  constructor() {
    super();
    this.chosen = null;
    this.always = false;
  }

  static override styles = [
    base,
    css`
      ui-dialog {
        --ui-dialog-width: 460px;
      }
      .file {
        display: flex;
        align-items: center;
        gap: 12px;
        margin-bottom: 12px;
        overflow-wrap: anywhere;
      }
      .file small {
        display: block;
        color: var(--muted);
      }
      .place {
        display: inline-grid;
        width: 28px;
        place-items: center;
        color: var(--muted);
      }
      ui-checkbox {
        margin-top: 8px;
      }
    `,
  ];

  override firstUpdated(): void {
    void this.#watch;
  }

  #close(): void {
    this.desk.opening.asked.set(null);
  }

  get #offers(): readonly Offer[] {
    const { desk, file } = this;
    const openers = desk.opening.openers.get();
    const type = typeOf(file, openers);
    return [
      ...candidates(type, openers).map(({ id, nome }) => ({ value: id, label: nameAmong(desk.apps.state.get().apps, id, nome), app: id })),
      ...offered(type)
        .filter((destination) => isThere(desk, destination, file))
        .map((destination) => ({ value: destination, label: destinationName(this.desk, destination), glyph: glyphs[destination] })),
    ];
  }

  /** The current opener of the file; else the first in the list. */
  get #first(): string | null {
    const openers = this.desk.opening.openers.get();
    const type = typeOf(this.file, openers);
    const outcome = chosenFor(type, openers, this.desk.preferences.state.get() ?? {}) ?? elect(type, openers);
    const now = outcome.by === 'app' ? outcome.app : outcome.by === 'desktop' ? outcome.destination : null;
    const offers = this.#offers;
    return offers.find(({ value }) => value === now)?.value ?? offers[0]?.value ?? null;
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    const choice = this.chosen ?? this.#first;
    if (choice === null) return;
    const { desk, file, always } = this;
    if (always) keepChoice(desk, file, choice);
    leadOn(this);
    this.#close();
    const destination = destinations.find((each) => each === choice);
    carryOut(desk, file, destination === undefined ? { by: 'app', app: choice } : { by: 'desktop', destination });
  }

  override render(): TemplateResult {
    const { desk, file } = this;
    const openers = desk.opening.openers.get();
    const type = typeOf(file, openers);
    const mark = markOf(type, openers, desk.preferences.state.get() ?? {});
    const offers = this.#offers;
    const title = text('opening.withFile', { nome: file.nome });
    return html`<form @submit=${(event: SubmitEvent) => this.#submit(event)}>
      <ui-dialog open label=${title} @close=${() => this.#close()}>
        <div class="file">
          <svc-file-icon .mark=${mark} .size=${40}></svc-file-icon>
          <span>${file.nome}<small>${typeName(type, mark)}</small></span>
        </div>
        ${offers.length === 0 ? html`<p>${text('opening.none')}</p>` : this.#choice(title, offers)}
        ${
          offers.length === 0 || type.key === null
            ? nothing
            : html`<ui-checkbox
                label=${text('opening.always', { tipo: typeName(type, mark) })}
                .checked=${this.always}
                @change=${(event: Event) => (this.always = (event.target as SvcUiCheckbox).checked)}
              ></ui-checkbox>`
        }
        <ui-button slot="actions" @click=${() => this.#close()}>${text('question.cancel')}</ui-button>
        ${
          offers.length === 0
            ? html`<ui-button slot="actions" variant="primary" autofocus @click=${() => (this.#close(), desk.open('@loja'))}
                >${text('opening.shop')}</ui-button
              >`
            : html`<ui-button slot="actions" variant="primary" type="submit">${text('opening.open')}</ui-button>`
        }
      </ui-dialog>
    </form>`;
  }

  #choice(title: string, offers: readonly Offer[]): TemplateResult {
    return html`<ui-radio-group
      label=${title}
      hide-label
      .value=${this.chosen ?? this.#first ?? ''}
      @change=${(event: Event) => (this.chosen = (event.target as SvcUiRadioGroup).value)}
    >
      ${offers.map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
      ${offers.map(({ value, app, glyph: sign }) =>
        sign === undefined
          ? html`<svc-app-icon slot=${`start-${value}`} .app=${this.desk.apps.find(app ?? '')} .size=${28}></svc-app-icon>`
          : html`<span slot=${`start-${value}`} class="place">${glyph(sign)}</span>`,
      )}
    </ui-radio-group>`;
  }
}

customElements.define('svc-open-with', SvcOpenWith);
