/** How tabs look in a title bar: beside the title, and in a line of their own in a narrow window (svc-window). */
import { css } from 'lit';

export const tabStyles = css`
  :host {
    display: flex;
    align-items: center;
    gap: 2px;
    min-width: 0;
    height: 100%;
  }
  .strip {
    display: flex;
    gap: 2px;
    min-width: 0;
    height: 100%;
    overflow-x: auto;
    overscroll-behavior-x: contain;
    scrollbar-width: none;
    touch-action: pan-x;
  }
  .tab {
    position: relative;
    display: flex;
    align-items: center;
    flex: 0 1 180px;
    min-width: 116px;
    height: 100%;
    border-bottom: 2px solid transparent;
    color: var(--muted);
  }
  .tab:hover {
    background: var(--hover);
  }
  .tab.active {
    border-bottom-color: var(--accent-ink);
    color: var(--ink);
  }
  .tab.dragged {
    background: var(--selected);
  }
  button {
    border: 0;
    background: transparent;
  }
  [role='tab'] {
    flex: 1;
    min-width: 0;
    height: 100%;
    padding: 2px 4px 0 10px;
    overflow: hidden;
    font-size: 13px;
    text-align: start;
    text-overflow: ellipsis;
    white-space: nowrap;
    unicode-bidi: isolate;
    touch-action: pan-x;
  }
  .active [role='tab'] {
    font-weight: 600;
  }
  [role='tab']:focus-visible {
    border-radius: 6px;
    outline-offset: -3px;
  }
  .cross,
  .extra {
    display: grid;
    place-items: center;
    flex: none;
    width: 24px;
    height: 24px;
    padding: 0;
    border-radius: 6px;
    color: inherit;
  }
  .cross {
    margin-inline-end: 4px;
  }
  .extra {
    width: 30px;
    height: 30px;
  }
  .cross:hover,
  .extra:hover {
    background: var(--line-strong);
    color: var(--ink);
  }
  @media (pointer: coarse) {
    .cross,
    .extra {
      width: 44px;
      height: 44px;
    }
    .tab {
      min-width: 132px;
    }
  }
  @media (forced-colors: active) {
    .tab.active {
      border-bottom-color: Highlight;
    }
  }
`;
