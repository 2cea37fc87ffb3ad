/** Styles of svc-file-picker, besides those of a dialog and of the file manager. */
import { css } from 'lit';

export const pickerStyles = css`
  :host {
    display: contents;
  }
  ui-dialog {
    --ui-dialog-width: 760px;
  }
  ui-dialog::part(dialog) {
    height: min(600px, calc(var(--screen) - 24px));
  }
  ui-dialog::part(body) {
    padding: 0;
  }
  .inside {
    display: flex;
    flex-direction: column;
    height: 100%;
    container-type: inline-size;
  }
  .way {
    display: flex;
    align-items: center;
    gap: 4px;
    padding: 6px 12px;
    border-bottom: 1px solid var(--line);
  }
  .way ui-select {
    flex: none;
    max-width: 40%;
  }
  .up svg {
    rotate: 90deg;
  }
  .main {
    flex: 1;
  }
  svc-folder {
    --ground: var(--raised);
  }
  .problem {
    margin: 8px 12px 0;
  }
  .inside > ui-field {
    flex: none;
    margin: 12px 20px 0;
  }
  .note {
    padding: 10px 20px 0;
    color: var(--muted);
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  .first {
    margin-inline-end: auto;
  }
  @container (max-width: 640px) {
    .way {
      flex-wrap: wrap;
    }
    .way ui-select {
      flex: 1;
      max-width: none;
    }
  }
`;
