/** How a log looks: a bar with its choices over the last lines. */
import { css } from 'lit';

export const logStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    border: 1px solid var(--line);
    border-radius: 10px;
    overflow: hidden;
  }
  .bar {
    display: flex;
    align-items: center;
    gap: 14px;
    flex: none;
    flex-wrap: wrap;
    padding: 2px 10px;
    border-bottom: 1px solid var(--line);
    background: var(--title-idle);
    font-size: 13px;
  }
  label {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    min-height: 36px;
    cursor: pointer;
  }
  input {
    width: 16px;
    height: 16px;
    margin: 0;
    accent-color: var(--accent);
  }
  fieldset {
    display: flex;
    flex: 1;
    gap: 14px;
    margin: 0;
    padding: 0;
    border: 0;
  }
  pre {
    flex: 1;
    min-height: 60px;
    margin: 0;
    padding: 10px;
    overflow: auto;
    background: var(--field);
    font: 12px/1.5 var(--mono);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    outline-offset: -2px;
  }
  @media (pointer: coarse) {
    label {
      min-height: 44px;
    }
  }
  .quiet {
    color: var(--muted);
  }
`;
