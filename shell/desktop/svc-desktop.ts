/** The signed-in page: the usable area with its windows, the taskbar, and what opens over both. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import '../bell/svc-bell.ts';
import '../capabilities/svc-consent.ts';
import { language, text } from '../i18n/i18n.ts';
import '../launcher/svc-launcher.ts';
import '../opening/svc-open-with.ts';
import '../secrets/svc-secrets.ts';
import '../share/svc-share.ts';
import { type Signal, Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { listenLongPress } from '../ui/long-press.ts';
import { closeMenu } from '../ui/menu.ts';
import { isByKeyboard } from '../ui/screen.ts';
import { deepActive } from '../../sdk/web/ui/deep-active.ts';
import { fetchOwnWindows } from './built-in.ts';
import { coversArea, shown, type Size } from '../windows/geometry.ts';
import '../frames/svc-window.ts';
import type { SnapPreview } from '../windows/window-drag.ts';
import type { Desk } from './desk.ts';
import { followFocus, pageWithoutKeyboard } from './follow-focus.ts';
import { listenKeys } from './keys.ts';
import { followToast } from './follow-toast.ts';
import { limits } from './limits.ts';
import './svc-home.ts';
import './svc-leave.ts';
import '../session/svc-sessions.ts';
import './svc-shortcuts.ts';
import './svc-switcher.ts';
import './svc-taskbar.ts';

/** Once the first page has what it needs. */
const ownWindowsMs = 3_000;

export class SvcDesktop extends LitElement {
  static override properties = { desk: { attribute: false }, snap: { state: true } };
  declare desk: Desk;
  declare snap: SnapPreview | null;
  #watch = new Watch(this, () => {
    const { windows, announcement, connection } = this.desk;
    return [windows.windows, windows.area, ...this.#dialogs, announcement, connection, language];
  });
  #ends: (() => void)[] = [];

  constructor() {
    super();
    this.snap = null;
  }

  static override styles = [
    base,
    css`
      :host {
        display: grid;
        grid-template-rows: minmax(0, 1fr) auto;
        /* Not auto: the buttons of many windows would make the page wider than the screen. */
        grid-template-columns: minmax(0, 1fr);
        position: relative;
        height: var(--screen);
        /* Here and below not hidden: what is hidden is scrolled by the focus and by what one types, and nothing scrolls it back. */
        overflow: clip;
      }
      /* A keyboard on the screen leaves little: it goes to the windows. */
      :host([typing]) footer {
        display: none;
      }
      main {
        position: relative;
        /* Its own stack, so that no window is ever above the taskbar. */
        isolation: isolate;
        overflow: clip;
      }
      /* The keyboard is on the apps of the desktop: windows before them become transparent. */
      svc-home[sought] ~ svc-window {
        opacity: 0.08;
      }
      ui-toast {
        bottom: calc(var(--keyboard) + var(--taskbar) + 12px);
      }
      .snap {
        position: absolute;
        top: 0;
        left: 0;
        z-index: 100000;
        border: 2px solid var(--focus);
        border-radius: 10px;
        background: var(--snap);
        pointer-events: none;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    // A window that is gone sends no end of its drag, so the snap mark is cleared here.
    const noSnap = this.desk.shielded.subscribe(() => (this.snap = null));
    this.#ends.push(
      listenKeys(this.desk),
      followFocus(this.desk, () => this.#giveFocus()),
      this.#keepFocus(),
      this.#endMenus(),
      listenLongPress(this),
      noSnap,
    );
    for (const dialog of this.#dialogs) {
      dialog.subscribe(() => {
        const open = dialog.get();
        if (open === false || open === null) void this.updateComplete.then(() => this.#giveFocus());
      });
    }
  }

  get #dialogs(): readonly Pick<Signal<unknown>, 'get' | 'subscribe'>[] {
    const { launcherOpen, shortcutsOpen, switching, sessionsOpen, bellOpen, leaving, shared, historyOf, secretsApp, appCalls, opening } =
      this.desk;
    const overWindows = [leaving, shared, historyOf, secretsApp, appCalls.question, opening.asked];
    return [launcherOpen, shortcutsOpen, switching, sessionsOpen, bellOpen, ...overWindows];
  }

  /** Another window in front, or one less: what the open menu was of may be covered or gone. */
  #endMenus(): () => void {
    const { windows } = this.desk;
    const order = (): string =>
      windows.windows
        .get()
        .map(({ id, minimised }) => `${id} ${minimised}`)
        .join() + (windows.top()?.id ?? '');
    let before = order();
    return windows.windows.subscribe(() => {
      const now = order();
      if (now !== before) closeMenu();
      before = now;
    });
  }

  /** A choice in the launcher moves the focus, but could not while the launcher held it: the front window gets it. */
  #giveFocus(): void {
    const top = this.desk.windows.top();
    if (top !== null && deepActive() === document.body) this.desk.frames.get(top.id)?.focusContent();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const end of this.#ends) end();
    this.#ends = [];
  }

  override firstUpdated(): void {
    const main = this.renderRoot.querySelector('main');
    if (main === null) return;
    const sizeOf = ({ clientWidth, clientHeight }: Element): Size => ({ width: clientWidth, height: clientHeight });
    let whole = sizeOf(this);
    const observer = new ResizeObserver(() => {
      const { windows } = this.desk;
      const isLent = isByKeyboard(whole, sizeOf(this));
      this.toggleAttribute('typing', isLent);
      if (isLent) return windows.lend(sizeOf(main));
      whole = sizeOf(this);
      windows.area.set(sizeOf(main));
    });
    observer.observe(this);
    observer.observe(main);
    this.#ends.push(() => observer.disconnect(), followToast(this.desk, this.renderRoot.querySelector('ui-toast')!));
    // Before they are asked for: who opens the task manager because the portal is away has it.
    const soon = setTimeout(() => void fetchOwnWindows().catch(() => undefined), ownWindowsMs);
    this.#ends.push(() => clearTimeout(soon));
  }

  override updated(): void {
    const preview = this.renderRoot.querySelector<HTMLElement>('.snap');
    if (preview === null || this.snap === null) return;
    const rect = shown({ x: 0, y: 0, width: 0, height: 0 }, this.snap.mode, this.desk.windows.area.get());
    preview.style.transform = `translate(${rect.x}px, ${rect.y}px)`;
    preview.style.width = `${rect.width}px`;
    preview.style.height = `${rect.height}px`;
  }

  /**
   * Gives the keyboard to the window in front after the focused element was removed, or after a press met nothing that takes focus. Not
   * while something is pressed, since a drag needs its Escape. Decision: docs/decisions/0320-where-the-keyboard-is.md
   */
  #keepFocus(): () => void {
    const ended = new AbortController();
    const options = { capture: true, signal: ended.signal };
    let isDown = false;
    let isCaptured = false;
    // The browser moves the focus after these events.
    const look = (): void =>
      void setTimeout(() => {
        if (!isDown && !ended.signal.aborted && document.hasFocus() && deepActive() === document.body) this.#giveFocus();
      });
    const released = (): void => {
      isDown = false;
      isCaptured = false;
      look();
    };
    // Another button drags nothing, and ends a menu while it is down: its release is told to the page of the app that was below the menu.
    addEventListener('pointerdown', ({ button }) => (isDown = button === 0), options);
    addEventListener('pointerup', released, options);
    addEventListener('pointercancel', released, options);
    // A touch whose target was removed ends with this event only.
    addEventListener('lostpointercapture', released, options);
    // A press that drags nothing, and so captured no pointer, may end over the page of an app, which alone receives the event.
    addEventListener('gotpointercapture', () => (isCaptured = true), options);
    addEventListener(pageWithoutKeyboard, () => isDown && !isCaptured && released(), options);
    addEventListener('pointermove', ({ buttons }) => isDown && buttons === 0 && released(), options);
    addEventListener('focusout', look, options);
    // The page that had it was replaced by another one: nothing but the focus of the desktop's own page tells.
    addEventListener('focus', look, options);
    // No event is sent when the focused element (a column, a row) is removed. The check needs two misses in a row, since an element that is
    // being opened has not taken the focus yet.
    let wasNowhere = false;
    const looking = setInterval(() => {
      const isAsked = this.#dialogs.some((dialog) => ![false, null].includes(dialog.get() as boolean | null));
      const isNowhere = !isAsked && document.hasFocus() && deepActive() === document.body;
      if (isNowhere && wasNowhere) look();
      wasNowhere = isNowhere;
    }, limits.keyboardLookMs);
    const end = this.desk.windows.windows.subscribe(look);
    return () => {
      end();
      clearInterval(looking);
      ended.abort();
    };
  }

  override render(): TemplateResult {
    const { desk } = this;
    const windows = desk.windows.windows.get();
    const top = desk.windows.top();
    const modes = windows.filter(({ minimised }) => !minimised).map(({ mode }) => mode);
    const covered = coversArea(modes, desk.windows.area.get());
    const secrets = desk.secretsApp.get();
    const room = desk.shared.get();
    const history = desk.historyOf.get();
    const question = desk.appCalls.question.get();
    const file = desk.opening.asked.get();
    return html`
      <main aria-label=${text('app.title')} @snap-preview=${(event: CustomEvent<SnapPreview | null>) => (this.snap = event.detail)}>
        <svc-home .desk=${desk} ?inert=${covered}></svc-home>
        ${repeat(
          windows,
          (window) => window.id,
          (window) => html`<svc-window .desk=${desk} .state=${window} .top=${window.id === top?.id}></svc-window>`,
        )}
        ${this.snap === null ? nothing : html`<div class="snap"></div>`}
      </main>
      <footer data-landmark><svc-taskbar .desk=${desk}></svc-taskbar></footer>
      ${desk.launcherOpen.get() ? html`<svc-launcher .desk=${desk}></svc-launcher>` : nothing}
      ${desk.bellOpen.get() ? html`<svc-bell .desk=${desk}></svc-bell>` : nothing}
      ${desk.sessionsOpen.get() ? html`<svc-sessions .close=${() => desk.sessionsOpen.set(false)}></svc-sessions>` : nothing}
      ${desk.leaving.get() === null ? nothing : html`<svc-leave .desk=${desk}></svc-leave>`}
      ${desk.switching.get() !== null ? html`<svc-switcher .desk=${desk} .over=${desk.switching.get()?.isOver ?? false}></svc-switcher>` : nothing}
      ${desk.shortcutsOpen.get() ? html`<svc-shortcuts .desk=${desk}></svc-shortcuts>` : nothing}
      ${room === null ? nothing : keyed(room, html`<svc-share .desk=${desk} .sala=${room}></svc-share>`)}
      ${history === null ? nothing : keyed(history, html`<svc-history .desk=${desk} .sala=${history}></svc-history>`)}
      ${secrets === null ? nothing : keyed(secrets, html`<svc-secrets .desk=${desk} .app=${secrets}></svc-secrets>`)}
      ${question === null ? nothing : keyed(question, html`<svc-consent .desk=${desk} .question=${question}></svc-consent>`)}
      ${file === null ? nothing : keyed(file, html`<svc-open-with .desk=${desk} .file=${file}></svc-open-with>`)}
      <ui-toast silent></ui-toast>
      <p class="sr-only" role="status">${desk.announcement.get()}</p>
    `;
  }
}

customElements.define('svc-desktop', SvcDesktop);
