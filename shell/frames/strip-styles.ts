/** How a strip over the page of an app looks. */
import { css } from 'lit';

export const stripStyles = css`
  .strip {
    display: flex;
    align-items: center;
    gap: 12px;
    flex: none;
    padding: 8px 12px;
    border-bottom: 1px solid var(--line);
    background: var(--note);
    color: var(--on-note);
    /* A relaunch takes some hundredths of a second: an app that is back by then never shows it. */
    animation: late 400ms 600ms both;
  }
  .strip p {
    display: flex;
    flex: 1;
    flex-wrap: wrap;
    gap: 0 10px;
    font-size: 13px;
  }
  .strip ui-button {
    --svc-controle: 32px;
    --ui-button-ink: currentcolor;
    flex: none;
  }
  .strip.secrets p {
    overflow-wrap: anywhere;
  }
  @keyframes late {
    from {
      opacity: 0;
    }
  }
  .spinner {
    flex: none;
    width: 16px;
    height: 16px;
    border: 2px solid currentColor;
    border-right-color: transparent;
    border-radius: 50%;
    animation: turn 900ms linear infinite;
  }
  @keyframes turn {
    to {
      transform: rotate(1turn);
    }
  }
  @media (pointer: coarse) {
    .strip ui-button {
      --svc-controle: 44px;
    }
  }
`;
