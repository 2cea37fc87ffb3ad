/** Of svc-file-picker, besides those of a dialog and of the file manager. */
import { css } from 'lit';

export const pickerStyles = css`
  :host {
    display: contents;
  }
  dialog {
    width: min(760px, calc(100vw - 24px));
    height: min(600px, calc(var(--screen) - 24px));
    overflow: hidden;
    container-type: inline-size;
  }
  dialog[open] {
    display: grid;
    grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
  }
  header {
    flex-wrap: nowrap;
    padding: 12px 12px 12px 20px;
  }
  form {
    display: flex;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
  }
  .way {
    display: flex;
    align-items: center;
    gap: 4px;
    padding: 6px 12px;
    border-bottom: 1px solid var(--line);
  }
  select {
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
  .named {
    display: flex;
    align-items: center;
    gap: 12px;
    padding: 12px 20px 0;
  }
  .name {
    flex: 1;
    min-width: 0;
  }
  .note {
    padding: 10px 20px 0;
    color: var(--muted);
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    padding: 12px 20px 16px;
  }
  .buttons span {
    flex: 1;
  }
  @container (max-width: 640px) {
    .way {
      flex-wrap: wrap;
    }
    select {
      flex: 1;
      max-width: none;
    }
    .named {
      flex-wrap: wrap;
      gap: 4px;
    }
  }
`;
