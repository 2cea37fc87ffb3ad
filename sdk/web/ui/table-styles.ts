/** The table is the page's own: these styles are of its tree. */
import { css } from 'lit';

export const tableStyles = css`
  .ui-table {
    width: 100%;
    border-collapse: collapse;
    color: var(--svc-texto);
    text-align: start;
  }
  .ui-table th,
  .ui-table td {
    padding: calc(2 * var(--svc-passo)) calc(2.5 * var(--svc-passo));
    border-block-end: 1px solid var(--svc-borda);
    text-align: start;
  }
  .ui-table-scrolls thead th {
    position: sticky;
    inset-block-start: 0;
    z-index: 1;
    background: var(--svc-superficie);
  }
  .ui-table thead th {
    color: var(--svc-texto-fraco);
    font-size: 0.875em;
    font-weight: 600;
  }
  .ui-table [data-sort='number'] {
    text-align: end;
  }
  .ui-table-sort {
    display: inline-flex;
    align-items: center;
    gap: 0.4em;
    min-height: 24px;
    padding: 0;
    border: 0;
    background: none;
    color: inherit;
    font: inherit;
    text-align: inherit;
    vertical-align: middle;
    cursor: pointer;
  }
  [data-sort='number'] > .ui-table-sort {
    flex-direction: row-reverse;
  }
  .ui-table-sort::after {
    width: 0.8em;
    content: '';
  }
  .ui-table-sort:hover::after {
    content: '↕' / '';
  }
  [aria-sort='ascending'] > .ui-table-sort::after {
    content: '↑' / '';
  }
  [aria-sort='descending'] > .ui-table-sort::after {
    content: '↓' / '';
  }
  .ui-table :focus-visible,
  .ui-table tr:focus-visible {
    outline: 2px solid var(--svc-foco);
    outline-offset: -2px;
  }
  .ui-table tbody tr[tabindex]:hover {
    background: var(--svc-superficie-alta);
  }
  .ui-table tr[aria-selected='true'] {
    background: var(--svc-selecao);
  }
  .ui-table .ui-table-pick {
    width: 1px;
    padding-inline-end: 0;
  }
  .ui-table-pick input {
    width: 1.2em;
    height: 1.2em;
    margin: 0;
    accent-color: var(--svc-acento);
  }
  @media (forced-colors: active) {
    .ui-table tr[aria-selected='true'] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }
`;
