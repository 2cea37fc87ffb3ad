/** How a question of an app looks: over the page, below the title bar. */
import { css } from 'lit';

export const questionStyles = css`
  :host {
    position: absolute;
    inset: 0;
    z-index: 3;
    display: grid;
    place-items: center;
    padding: 12px;
    overflow: auto;
    background: var(--veil);
  }
  form {
    box-sizing: border-box;
    width: 100%;
    max-width: 420px;
    max-height: 100%;
    padding: 0 20px;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: 12px;
    background: var(--raised);
    color: var(--ink);
    box-shadow: var(--shadow-high);
  }
  /* The name of the asking app and the answers stay in sight however long its text is. */
  h3 {
    position: sticky;
    top: 0;
    z-index: 1;
    margin: 0;
    padding: 16px 0 8px;
    background: var(--raised);
    color: var(--muted);
    font-size: 13px;
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  p {
    margin: 0 0 12px;
    font-size: 15px;
    overflow-wrap: anywhere;
    white-space: pre-line;
  }
  ul {
    display: grid;
    gap: 6px;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  li ui-button {
    display: flex;
  }
  li ui-button::part(button) {
    justify-content: start;
    text-align: start;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    justify-content: end;
    gap: 8px;
    position: sticky;
    bottom: 0;
    padding: 12px 0 16px;
    background: var(--raised);
  }
`;
