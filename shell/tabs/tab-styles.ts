/** How tabs look in a title bar: beside the title, and in a line of their own in a narrow window (svc-window). */
import { css } from 'lit';

export const tabStyles = css`
  :host {
    --svc-controle: 30px;
    display: block;
    min-width: 0;
    height: 100%;
  }
  ui-tabs,
  ui-tabs::part(bar) {
    height: 100%;
    border: 0;
  }
  ui-tabs::part(list) {
    gap: 2px;
    height: 100%;
    scrollbar-width: none;
    touch-action: pan-x;
  }
  ui-tab {
    flex: 0 1 180px;
    min-width: 116px;
    height: 100%;
    padding: 2px 8px 0 10px;
    border-bottom-width: 2px;
    font-size: 13px;
  }
  ui-tab:hover {
    background: var(--hover);
  }
  ui-tab[selected] {
    border-bottom-color: var(--accent-ink);
  }
  @media (pointer: coarse) {
    :host {
      --svc-controle: 44px;
    }
    ui-tab {
      min-width: 132px;
    }
  }
`;
