/** The taskbar: launcher, open windows (a toolbar: one stop of the Tab key, arrows inside), connection, clock, the bell, the person. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { waiting } from '../bell/bell-model.ts';
import { troubleOf } from '../dev/model.ts';
import { tryNow } from '../events/try-later.ts';
import { language, languageNames, languages, shownAs, text } from '../i18n/i18n.ts';
import type { AppProjection } from '../../schema/wire/http.ts';
import { openAppMenu } from '../launcher/entries.ts';
import { pinnedAmong } from '../preferences/pins.ts';
import { beforeLeaving, leave } from '../session/leave.ts';
import { Watch } from '../state/signal.ts';
import '../../sdk/web/ui/toolbar.ts';
import '../ui/app-icon.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { openMenu } from '../ui/menu.ts';
import { theme, themes, themeTexts } from '../ui/theme.ts';
import type { WindowState } from '../windows/manager.ts';
import { attempt } from '../windows/attempt.ts';
import type { Desk } from './desk.ts';
import { builtIn, nameOf } from './built-in.ts';
import { createPinDrags } from './pin-drags.ts';
import { taskbarStyles } from './taskbar-styles.ts';
import { openWindowMenu } from '../frames/window-menu.ts';

const clockMs = 10_000;
const countShownMax = 99;

/** Windows of the shell's own in the menu of the person, in its order. */
const menuWindows = ['@configuracoes', '@loja', '@fila', '@tarefas'] as const;

export class SvcTaskbar extends LitElement {
  static override properties = { desk: { attribute: false } };
  declare desk: Desk;
  #watch = new Watch(this, () => [
    this.desk.windows.windows,
    this.desk.held,
    this.desk.apps.state,
    this.desk.connection,
    this.desk.bell.state,
    ...(this.desk.dev === null ? [] : [this.desk.dev.state]),
    this.desk.bellOpen,
    this.desk.launcherOpen,
    this.desk.preferences.state,
    language,
    theme,
  ]);
  readonly #drags = createPinDrags(() => this.desk);
  /** The window whose button was last brought into view. */
  #shownTop: string | null = null;
  #clock: ReturnType<typeof setInterval> | undefined;

  static override styles = [base, taskbarStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.#clock = setInterval(() => this.requestUpdate(), clockMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#clock);
  }

  override updated(): void {
    const top = this.desk.windows.top()?.id ?? null;
    if (top === this.#shownTop) return;
    this.#shownTop = top;
    this.renderRoot.querySelector('.window[aria-pressed=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #press(window: WindowState): void {
    const { desk } = this;
    if (desk.windows.top()?.id === window.id) desk.minimise(window.id);
    else desk.activate(window.id);
  }

  #personMenu(event: MouseEvent): void {
    const of = event.currentTarget as HTMLElement;
    const box = of.getBoundingClientRect();
    openMenu(
      this.desk.session.nome,
      [
        {
          heading: text('prefs.theme'),
          items: themes.map((name) => ({ label: text(themeTexts[name]), checked: theme.get() === name, run: () => theme.set(name) })),
        },
        {
          heading: text('prefs.language'),
          items: languages.map((name) => ({ label: languageNames[name], checked: language.get() === name, run: () => language.set(name) })),
        },
        {
          items: [
            ...menuWindows.map((id) => ({ label: nameOf(id), glyph: builtIn(id)?.glyph ?? 'app', run: () => this.desk.open(id) })),
            { label: text('help.title'), glyph: 'help', keys: 'F1', run: () => this.desk.openHelp() },
            { label: text('prefs.shortcuts'), glyph: 'keyboard', run: () => this.desk.shortcutsOpen.set(true) },
            { label: text('sessions.menu'), glyph: 'globe', run: () => this.desk.sessionsOpen.set(true) },
            { label: text('prefs.signOut'), glyph: 'out', run: () => beforeLeaving(() => attempt(this.desk, leave)) },
          ],
        },
      ],
      { x: box.right - 230, y: box.top - 8, of },
    );
  }

  override render(): TemplateResult {
    const { desk } = this;
    const { session } = desk;
    const online = desk.connection.get() === 'open';
    const connection = text(online ? 'taskbar.online' : 'taskbar.offline');
    const pins = pinnedAmong(desk.preferences.state.get(), desk.apps.state.get().apps);
    const time = new Intl.DateTimeFormat(shownAs(), { hour: '2-digit', minute: '2-digit' }).format(new Date());
    return html`<ui-toolbar class="bar" label=${text('taskbar.label')}>
      <button
        class="launch"
        type="button"
        aria-haspopup="dialog"
        aria-expanded=${desk.launcherOpen.get()}
        aria-label=${text('launcher.open')}
        title="${text('launcher.title')} (Ctrl+K)"
        @click=${() => desk.launcherOpen.set(true)}
      >
        ${glyph('apps', 22)}
      </button>
      <div class="items">
        ${this.#pins(pins)}
        <div class="windows" role="group" aria-label=${text('taskbar.windows')}>
          ${repeat(
            desk.windows.windows
              .get()
              .filter(({ app }) => !pins.some(({ id }) => id === app))
              .toSorted((a, b) => a.nth - b.nth),
            (window) => window.id,
            (window) => this.#window(window),
          )}
        </div>
      </div>
      ${this.#dev()}
      <span class="status ${online ? 'online' : 'offline'}" role="status" title=${connection}>
        <span class="light" aria-hidden="true"></span>
        <span class=${online ? 'sr-only' : 'words'}>${connection}</span>
      </span>
      ${
        online
          ? nothing
          : html`<button class="now" type="button" aria-label=${text('taskbar.now')} title=${text('taskbar.now')} @click=${tryNow}>
              ${glyph('reload', 16)}<span>${text('taskbar.now')}</span>
            </button>`
      }
      <time>${time}</time>
      ${this.#bell()}
      <button
        class="person"
        type="button"
        aria-haspopup="menu"
        title=${session.nome}
        @click=${(event: MouseEvent) => this.#personMenu(event)}
      >
        <span class="initials">${session.iniciais}</span><span class="sr-only">${text('taskbar.settings', { nome: session.nome })}</span>
      </button>
    </ui-toolbar>`;
  }

  /** The way to the window of `svc dev`. */
  #dev(): TemplateResult | typeof nothing {
    const { dev } = this.desk;
    if (dev === null) return nothing;
    const bad = troubleOf(dev.state.get()) !== null;
    const label = text(bad ? 'dev.openBad' : 'dev.open', { nome: this.desk.apps.find(dev.app)?.name ?? dev.app });
    return html`<button
      class="dev ${bad ? 'bad' : ''}"
      type="button"
      aria-label=${label}
      title=${label}
      @click=${() => this.desk.open('@dev')}
    >
      ${bad ? glyph('warning', 16) : nothing}dev
    </button>`;
  }

  /** The windows of a pinned app are in its place. */
  #pins(pins: readonly AppProjection[]): TemplateResult | typeof nothing {
    if (pins.length === 0) return nothing;
    return html`<div
      class="pins"
      role="group"
      aria-label=${text('pin.title')}
      @dragstart=${(event: DragEvent) => this.#drags.begin(event)}
      @dragover=${(event: DragEvent) => this.#drags.over(event)}
      @dragend=${() => this.#drags.end()}
      @drop=${(event: DragEvent) => this.#drags.drop(event)}
    >
      ${repeat(
        pins,
        ({ id }) => id,
        (app) => this.#pinned(app),
      )}
    </div>`;
  }

  #pinned(app: AppProjection): TemplateResult {
    const windows = this.desk.windows.ofApp(app.id);
    if (windows.length === 0) return this.#pin(app);
    return html`${repeat(
      windows,
      ({ id }) => id,
      (window) => this.#window(window, app.id),
    )}`;
  }

  /** Opens its first window. */
  #pin(app: AppProjection): TemplateResult {
    const { desk } = this;
    return html`<button
      class="pin"
      type="button"
      data-pin=${app.id}
      draggable="true"
      aria-label=${text('pin.open', { nome: app.name })}
      title=${app.name}
      @click=${() => desk.openApp(app.id)}
      @contextmenu=${(event: MouseEvent) => {
        event.preventDefault();
        openAppMenu(desk, app, { x: event.clientX, y: event.clientY - 8, of: event.currentTarget as Element });
      }}
    >
      <svc-app-icon .app=${app} .size=${24}></svc-app-icon>
    </button>`;
  }

  #bell(): TemplateResult {
    const { bell, bellOpen } = this.desk;
    const n = waiting(bell.state.get());
    const label = n === 0 ? text('bell.buttonNone') : text('bell.button', { n });
    return html`<button
      class="bell"
      type="button"
      aria-haspopup="dialog"
      aria-expanded=${bellOpen.get()}
      aria-label=${label}
      title=${label}
      @click=${() => bellOpen.set(true)}
    >
      ${glyph('bell', 22)}
      ${n === 0 ? nothing : html`<span class="count" aria-hidden="true">${n > countShownMax ? `${countShownMax}+` : n}</span>`}
    </button>`;
  }

  #window(window: WindowState, pin?: string): TemplateResult {
    const { desk } = this;
    const app = desk.apps.find(window.app);
    const title = desk.title(window);
    const top = desk.windows.top()?.id === window.id;
    const state = app === undefined || app.status === 'running' ? '' : text(`state.${app.status}`);
    return html`<button
      class="window ${window.minimised ? 'minimised' : ''}"
      type="button"
      data-pin=${pin ?? nothing}
      draggable=${pin === undefined ? nothing : 'true'}
      aria-pressed=${top}
      title=${title}
      @click=${() => this.#press(window)}
      @contextmenu=${(event: MouseEvent) => {
        event.preventDefault();
        openWindowMenu(desk, window.id, { x: event.clientX, y: event.clientY - 8, of: event.currentTarget as Element });
      }}
    >
      <svc-app-icon .app=${app} .icon=${window.options.icon} .builtin=${desk.glyphOf(window)} .size=${24}></svc-app-icon>
      <span class="label">${title}</span>
      ${state === '' ? nothing : html`<span class="sr-only">, ${state}</span>`}
    </button>`;
  }
}

customElements.define('svc-taskbar', SvcTaskbar);
