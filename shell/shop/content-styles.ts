/** Style of the shop: cards, rows, progress, the page of an app. Narrow windows have one column. */
import { css } from 'lit';

export const shopContentStyles = css`
  .find {
    display: flex;
    flex-direction: column;
    gap: 10px;
  }
  .categories {
    display: flex;
    gap: 6px;
    /* Room for the focus ring inside the scroller. */
    margin: 0 -4px;
    padding: 4px;
    overflow-x: auto;
    scrollbar-width: none;
  }
  .categories ui-button {
    --svc-raio: 999px;
    flex: none;
  }
  .cards {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(280px, 100%), 1fr));
    gap: 12px;
    margin-top: 10px;
  }
  .card {
    display: flex;
    flex-direction: column;
    gap: 10px;
    padding: 14px;
    border: 1px solid var(--line);
    border-radius: 12px;
    background: var(--raised);
  }
  .name {
    display: flex;
    align-items: center;
    gap: 12px;
    min-height: 44px;
    min-width: 0;
    padding: 0;
    border: 0;
    border-radius: 8px;
    background: transparent;
    text-align: start;
  }
  .name:hover .title {
    text-decoration: underline;
  }
  .who {
    min-width: 0;
  }
  .title,
  .name .authors {
    display: block;
    overflow-wrap: anywhere;
  }
  .title {
    font-weight: 600;
  }
  .about {
    flex: 1;
    display: -webkit-box;
    min-width: 0;
    min-height: 0;
    overflow: clip;
    color: var(--muted);
    font-size: 13px;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
  }
  .foot {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 10px;
    min-height: var(--control);
  }
  .foot .actions {
    margin-inline-start: auto;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .progress {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 2px 10px;
    flex: 1;
    color: var(--muted);
    font-size: 12px;
    font-variant-numeric: tabular-nums;
  }
  .progress .amount {
    text-align: end;
  }
  .foot .progress {
    flex: 1 1 100%;
  }
  ui-progress {
    --ui-progress-height: 6px;
    grid-column: 1 / -1;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 10px;
  }
  .needs {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .needs li {
    display: flex;
    gap: 8px;
    align-items: baseline;
    overflow-wrap: anywhere;
  }
  .rows,
  .versions {
    margin-top: 8px;
  }
  .row,
  .versions li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 12px;
    padding: 10px 0;
    border-bottom: 1px solid var(--line);
  }
  .row .name {
    flex: 1 1 180px;
  }
  .wide {
    flex: 1 1 100%;
  }
  .news summary,
  .technical summary {
    width: fit-content;
    color: var(--accent-ink);
    font-size: 13px;
    cursor: pointer;
  }
  h5 {
    margin: 8px 0 2px;
    font-size: 13px;
    font-weight: 600;
  }
  .changes {
    max-width: 80ch;
    font-size: 14px;
    overflow-wrap: anywhere;
  }
  .changes > * + * {
    margin-top: 6px;
  }
  .changes h6 {
    margin: 10px 0 0;
    font-size: 13px;
    font-weight: 600;
  }
  .changes ul,
  .changes ol {
    display: grid;
    gap: 2px;
    padding-inline-start: 20px;
    list-style: disc;
  }
  .changes ol {
    list-style: decimal;
  }
  .changes pre,
  .changes code {
    font-family: var(--mono);
    font-size: 13px;
  }
  .changes pre {
    margin-bottom: 0;
    padding: 8px 10px;
    overflow: auto;
    border-radius: 8px;
    background: var(--field);
  }
  .changes a {
    color: var(--accent-ink);
  }
  .page {
    max-width: 820px;
    margin: 0 auto;
  }
  .way {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 8px;
    margin: -4px -14px 8px;
  }
  .head {
    display: flex;
    align-items: center;
    gap: 16px;
    margin-bottom: 16px;
  }
  .head h3 {
    /* It takes the keyboard so that a reader begins here; it is nothing to press. */
    outline: none;
    font-size: 22px;
    line-height: 1.25;
    overflow-wrap: anywhere;
  }
  .page > .progress,
  .failure,
  .why {
    margin-top: 16px;
  }
  .ways {
    margin-top: 8px;
  }
  .lead {
    max-width: 80ch;
    margin-top: 18px;
  }
  .pictures {
    display: flex;
    gap: 12px;
    margin: 0 -4px;
    /* Room for the focus ring inside the scroller. */
    padding: 4px;
    overflow-x: auto;
    list-style: none;
  }
  .pictures li {
    flex: none;
    max-width: 100%;
  }
  .pictures a {
    display: block;
    border: 1px solid var(--line);
    border-radius: 10px;
    overflow: clip;
  }
  .pictures img {
    display: block;
    width: auto;
    max-width: 100%;
    height: auto;
    max-height: 260px;
  }
  .failure,
  .page > section.why {
    display: grid;
    gap: 8px;
    padding: 12px 16px;
    border-radius: 10px;
    background: var(--note);
    color: var(--on-note);
    font-size: 14px;
  }
  .failure p:first-child {
    display: flex;
    gap: 8px;
  }
  .failure svg {
    flex: none;
  }
  .failure summary,
  .why ui-button::part(button) {
    color: inherit;
  }
  .why h4 {
    margin: 0;
  }
  .why ul {
    display: grid;
    gap: 8px;
    padding-inline-start: 18px;
    list-style: disc;
  }
  .why ui-button {
    justify-self: start;
    margin-inline-start: -14px;
  }
  .why ui-button::part(button):hover {
    background: transparent;
    text-decoration: underline;
  }
  .link {
    padding: 0;
    border: 0;
    background: transparent;
    text-decoration: underline;
  }
  .technical,
  code {
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  code {
    font-family: var(--mono);
  }
  dl {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(240px, 100%), 1fr));
    gap: 12px 20px;
    font-size: 14px;
  }
  dt {
    color: var(--muted);
    font-size: 12px;
  }
  dd {
    overflow-wrap: anywhere;
  }
  a {
    color: var(--accent-ink);
  }
  .versions li {
    min-height: calc(var(--control) + 12px);
    padding: 5px 0;
  }
  .number {
    font-weight: 500;
    font-variant-numeric: tabular-nums;
  }
  .versions ui-button {
    margin-inline-start: auto;
  }
  @container (max-width: 479px) {
    .progress {
      grid-template-columns: minmax(0, 1fr);
    }
    .progress .amount {
      text-align: start;
    }
    .head {
      gap: 12px;
    }
    .page > .actions ui-button {
      flex: 1 1 40%;
    }
  }
`;
