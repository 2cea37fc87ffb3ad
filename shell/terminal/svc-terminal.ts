/** The terminal's window: a tab for each shell of the person, found again after a reload. Loaded with the first such window. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/empty.ts';
import '../../sdk/web/ui/tabs.ts';
import type { TerminalEnd } from '../../schema/wire/terminals.ts';
import { language, text } from '../i18n/i18n.ts';
import { sayError } from '../session/say-error.ts';
import { endTerminal, listTerminals, openTerminal } from '../session/terminals-api.ts';
import { type Signal, Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { holdsFocus } from '../../sdk/web/ui/element.ts';
import { isFocusFree } from '../windows/free-focus.ts';
import { glyph } from '../ui/glyphs.ts';
import { sayEnd } from './end-words.ts';
import './svc-screen.ts';
import type { SvcScreen } from './svc-screen.ts';
import { terminalStyles } from './terminal-styles.ts';
import type { Shell } from '../windows/shell.ts';

export interface TerminalDesk extends Shell {
  /** Folders that shells are wanted in, until the terminal's window opened them. */
  readonly terminalFolders: Signal<readonly string[]>;
}

interface Tab {
  readonly id: string;
  readonly title: string;
  /** Undefined: it runs. Null: the portal does not know it any more. */
  readonly end: TerminalEnd | null | undefined;
}

/** Before the box is known; the first fit corrects it. */
const firstSize = { colunas: 80, linhas: 24 };

export class SvcTerminal extends LitElement {
  static override properties = {
    desk: { attribute: false },
    tabs: { state: true },
    active: { state: true },
    problem: { state: true },
    loaded: { state: true },
  };
  declare desk: TerminalDesk;
  declare tabs: readonly Tab[];
  declare active: string | null;
  declare problem: string | null;
  declare loaded: boolean;
  #opening = false;

  constructor() {
    super();
    this.tabs = [];
    this.active = null;
    this.problem = null;
    this.loaded = false;
  }

  static override styles = [base, terminalStyles];

  /** The element may have been in the document before this part was loaded: what it was given comes with its first update. */
  override firstUpdated(): void {
    void new Watch(this, () => [language, this.desk.terminalFolders]);
    void this.#load();
  }

  override updated(): void {
    if (this.loaded && !this.#opening && this.desk.terminalFolders.get().length > 0) void this.#open();
  }

  focusContent(): void {
    const screen = this.renderRoot.querySelector<SvcScreen>('svc-screen[shown]');
    if (screen === null) this.renderRoot.querySelector<HTMLElement>('button, ui-button')?.focus();
    else screen.focusContent();
  }

  /** The shells that are there; without one, a new one. */
  async #load(): Promise<void> {
    try {
      const { terminais } = await listTerminals();
      this.tabs = terminais.map(({ id, titulo }) => ({ id, title: titulo, end: undefined }));
      this.active = this.tabs.at(-1)?.id ?? null;
      this.problem = null;
      if (this.tabs.length === 0) await this.#open();
      else if (isFocusFree(this)) await this.#show();
    } catch (error) {
      this.problem = sayError(error);
    }
    this.loaded = true;
  }

  async #open(): Promise<void> {
    if (this.#opening) return;
    this.#opening = true;
    try {
      const { terminalFolders } = this.desk;
      const [pasta, ...others] = terminalFolders.get();
      terminalFolders.set(others);
      const { id, titulo } = await openTerminal(pasta === undefined ? firstSize : { ...firstSize, pasta });
      const isFree = this.#mayTake();
      this.tabs = [...this.tabs, { id, title: titulo, end: undefined }];
      this.active = id;
      this.problem = null;
      if (isFree) await this.#show();
    } catch (error) {
      this.problem = sayError(error);
    } finally {
      this.#opening = false;
      // Folders that were asked for meanwhile.
      this.requestUpdate();
    }
  }

  async #show(): Promise<void> {
    await this.updateComplete;
    await this.renderRoot.querySelector<SvcScreen>('svc-screen[shown]')?.updateComplete;
    this.focusContent();
  }

  #change(id: string, change: Partial<Tab>): void {
    this.tabs = this.tabs.map((tab) => (tab.id === id ? { ...tab, ...change } : tab));
  }

  #ended(id: string, end: TerminalEnd | null): void {
    // `exit` closes its tab, as a terminal does; a shell that failed or was cut off stays to be read.
    if (end?.codigo === 0 && this.tabs.length > 1) this.#drop(id);
    else {
      const hadFocus = this.#hasKeyboard(id);
      this.#change(id, { end });
      // Where the person typed is a shell no more: the keyboard goes to what makes another one.
      if (hadFocus)
        void this.updateComplete.then(() =>
          this.renderRoot.querySelector<HTMLElement>('ui-tab-panel:not([hidden]) .ended ui-button')?.focus(),
        );
    }
  }

  /** It is in that terminal, or in the window in front as a whole. */
  #hasKeyboard(id: string): boolean {
    return id === this.active && this.#mayTake();
  }

  /** A shell that ends or begins later takes the keyboard from no other window: it would bring this one to the front. */
  #mayTake(): boolean {
    return holdsFocus(this) || isFocusFree(this);
  }

  async #close(tab: Tab): Promise<void> {
    if (tab.end === undefined) {
      try {
        await endTerminal(tab.id);
      } catch (error) {
        this.problem = sayError(error);
        return;
      }
    }
    this.#drop(tab.id);
  }

  #drop(id: string): void {
    const at = this.tabs.findIndex((tab) => tab.id === id);
    const isFree = this.#mayTake();
    this.tabs = this.tabs.filter((tab) => tab.id !== id);
    if (this.active === id) this.active = (this.tabs[at] ?? this.tabs.at(-1))?.id ?? null;
    if (isFree) void this.#show();
  }

  #titleOf(tab: Tab, index: number): string {
    return tab.title === '' ? text('terminal.number', { n: index + 1 }) : tab.title;
  }

  #closeTab(id: string): void {
    const tab = this.tabs.find((each) => each.id === id);
    if (tab !== undefined) void this.#close(tab);
  }

  override render(): TemplateResult {
    return html`
      <ui-tabs
        label=${text('terminal.tabs')}
        .value=${this.active ?? ''}
        @change=${({ detail }: CustomEvent<{ readonly value: string }>) => (this.active = detail.value)}
        @close=${({ detail }: CustomEvent<{ readonly value: string }>) => this.#closeTab(detail.value)}
        @click=${(event: Event) => event.target instanceof HTMLElement && event.target.closest('ui-tab') !== null && void this.#show()}
      >
        ${repeat(
          this.tabs,
          ({ id }) => id,
          (tab, index) => html`<ui-tab panel=${tab.id} closable>${this.#titleOf(tab, index)}</ui-tab>`,
        )}
        <ui-button
          slot="end"
          icon
          variant="quiet"
          title=${text('terminal.new')}
          label=${text('terminal.new')}
          @click=${() => void this.#open()}
        >
          ${glyph('plus')}
        </ui-button>
        ${this.#closeButton()} ${this.problem === null ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
        ${repeat(
          this.tabs,
          ({ id }) => id,
          (tab) => this.#screen(tab),
        )}
        ${this.tabs.length > 0 ? nothing : this.#none()}
      </ui-tabs>
    `;
  }

  #none(): TemplateResult {
    if (!this.loaded) return html`<ui-empty role="status">${text('terminal.opening')}</ui-empty>`;
    return html`<ui-empty>
      ${text('terminal.none')}
      <ui-button slot="actions" @click=${() => void this.#open()}>${text('terminal.new')}</ui-button>
    </ui-empty>`;
  }

  /** Button that closes the shown tab: a finger and a screen reader have no Delete key. */
  #closeButton(): TemplateResult | typeof nothing {
    const at = this.tabs.findIndex(({ id }) => id === this.active);
    const tab = this.tabs[at];
    if (tab === undefined) return nothing;
    const label = text('terminal.close', { titulo: this.#titleOf(tab, at) });
    return html`<ui-button slot="end" icon variant="quiet" title=${label} label=${label} @click=${() => void this.#close(tab)}>
      ${glyph('close')}
    </ui-button>`;
  }

  #screen(tab: Tab): TemplateResult {
    const isShown = tab.id === this.active;
    return html`<ui-tab-panel name=${tab.id} tabindex="-1" data-own-keys>
      ${
        tab.end === undefined
          ? nothing
          : html`<div class="ended">
              <p role="status">${sayEnd(tab.end)}</p>
              <ui-button variant="primary" @click=${() => void this.#open()}>${text('terminal.new')}</ui-button>
            </div>`
      }
      <svc-screen
        .terminal=${tab.id}
        .usuario=${this.desk.session.usuario}
        ?shown=${isShown}
        @terminal-title=${({ detail }: CustomEvent<string>) => this.#change(tab.id, { title: detail })}
        @terminal-end=${({ detail }: CustomEvent<TerminalEnd | null>) => this.#ended(tab.id, detail)}
      ></svc-screen>
    </ui-tab-panel>`;
  }
}

customElements.define('svc-terminal', SvcTerminal);
