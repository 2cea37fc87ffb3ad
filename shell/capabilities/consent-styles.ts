/** Style of the consent dialog; from 320 px up. */
import { css } from 'lit';

export const consentStyles = css`
  dialog {
    width: min(460px, 100vw - 16px);
    max-height: calc(var(--screen) - 16px);
    overflow: auto;
  }
  /* It gets the focus so that it is read out, and does nothing. */
  h2:focus-visible {
    outline: none;
  }
  .body {
    display: grid;
    gap: 12px;
    padding: 16px 20px 20px;
    font-size: 14px;
  }
  .pair {
    display: flex;
    align-items: center;
    gap: 10px;
    color: var(--muted);
  }
  p {
    overflow-wrap: anywhere;
  }
  .facts {
    color: var(--muted);
    font-size: 13px;
  }
  code {
    font-family: var(--mono);
    font-size: 12px;
  }
  fieldset {
    display: grid;
    gap: 4px;
    min-width: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0 0 4px;
    font-size: 13px;
    font-weight: 500;
  }
  .offer {
    display: flex;
    align-items: center;
    gap: 10px;
    min-height: var(--control);
    padding: 6px 10px;
    border: 1px solid var(--line);
    border-radius: 8px;
    cursor: pointer;
  }
  .offer:has(:checked) {
    border-color: var(--accent);
    background: var(--selected);
  }
  .offer > span {
    display: grid;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .offer input {
    flex: none;
    accent-color: var(--accent);
  }
  .verbs {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .verbs ui-button {
    flex: 1 1 120px;
  }
  /* A press on one reaches the dialog, which counts anew. */
  .verbs ui-button[disabled] {
    pointer-events: none;
  }
`;
