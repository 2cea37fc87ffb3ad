import { css } from 'lit';

/** Styles of svc-file-view. */
export const fileViewStyles = css`
  :host {
    display: block;
    min-height: 0;
    height: 100%;
    container-type: inline-size;
  }
  .scroll {
    position: relative;
    height: 100%;
    overflow: auto;
    overscroll-behavior: var(--overscroll, contain);
    /* An opaque layer is scrolled as it was drawn, and not drawn anew. */
    background: var(--ground, transparent);
  }
  .space {
    position: relative;
    min-height: 100%;
    outline: none;
  }
  .entry {
    position: absolute;
    top: 0;
    left: 0;
    contain: strict;
    display: grid;
    align-items: center;
    border-radius: 8px;
    cursor: default;
    user-select: none;
    -webkit-user-select: none;
  }
  .lista .entry {
    grid-template-columns: 24px minmax(0, 1fr) minmax(0, 150px) 90px 150px;
    gap: 12px;
    padding: 0 12px;
  }
  .icones .entry {
    justify-items: center;
    align-content: start;
    gap: 4px;
    padding: 10px 4px 4px;
    text-align: center;
  }
  .entry:hover {
    background: var(--hover);
  }
  .entry[aria-selected='true'] {
    background: var(--selected);
  }
  .space:focus-visible .entry.at {
    box-shadow: inset 0 0 0 2px var(--focus);
  }
  .entry.target {
    box-shadow: inset 0 0 0 2px var(--accent);
    background: var(--selected);
  }
  .entry.cut {
    opacity: 0.55;
  }
  .picture {
    position: relative;
    display: inline-grid;
  }
  .arrow {
    position: absolute;
    right: -6px;
    bottom: -4px;
    display: grid;
    border-radius: 50%;
    background: var(--raised);
    color: var(--muted);
  }
  .name {
    min-width: 0;
    overflow: clip;
    text-overflow: ellipsis;
    white-space: pre;
  }
  .icones .name {
    display: -webkit-box;
    width: 100%;
    font-size: 13px;
    line-height: 1.3;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
  }
  .where {
    margin-inline-start: 8px;
    color: var(--muted);
    font-size: 13px;
  }
  .icones .where {
    display: block;
    margin: 0;
    font-size: 12px;
  }
  .icones .name:has(.where) {
    -webkit-line-clamp: 3;
  }
  .type,
  .size,
  .date {
    min-width: 0;
    overflow: clip;
    color: var(--muted);
    font-size: 13px;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .entry[aria-selected='true'] :is(.type, .size, .date, .where) {
    color: var(--ink);
  }
  .size {
    text-align: end;
  }
  @container (max-width: 620px) {
    .lista .entry {
      grid-template-columns: 24px minmax(0, 1fr) 84px;
    }
    .type,
    .date {
      display: none;
    }
  }
  .rename {
    position: absolute;
    top: 0;
    left: 0;
    z-index: 1;
  }
  .rename::part(control) {
    padding-inline-start: 44px;
  }
  .icones .rename::part(control) {
    padding-inline: 4px;
    text-align: center;
  }
  .band {
    position: absolute;
    top: 0;
    left: 0;
    z-index: 2;
    border: 1px solid var(--focus);
    background: var(--snap);
    pointer-events: none;
  }
`;
