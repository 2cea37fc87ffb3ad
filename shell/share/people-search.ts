/** Search for people and groups to invite: asks the portal once the person stops typing; a late answer to an earlier text is dropped. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/empty.ts';
import '../../sdk/web/ui/field.ts';
import '../../sdk/web/ui/person.ts';
import '../../sdk/web/ui/select.ts';
import '../../sdk/web/ui/button.ts';
import { papeisConcedidos, type PapelConcedido } from '../../schema/rooms.ts';
import type { PeopleAnswer, RoomAnswer } from '../../schema/wire/rooms.ts';
import { language, text } from '../i18n/i18n.ts';
import { searchPeople } from '../session/rooms-api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { groupMark } from './share-rows.ts';
import { rowStyles } from './share-styles.ts';

/** Whom the person chose; `detail` of the event `invite`. */
export interface Invited {
  readonly kind: 'pessoa' | 'grupo';
  readonly id: string;
  readonly nome: string;
  readonly papel: PapelConcedido;
}

const quietMs = 250;

export class SvcPeopleSearch extends LitElement {
  static override properties = {
    room: { attribute: false },
    busy: { type: Boolean },
    found: { state: true },
    problem: { state: true },
    papel: { state: true },
  };
  declare room: RoomAnswer;
  declare busy: boolean;
  /** Null while nothing was asked. */
  declare found: (PeopleAnswer & { readonly asked: string }) | null;
  declare problem: string | null;
  declare papel: PapelConcedido;
  #watch = new Watch(this, () => [language]);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = '';

  constructor() {
    super();
    this.busy = false;
    this.found = null;
    this.problem = null;
    this.papel = 'editar';
  }

  static override styles = [
    base,
    rowStyles,
    css`
      .ask {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        gap: 8px;
      }
      ui-field {
        flex: 1 1 180px;
      }
      ui-field::part(label) {
        font-size: 13px;
        font-weight: 500;
      }
      ui-select {
        flex: 0 1 auto;
      }
      ul {
        margin-top: 8px;
      }
      .problem {
        padding: 8px 0;
        color: var(--danger);
        font-size: 13px;
      }
    `,
  ];

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  override firstUpdated(): void {
    void this.#watch;
  }

  focusField(): void {
    this.renderRoot.querySelector('ui-field')?.focus();
  }

  #typed(event: Event): void {
    const words = (event.target as SvcUiField).value.trim();
    this.#asked = words;
    this.problem = null;
    clearTimeout(this.#timer);
    if (words === '') this.found = null;
    else this.#timer = setTimeout(() => void this.#ask(words), quietMs);
  }

  async #ask(words: string): Promise<void> {
    try {
      const answer = await searchPeople(words);
      if (words === this.#asked) this.found = { ...answer, asked: words };
    } catch (error) {
      if (words === this.#asked) this.problem = sayError(error);
    }
  }

  #invite(invited: Omit<Invited, 'papel'>): void {
    this.dispatchEvent(new CustomEvent<Invited>('invite', { detail: { ...invited, papel: this.papel } }));
  }

  override render(): TemplateResult {
    const count = this.found === null ? null : this.found.pessoas.length + this.found.grupos.length;
    return html`<div class="ask">
        <ui-field
          type="search"
          label=${text('share.search')}
          autocomplete="off"
          spellcheck="false"
          maxlength="100"
          placeholder=${text('share.searchHint')}
          @input=${(event: Event) => this.#typed(event)}
        ></ui-field>
        <ui-select
          label=${text('share.inviteAs')}
          hide-label
          .value=${this.papel}
          @change=${(event: Event) => (this.papel = (event.target as SvcUiSelect).value as PapelConcedido)}
        >
          ${papeisConcedidos.map((papel) => html`<option value=${papel}>${text(`role.${papel}`)}</option>`)}
        </ui-select>
      </div>
      <p class="sr-only" role="status">${count === null ? '' : text('share.found', { n: count })}</p>
      ${this.problem === null ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
      ${this.found === null ? nothing : this.#results(this.found)}`;
  }

  #results({ pessoas, grupos, asked }: PeopleAnswer & { readonly asked: string }): TemplateResult {
    if (pessoas.length + grupos.length === 0) return html`<ui-empty>${text('share.none', { texto: asked })}</ui-empty>`;
    const inside = new Set(this.room.pessoas.filter(({ porNome }) => porNome !== null).map(({ usuario }) => usuario));
    const groups = new Set(this.room.grupos.map(({ grupo }) => grupo));
    return html`<ul class="rows">
      ${pessoas.map(({ usuario, nome, login, iniciais }) =>
        this.#row({ kind: 'pessoa', id: usuario, nome }, iniciais, login, inside.has(usuario)),
      )}
      ${grupos.map(({ grupo, pessoas: n }) =>
        this.#row({ kind: 'grupo', id: grupo, nome: grupo }, '#', text('share.groupSize', { n }), groups.has(grupo)),
      )}
    </ul>`;
  }

  #row(invited: Omit<Invited, 'papel'>, mark: string, facts: string, inside: boolean): TemplateResult {
    return html`<li data-id=${invited.id}>
      ${mark === '#' ? groupMark : html`<ui-person avatar usuario=${invited.id} name=${invited.nome} initials=${mark} aria-hidden="true"></ui-person>`}
      <div class="who">
        <p class="name">${invited.nome}</p>
        <p class="facts">${facts}</p>
      </div>
      ${
        inside
          ? html`<span class="facts">${text('share.already')}</span>`
          : html`<ui-button
              label=${text('share.inviteOne', { nome: invited.nome })}
              ?disabled=${this.busy}
              @click=${() => this.#invite(invited)}
            >
              ${text('share.invite')}
            </ui-button>`
      }
    </li>`;
  }
}

customElements.define('svc-people-search', SvcPeopleSearch);
