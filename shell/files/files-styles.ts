import { css } from 'lit';

/** Styles of svc-files. */
export const filesStyles = css`
  :host {
    display: block;
    height: 100%;
    min-height: 0;
    container-type: size;
    background: var(--surface);
  }
  .window {
    display: grid;
    grid-template: auto minmax(0, 1fr) auto auto / 200px minmax(0, 1fr);
    height: 100%;
  }
  header {
    grid-column: 1 / -1;
    display: flex;
    align-items: center;
    gap: 4px;
    padding: 6px 8px;
    border-bottom: 1px solid var(--line);
  }
  .narrow {
    display: none;
  }
  .crumbs {
    flex: 1;
    display: flex;
    align-items: center;
    min-width: 0;
    overflow-x: auto;
    scrollbar-width: none;
    color: var(--muted);
    white-space: nowrap;
  }
  .crumbs button {
    min-height: var(--control);
    padding: 0 8px;
    border: 0;
    border-radius: 8px;
    background: transparent;
    color: var(--ink);
  }
  .crumbs button:hover {
    background: var(--hover);
  }
  .crumbs button[aria-current] {
    font-weight: 600;
  }
  .path {
    flex: 1;
    min-width: 0;
    margin-inline-end: 4px;
  }
  .search {
    width: 180px;
    min-width: 60px;
  }
  .places {
    border-inline-end: 1px solid var(--line);
    min-height: 0;
  }
  .main {
    container-type: inline-size;
    position: relative;
    display: flex;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
  }
  svc-folder {
    flex: 1;
    --ground: var(--surface);
  }
  .problem {
    margin: 12px;
    padding: 10px 12px;
    border-radius: 8px;
    background: var(--note);
    color: var(--on-note);
  }
  ui-empty {
    /* Over the entries, which are opaque. */
    z-index: 1;
    position: absolute;
    inset: 40% 24px auto;
    padding: 0;
    pointer-events: none;
  }
  ui-empty ui-button {
    pointer-events: auto;
  }
  .columns {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 150px) 90px 150px;
    gap: 12px;
    padding: 0 12px 0 48px;
    border-bottom: 1px solid var(--line);
  }
  .columns button {
    min-height: 32px;
    min-width: 0;
    padding: 0;
    overflow: clip;
    border: 0;
    background: transparent;
    color: var(--muted);
    font-size: 12px;
    text-align: start;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .columns .direction {
    margin-inline-start: 4px;
  }
  .columns button:disabled {
    opacity: 1;
  }
  .columns button[aria-pressed='true'] {
    color: var(--ink);
    font-weight: 600;
  }
  .columns .tamanho {
    text-align: end;
  }
  .tasks {
    grid-column: 1 / -1;
  }
  footer {
    grid-column: 1 / -1;
    display: flex;
    justify-content: space-between;
    gap: 12px;
    min-height: 28px;
    padding: 4px 12px;
    border-top: 1px solid var(--line);
    color: var(--muted);
    font-size: 12px;
  }
  /* Half of a phone has the keyboard: the entries have the rest. */
  @container (max-height: 280px) {
    .crumbs,
    footer {
      display: none;
    }
  }
  @container (max-width: 640px) {
    .window {
      grid-template-columns: minmax(0, 1fr);
    }
    .places {
      display: none;
    }
    .narrow {
      display: contents;
    }
    header {
      flex-wrap: wrap;
    }
    .crumbs,
    .path {
      order: 1;
      flex: 1 0 100%;
    }
    .search {
      flex: 1;
    }
  }
  /* A phone: what is searched for has the room. */
  @container (max-width: 420px) {
    .spare {
      display: none;
    }
  }
  /* As the entries below (file-view-styles.ts): a sidebar may leave little. */
  @container (max-width: 620px) {
    .columns {
      grid-template-columns: minmax(0, 1fr) 84px;
    }
    .columns .tipo,
    .columns .data {
      display: none;
    }
  }
`;
