import { css } from 'lit';

export const editorStyles = css`
  :host {
    --code-keyword: light-dark(#8b3aa8, #dcbdfb);
    --code-string: light-dark(#1a6b36, #8ddb8c);
    --code-number: light-dark(#8a4b00, #f0b472);
    --code-comment: light-dark(#5b6470, #9aa4b0);
    --code-type: light-dark(#0b6570, #6cd0e0);
    --code-name: light-dark(#1f56b0, #8cc4ff);
    --code-wrong: light-dark(#b42318, #ff938a);
    --code-line: light-dark(rgb(30 60 130 / 5%), rgb(255 255 255 / 4%));
    --code-chosen: light-dark(#b9d3f5, #2f4a6d);
    --code-match: light-dark(#efe3b5, #4a4520);
    --code-found: light-dark(#f7cf74, #6d5a1a);
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
  .bar ui-button {
    flex: none;
  }
  .note {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    padding: 8px 12px;
    border-bottom: 1px solid var(--line);
    background: var(--note);
    color: var(--on-note);
    font-size: 13px;
  }
  .note p {
    flex: 1 1 220px;
    overflow-wrap: anywhere;
  }
  .box {
    flex: 1;
    min-height: 0;
    overflow: clip;
  }
  .refused {
    flex: 1;
    display: grid;
    gap: 12px;
    place-content: center;
    justify-items: start;
    padding: 20px;
    max-width: 560px;
    margin: 0 auto;
    overflow-wrap: anywhere;
  }
  .refused .choices {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .status {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 16px;
    padding: 4px 10px;
    border-top: 1px solid var(--line);
    background: var(--surface);
    color: var(--muted);
    font-size: 12px;
  }
  .status .state {
    flex: 1 1 auto;
    color: var(--ink);
  }
`;
