/** How the task manager looks; narrow windows show fewer columns and keep everything in the details. */
import { css } from 'lit';

export const taskStyles = css`
  .layout {
    grid-template-columns: minmax(0, 1fr);
  }
  .layout.split {
    grid-template-rows: minmax(144px, 1fr) minmax(180px, 3fr);
  }
  .list {
    display: flex;
    flex-direction: column;
    min-height: 0;
    overflow: auto;
  }
  ui-table {
    display: grid;
    flex: 1;
    grid-template-rows: minmax(0, 1fr);
    min-height: 120px;
    font-size: 13px;
  }
  ui-table::part(scroll) {
    overflow: auto;
    outline-offset: -2px;
  }
  .summary {
    padding: 12px 16px;
    color: var(--muted);
    font-size: 13px;
  }
  .problem {
    margin: 0 16px 12px;
  }
  thead th {
    white-space: nowrap;
  }
  table tr > :first-child {
    padding-inline-start: 16px;
  }
  tbody th {
    font-weight: 400;
  }
  tbody tr:hover {
    background: var(--hover);
  }
  tbody tr.chosen {
    background: var(--selected);
  }
  tr > td.number {
    text-align: end;
    font-variant-numeric: tabular-nums;
  }
  .name {
    display: flex;
    align-items: center;
    gap: 10px;
    min-height: 44px;
    padding: 0;
    border: 0;
    border-radius: 8px;
    background: transparent;
    text-align: start;
  }
  .title {
    display: block;
    font-weight: 600;
  }
  .id {
    display: block;
    color: var(--muted);
    font-size: 12px;
  }
  .state {
    display: flex;
    align-items: center;
    gap: 8px;
    font-weight: 500;
  }
  .state .dot {
    position: static;
    display: block;
    flex: none;
    width: 9px;
    height: 9px;
    border: 0;
  }
  .reason {
    display: block;
    margin-top: 2px;
    color: var(--muted);
    font-size: 12px;
  }
  .badges {
    display: flex;
    gap: 4px;
    margin-top: 4px;
  }
  .badge {
    display: inline-block;
    padding: 1px 8px;
    border-radius: 999px;
    background: var(--note);
    color: var(--on-note);
    font-size: 12px;
    white-space: nowrap;
  }
  .badge.calm {
    background: var(--selected);
    color: var(--ink);
  }
  .actions {
    width: 1%;
    padding-right: 12px;
  }
  .actions div {
    display: flex;
  }
  .details {
    display: flex;
    flex-direction: column;
    gap: 10px;
    min-height: 0;
    padding: 8px 16px 16px;
    overflow: auto;
    border-top: 1px solid var(--line-strong);
  }
  .details header {
    display: flex;
    align-items: center;
    gap: 12px;
  }
  h3 {
    font-size: 15px;
  }
  .since {
    flex: 1;
    color: var(--muted);
    font-size: 13px;
  }
  .verbs {
    display: none;
    flex-wrap: wrap;
    gap: 8px;
  }
  .secrets {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
  }
  .secrets .badge {
    white-space: normal;
    overflow-wrap: anywhere;
  }
  .cause,
  .loose {
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  .technical {
    color: var(--muted);
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  .technical summary {
    cursor: pointer;
  }
  @media (pointer: coarse) {
    .technical summary {
      min-height: 44px;
    }
  }
  dl {
    display: flex;
    flex-wrap: wrap;
    gap: 6px 24px;
    font-size: 13px;
  }
  dl div {
    display: flex;
    gap: 6px;
    min-width: 0;
  }
  dt {
    color: var(--muted);
    white-space: nowrap;
  }
  dd {
    overflow-wrap: anywhere;
  }
  /* Twelve lines and the bar above them. */
  svc-log-view {
    flex: 1 0 290px;
  }
  @container (max-width: 719px) {
    .wide,
    .id {
      display: none;
    }
    .layout.split {
      grid-template-rows: minmax(120px, 2fr) minmax(200px, 3fr);
    }
    svc-log-view {
      flex: none;
      height: 290px;
    }
  }
  /* Either the list or the details of the chosen app are shown. */
  @container (max-width: 479px) {
    table tr > :not(:first-child) {
      padding-inline: 4px;
    }
    .verbs {
      display: flex;
    }
    .name svc-app-icon,
    .actions [data-verb='restart'],
    .actions ui-button[icon][disabled] {
      display: none;
    }
    .actions div {
      justify-content: end;
    }
    .layout.split {
      grid-template-rows: minmax(0, 1fr);
    }
    .layout.split .list {
      display: none;
    }
    .details {
      border-top: 0;
    }
    .details header {
      flex-wrap: wrap;
    }
    h3 {
      flex: 1;
    }
    .since {
      order: 1;
      flex-basis: 100%;
    }
    svc-log-view {
      flex: 1 0 290px;
    }
  }
`;
