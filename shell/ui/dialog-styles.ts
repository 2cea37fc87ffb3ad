/** The box of a dialog and its header: a title, and the button that closes it. The element gives the width. */
import { css } from 'lit';

export const dialogStyles = css`
  dialog {
    inset-block: var(--screen-top) var(--keyboard);
    max-height: calc(var(--screen) - 24px);
    padding: 0;
    border: 1px solid var(--line);
    border-radius: 16px;
    background: var(--raised);
    color: var(--ink);
    box-shadow: var(--shadow-high);
  }
  dialog::backdrop {
    background: var(--veil);
  }
  /* Where it is higher than the screen it is scrolled, and what answers it stays. */
  .buttons {
    position: sticky;
    bottom: 0;
    padding-block: 8px;
    margin-block-end: -8px;
    background: var(--raised);
  }
  header {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 8px;
    padding: 12px 12px 12px 20px;
    border-bottom: 1px solid var(--line);
  }
  h2 {
    font-size: 16px;
    overflow-wrap: anywhere;
  }
`;
