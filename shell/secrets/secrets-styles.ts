/** Style of the secrets dialog; from 320 px up everything is in one column. */
import { css } from 'lit';

export const secretsStyles = css`
  ui-dialog {
    --ui-dialog-width: 560px;
  }
  .lead {
    color: var(--muted);
    font-size: 13px;
  }
  .note {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 12px;
    margin-top: 16px;
    padding: 10px 12px;
    border-radius: 8px;
    background: var(--note);
    color: var(--on-note);
    font-size: 13px;
  }
  .note p {
    flex: 1 1 200px;
  }
  .note svg {
    flex: none;
  }
  ul {
    margin-top: 8px;
  }
  li {
    display: grid;
    gap: 8px;
    padding: 14px 0;
    border-bottom: 1px solid var(--line);
  }
  li:last-child {
    border-bottom: 0;
  }
  .name {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 10px;
  }
  /* A PEM key. Its letters are covered as those of a password. */
  .lines::part(control) {
    min-height: 120px;
    -webkit-text-security: disc;
  }
  code {
    font-family: var(--mono);
    font-size: 13px;
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .state {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    padding: 1px 8px;
    border-radius: 999px;
    background: var(--selected);
    font-size: 12px;
  }
  .state.missing {
    background: var(--note);
    color: var(--on-note);
  }
  .description {
    color: var(--muted);
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  .verbs,
  form {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  ui-field {
    flex-basis: 100%;
    min-width: 0;
  }
  .problem {
    flex-basis: 100%;
    color: var(--danger);
    font-size: 13px;
  }
`;
