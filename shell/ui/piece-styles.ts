/** Styles that several windows and dialogs share: the frame of a window, a note. */
import { css } from 'lit';

/** A window is a container: its content follows its width, not that of the screen. */
export const frameStyles = css`
  :host {
    display: block;
    container-type: inline-size;
    overflow: clip;
    background: var(--surface);
  }
  .layout {
    display: grid;
    height: 100%;
  }
`;

/** Something to know, or something that went wrong. */
export const noteStyles = css`
  .note,
  .problem {
    display: flex;
    gap: 8px;
    padding: 8px 12px;
    border-radius: 8px;
    background: var(--note);
    color: var(--on-note);
    font-size: 13px;
  }
  .note svg,
  .problem svg {
    flex: none;
  }
`;
