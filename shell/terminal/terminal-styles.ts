import { css } from 'lit';

export const terminalStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
    background: var(--terminal);
  }
  ui-tabs {
    display: flex;
    flex: 1;
    flex-direction: column;
    min-height: 0;
  }
  ui-tabs::part(bar) {
    flex: none;
    gap: 4px;
    padding: 0 6px;
    background: var(--surface);
  }
  ui-tab {
    max-width: 220px;
  }
  /* The button beside them closes what is shown. */
  ui-tab::part(cross) {
    display: none;
  }
  ui-tab-panel {
    display: flex;
    flex: 1;
    flex-direction: column;
    min-height: 0;
    padding: 0;
  }
  ui-tab-panel svc-screen {
    flex: 1;
  }
  .ended,
  .problem {
    padding: 8px 12px;
    border-bottom: 1px solid var(--line);
    background: var(--surface);
    font-size: 13px;
  }
  .ended {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 8px;
  }
`;
