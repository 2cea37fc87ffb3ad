/**
 * The history of a room, for those who may edit it: its versions by day, what changed with the chosen one, its name, its export, and bringing it
 * back. An app opens it by the bridge (`salas.mostrarHistorico`), the share dialog by a button; the person acts in it, not the app.
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import '../../sdk/web/ui/empty.ts';
import '../../sdk/web/ui/field.ts';
import type { VersionForm } from '../../schema/rooms.ts';
import type { RoomVersion } from '../../schema/wire/rooms.ts';
import { language, text } from '../i18n/i18n.ts';
import { ApiError } from '../session/api.ts';
import { bringVersionBack, nameVersion, readHistory, readRoom, versionUrl } from '../session/rooms-api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { noteStyles } from '../ui/piece-styles.ts';
import type { HistoryDesk } from './history-desk.ts';
import { historyStyles } from './history-styles.ts';
import './svc-version.ts';
import { byDay, fileName, timeOf, titleOf, versionAt, whenOf, whoOf } from './version-words.ts';

/** No event says that people wrote. */
const refreshMs = 20_000;

const downloads: readonly (readonly [VersionForm, string, string])[] = [
  ['markdown', 'Markdown', 'md'],
  ['html', 'HTML', 'html'],
  ['json', 'JSON', 'json'],
];

export class SvcHistory extends LitElement {
  static override properties = {
    desk: { attribute: false },
    sala: { attribute: false },
    room: { state: true },
    versions: { state: true },
    chosen: { state: true },
    gone: { state: true },
    asked: { state: true },
    busy: { state: true },
    problem: { state: true },
    done: { state: true },
  };
  declare desk: HistoryDesk;
  declare sala: string;
  /** Its name; null until it is read. */
  declare room: string | null;
  /** The youngest first. */
  declare versions: readonly RoomVersion[] | null;
  declare chosen: number | null;
  /** Deleted, or the person is no longer in it. */
  declare gone: boolean;
  /** The act on the chosen version that is waited for: its name is typed, or a second press is missing. */
  declare asked: 'name' | 'back' | null;
  declare busy: boolean;
  declare problem: string | null;
  declare done: string;
  #watch = new Watch(this, () => [language]);
  #ends: (() => void)[] = [];
  /** The problem is that of the last reading. */
  #isUnread = false;
  /** The version that Tab reaches; arrows go on from it. */
  #current: number | null = null;

  constructor() {
    super();
    this.room = null;
    this.versions = null;
    this.chosen = null;
    this.gone = false;
    this.asked = null;
    this.busy = false;
    this.problem = null;
    this.done = '';
  }

  static override styles = [base, noteStyles, historyStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && this.asked === null) void this.#load();
    }, refreshMs);
    this.#ends = [this.desk.roomsChanged.subscribe(() => void this.#load()), () => clearInterval(timer)];
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const end of this.#ends) end();
  }

  override firstUpdated(): void {
    void this.#load();
  }

  async #load(): Promise<void> {
    // An act under way reads it itself.
    if (this.busy) return;
    const isFirst = this.versions === null;
    try {
      await this.#read();
    } catch (error) {
      return this.#unread(error);
    }
    if (this.#isUnread) this.problem = null;
    this.#isUnread = false;
    this.gone = false;
    await this.updateComplete;
    if (isFirst && this.shadowRoot?.activeElement?.matches('ui-dialog') === true) await this.#focusVersion(this.chosen);
  }

  async #read(): Promise<void> {
    const [{ sala }, versions] = await Promise.all([readRoom(this.sala), readHistory(this.sala)]);
    this.room = sala.nome;
    const before = this.versions?.find(({ versao }) => versao === this.chosen);
    this.versions = versions;
    const now = versionAt(versions, this.chosen);
    // The number of a version is that of its last change: it grows while people write.
    if (before === undefined || now === undefined) this.#choose(now);
    else if (before.de === now.de) this.chosen = now.versao;
    else if (before.versao !== now.versao) {
      this.#choose(now);
      this.problem = text('history.merged');
    }
  }

  #unread(error: unknown): void {
    const status = error instanceof ApiError ? error.status : null;
    this.gone = status === 404;
    if (this.gone) this.problem = null;
    else this.problem = status === 403 ? text('history.onlyWriters') : sayError(error);
    this.#isUnread = true;
  }

  #choose(version: RoomVersion | undefined): void {
    this.asked = null;
    this.problem = null;
    this.done = '';
    this.chosen = version?.versao ?? null;
    this.#current = this.chosen;
  }

  /** A 404 concerns the version or the room, so both are read again. */
  async #act(act: () => Promise<void>, done: string): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.problem = null;
    this.done = '';
    try {
      await act();
      this.asked = null;
      await this.#read();
      this.done = done;
      return true;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) this.problem = sayError(error);
      else await this.#read().catch((unread: unknown) => this.#unread(unread));
      return false;
    } finally {
      this.busy = false;
    }
  }

  async #name(version: RoomVersion, nome: string | null): Promise<void> {
    const done = nome === null ? text('history.unnamed') : text('history.named', { nome });
    if (await this.#act(() => nameVersion(this.sala, version.versao, nome), done)) await this.#focus('[data-verb=name]');
  }

  #named(event: SubmitEvent, version: RoomVersion): void {
    event.preventDefault();
    const field = this.renderRoot.querySelector('ui-field');
    const nome = field?.value.trim() ?? '';
    if (nome !== '') return void this.#name(version, nome);
    this.problem = text('share.nameEmpty');
    field?.focus();
  }

  async #bringBack(version: RoomVersion): Promise<void> {
    const done = text('history.broughtBack', { versao: titleOf(version) });
    if (!(await this.#act(() => bringVersionBack(this.sala, version.versao), done))) return;
    const [youngest] = this.versions ?? [];
    this.#choose(youngest);
    this.done = done;
    await this.#focusVersion(this.chosen);
  }

  async #ask(asked: 'name' | 'back'): Promise<void> {
    this.asked = asked;
    this.problem = null;
    this.done = '';
    await this.#focus(asked === 'name' ? 'ui-field' : '[data-verb=confirm]');
  }

  #hide(): void {
    const { asked } = this;
    this.asked = null;
    if (asked !== null) void this.#focus(`[data-verb=${asked}]`);
  }

  async #focus(selector: string): Promise<void> {
    await this.updateComplete;
    (this.renderRoot.querySelector<HTMLElement>(selector) ?? this.renderRoot.querySelector('ui-dialog'))?.focus();
  }

  async #focusVersion(versao: number | null): Promise<void> {
    this.#current = versao;
    this.requestUpdate();
    await this.#focus(`button[data-version="${versao}"]`);
  }

  #move(event: KeyboardEvent): void {
    const versions = this.versions ?? [];
    const at = versions.findIndex((version) => version === versionAt(versions, this.#current));
    const next: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: versions.length - 1 };
    const version = versions[next[event.key] ?? -1];
    if (version === undefined) return;
    event.preventDefault();
    void this.#focusVersion(version.versao);
  }

  /** Escape leaves the question first, then the dialog. */
  #cancel(event: SvcUiDialogEvents['cancel']): void {
    if (this.asked === null || event.detail.by !== 'escape') return;
    event.preventDefault();
    this.#hide();
  }

  override render(): TemplateResult {
    const { room, versions, problem } = this;
    return html`<ui-dialog
      open
      autofocus
      label=${room === null ? text('history.open') : text('history.title', { sala: room })}
      @close=${() => this.desk.historyOf.set(null)}
      @cancel=${(event: SvcUiDialogEvents['cancel']) => this.#cancel(event)}
    >
      ${problem === null ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
      <p class=${this.done === '' ? 'sr-only' : 'note'} role="status">${this.done}</p>
      ${this.gone ? html`<p class="problem" role="alert">${text('share.gone')}</p>` : nothing}
      ${versions !== null && !this.gone ? this.#panes(versions) : nothing}
      ${versions === null && problem === null && !this.gone ? html`<ui-empty>${text('history.loading')}</ui-empty>` : nothing}
    </ui-dialog>`;
  }

  #panes(versions: readonly RoomVersion[]): TemplateResult {
    const at = versions.findIndex(({ versao }) => versao === this.chosen);
    const [chosen, youngest] = [versions[at], versions[0]];
    if (chosen === undefined || youngest === undefined) return html`<ui-empty>${text('history.none')}</ui-empty>`;
    const current = versionAt(versions, this.#current);
    // Numbers change while people write; the keyboard stays where it is.
    const age = new Map(versions.map((version, place) => [version, versions.length - place]));
    return html`<div class="panes" aria-busy=${this.busy}>
      <div class="list" role="group" aria-label=${text('history.list')} @keydown=${(event: KeyboardEvent) => this.#move(event)}>
        ${repeat(
          byDay(versions, Date.now()),
          ({ title }) => title,
          (day) =>
            html`<section>
              <h3>${day.title}</h3>
              <ul>
                ${repeat(
                  day.versions,
                  (version) => age.get(version),
                  (version) => this.#row(version, version === youngest, version === current),
                )}
              </ul>
            </section>`,
        )}
      </div>
      <div class="chosen">
        <div>
          <h3>${titleOf(chosen)}</h3>
          <p class="facts">${[chosen.nome === null ? '' : whenOf(chosen), whoOf(chosen)].filter((fact) => fact !== '').join(' · ')}</p>
        </div>
        ${this.#verbs(chosen, chosen !== youngest)}
        <svc-version
          .sala=${this.sala}
          .version=${chosen}
          .older=${versions[at + 1] ?? null}
          .youngest=${youngest}
          @gone=${() => void this.#load()}
        ></svc-version>
      </div>
    </div>`;
  }

  #row(version: RoomVersion, isNow: boolean, isCurrent: boolean): TemplateResult {
    const { versao, nome } = version;
    const facts = [...(isNow ? [text('history.now')] : []), ...(nome === null ? [] : [timeOf(version)]), whoOf(version)];
    return html`<li>
      <button
        type="button"
        data-version=${versao}
        tabindex=${isCurrent ? 0 : -1}
        aria-current=${versao === this.chosen ? 'true' : nothing}
        @click=${() => this.#choose(version)}
      >
        <span class="title">${nome ?? timeOf(version)}</span>
        <span class="facts">${facts.filter((fact) => fact !== '').join(' · ')}</span>
      </button>
    </li>`;
  }

  #verbs(version: RoomVersion, isPast: boolean): TemplateResult {
    const { asked, busy } = this;
    const cancel = html`<ui-button @click=${() => this.#hide()}>${text('share.cancel')}</ui-button>`;
    if (asked === 'name')
      return html`<form class="verbs" novalidate @submit=${(event: SubmitEvent) => this.#named(event, version)}>
        <ui-field label=${text('history.nameField')} maxlength="120" autocomplete="off" .value=${version.nome ?? ''}></ui-field>
        <ui-button type="submit" variant="primary" ?disabled=${busy}>${text('history.save')}</ui-button>
        ${cancel}
      </form>`;
    if (asked === 'back')
      return html`<div class="verbs" role="group" aria-labelledby="question">
        <p class="question" id="question">${text('history.bringBackAsk')}</p>
        <ui-button variant="primary" data-verb="confirm" ?disabled=${busy} @click=${() => void this.#bringBack(version)}>
          ${text('history.bringBackSure')}
        </ui-button>
        ${cancel}
      </div>`;
    return html`<div class="verbs">
      ${
        isPast
          ? html`<ui-button data-verb="back" ?disabled=${busy} @click=${() => void this.#ask('back')}>
              ${text('history.bringBack')}
            </ui-button>`
          : nothing
      }
      <ui-button data-verb="name" ?disabled=${busy} @click=${() => void this.#ask('name')}>
        ${text(version.nome === null ? 'history.name' : 'history.rename')}
      </ui-button>
      ${
        version.nome === null
          ? nothing
          : html`<ui-button ?disabled=${busy} @click=${() => void this.#name(version, null)}>${text('history.unname')}</ui-button>`
      }
      ${this.#downloads(version)}
    </div>`;
  }

  #downloads(version: RoomVersion): TemplateResult {
    return html`<div class="downloads" role="group" aria-label=${text('history.download')}>
      ${glyph('download')}
      ${downloads.map(
        ([form, name, ending]) =>
          html`<ui-button
            variant="quiet"
            href=${versionUrl(this.sala, version.versao, form)}
            download=${fileName(this.room ?? '', version, ending)}
            label=${text('history.downloadAs', { formato: name })}
            >${name}</ui-button
          >`,
      )}
    </div>`;
  }
}

customElements.define('svc-history', SvcHistory);
