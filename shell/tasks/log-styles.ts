/** How a log looks: a bar with its choices over the last lines. */
import { css } from 'lit';

export const logStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    border: 1px solid var(--line);
    border-radius: 10px;
    overflow: clip;
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
  ui-radio-group {
    flex: 1;
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
  .quiet {
    color: var(--muted);
  }
`;
