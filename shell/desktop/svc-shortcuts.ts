/** The dialog that lists the shell's keys. */
import { css, html, LitElement, type TemplateResult } from 'lit';
import '../../sdk/web/ui/dialog.ts';
import { text, type TextKey } from '../i18n/i18n.ts';
import { base } from '../ui/base.ts';
import type { Desk } from './desk.ts';

type Row = readonly [what: TextKey, ...keys: string[]];

/** Keys whose names differ by language. */
const words = { Space: 'key.space', PageUp: 'key.pageUp', PageDown: 'key.pageDown' } as const satisfies Record<string, TextKey>;

/** Shortcuts by the place of the keyboard. Each window's own effect is in its own file. */
const parts: readonly { readonly title: TextKey | '@files'; readonly rows: readonly Row[] }[] = [
  {
    title: 'shortcuts.everywhere',
    rows: [
      ['shortcuts.launcher', 'Ctrl', 'K'],
      ['shortcuts.help', 'F1'],
      ['shortcuts.next', 'F6'],
      ['shortcuts.previous', 'Shift', 'F6'],
      ['shortcuts.switch', 'Alt', 'Q'],
      ['shortcuts.switchBack', 'Alt', 'Shift', 'Q'],
      ['shortcuts.moveTab', 'Ctrl', 'Shift', '←', '→'],
      ['shortcuts.closeTab', 'Delete'],
    ],
  },
  {
    title: '@files',
    rows: [
      ['shortcuts.open', 'Enter'],
      ['shortcuts.mark', 'Space'],
      ['shortcuts.all', 'Ctrl', 'A'],
      ['shortcuts.copy', 'Ctrl', 'C'],
      ['shortcuts.cut', 'Ctrl', 'X'],
      ['shortcuts.paste', 'Ctrl', 'V'],
      ['shortcuts.undo', 'Ctrl', 'Z'],
      ['shortcuts.rename', 'F2'],
      ['shortcuts.trash', 'Delete'],
      ['shortcuts.forGood', 'Shift', 'Delete'],
      ['shortcuts.up', 'Alt', '↑'],
      ['shortcuts.back', 'Alt', '←', '→'],
      ['shortcuts.path', 'Ctrl', 'L'],
      ['shortcuts.find', 'Ctrl', 'F'],
      ['shortcuts.hidden', 'Ctrl', 'H'],
      ['shortcuts.print', 'Ctrl', 'P'],
    ],
  },
  {
    title: 'shortcuts.editor',
    rows: [
      ['shortcuts.save', 'Ctrl', 'S'],
      ['shortcuts.find', 'Ctrl', 'F'],
      ['shortcuts.undo', 'Ctrl', 'Z'],
      ['shortcuts.redo', 'Ctrl', 'Y'],
      ['shortcuts.line', 'Ctrl', 'Alt', 'G'],
      ['shortcuts.leaveEditor', 'Ctrl', 'M'],
    ],
  },
  {
    title: 'shortcuts.viewer',
    rows: [
      ['shortcuts.images', 'PageUp', 'PageDown'],
      ['shortcuts.zoom', '+', '-'],
      ['shortcuts.fit', '0'],
      ['shortcuts.print', 'Ctrl', 'P'],
    ],
  },
];

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
      h3 {
        margin: 24px 0 12px;
        font-size: 14px;
      }
      h3:first-of-type {
        margin-top: 0;
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
      ${parts.map(
        ({ title, rows }) =>
          html`<h3>${title === '@files' ? this.desk.nameOf(title) : text(title)}</h3>
            <dl>
              ${rows.map(
                ([what, ...keys]) =>
                  html`<dt>${text(what)}</dt>
                    <dd>${keys.map((key) => html`<kbd>${key in words ? text(words[key as keyof typeof words]) : key}</kbd>`)}</dd>`,
              )}
            </dl>`,
      )}
      <p>${text('shortcuts.meta')}</p>
      <p>${text('shortcuts.terminal')}</p>
      <p>${text('shortcuts.note')}</p>
    </ui-dialog>`;
  }
}

customElements.define('svc-shortcuts', SvcShortcuts);
