/** How the admin panel looks: lines that wrap, so that nothing scrolls sideways at 320 px. */
import { css } from 'lit';
import { shopStyles } from './styles.ts';

export const adminStyles = [
  shopStyles,
  css`
    :host {
      container-type: normal;
      overflow: visible;
    }
    .server {
      margin-top: 18px;
    }
    h3 {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 10px;
      font-size: 17px;
    }
    h4 {
      margin: 18px 0 4px;
    }
    li {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 6px 12px;
      min-height: 44px;
      padding: 6px 0;
      border-bottom: 1px solid var(--line);
    }
    .main {
      flex: 1 1 220px;
      overflow-wrap: anywhere;
    }
    .key {
      display: block;
    }
    .state {
      display: flex;
      flex-wrap: wrap;
      gap: 4px;
    }
    .line {
      flex: 1 1 200px;
      padding: 4px 10px;
      border-radius: 6px;
      background: var(--field);
      font-family: var(--mono);
      font-size: 13px;
      overflow-wrap: anywhere;
      user-select: all;
    }
    .why {
      flex: 1 1 100%;
      color: var(--muted);
      font-size: 13px;
      overflow-wrap: anywhere;
    }
    .technical summary {
      width: fit-content;
      color: var(--accent-ink);
      cursor: pointer;
    }
  `,
];
