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
  dialog {
    width: min(600px, 100vw - 16px);
    max-width: none;
    max-height: min(760px, var(--screen) - 16px);
    overflow: auto;
  }
  /* Only read from there: nothing to press. */
  h2:focus {
    outline: none;
  }
  section,
  footer,
  .lead {
    padding: 16px 20px 8px;
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
    gap: 8px;
  }
  form label {
    flex-basis: 100%;
    font-size: 13px;
    font-weight: 500;
  }
  form .field {
    flex: 1 1 180px;
    min-width: 0;
  }
  .verbs {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
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
    margin: 16px 20px 0;
  }
  .question {
    flex-basis: 100%;
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  footer {
    display: flex;
    flex-wrap: wrap;
    justify-content: end;
    gap: 8px;
    padding-bottom: 20px;
    border-top: 1px solid var(--line);
  }
  footer .question {
    text-align: start;
  }
`;
