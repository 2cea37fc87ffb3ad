/**
 * The second step of a yes to an app: a small dialog at a place that nobody knows beforehand, never under the last press. A press beside its buttons was
 * meant for another place, and counts as a way back. Decision: docs/decisions/0381-a-yes-is-no-game.md
 */
import { css, html, LitElement, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { placeAway, type Point } from './place-away.ts';
import { ReadyPress } from './ready-press.ts';

const random = (): number => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32;

export class SvcSure extends LitElement {
  static override properties = { heading: {} };
  declare heading: string;
  pressed: Point | null = null;
  answer: (isSure: boolean) => void = () => undefined;
  readonly #presses = new ReadyPress(this);
  #watch = new Watch(this, () => [language]);
  /** On a phone the dialog has little room beside it. */
  readonly #place = `${random() < 0.5 ? 'above' : 'below'} ${random() < 0.5 ? 'start' : 'end'}`;

  constructor() {
    super();
    this.heading = '';
  }

  static override styles = [
    base,
    css`
      ui-dialog {
        --ui-dialog-width: 272px;
      }
      ui-dialog::part(dialog) {
        translate: var(--moved-x, 0) var(--moved-y, 0);
      }
      .verbs {
        display: flex;
        flex: 1;
        flex-flow: column;
        gap: 8px;
      }
      .above {
        flex-direction: column-reverse;
      }
      .start {
        align-items: start;
      }
      .end {
        align-items: end;
      }
      /* A press on one reaches the dialog, which counts anew. */
      ui-button[disabled] {
        pointer-events: none;
      }
    `,
  ];

  override firstUpdated(): void {
    void this.#watch;
    void this.#moveAway();
  }

  async #moveAway(): Promise<void> {
    const dialog = this.renderRoot.querySelector('ui-dialog');
    await dialog?.updateComplete;
    const box = dialog?.shadowRoot?.querySelector('dialog')?.getBoundingClientRect();
    if (box === undefined) return;
    const { x, y } = placeAway(box, { width: innerWidth, height: innerHeight }, this.pressed, random);
    this.style.setProperty('--moved-x', `${x - box.x}px`);
    this.style.setProperty('--moved-y', `${y - box.y}px`);
  }

  #press(event: Event): void {
    this.#presses.press(event);
    const isOnButton = event.composedPath().some((each) => each instanceof Element && each.matches('ui-button, button'));
    if (event instanceof PointerEvent && !isOnButton && this.#presses.isMeant) this.answer(false);
  }

  /** The same keys as in the first step lead back to it: no button has the focus, and the first one is not the yes. */
  override render(): TemplateResult {
    const closed = !this.#presses.ready;
    return html`<ui-dialog
      open
      autofocus
      alert
      label=${this.heading}
      @pointerdown=${(event: Event) => this.#press(event)}
      @keydown=${(event: Event) => this.#press(event)}
      @close=${() => this.answer(false)}
    >
      <p>${text('sure.hint')}</p>
      <div slot="actions" class="verbs ${this.#place}">
        <ui-button ?disabled=${closed} @click=${() => this.#presses.clicked(() => this.answer(false))}>${text('sure.back')}</ui-button>
        <ui-button variant="primary" ?disabled=${closed} @click=${() => this.#presses.clicked(() => this.answer(true))}>
          ${text('sure.confirm')}
        </ui-button>
      </div>
    </ui-dialog>`;
  }
}

customElements.define('svc-sure', SvcSure);

/** `pressed`: where the pointer pressed last; null where that is not known. False as well once `gone` is aborted. */
export async function askSure(heading: string, pressed: Point | null, gone: AbortSignal): Promise<boolean> {
  if (gone.aborted) return false;
  const answered = Promise.withResolvers<boolean>();
  const element = Object.assign(new SvcSure(), { heading, pressed, answer: answered.resolve });
  gone.addEventListener('abort', () => answered.resolve(false), { once: true });
  document.body.append(element);
  try {
    return await answered.promise;
  } finally {
    element.remove();
  }
}
