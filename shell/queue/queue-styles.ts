/** How the queue looks: the list beside the details, and in a narrow window one of them at a time. */
import { css } from 'lit';

export const stateStyles = css`
  .state {
    display: inline-flex;
    align-items: center;
    gap: 8px;
    font-size: 13px;
    font-weight: 500;
  }
  .dot {
    flex: none;
    width: 9px;
    height: 9px;
    border-radius: 50%;
    background: var(--idle);
  }
  .dot.a-submeter,
  .dot.na-fila,
  .dot.a-correr,
  .dot.a-recolher {
    background: var(--accent);
  }
  .dot.terminado {
    background: var(--good);
  }
  .dot.falhou {
    background: var(--danger);
  }
  .dot.desconhecido {
    background: var(--warn);
  }
  .reason {
    display: block;
    color: var(--muted);
    font-size: 12px;
    overflow-wrap: anywhere;
  }
`;

export const queueStyles = css`
  .layout {
    grid-template-columns: minmax(0, 1fr);
  }
  .layout.split {
    grid-template-columns: minmax(0, 1fr) minmax(0, 1.15fr);
  }
  .list {
    overflow: auto;
    padding-bottom: 16px;
    outline-offset: -2px;
  }
  .filters {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    padding: 12px 16px 0;
  }
  .filters > ui-field {
    flex: 1 1 130px;
  }
  .whose {
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
  }
  .summary {
    padding: 12px 16px;
    color: var(--muted);
    font-size: 13px;
  }
  .note,
  .problem {
    margin: 0 16px 12px;
  }
  /* Rows out of sight cost nothing to lay out. */
  li {
    content-visibility: auto;
    contain-intrinsic-block-size: auto 62px;
    border-top: 1px solid var(--line);
  }
  li button {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 200px);
    gap: 4px 12px;
    width: 100%;
    min-height: 60px;
    padding: 9px 16px;
    border: 0;
    background: transparent;
    text-align: start;
    outline-offset: -2px;
  }
  li button:hover {
    background: var(--hover);
  }
  li button[aria-current] {
    background: var(--selected);
  }
  .name {
    display: block;
    min-width: 0;
    overflow: clip;
    font-weight: 600;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .facts {
    display: block;
    color: var(--muted);
    font-size: 12px;
    overflow-wrap: anywhere;
  }
  li ui-progress {
    --ui-progress-height: 4px;
    grid-column: 1 / -1;
  }
  .more {
    margin: 12px 16px 0;
  }
  @container (max-width: 719px) {
    .layout.split {
      grid-template-columns: minmax(0, 1fr);
    }
    .layout.split .list {
      display: none;
    }
  }
  @container (max-width: 479px) {
    li button {
      grid-template-columns: minmax(0, 1fr);
    }
  }
`;

export const detailStyles = css`
  :host {
    display: block;
    min-width: 0;
    overflow: auto;
    border-left: 1px solid var(--line-strong);
  }
  section {
    display: flex;
    flex-direction: column;
    gap: 12px;
    min-height: 100%;
    padding: 8px 16px 16px;
  }
  header {
    display: flex;
    align-items: center;
    gap: 8px;
  }
  h3 {
    flex: 1;
    min-width: 0;
    font-size: 15px;
    overflow-wrap: anywhere;
  }
  .progress {
    display: flex;
    align-items: center;
    gap: 8px;
    font-size: 13px;
  }
  .progress ui-progress {
    flex: 1;
  }
  .verbs:empty {
    display: none;
  }
  .verbs,
  .ask {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .ask {
    padding: 10px 12px;
    border: 1px solid var(--line-strong);
    border-radius: 8px;
  }
  .ask p {
    flex-basis: 100%;
    font-size: 13px;
    overflow-wrap: anywhere;
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
    min-width: 0;
    overflow-wrap: anywhere;
  }
  details {
    color: var(--muted);
    font-size: 13px;
  }
  details dl {
    margin-top: 6px;
  }
  details p {
    margin-top: 6px;
    overflow-wrap: anywhere;
  }
  summary {
    cursor: pointer;
  }
  svc-job-log {
    flex: 1 0 220px;
    max-height: 420px;
  }
  @container (max-width: 719px) {
    :host {
      border-left: 0;
    }
  }
  @media (pointer: coarse) {
    summary {
      min-height: 44px;
    }
  }
`;
