import { css } from 'lit';

export const viewerStyles = css`
  :host {
    container-type: inline-size;
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
    background: var(--terminal);
  }
  .bar {
    flex-wrap: nowrap;
    gap: 2px;
    padding: 4px 6px;
    overflow-x: auto;
    border-bottom: 1px solid var(--line);
    background: var(--surface);
  }
  .bar > * {
    flex: none;
  }
  .bar .space {
    flex: 1;
  }
  .bar .at,
  .bar .zoom {
    min-width: 48px;
    padding: 0 4px;
    color: var(--muted);
    font-size: 13px;
    text-align: center;
    white-space: nowrap;
  }
  /* Its buttons are in one line. */
  @container (max-width: 420px) {
    .bar .at,
    .bar .zoom,
    .bar .spare {
      display: none;
    }
  }
  .stage {
    flex: 1;
    display: grid;
    min-height: 0;
    overflow: auto;
  }
  .stage.fit {
    overflow: clip;
  }
  .stage:focus-visible {
    outline-offset: -2px;
  }
  .stage > img,
  .stage > video,
  .stage > audio {
    place-self: center;
  }
  .fit > img,
  .stage > video {
    max-width: 100%;
    max-height: 100%;
    min-height: 0;
    object-fit: contain;
  }
  .stage > audio {
    width: min(480px, calc(100% - 32px));
  }
  .stage > img {
    background: repeating-conic-gradient(var(--surface) 0% 25%, var(--hover) 0% 50%) 0 0 / 16px 16px;
  }
  iframe {
    width: 100%;
    height: 100%;
    border: 0;
    background: var(--surface);
  }
  pre {
    margin: 0;
    padding: 12px;
    font: 13px/1.5 var(--mono);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    tab-size: 4;
  }
  .note {
    padding: 8px 12px;
    border-bottom: 1px solid var(--line);
    background: var(--note);
    color: var(--on-note);
    font-size: 13px;
  }
  .other {
    display: grid;
    gap: 12px;
    place-content: center;
    justify-items: center;
    max-width: 100%;
    padding: 20px;
    text-align: center;
    overflow-wrap: anywhere;
  }
  .other .choices {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    gap: 8px;
  }
  .other p {
    color: var(--muted);
  }
`;
