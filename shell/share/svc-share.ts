/**
 * The share dialog of a room: its people and roles, invite, change, remove, leave, rename, delete. An app opens it by the bridge
 * (`salas.compartilhar`), only for one of its rooms, only from the front window, one at a time; the person acts in it, not the app. The
 * app's call is answered at once, changes are reported by `mudaram`; so an app needs no screen for people and roles, and sees no list of
 * people beyond what the person searches. Leaving, removing and deleting take two presses. Source: rules 2.4, 4.3.
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import '../../sdk/web/ui/field.ts';
import type { PapelConcedido } from '../../schema/rooms.ts';
import type { RoomAnswer } from '../../schema/wire/rooms.ts';
import type { HistoryDesk } from '../history/history-desk.ts';
import { loadHistory } from '../history/load-history.ts';
import { language, text } from '../i18n/i18n.ts';
import { ApiError } from '../session/api.ts';
import {
  deleteRoom,
  grantGroup,
  grantPerson,
  handRoomOver,
  readRoom,
  removeGroup,
  removePerson,
  renameRoom,
} from '../session/rooms-api.ts';
import { sayError } from '../session/say-error.ts';
import { type Signal, Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { leadOn } from '../ui/lead-on.ts';
import { noteStyles } from '../ui/piece-styles.ts';
import './people-search.ts';
import type { Invited, SvcPeopleSearch } from './people-search.ts';
import { groupRow, personRow, type RowVerbs } from './share-rows.ts';
import { rowStyles, shareStyles } from './share-styles.ts';

export interface ShareDesk extends HistoryDesk {
  /** The room that the share dialog is open for. */
  readonly shared: Signal<string | null>;
}

/** The act that waits for a second press: at most one at a time. */
type Asked = { readonly kind: 'remove' | 'hand over'; readonly key: string } | { readonly kind: 'leave' | 'delete' };

export class SvcShare extends LitElement {
  static override properties = {
    desk: { attribute: false },
    sala: { attribute: false },
    room: { state: true },
    gone: { state: true },
    asked: { state: true },
    busy: { state: true },
    problem: { state: true },
    done: { state: true },
  };
  declare desk: ShareDesk;
  declare sala: string;
  declare room: RoomAnswer | null;
  /** Deleted, or the person is no longer in it. */
  declare gone: boolean;
  declare asked: Asked | null;
  declare busy: boolean;
  declare problem: string | null;
  /** The last act, for a screen reader. */
  declare done: string;
  #watch = new Watch(this, () => [language]);
  #end: () => void = () => {};

  constructor() {
    super();
    this.room = null;
    this.gone = false;
    this.asked = null;
    this.busy = false;
    this.problem = null;
    this.done = '';
  }

  static override styles = [base, rowStyles, noteStyles, shareStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    // Another person changed it meanwhile.
    this.#end = this.desk.roomsChanged.subscribe(() => void this.#load());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#end();
  }

  override firstUpdated(): void {
    void this.#load();
  }

  async #load(): Promise<void> {
    // An act under way reads the room itself, or leaves none to read.
    if (this.busy) return;
    const first = this.room === null;
    try {
      this.room = await readRoom(this.sala);
    } catch (error) {
      return this.#unread(error);
    }
    if (first) await this.#begin();
  }

  /** A person who may invite starts in the search field, unless they moved the focus while the room was read. */
  async #begin(): Promise<void> {
    await this.updateComplete;
    const search = this.renderRoot.querySelector<SvcPeopleSearch>('svc-people-search');
    await search?.updateComplete;
    if (this.shadowRoot?.activeElement?.matches('ui-dialog') === true) search?.focusField();
  }

  #unread(error: unknown): void {
    if (error instanceof ApiError && error.status === 404) this.gone = true;
    else this.problem = sayError(error);
  }

  /** A 404 may concern the room, the person or the group, so the room is read again. */
  async #failed(error: unknown): Promise<void> {
    if (!(error instanceof ApiError && error.status === 404)) return void (this.problem = sayError(error));
    try {
      this.room = await readRoom(this.sala);
      this.problem = text('share.nobody');
    } catch (unread) {
      this.#unread(unread);
    }
  }

  #close(): void {
    this.desk.shared.set(null);
  }

  /** True when it was done. */
  async #carryOut(act: () => Promise<void>, done: string): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.problem = null;
    this.done = '';
    try {
      await act();
      this.asked = null;
      this.done = done;
      return true;
    } catch (error) {
      await this.#failed(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  async #change(act: () => Promise<void>, done: string): Promise<void> {
    await this.#carryOut(async () => {
      await act();
      this.asked = null;
      this.room = await readRoom(this.sala);
    }, done);
  }

  #invite({ kind, id, nome, papel }: Invited): void {
    const grant = kind === 'pessoa' ? grantPerson : grantGroup;
    void this.#change(() => grant(this.sala, id, papel), text('share.invited', { nome }));
  }

  async #rename(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const field = this.renderRoot.querySelector('ui-field');
    const name = field?.value.trim() ?? '';
    if (name === '') {
      this.problem = text('share.nameEmpty');
      field?.focus();
    } else await this.#change(() => renameRoom(this.sala, name), text('share.renamed', { sala: name }));
  }

  async #removeRow(key: string, act: () => Promise<void>, done: string): Promise<void> {
    await this.#change(act, done);
    await this.#focus(`[data-key="${CSS.escape(key)}"] ui-button`);
  }

  /** Out of the room: the dialog has nothing to show any longer. */
  async #leaveBehind(act: () => Promise<void>): Promise<void> {
    if (await this.#carryOut(act, '')) this.#close();
  }

  /** In place of this dialog. */
  async #showHistory(): Promise<void> {
    try {
      await loadHistory();
    } catch (error) {
      return void (this.problem = sayError(error));
    }
    leadOn(this);
    this.#close();
    this.desk.historyOf.set(this.sala);
  }

  async #ask(asked: Asked): Promise<void> {
    this.asked = asked;
    this.problem = null;
    await this.#focus('[data-verb=confirm]');
  }

  #hide(): void {
    const { asked } = this;
    this.asked = null;
    if (asked === null) return;
    const part = 'key' in asked ? `[data-key="${CSS.escape(asked.key)}"] ${asked.kind === 'remove' ? 'ui-button' : 'ui-select'}` : null;
    void this.#focus(part ?? `[data-verb=${asked.kind}]`);
  }

  async #focus(selector: string): Promise<void> {
    await this.updateComplete;
    (this.renderRoot.querySelector<HTMLElement>(selector) ?? this.renderRoot.querySelector('ui-dialog'))?.focus();
  }

  /** Escape leaves the question first, then the dialog. */
  #cancel(event: SvcUiDialogEvents['cancel']): void {
    if (this.asked === null || event.detail.by !== 'escape') return;
    event.preventDefault();
    this.#hide();
  }

  override render(): TemplateResult {
    const { room } = this;
    const title = room === null ? text('share.titleLoading') : text('share.title', { sala: room.sala.nome });
    return html`<ui-dialog
      open
      autofocus
      label=${title}
      @close=${() => this.#close()}
      @cancel=${(event: SvcUiDialogEvents['cancel']) => this.#cancel(event)}
    >
      ${this.problem === null ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
      <p class="sr-only" role="status">${this.done}</p>
      ${this.gone ? html`<p class="problem" role="alert">${text('share.gone')}</p>` : room === null ? nothing : this.#body(room)}
    </ui-dialog>`;
  }

  #body(room: RoomAnswer): TemplateResult {
    const owner = room.sala.papel === 'dona';
    const own = this.desk.session.usuario;
    return html`${owner ? this.#ownerPart(room) : html`<p class="lead">${text('share.onlyOwner')}</p>`}
      <section aria-labelledby="people" aria-busy=${this.busy}>
        <h3 id="people">${text('share.people')}</h3>
        <ul class="rows">
          ${room.pessoas.map((person) => personRow(person, { owner, own }, this.#verbs(`pessoa:${person.usuario}`, person.nome)))}
          ${room.grupos.map((group) => groupRow(group, { owner }, this.#verbs(`grupo:${group.grupo}`, group.grupo)))}
        </ul>
        ${room.pessoas.some(({ declarada }) => declarada) || room.grupos.some(({ declarado }) => declarado) ? html`<p class="facts">${text('share.declaredHint')}</p>` : nothing}
      </section>
      ${this.asked === null && (owner || room.sala.papel === 'editar') ? this.#history() : nothing}
      ${owner && (room.pessoas.length === 1 || this.asked?.kind === 'delete') ? nothing : this.#leaving(room, own)}
      ${owner && this.asked?.kind !== 'leave' ? this.#deletion(room) : nothing}`;
  }

  #verbs(key: string, nome: string): RowVerbs {
    const [kind, id] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
    const group = kind === 'grupo';
    return {
      key,
      busy: this.busy,
      asked: this.asked !== null && 'key' in this.asked && this.asked.key === key ? this.asked.kind : null,
      askOwner: group ? null : () => void this.#ask({ kind: 'hand over', key }),
      handOver: () => void this.#change(() => handRoomOver(this.sala, id), text('share.handedOver', { nome })),
      change: (papel: PapelConcedido) =>
        void this.#change(
          () => (group ? grantGroup : grantPerson)(this.sala, id, papel),
          text('share.changed', { nome, papel: text(`role.${papel}`) }),
        ),
      ask: () => void this.#ask({ kind: 'remove', key }),
      hide: () => this.#hide(),
      remove: () => void this.#removeRow(key, () => (group ? removeGroup : removePerson)(this.sala, id), text('share.removed', { nome })),
    };
  }

  #ownerPart(room: RoomAnswer): TemplateResult {
    return html`<section>
        <form novalidate @submit=${(event: SubmitEvent) => this.#rename(event)}>
          <ui-field label=${text('share.name')} maxlength="200" autocomplete="off" .value=${room.sala.nome}></ui-field>
          <ui-button type="submit" ?disabled=${this.busy}>${text('share.rename')}</ui-button>
        </form>
      </section>
      <section>
        <svc-people-search
          .room=${room}
          ?busy=${this.busy}
          @invite=${(event: CustomEvent<Invited>) => this.#invite(event.detail)}
        ></svc-people-search>
      </section>`;
  }

  #deletion({ sala }: RoomAnswer): TemplateResult {
    return this.asked?.kind === 'delete'
      ? this.#question(text('share.deleteAsk', { sala: sala.nome }), text('share.deleteSure'), () => deleteRoom(this.sala))
      : this.#first('delete', text('share.delete'));
  }

  #leaving({ sala, pessoas }: RoomAnswer, own: string): TemplateResult {
    const me = pessoas.find(({ usuario }) => usuario === own);
    if (me?.porNome == null) return html``;
    const alone = sala.papel === 'dona' ? text('share.leaveOwned', { sala: sala.nome }) : text('share.leaveAsk', { sala: sala.nome });
    const question = me.porGrupos.length > 0 ? text('share.leaveByGroup') : alone;
    return this.asked?.kind === 'leave'
      ? this.#question(question, text('share.leaveSure'), () => removePerson(this.sala, own))
      : this.#first('leave', text('share.leave'));
  }

  #history(): TemplateResult {
    return html`<ui-button slot="actions" class="history" ?disabled=${this.busy} @click=${() => void this.#showHistory()}>
      ${text('history.open')}
    </ui-button>`;
  }

  #first(kind: 'leave' | 'delete', words: string): TemplateResult {
    return html`<ui-button
      slot="actions"
      variant=${kind === 'delete' ? 'danger' : 'plain'}
      data-verb=${kind}
      ?disabled=${this.busy}
      @click=${() => this.#ask({ kind })}
      >${words}</ui-button
    >`;
  }

  #question(question: string, sure: string, act: () => Promise<void>): TemplateResult {
    return html`<div slot="actions" class="sure" role="group" aria-labelledby="question">
      <p class="question" id="question">${question}</p>
      <ui-button variant="danger" data-verb="confirm" ?disabled=${this.busy} @click=${() => this.#leaveBehind(act)}> ${sure} </ui-button>
      <ui-button @click=${() => this.#hide()}>${text('share.cancel')}</ui-button>
    </div>`;
  }
}

customElements.define('svc-share', SvcShare);
