/** The frame of one window: title bar, eight handles and its content. It draws the state of the window manager. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { AppProjection } from '../../schema/wire/http.ts';
import type { FrameDesk } from './frame-desk.ts';
import { isApp, type Frame } from '../windows/shell.ts';
import { openWindowMenu } from './window-menu.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph, type Glyph } from '../ui/glyphs.ts';
import '../ui/app-icon.ts';
import '../tabs/svc-tabs.ts';
import '../questions/svc-question.ts';
import type { SvcQuestion } from '../questions/svc-question.ts';
import '../questions/svc-unsaved.ts';
import type { SvcUnsaved } from '../questions/svc-unsaved.ts';
import './app-frame.ts';
import type { SvcAppFrame } from './app-frame.ts';
import { deepActive } from '../../sdk/web/ui/deep-active.ts';
import { holdsFocus } from '../../sdk/web/ui/element.ts';
import { startDrag, type DragSteps } from '../../sdk/web/ui/drag.ts';
import { broughtIn, fillsArea, handles } from '../windows/geometry.ts';
import type { WindowState } from '../windows/manager.ts';
import type { WindowTabs } from '../tabs/tabs.ts';
import type { UnsavedAnswer } from '../windows/unsaved.ts';
import { createPageDrag, moveSteps, resizeSteps, shieldWhileCaptured, type SnapPreview } from '../windows/window-drag.ts';
import { windowStyles } from './window-styles.ts';

/** Below this, tabs are in a line of their own. */
const narrowPx = 640;

export class SvcWindow extends LitElement implements Frame {
  static override properties = {
    desk: { attribute: false },
    state: { attribute: false },
    top: { type: Boolean, reflect: true },
    there: { state: true },
  };
  declare desk: FrameDesk;
  declare state: WindowState;
  declare top: boolean;
  /** The window shows the app, which draws the title bar where its manifest says so; false for a start, a failure, the portal's panel. */
  declare there: boolean;
  #watch = new Watch(this, () => [
    this.desk.apps.state,
    this.desk.keyboardMode,
    this.desk.shielded,
    this.desk.windows.area,
    this.desk.questions.state,
    this.desk.unsaved.asking,
    this.desk.tabs.state,
    this.desk.held,
    this.desk.homePath,
    this.desk.ownWindows,
    language,
  ]);
  #asked = false;
  readonly #pageDrag = createPageDrag();
  /** The last focused element in the content of a window of the shell. */
  #lastFocused: HTMLElement | null = null;
  /** Where it began, on the screen. */
  #dragFrom: readonly [number, number] = [0, 0];

  constructor() {
    super();
    this.there = false;
  }

  static override styles = [base, windowStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.desk.frames.set(this.state.id, this);
    this.setAttribute('role', 'dialog');
    this.addEventListener('pointerdown', () => this.desk.windows.focus(this.state.id), { capture: true });
    this.addEventListener('focusin', (event) => {
      // A page may have taken it unasked: see follow-focus.ts.
      if (event.composedPath()[0] !== this.iframe) this.desk.windows.focus(this.state.id);
      this.#remember(event);
    });
    // A finger that moves ends in no click.
    for (const type of ['click', 'pointerup', 'pointercancel']) this.addEventListener(type, () => this.#takeFromOthers());
    // The focus is there already, and the browser scrolled to it where something scrolls. A `focusin` within a part of the window is not told here.
    this.addEventListener('keyup', ({ key }) => {
      if (key === 'Tab') this.#bringIn();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#pageDrag.end(true, null);
    this.desk.frames.delete(this.state.id);
  }

  override firstUpdated(): void {
    if (!this.state.minimised) this.focusContent();
  }

  override updated(changed: PropertyValues<this>): void {
    const { x, y, width, height } = this.desk.windows.shown(this.state);
    this.style.transform = `translate(${x}px, ${y}px)`;
    this.style.width = `${width}px`;
    this.style.height = `${height}px`;
    this.style.zIndex = String(this.state.z);
    this.inert = this.state.minimised;
    this.#beStop(this.top);
    this.toggleAttribute('moving', this.top && this.desk.shielded.get());
    this.toggleAttribute('minimised', this.state.minimised);
    this.toggleAttribute('narrow', width < narrowPx);
    this.toggleAttribute('filling', this.state.mode !== 'normal' || fillsArea(this.desk.windows.area.get()));
    this.ariaLabel = this.desk.title(this.state);
    const mode = this.desk.keyboardMode.get();
    const mine = mode?.window === this.state.id;
    const asked = this.desk.questions.state.get().has(this.state.id) || this.desk.unsaved.asking.get().has(this.state.id);
    // The question is gone: back to the page.
    if (this.#asked && !asked && this.top) this.focusContent();
    this.#asked = asked;
    if (mine && !this.hasAttribute('keyboard')) this.focus();
    this.toggleAttribute('keyboard', mine);
    if (changed.has('state') && changed.get('state')?.minimised === true && !this.state.minimised) this.focusContent();
  }

  // Frame: what the desk asks of a window.

  get #content(): SvcAppFrame | null {
    return this.renderRoot.querySelector<SvcAppFrame>('svc-app-frame');
  }
  get iframe(): HTMLIFrameElement | null {
    return this.#content?.iframe ?? null;
  }
  reload(): void {
    this.#pageDrag.end(true, null);
    this.#content?.reload();
  }
  stop(): void {
    this.#pageDrag.end(true, null);
    this.#content?.stop();
  }
  /** A page of before ends no drag any more. */
  greeted(): void {
    this.#pageDrag.end(true, null);
    this.#content?.greeted();
  }
  get hasGreeted(): boolean {
    return this.#content?.sdk === true;
  }
  focusContent(): void {
    this.#beStop(true);
    const question = this.renderRoot.querySelector<SvcUnsaved>('svc-unsaved') ?? this.renderRoot.querySelector<SvcQuestion>('svc-question');
    if (question !== null) question.focusContent();
    else if (this.#content !== null) this.#content.focusContent();
    else if (!this.#focusLast()) this.renderRoot.querySelector<HTMLElement & { focusContent?: () => void }>('.builtin')?.focusContent?.();
    // Content that is not there yet takes the focus from the window as a whole once it is, and from nothing else.
    if (!holdsFocus(this)) this.focus({ preventScroll: true });
  }
  #remember(event: Event): void {
    const path = event.composedPath();
    const body = this.renderRoot.querySelector('.body');
    if (path[0] instanceof HTMLElement && path[0] !== body && body !== null && path.includes(body)) this.#lastFocused = path[0];
  }
  /** It was pressed where nothing takes the focus: it does not stay in a window that is behind this one now. */
  #takeFromOthers(): void {
    if (this.desk.windows.top()?.id !== this.state.id || holdsFocus(this)) return;
    const others = [...this.desk.frames.values()].filter((frame) => frame !== this);
    if (others.some((frame) => frame instanceof SvcWindow && holdsFocus(frame))) this.focusContent();
  }
  /** A key brought the focus to a part that hangs over the edge of the screen: the window comes to it, since nothing scrolls there. */
  #bringIn(): void {
    const { state, desk } = this;
    const active = deepActive();
    if (state.mode !== 'normal' || desk.shielded.get() || !(active instanceof HTMLElement) || !active.matches(':focus-visible')) return;
    const [part, whole] = [active.getBoundingClientRect(), this.getBoundingClientRect()];
    const rect = desk.windows.shown(state);
    const { x, y } = { x: rect.x + part.x - whole.x, y: rect.y + part.y - whole.y };
    const next = broughtIn(rect, { x, y, width: part.width, height: part.height }, desk.windows.area.get());
    if (next.x !== rect.x || next.y !== rect.y) desk.windows.place(state.id, next);
  }
  #focusLast(): boolean {
    const last = this.#lastFocused;
    if (last?.isConnected !== true) return false;
    last.focus({ preventScroll: true });
    return deepActive() === last;
  }
  /** A press on the frame brings the keyboard to the window, and takes it from nothing in it. Decision: docs/decisions/0320 */
  #framePressed(): void {
    if (!holdsFocus(this)) this.focusContent();
  }
  /** As a whole: from there Tab goes to its first button. */
  override focus(options?: FocusOptions): void {
    this.renderRoot.querySelector<HTMLElement>('.whole')?.focus(options);
  }
  /**
   * Tab goes into the window in front only, F6 to the others: Chromium skips all that is in a host with a tabindex of -1. Whoever takes that
   * away takes the focus from what is in the host.
   */
  #beStop(isStop: boolean): void {
    if (!isStop) this.tabIndex = -1;
    else if (this.hasAttribute('tabindex')) {
      const active = holdsFocus(this) ? deepActive() : null;
      this.removeAttribute('tabindex');
      if (active !== null && !holdsFocus(this)) active.focus({ preventScroll: true });
    }
  }
  menuPoint(): { readonly x: number; readonly y: number } {
    const { left, top } = this.getBoundingClientRect();
    return { x: left + 8, y: top + 42 };
  }
  remoteDrag(phase: 'inicio' | 'mover' | 'fim' | 'cancelar', x: number, y: number): void {
    const area = this.parentElement?.getBoundingClientRect();
    const hereX = x - screenX - (area?.left ?? 0);
    const hereY = y - screenY - (outerHeight - innerHeight) - (area?.top ?? 0);
    const [fromX, fromY] = this.#dragFrom;
    if (phase === 'inicio') {
      this.#pageDrag.end(false, null);
      this.#dragFrom = [x, y];
      const steps = moveSteps(this.desk, this.state, this.#preview, hereX, hereY);
      this.#pageDrag.begin(steps, [hereX, hereY], (next, ...at) => this.remoteDrag(next, ...at));
    } else if (phase === 'mover') this.#pageDrag.move(x - fromX, y - fromY, hereX, hereY);
    else this.#pageDrag.end(phase === 'fim', [hereX, hereY]);
  }

  readonly #preview = (target: SnapPreview | null): void => {
    this.dispatchEvent(new CustomEvent('snap-preview', { detail: target, bubbles: true, composed: true }));
  };

  #titleDown(event: PointerEvent): void {
    const title = event.currentTarget;
    this.#framePressed();
    if (!(title instanceof HTMLElement) || this.#refusesDrag(event)) return;
    this.#drag(event, title, () => moveSteps(this.desk, this.state, this.#preview, event.clientX, event.clientY));
  }

  #drag(event: PointerEvent, target: HTMLElement, begin: () => DragSteps): void {
    if (startDrag(event, target, begin)) shieldWhileCaptured(this.desk);
  }

  /** Buttons don't start a drag, nor what the manifest names. Source: rules 2.1, `cancelarArraste`. */
  #refusesDrag(event: Event): boolean {
    const refused = ['button', ...this.state.options.noDrag].join(',');
    return event
      .composedPath()
      .some((part) => part instanceof Element && part !== event.currentTarget && part.matches(refused) && this.renderRoot.contains(part));
  }

  override render(): TemplateResult {
    const app = this.desk.apps.find(this.state.app);
    const question = this.desk.questions.state.get().get(this.state.id);
    const asking = this.desk.unsaved.asking.get().get(this.state.id);
    const active = this.#tabs?.tabs.find(({ id }) => id === this.#tabs?.active);
    const own = isApp(this.state) && this.state.options.header === 'app' && this.there;
    const resizable = !fillsArea(this.desk.windows.area.get()) && this.state.mode === 'normal';
    return html`
      <div class="whole" tabindex="-1"></div>
      ${own ? nothing : this.#titleBar(app)}
      <div class="body" tabindex="-1" role=${active === undefined ? nothing : 'tabpanel'} aria-label=${active?.titulo ?? nothing}>
        ${isApp(this.state) ? this.#page(app, question !== undefined || asking !== undefined) : this.desk.contentOf(this.state)}
        ${
          question === undefined
            ? nothing
            : html`<svc-question .asked=${question} .name=${app?.name ?? this.state.app} .top=${this.top}></svc-question>`
        }
        ${
          // While it saves, the page may ask the person something; it may take longer over it than saving takes.
          asking === undefined || (asking.state !== 'asked' && question !== undefined)
            ? nothing
            : html`<svc-unsaved
                .asking=${asking}
                .what=${this.desk.unsaved.state.get().get(this.state.id)}
                .name=${this.state.options.title}
                .top=${this.top}
                .answer=${(answer: UnsavedAnswer) => this.desk.unsaved.answer(this.state.id, answer)}
              ></svc-unsaved>`
        }
      </div>
      ${
        resizable
          ? handles.map(
              (handle) =>
                html`<div
                  class="handle ${handle}"
                  @mousedown=${(event: Event) => event.preventDefault()}
                  @pointerdown=${(event: PointerEvent) => {
                    this.#framePressed();
                    this.#drag(event, event.currentTarget as HTMLElement, () => resizeSteps(this.desk, this.state, handle));
                  }}
                ></div>`,
            )
          : nothing
      }
    `;
  }

  /** Tabs of the page that is in the window now: none while it is loaded again. */
  get #tabs(): WindowTabs | undefined {
    return this.there ? this.desk.tabs.state.get().get(this.state.id) : undefined;
  }

  #page(app: AppProjection | undefined, asked: boolean): TemplateResult {
    return html`<svc-app-frame
      .desk=${this.desk}
      .window=${this.state.id}
      .top=${this.top}
      .app=${app}
      .route=${this.state.route}
      .name=${this.state.options.title}
      ?inert=${asked}
      @app-there=${({ detail }: CustomEvent<boolean>) => this.#appThere(detail)}
    ></svc-app-frame>`;
  }

  #appThere(there: boolean): void {
    this.there = there;
    if (there) return;
    this.#pageDrag.end(true, null);
    this.desk.tabs.clear(this.state.id);
    this.desk.unsaved.drop(this.state.id);
  }

  #titleBar(app: AppProjection | undefined): TemplateResult {
    const { id, mode } = this.state;
    const title = this.desk.title(this.state);
    const tabs = this.#tabs;
    const fills = fillsArea(this.desk.windows.area.get());
    const menu = (event: MouseEvent): void => {
      event.preventDefault();
      const point = event.detail === 0 && event.type === 'click' ? this.menuPoint() : { x: event.clientX, y: event.clientY };
      openWindowMenu(this.desk, id, { ...point, of: event.currentTarget as Element });
    };
    return html`<header
      class="title ${tabs === undefined ? '' : 'tabbed'}"
      @pointerdown=${(event: PointerEvent) => this.#titleDown(event)}
      @mousedown=${(event: Event) => event.preventDefault()}
      @dblclick=${(event: Event) => !this.#refusesDrag(event) && !fills && this.desk.windows.toggleMaximised(id)}
      @contextmenu=${menu}
    >
      <button class="menu" type="button" aria-haspopup="menu" aria-label=${text('window.menu', { titulo: title })} @click=${menu}>
        <svc-app-icon .app=${app} .icon=${this.state.options.icon} .builtin=${this.desk.glyphOf(this.state)} .size=${20}></svc-app-icon>
      </button>
      <h2>${title}</h2>
      ${tabs === undefined ? nothing : html`<svc-tabs .desk=${this.desk} .window=${id} .now=${tabs} .label=${title}></svc-tabs>`}
      <div class="controls" role="group">
        ${this.#control('minimise', text('window.minimise'), () => this.desk.minimise(id))}
        ${
          fills
            ? nothing
            : this.#control(
                mode === 'maximised' ? 'restore' : 'maximise',
                text(mode === 'maximised' ? 'window.restore' : 'window.maximise'),
                () => this.desk.windows.toggleMaximised(id),
              )
        }
        ${this.#control('close', text('window.close'), () => this.desk.close(id))}
      </div>
    </header>`;
  }

  #control(name: Glyph, label: string, run: () => void): TemplateResult {
    return html`<button class="control ${name}" type="button" title=${label} aria-label=${label} @click=${run}>${glyph(name)}</button>`;
  }
}

customElements.define('svc-window', SvcWindow);
