/** How the panels of Administration look: lines that wrap, so that nothing scrolls sideways at 320 px. */
import { css } from 'lit';
import { noteStyles } from '../ui/piece-styles.ts';

export const adminPanelStyles = [
  noteStyles,
  css`
    :host {
      display: block;
    }
    li {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 6px 12px;
      min-height: 44px;
      padding: 8px 0;
      border-bottom: 1px solid var(--line);
    }
    .main {
      flex: 1 1 220px;
      min-width: 0;
      overflow-wrap: anywhere;
    }
    .main p,
    .quiet {
      color: var(--muted);
      font-size: 13px;
      line-height: 1.5;
    }
    .bad {
      color: var(--danger);
      font-weight: 600;
    }
    .acts {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
    .lines {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 8px;
    }
    .wide {
      flex: 1 1 100%;
      min-width: 0;
      overflow-wrap: anywhere;
    }
    code {
      font-family: var(--mono);
      font-size: 13px;
      user-select: all;
    }
    .note,
    p.lines {
      margin-bottom: 12px;
    }
  `,
];
