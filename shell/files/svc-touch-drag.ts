/** Picture of the files that a finger drags, and a place below that moves them to the trash: a phone shows no sidebar. */
import { css, html, LitElement, type TemplateResult } from 'lit';
import { text } from '../i18n/i18n.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';

export class SvcTouchDrag extends LitElement {
  static override properties = { label: {}, over: { type: Boolean }, trash: { attribute: false } };
  declare label: string;
  /** It is over the trash. */
  declare over: boolean;
  /** Called when the files are dropped on the trash. */
  declare trash: (event: DragEvent) => void;

  constructor() {
    super();
    this.label = '';
    this.over = false;
    this.trash = () => undefined;
  }

  static override styles = [
    base,
    css`
      :host {
        position: fixed;
        inset: 0;
        z-index: 30000;
        pointer-events: none;
      }
      .carried {
        position: absolute;
        top: 0;
        left: 0;
        max-width: min(220px, 60vw);
        padding: 8px 12px;
        border: 1px solid var(--line-strong);
        border-radius: 8px;
        overflow: clip;
        background: var(--raised);
        box-shadow: var(--shadow-high);
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .trash {
        position: absolute;
        bottom: calc(var(--taskbar) + env(safe-area-inset-bottom, 0px) + 12px);
        left: 50%;
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 48px;
        padding: 0 20px;
        border: 1px solid var(--line-strong);
        border-radius: 24px;
        background: var(--raised);
        box-shadow: var(--shadow-low);
        white-space: nowrap;
        transform: translateX(-50%);
        pointer-events: auto;
      }
      .trash[data-over] {
        border-color: var(--danger);
        background: var(--danger);
        color: var(--on-danger);
      }
    `,
  ];

  /** Above the finger, which would cover it. */
  move(x: number, y: number): void {
    const carried = this.renderRoot.querySelector<HTMLElement>('.carried');
    if (carried === null) return;
    const left = Math.max(8, Math.min(x - carried.offsetWidth / 2, innerWidth - carried.offsetWidth - 8));
    carried.style.transform = `translate(${left}px, ${Math.max(8, y - carried.offsetHeight - 24)}px)`;
  }

  override render(): TemplateResult {
    return html`<div
        class="trash"
        ?data-over=${this.over}
        @dragover=${(event: DragEvent) => {
          event.preventDefault();
          this.over = true;
        }}
        @dragleave=${() => (this.over = false)}
        @drop=${(event: DragEvent) => this.trash(event)}
      >
        ${glyph('trash')} ${text('files.toTrash')}
      </div>
      <div class="carried" aria-hidden="true">${this.label}</div>`;
  }
}

customElements.define('svc-touch-drag', SvcTouchDrag);
