/**
 * Two parts beside each other, or above each other, and what is between them moves. Where there is no room for both beside each other they stand above
 * each other at their own height. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/windowsplitter/
 */
import { css, html, type PropertyValues, type TemplateResult } from 'lit';
import { define, KitElement, kitStyles } from './element.ts';

const stepPercent = 5;

class UiSplit extends KitElement implements SvcUiSplit {
  static override properties = {
    label: {},
    position: { type: Number, reflect: true },
    min: { type: Number },
    max: { type: Number },
    vertical: { type: Boolean, reflect: true },
    stackBelow: { type: Number, attribute: 'stack-below' },
    stacked: { state: true },
  };
  label = '';
  /** Size of the first part, in percent. */
  position = 50;
  min = 10;
  max = 90;
  vertical = false;
  /** Pixels. */
  stackBelow = 480;
  protected stacked = false;
  #before = 50;
  #sizes = new ResizeObserver(([entry]) => {
    this.stacked = !this.vertical && (entry?.contentRect.width ?? Infinity) < this.stackBelow;
  });

  static override styles = [
    kitStyles,
    css`
      :host {
        display: block;
        min-width: 0;
        height: 100%;
      }
      .split {
        display: flex;
        height: 100%;
      }
      .split.vertical,
      .split.stacked {
        flex-direction: column;
      }
      .part {
        min-width: 0;
        min-height: 0;
        overflow: auto;
      }
      .split:not(.stacked) > .first {
        flex: 0 0 calc(var(--ui-split-first) - 4px);
      }
      .second {
        flex: 1;
      }
      .stacked .part {
        flex: none;
        overflow: visible;
      }
      [role='separator'] {
        position: relative;
        flex: none;
        width: 9px;
        border: solid transparent;
        border-width: 0 4px;
        background: var(--svc-borda-campo) padding-box;
        cursor: col-resize;
        touch-action: none;
      }
      .vertical > [role='separator'] {
        width: auto;
        height: 9px;
        border-width: 4px 0;
        cursor: row-resize;
      }
      [role='separator']:hover,
      [role='separator']:focus-visible {
        background-color: var(--svc-acento);
      }
      @media (pointer: coarse) {
        [role='separator'] {
          width: 25px;
          border-width: 0 12px;
        }
        .vertical > [role='separator'] {
          height: 25px;
          border-width: 12px 0;
        }
      }
      @media (forced-colors: active) {
        [role='separator'] {
          background-color: CanvasText;
          forced-color-adjust: none;
        }
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.#sizes.observe(this);
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sizes.disconnect();
  }

  get #at(): number {
    return Math.min(this.max, Math.max(this.min, Number.isFinite(this.position) ? this.position : 50));
  }

  override willUpdate(changed: PropertyValues): void {
    if (changed.has('position')) this.position = this.#at;
    // By the style object: a policy of the page may refuse the attribute.
    this.style.setProperty('--ui-split-first', `${this.#at}%`);
  }

  #move(position: number, done: boolean): void {
    this.position = Math.min(this.max, Math.max(this.min, position));
    if (done) this.emit('change', { position: this.position });
  }

  #key(event: KeyboardEvent): void {
    const [back, on] = this.vertical ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
    const to = new Map([
      [back, this.position - stepPercent],
      [on, this.position + stepPercent],
      ['Home', this.min],
      ['End', this.max],
      // Closed as far as it goes, and back.
      ['Enter', this.position === this.min ? this.#before : this.min],
    ]).get(event.key);
    if (to === undefined) return;
    event.preventDefault();
    if (event.key === 'Enter' && this.position !== this.min) this.#before = this.position;
    this.#move(to, true);
  }

  #drag(event: PointerEvent): void {
    if (event.button !== 0) return;
    const bar = event.currentTarget as HTMLElement;
    bar.setPointerCapture(event.pointerId);
    const box = this.getBoundingClientRect();
    const over = new AbortController();
    const follow = (moved: PointerEvent): void => {
      const part = this.vertical ? (moved.clientY - box.top) / box.height : (moved.clientX - box.left) / box.width;
      this.#move(part * 100, false);
    };
    const end = (): void => {
      over.abort();
      this.#move(this.position, true);
    };
    bar.addEventListener('pointermove', follow, { signal: over.signal });
    bar.addEventListener('lostpointercapture', end, { signal: over.signal });
  }

  override render(): TemplateResult {
    const kind = this.stacked ? 'stacked' : this.vertical ? 'vertical' : '';
    return html`<div class="split ${kind}">
      <div id="first" class="part first" part="first"><slot name="first"></slot></div>
      <div
        role="separator"
        part="separator"
        tabindex="0"
        ?hidden=${this.stacked}
        aria-label=${this.label || this.word('sizes')}
        aria-orientation=${this.vertical ? 'horizontal' : 'vertical'}
        aria-controls="first"
        aria-valuemin=${this.min}
        aria-valuemax=${this.max}
        aria-valuenow=${Math.round(this.#at)}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
        @pointerdown=${(event: PointerEvent) => this.#drag(event)}
      ></div>
      <div class="part second" part="second"><slot name="second"></slot></div>
    </div>`;
  }
}

define('ui-split', UiSplit);
