/** How far something is, or that it goes on. */
import { css, html, nothing, type TemplateResult } from 'lit';
import { define, KitElement, kitStyles } from './element.ts';

class UiProgress extends KitElement implements SvcUiProgress {
  static override properties = {
    label: {},
    value: { type: Number },
    max: { type: Number },
    detail: {},
    hideLabel: { type: Boolean, attribute: 'hide-label' },
    ring: { type: Boolean, reflect: true },
  };
  label = '';
  /** Null: nobody knows how far. */
  value: number | null = null;
  max = 100;
  detail = '';
  hideLabel = false;
  ring = false;

  static override styles = [
    kitStyles,
    css`
      :host {
        display: block;
        min-width: 0;
      }
      :host([ring]) {
        display: inline-block;
      }
      .words {
        display: flex;
        flex-wrap: wrap;
        justify-content: space-between;
        gap: 0 calc(2 * var(--svc-passo));
        margin-block-end: var(--svc-passo);
        font-size: 0.875em;
      }
      .words span:last-child {
        color: var(--svc-texto-fraco);
      }
      .bar {
        height: var(--ui-progress-height, 0.5rem);
        border: 1px solid var(--svc-borda-campo);
        border-radius: 1rem;
        background: var(--svc-superficie-alta);
        overflow: clip;
      }
      .bar div {
        width: var(--ui-progress-part);
        height: 100%;
        background: var(--svc-acento);
        transition: width var(--svc-tempo);
      }
      .bar.unknown div {
        width: 40%;
        animation: pass 1.4s ease-in-out infinite alternate;
      }
      .ring {
        width: 1.5rem;
        height: 1.5rem;
        border: 3px solid var(--svc-superficie-alta);
        border-block-start-color: var(--svc-acento);
        border-radius: 50%;
        animation: turn 900ms linear infinite;
      }
      @keyframes pass {
        to {
          margin-inline-start: 60%;
        }
      }
      @media (prefers-reduced-motion: reduce) {
        .bar.unknown div {
          width: 100%;
          opacity: 0.5;
          animation: none;
        }
        .ring {
          animation-duration: 4s;
        }
      }
      @media (forced-colors: active) {
        .bar div {
          background: Highlight;
          forced-color-adjust: none;
        }
        .ring {
          border-block-start-color: Highlight;
        }
      }
    `,
  ];

  /** Between 0 and 1; null: nobody knows. */
  get #part(): number | null {
    const { value, max } = this;
    return value === null || !Number.isFinite(value) || !(max > 0) ? null : Math.min(1, Math.max(0, value / max));
  }

  override willUpdate(): void {
    // By the style object: a policy of the page may refuse the attribute.
    this.style.setProperty('--ui-progress-part', `${(this.#part ?? 0) * 100}%`);
  }

  override render(): TemplateResult {
    const known = this.#part !== null;
    const part = this.#part ?? 0;
    const percent = `${Math.round(part * 100)} %`;
    const told = this.detail || (known ? percent : '');
    const drawn = this.ring
      ? html`<div class="ring"></div>`
      : html`<div class="bar ${known ? '' : 'unknown'}" part="bar">
          <div></div>
        </div>`;
    const words =
      this.ring || this.hideLabel || (this.label === '' && told === '')
        ? nothing
        : html`<div class="words" aria-hidden="true"><span>${this.label}</span><span>${told}</span></div>`;
    return html`${words}
      <div
        role="progressbar"
        aria-label=${this.label || this.word('loading')}
        aria-valuemin=${known ? 0 : nothing}
        aria-valuemax=${known ? this.max : nothing}
        aria-valuenow=${known ? part * this.max : nothing}
        aria-valuetext=${told || nothing}
      >
        ${drawn}
      </div>`;
  }
}

define('ui-progress', UiProgress);
