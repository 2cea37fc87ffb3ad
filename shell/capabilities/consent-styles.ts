/** Style of the consent dialog; from 320 px up. */
import { css } from 'lit';

export const consentStyles = css`
  ui-dialog {
    --ui-dialog-width: 460px;
  }
  .body {
    display: grid;
    gap: 12px;
    font-size: 14px;
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
  .verbs {
    display: flex;
    flex: 1;
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
