/** How the inside of an app's window looks while its page is on the way or its backend is away. */
import { css } from 'lit';

export const appFrameStyles = css`
  :host {
    display: flex;
    flex-direction: column;
  }
  .page {
    position: relative;
    flex: 1;
    min-height: 0;
  }
  iframe {
    display: block;
    width: 100%;
    height: 100%;
    border: 0;
    background: var(--surface);
  }
  .shield,
  .overlay {
    position: absolute;
    inset: 0;
  }
  .overlay {
    display: flex;
    flex-direction: column;
    align-items: center;
    justify-content: center;
    gap: 14px;
    padding: 24px;
    overflow: auto;
    background: var(--surface);
    text-align: center;
  }
  .headline {
    font-size: 17px;
    font-weight: 600;
  }
  .bar {
    width: min(240px, 70%);
    height: 3px;
    overflow: clip;
    border-radius: 2px;
    background: var(--line);
  }
  .bar span {
    display: block;
    width: 40%;
    height: 100%;
    border-radius: 2px;
    background: var(--accent);
    animation: sweep 1.2s ease-in-out infinite;
  }
  @keyframes sweep {
    from {
      transform: translateX(-110%);
    }
    to {
      transform: translateX(270%);
    }
  }
  .steps {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    gap: 4px 14px;
    color: var(--muted);
    font-size: 13px;
  }
  .steps .done {
    color: var(--good);
  }
  .steps .done::before {
    content: '✓ ' / '';
  }
  .steps .now {
    color: var(--ink);
    font-weight: 600;
  }
  .hint {
    max-width: 46ch;
    color: var(--muted);
    font-size: 13px;
    overflow-wrap: anywhere;
  }
`;
