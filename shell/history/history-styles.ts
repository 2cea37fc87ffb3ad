/** How the history dialog looks; at 640 px and less the chosen version stands below the list. */
import { css } from 'lit';

export const historyStyles = css`
  ui-dialog {
    --ui-dialog-width: 1000px;
  }
  .note,
  .problem {
    margin-bottom: 16px;
  }
  .panes {
    display: grid;
    grid-template-columns: minmax(200px, 280px) minmax(0, 1fr);
    grid-template-rows: minmax(0, 1fr);
    gap: 20px;
    height: min(68dvh, 640px);
  }
  .list {
    overflow: auto;
    /* Room for the outline of what has the focus. */
    padding: 4px;
  }
  .list h3 {
    padding: 12px 8px 4px;
    color: var(--muted);
    font-size: 13px;
    font-weight: 600;
  }
  .list section:first-child h3 {
    padding-top: 0;
  }
  .list button {
    display: block;
    width: 100%;
    padding: 8px;
    border: 0;
    border-radius: 8px;
    background: none;
    text-align: start;
    overflow-wrap: anywhere;
  }
  .list button:hover {
    background: var(--hover);
  }
  .list button[aria-current] {
    background: var(--selected);
  }
  .title {
    font-weight: 500;
  }
  .list span {
    display: block;
  }
  .facts {
    color: var(--muted);
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  .list button[aria-current] .facts {
    color: inherit;
  }
  .chosen {
    display: flex;
    flex-direction: column;
    gap: 12px;
    min-width: 0;
    min-height: 0;
  }
  .chosen h3 {
    font-size: 15px;
    overflow-wrap: anywhere;
  }
  svc-version {
    flex: 1;
    min-height: 0;
  }
  .verbs {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 8px;
  }
  .verbs ui-field {
    flex: 1 1 180px;
    min-width: 0;
  }
  .downloads {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
  }
  .downloads svg {
    color: var(--muted);
  }
  .question {
    flex-basis: 100%;
    font-size: 13px;
  }
  @media (max-width: 640px) {
    .panes {
      grid-template-columns: minmax(0, 1fr);
      grid-template-rows: auto auto;
      height: auto;
    }
    .list {
      max-height: 34dvh;
    }
  }
`;

export const versionStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    gap: 8px;
  }
  .facts {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 16px;
    color: var(--muted);
    font-size: 13px;
  }
  .text {
    flex: 1;
    min-height: 120px;
    padding: 12px;
    border: 1px solid var(--line);
    border-radius: 8px;
    background: var(--field);
    line-height: 1.5;
    white-space: pre-wrap;
    overflow: auto;
    overflow-wrap: anywhere;
  }
  ins {
    background: color-mix(in srgb, var(--good) 14%, transparent);
    text-decoration: underline;
    text-decoration-thickness: 2px;
    text-underline-offset: 3px;
  }
  del {
    background: color-mix(in srgb, var(--danger) 12%, transparent);
    text-decoration: line-through;
  }
  .gap {
    color: var(--muted);
    font-size: 13px;
  }
  @media (max-width: 640px) {
    .text {
      overflow: visible;
    }
  }
`;
