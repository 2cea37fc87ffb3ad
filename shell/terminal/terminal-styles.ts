import { css } from 'lit';

export const terminalStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
    background: var(--terminal);
  }
  .bar {
    display: flex;
    align-items: center;
    gap: 4px;
    padding: 4px 6px;
    border-bottom: 1px solid var(--line);
    background: var(--surface);
  }
  .tabs {
    display: flex;
    gap: 4px;
    min-width: 0;
    overflow-x: auto;
  }
  [role='tab'] {
    flex: none;
    max-width: 220px;
    min-height: var(--control);
    padding: 0 10px;
    border: 0;
    border-radius: 8px;
    background: transparent;
    color: var(--muted);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  [role='tab'][aria-selected='true'] {
    background: var(--hover);
    color: var(--ink);
  }
  .screens {
    position: relative;
    flex: 1;
    min-height: 0;
  }
  .screen {
    display: flex;
    flex-direction: column;
    height: 100%;
  }
  .screen svc-screen {
    flex: 1;
  }
  .ended,
  .problem,
  .none {
    padding: 8px 12px;
    font-size: 13px;
  }
  .ended,
  .problem {
    border-bottom: 1px solid var(--line);
    background: var(--surface);
  }
  .none {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 12px;
    padding: 20px;
    color: var(--ink);
  }
`;
