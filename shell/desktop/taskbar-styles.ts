/** How the taskbar looks; on a phone windows are icons only. */
import { css } from 'lit';

export const taskbarStyles = css`
  :host {
    display: block;
    position: relative;
  }
  .bar {
    flex-wrap: nowrap;
    gap: 6px;
    height: var(--taskbar);
    padding: 0 8px;
    padding-bottom: env(safe-area-inset-bottom);
    border-top: 1px solid var(--line);
    background: var(--raised);
  }
  button {
    flex: none;
    border: 0;
    background: transparent;
  }
  button:hover {
    background: var(--hover);
  }
  .launch {
    display: grid;
    place-items: center;
    width: 44px;
    height: 44px;
    padding: 0;
    border-radius: 10px;
    color: var(--accent-ink);
  }
  .dev {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    min-width: 44px;
    height: 32px;
    padding: 0 8px;
    justify-content: center;
    border-radius: 8px;
    background: var(--accent);
    color: var(--on-accent);
    font: 700 12px/1 var(--mono);
  }
  .dev:hover {
    background: var(--accent);
    filter: brightness(1.08);
  }
  .dev.bad,
  .dev.bad:hover {
    background: var(--danger);
    color: var(--on-danger, var(--on-accent));
  }
  @media (pointer: coarse) {
    .dev {
      height: 44px;
    }
  }
  .pins,
  .windows {
    display: contents;
  }
  .pin {
    display: grid;
    place-items: center;
    width: 44px;
    height: 44px;
    padding: 0;
    border-radius: 10px;
  }
  [data-drop='before'] {
    box-shadow: inset 3px 0 0 var(--accent);
  }
  [data-drop='after'] {
    box-shadow: inset -3px 0 0 var(--accent);
  }
  .items {
    display: flex;
    flex: 1;
    gap: 4px;
    min-width: 0;
    /* Room for the focus ring inside the scroller. */
    padding: 4px;
    overflow-x: auto;
    scrollbar-width: none;
  }
  .window {
    position: relative;
    display: flex;
    align-items: center;
    gap: 8px;
    flex: 0 1 190px;
    min-width: 44px;
    height: 44px;
    padding: 0 12px 0 10px;
    border-radius: 10px;
    color: var(--ink);
    text-align: start;
  }
  .window[aria-pressed='true'] {
    background: var(--selected);
  }
  .window::after {
    content: '';
    position: absolute;
    left: 50%;
    bottom: 2px;
    width: 14px;
    height: 3px;
    border-radius: 2px;
    background: var(--line-strong);
    transform: translateX(-50%);
  }
  .window[aria-pressed='true']::after {
    width: 24px;
    background: var(--accent-ink);
  }
  .window.minimised .label {
    color: var(--muted);
  }
  .label {
    min-width: 0;
    overflow: clip;
    font-size: 13px;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .status {
    display: flex;
    align-items: center;
    gap: 8px;
    padding: 0 6px;
    color: var(--muted);
    font-size: 12px;
  }
  .light {
    width: 8px;
    height: 8px;
    border-radius: 50%;
    background: var(--good);
  }
  .offline .light {
    background: var(--danger);
  }
  .words {
    max-width: 220px;
  }
  .now {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 6px;
    min-width: 44px;
    height: 44px;
    padding: 0 8px;
    border-radius: 10px;
    color: var(--accent-ink);
    font-size: 13px;
    white-space: nowrap;
  }
  time {
    padding: 0 6px;
    font-size: 13px;
    font-variant-numeric: tabular-nums;
  }
  .bell {
    position: relative;
    display: grid;
    place-items: center;
    width: 44px;
    height: 44px;
    padding: 0;
    border-radius: 10px;
    color: var(--muted);
  }
  .count {
    position: absolute;
    top: 3px;
    right: 1px;
    min-width: 18px;
    padding: 0 4px;
    border-radius: 999px;
    background: var(--accent);
    color: var(--on-accent);
    font-size: 11px;
    font-weight: 600;
    line-height: 18px;
    font-variant-numeric: tabular-nums;
    text-align: center;
  }
  .person {
    display: grid;
    place-items: center;
    width: 44px;
    height: 44px;
    padding: 0;
    border-radius: 50%;
  }
  .initials {
    display: grid;
    place-items: center;
    width: 34px;
    height: 34px;
    border-radius: 50%;
    background: var(--accent);
    color: var(--on-accent);
    font-size: 12px;
    font-weight: 600;
  }
  @media (max-width: 599px) {
    .window {
      flex: none;
      width: 48px;
      justify-content: center;
      padding: 0;
    }
    .label,
    .now span,
    time {
      display: none;
    }
    .words {
      position: absolute;
      width: 1px;
      height: 1px;
      overflow: clip;
      clip-path: inset(50%);
    }
  }
`;
