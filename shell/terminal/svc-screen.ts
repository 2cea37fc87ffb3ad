/** A terminal: the emulator in its box, connected to the shell on the server. Loads the emulator; events report its state. */
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult, unsafeCSS } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/toolbar.ts';
import xtermStyles from '@xterm/xterm/css/xterm.css';
import type { TerminalEnd } from '../../schema/wire/terminals.ts';
import { language, text } from '../i18n/i18n.ts';
import { listTerminals, terminalUrl } from '../session/terminals-api.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { dark } from '../ui/theme.ts';
import { createEmulator, type Emulator } from './emulator.ts';
import { startLink, type Link } from './link.ts';
import { keyRow, typedWith } from './touch-keys.ts';

export class SvcScreen extends LitElement {
  static override properties = {
    terminal: {},
    usuario: {},
    shown: { type: Boolean },
    connected: { state: true },
    lost: { state: true },
    over: { state: true },
    control: { state: true },
  };
  /** Its id. */
  declare terminal: string;
  declare usuario: string;
  /** False: another tab is. */
  declare shown: boolean;
  declare connected: boolean;
  /** The portal gave its screen up: a page that comes later finds less. */
  declare lost: boolean;
  /** The shell is gone; its window says how. Its output stays. */
  declare over: boolean;
  /** The touch key Ctrl waits for the next key. */
  declare control: boolean;
  #watch = new Watch(this, () => [language, dark]);
  #emulator: Emulator | null = null;
  #link: Link | null = null;
  #observer = new ResizeObserver(() => this.#fit());

  constructor() {
    super();
    this.connected = false;
    this.lost = false;
    this.over = false;
    this.control = false;
    this.shown = true;
  }

  static override styles = [
    base,
    unsafeCSS(xtermStyles),
    css`
      :host {
        position: relative;
        display: flex;
        flex-direction: column;
        min-height: 0;
        height: 100%;
        background: var(--terminal);
      }
      .box {
        flex: 1;
        min-height: 0;
        padding: 6px 0 6px 8px;
        overflow: clip;
      }
      .away {
        position: absolute;
        inset: auto 12px 12px auto;
        padding: 4px 10px;
        border-radius: 8px;
        background: var(--surface);
        border: 1px solid var(--line-strong);
        font-size: 12px;
      }
      .keys {
        display: none;
        flex-wrap: nowrap;
        gap: 4px;
        padding: 4px;
        overflow-x: auto;
        border-top: 1px solid var(--line);
        background: var(--surface);
      }
      @media (pointer: coarse) {
        .keys {
          display: flex;
        }
      }
      .keys ui-button {
        --svc-controle: 40px;
        --svc-passo: 2px;
        flex: none;
        font-size: 13px;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
    this.#link?.stop();
    this.#emulator?.close();
    this.#link = null;
    this.#emulator = null;
  }

  override firstUpdated(): void {
    const box = this.renderRoot.querySelector<HTMLElement>('.box');
    if (box === null) return;
    const texts = { promptLabel: text('terminal.input'), tooMuchOutput: text('terminal.tooMuch') };
    const emulator = createEmulator(box, texts);
    const { terminal } = emulator;
    this.#emulator = emulator;
    const encoder = new TextEncoder();
    terminal.onData((data) => {
      this.#link?.type(encoder.encode(typedWith(this.control, data)));
      this.control = false;
    });
    terminal.onBinary((data) => this.#link?.type(Uint8Array.from(data, (char) => char.charCodeAt(0))));
    terminal.onResize(() => this.#tellSize());
    this.#observer.observe(box);
    this.#link = startLink(terminalUrl(this.terminal, this.usuario), {
      screen: ({ colunas, linhas }, bytes) => {
        this.lost = false;
        terminal.reset();
        terminal.resize(colunas, linhas);
        // Output printed in the other size is laid out anew in ours.
        terminal.write(bytes, () => {
          this.#fit();
          this.#tellSize();
        });
      },
      print: (bytes) => terminal.write(bytes),
      lost: () => (this.lost = true),
      title: (title) => this.#tell('terminal-title', title),
      end: (how: TerminalEnd) => {
        this.over = true;
        this.#tell('terminal-end', how);
      },
      connected: (isConnected) => (this.connected = isConnected),
      isThere: async () => (await listTerminals()).terminais.some(({ id }) => id === this.terminal),
      gone: () => {
        this.over = true;
        this.#tell('terminal-end', null);
      },
    });
  }

  override updated(changed: PropertyValues<this>): void {
    if (this.#emulator?.setDark(dark.get()) === true) this.#tellSize();
    if (changed.has('shown') && this.shown) this.#fit();
  }

  focusContent(): void {
    this.#emulator?.terminal.focus();
  }

  #tellSize(): void {
    if (this.#emulator === null) return;
    const { cols, rows } = this.#emulator.terminal;
    this.#link?.resize({ colunas: cols, linhas: rows }, this.#emulator.colours());
  }

  /** Waits for the screen, which is drawn in the size it has on the server. */
  #fit(): void {
    if (this.shown && this.connected) this.#emulator?.fit();
  }

  #tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  override render(): TemplateResult {
    return html`
      <div class="box"></div>
      ${this.connected || this.over ? nothing : html`<p class="away" role="status">${text('terminal.away')}</p>`}
      ${this.lost && this.connected && !this.over ? html`<p class="away" role="status">${text('terminal.lost')}</p>` : nothing}
      <ui-toolbar class="keys" label=${text('terminal.keys')}>
        ${keyRow.map(
          ({ label, name, types }) =>
            html`<ui-button
              label=${name === undefined ? label : text(name)}
              pressed=${types === null ? String(this.control) : nothing}
              @pointerdown=${(event: Event) => event.preventDefault()}
              @click=${() => this.#press(types)}
            >
              ${label}
            </ui-button>`,
        )}
      </ui-toolbar>
    `;
  }

  #press(types: string | null): void {
    if (types === null) this.control = !this.control;
    else this.#emulator?.terminal.input(types);
    this.focusContent();
  }
}

customElements.define('svc-screen', SvcScreen);
