/** How the share dialog looks; at 320 px the verbs of a row stand below its name. */
import { css } from 'lit';

/** A person or a group in a list. */
export const rowStyles = css`
  .rows li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 12px;
    padding: 10px 0;
  }
  .rows li + li {
    border-top: 1px solid var(--line);
  }
  .mark {
    display: grid;
    flex: none;
    place-items: center;
    width: 34px;
    height: 34px;
    border-radius: 50%;
    background: var(--selected);
    color: var(--ink);
    font-size: 12px;
    font-weight: 600;
  }
  .who {
    flex: 1 1 140px;
    min-width: 0;
  }
  .name {
    overflow-wrap: anywhere;
    font-weight: 500;
  }
  .facts {
    color: var(--muted);
    font-size: 13px;
    overflow-wrap: anywhere;
  }
`;

export const shareStyles = css`
  ui-dialog {
    --ui-dialog-width: 600px;
  }
  ui-dialog::part(footer) {
    border-top: 1px solid var(--line);
  }
  section + section,
  .lead + section {
    margin-top: 24px;
  }
  .lead {
    color: var(--muted);
    font-size: 13px;
  }
  h3 {
    margin-bottom: 4px;
    font-size: 14px;
  }
  form {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 8px;
  }
  form ui-field {
    flex: 1 1 180px;
    min-width: 0;
  }
  .verbs {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
  }
  .verbs .facts {
    flex-basis: 100%;
  }
  .declared {
    display: inline-block;
    padding: 1px 8px;
    border-radius: 999px;
    background: var(--note);
    color: var(--on-note);
    font-size: 12px;
  }
  .problem {
    margin-bottom: 16px;
  }
  .sure {
    display: flex;
    flex-wrap: wrap;
    justify-content: end;
    gap: 8px;
  }
  .history {
    margin-inline-end: auto;
  }
  .question {
    flex-basis: 100%;
    font-size: 13px;
    overflow-wrap: anywhere;
  }
`;
