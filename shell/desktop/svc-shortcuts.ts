/** The dialog that lists the shell's keys. */
import { css, html, LitElement, type TemplateResult } from 'lit';
import '../../sdk/web/ui/dialog.ts';
import { text } from '../i18n/i18n.ts';
import { base } from '../ui/base.ts';
import type { Desk } from './desk.ts';

export class SvcShortcuts extends LitElement {
  static override properties = { desk: { attribute: false } };
  declare desk: Desk;

  static override styles = [
    base,
    css`
      ui-dialog {
        --ui-dialog-width: 460px;
      }
      dl {
        display: grid;
        grid-template-columns: 1fr auto;
        align-items: center;
        gap: 12px 20px;
        overflow-wrap: break-word;
      }
      dd {
        display: flex;
        flex-wrap: wrap;
        justify-content: end;
        gap: 6px;
        color: var(--muted);
      }
      /* Beside the keys there is no room for words. */
      @media (max-width: 479px) {
        dl {
          grid-template-columns: minmax(0, 1fr);
          gap: 6px;
        }
        dd {
          justify-content: start;
        }
        dd:not(:last-child) {
          margin-bottom: 10px;
        }
      }
      kbd {
        padding: 2px 8px;
        border: 1px solid var(--line-strong);
        border-radius: 6px;
        background: var(--field);
        color: var(--ink);
        font: inherit;
        font-size: 12px;
      }
      p {
        margin-top: 20px;
        color: var(--muted);
        font-size: 13px;
      }
    `,
  ];

  override render(): TemplateResult {
    return html`<ui-dialog open label=${text('shortcuts.title')} @close=${() => this.desk.shortcutsOpen.set(false)}>
      <dl>
        <dt>${text('shortcuts.launcher')}</dt>
        <dd><kbd>Ctrl</kbd><kbd>K</kbd><span>${text('key.orMeta')}</span></dd>
        <dt>${text('shortcuts.next')}</dt>
        <dd><kbd>F6</kbd></dd>
        <dt>${text('shortcuts.previous')}</dt>
        <dd><kbd>Shift</kbd><kbd>F6</kbd></dd>
        <dt>${text('shortcuts.switch')}</dt>
        <dd><kbd>Alt</kbd><kbd>Q</kbd></dd>
        <dt>${text('shortcuts.switchBack')}</dt>
        <dd><kbd>Alt</kbd><kbd>Shift</kbd><kbd>Q</kbd></dd>
        <dt>${text('shortcuts.moveTab')}</dt>
        <dd><kbd>Ctrl</kbd><kbd>Shift</kbd><kbd>←</kbd><kbd>→</kbd></dd>
        <dt>${text('shortcuts.closeTab')}</dt>
        <dd><kbd>Delete</kbd></dd>
      </dl>
      <p>${text('shortcuts.terminal')}</p>
      <p>${text('shortcuts.note')}</p>
    </ui-dialog>`;
  }
}

customElements.define('svc-shortcuts', SvcShortcuts);
