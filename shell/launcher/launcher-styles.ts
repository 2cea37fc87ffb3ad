/** How the launcher looks: a panel above the taskbar, the whole screen on a phone. */
import { css } from 'lit';

export const launcherStyles = css`
  ui-dialog::part(dialog) {
    inset: auto auto calc(var(--keyboard) + var(--taskbar) + 10px) 10px;
    width: min(660px, 100vw - 20px);
    height: min(560px, var(--screen) - var(--taskbar) - 20px);
    max-width: none;
    max-height: none;
    margin: 0;
    animation: rise 140ms ease-out;
  }
  ui-dialog::part(body) {
    padding: 0;
  }
  @keyframes rise {
    from {
      opacity: 0;
      transform: translateY(8px);
    }
  }
  .panel {
    display: flex;
    flex-direction: column;
    height: 100%;
  }
  .search {
    display: flex;
    align-items: center;
    gap: 10px;
    flex: none;
    padding: 8px 8px 8px 18px;
    border-bottom: 1px solid var(--line);
    color: var(--muted);
  }
  input {
    flex: 1;
    min-width: 0;
    height: 44px;
    padding: 0;
    border: 0;
    background: transparent;
    color: var(--ink);
    font-size: 16px;
    outline: none;
  }
  input::placeholder {
    color: var(--muted);
    opacity: 1;
  }
  input:focus-visible {
    outline: none;
  }
  .search:focus-within {
    box-shadow: inset 0 -2px 0 var(--focus);
  }
  .results {
    flex: 1;
    overflow: auto;
    padding: 6px 12px 16px;
    overscroll-behavior: contain;
  }
  h3 {
    padding: 14px 8px 6px;
    color: var(--muted);
    font-size: 12px;
    font-weight: 600;
  }
  .command {
    display: flex;
    align-items: center;
    gap: 12px;
    min-height: 44px;
    padding: 0 12px;
    border-radius: 10px;
    color: var(--ink);
    cursor: pointer;
  }
  .command[aria-selected='true'] {
    background: var(--selected);
    box-shadow: inset 0 0 0 2px var(--focus);
  }
  .command .what,
  .command .where {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .command .where {
    flex: none;
    max-width: 40%;
    margin-inline-start: auto;
    color: var(--muted);
    font-size: 12px;
  }
  .problem {
    flex: none;
    padding: 8px 20px;
    color: var(--muted);
    font-size: 12px;
  }
  .tile {
    cursor: pointer;
  }
  ui-empty {
    flex: 1;
  }
  .foot {
    flex: none;
    padding: 10px 20px;
    border-top: 1px solid var(--line);
    color: var(--muted);
    font-size: 12px;
  }
  @media (max-width: 599px) {
    ui-dialog::part(dialog) {
      inset: var(--screen-top) 0 auto;
      width: 100vw;
      height: var(--screen);
      border: 0;
      border-radius: 0;
    }
    .foot {
      display: none;
    }
    .tiles {
      grid-template-columns: repeat(auto-fill, minmax(88px, 1fr));
    }
  }
  @media (pointer: coarse) {
    .foot {
      display: none;
    }
  }
`;
