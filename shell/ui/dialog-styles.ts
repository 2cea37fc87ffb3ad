/** The box of a dialog and its header: a title, and the button that closes it. The element gives the width. */
import { css } from 'lit';

export const dialogStyles = css`
  dialog {
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
