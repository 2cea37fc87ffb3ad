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
  .tab {
    display: inline-flex;
    align-items: center;
    flex: none;
    max-width: 220px;
    border-radius: 8px;
  }
  .tab.active {
    background: var(--hover);
  }
  .tab button {
    min-height: var(--control);
    border: 0;
    border-radius: 8px;
    background: transparent;
    color: var(--muted);
  }
  .tab [role='tab'] {
    padding: 0 4px 0 10px;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .tab.active [role='tab'] {
    color: var(--ink);
  }
  .tab .close {
    display: inline-grid;
    place-items: center;
    width: 28px;
    padding: 0;
  }
  .tab .close:hover {
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
