/** The tile of an app, in the launcher and on the empty desktop. */
import { css } from 'lit';

export const tileStyles = css`
  .tiles {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(104px, 1fr));
    gap: 4px;
  }
  .tile {
    position: relative;
    display: flex;
    flex-direction: column;
    align-items: center;
    gap: 10px;
    width: 100%;
    min-height: 104px;
    padding: 14px 6px 10px;
    border: 0;
    border-radius: 12px;
    background: transparent;
    text-align: center;
  }
  .tile:hover {
    background: var(--hover);
  }
  .tile[aria-selected='true'] {
    background: var(--selected);
    box-shadow: inset 0 0 0 2px var(--focus);
  }
  .tile .name {
    display: -webkit-box;
    min-width: 0;
    overflow: clip;
    font-size: 13px;
    line-height: 1.3;
    overflow-wrap: anywhere;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
  }
  .picture {
    position: relative;
    display: inline-grid;
  }
  .picture .badge {
    position: absolute;
    top: -6px;
    right: -8px;
    min-width: 20px;
    padding: 0 5px;
    border: 2px solid var(--raised);
    border-radius: 999px;
    background: var(--accent);
    color: var(--on-accent);
    font-size: 12px;
    font-weight: 600;
    line-height: 18px;
  }
  .dot {
    position: absolute;
    right: -4px;
    bottom: -4px;
    width: 12px;
    height: 12px;
    border: 2px solid var(--raised);
    border-radius: 50%;
    background: var(--idle);
  }
  .dot.running {
    background: var(--good);
  }
  .dot.starting,
  .dot.stopping,
  .dot.backoff {
    background: var(--warn);
  }
  .dot.failed {
    background: var(--danger);
  }
  .dot.stopped {
    display: none;
  }
`;
