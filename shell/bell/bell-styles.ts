/** How the list of notices looks: at the right above the taskbar; on a phone from edge to edge. */
import { css } from 'lit';

export const bellStyles = css`
  ui-dialog {
    --ui-dialog-width: 420px;
  }
  ui-dialog::part(dialog) {
    inset: auto 8px calc(var(--keyboard) + var(--taskbar) + 8px) auto;
    max-height: min(640px, var(--screen) - var(--taskbar) - 16px);
    margin: 0;
  }
  ui-dialog::part(body) {
    padding: 0;
    overscroll-behavior: contain;
  }
  ui-dialog::part(footer) {
    padding: 8px 12px;
    border-top: 1px solid var(--line);
  }
  .problem {
    padding: 12px 20px;
    background: var(--note);
    color: var(--on-note);
    font-size: 13px;
  }
  li {
    display: grid;
    grid-template-columns: 12px minmax(0, 1fr);
    gap: 4px 8px;
    padding: 14px 20px 12px 12px;
  }
  li + li {
    border-top: 1px solid var(--line);
  }
  li.unread {
    background: var(--selected);
  }
  .dot {
    width: 8px;
    height: 8px;
    margin: 7px 2px;
    border-radius: 50%;
  }
  .unread .dot {
    background: var(--accent-ink);
  }
  .words {
    overflow-wrap: anywhere;
  }
  .unread .words {
    font-weight: 600;
  }
  .facts {
    color: var(--muted);
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  .unread .facts {
    color: var(--ink);
  }
  .verbs {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin-top: 8px;
  }
`;
