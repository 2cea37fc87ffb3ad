/** The shop: tabs, the part that scrolls, chips, the question before a removal. Beside the pieces of shell/ui. */
import { css } from 'lit';
import { frameStyles, noteStyles } from '../ui/piece-styles.ts';

const ownStyles = css`
  ui-tabs {
    display: grid;
    grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
    height: 100%;
  }
  ui-tabs::part(bar) {
    padding: 0 12px;
  }
  ui-tab {
    min-height: 44px;
  }
  .number-badge {
    min-width: 20px;
    padding: 0 6px;
    border-radius: 999px;
    background: var(--accent);
    color: var(--on-accent);
    font-size: 12px;
    font-weight: 600;
    line-height: 20px;
    text-align: center;
  }
  .content {
    overflow: auto;
    padding: 16px 20px 28px;
    outline-offset: -2px;
  }
  .content > section,
  .page > section {
    margin-top: 22px;
  }
  .content > section:first-child {
    margin-top: 0;
  }
  h3 {
    font-size: 15px;
    font-weight: 600;
  }
  h4 {
    margin-bottom: 8px;
    font-size: 14px;
    font-weight: 600;
  }
  .quiet,
  .authors {
    color: var(--muted);
    font-size: 13px;
  }
  .note {
    align-items: center;
    margin-bottom: 14px;
  }
  .note span {
    flex: 1;
  }
  .note ui-button {
    --ui-button-ink: currentcolor;
  }
  .chip {
    display: inline-block;
    padding: 1px 10px;
    border-radius: 999px;
    background: var(--hover);
    color: var(--muted);
    font-size: 12px;
    font-weight: 500;
    line-height: 20px;
    overflow-wrap: anywhere;
  }
  .chip.calm {
    background: var(--selected);
    color: var(--ink);
  }
  .chip.news,
  .chip.bad {
    background: var(--note);
    color: var(--on-note);
  }
  ui-button[data-tinted] {
    --svc-acento: var(--selected);
    --svc-sobre-acento: var(--ink);
    --svc-acento-forte: color-mix(in srgb, var(--accent) 22%, var(--surface));
  }
  @container (max-width: 479px) {
    ui-tabs::part(bar) {
      padding: 0 4px;
    }
    ui-tab {
      padding: 0 8px;
      font-size: 14px;
    }
    .content {
      padding: 12px 14px 24px;
    }
  }
`;

export const shopStyles = [frameStyles, noteStyles, ownStyles];
