/** How a window's frame looks. Handles reach a little over the border, so that a pointer finds them. */
import { css } from 'lit';

export const windowStyles = css`
  :host {
    position: absolute;
    top: 0;
    left: 0;
    display: flex;
    flex-direction: column;
    border: 1px solid var(--line-strong);
    border-radius: 12px;
    background: var(--surface);
    box-shadow: var(--shadow-low);
    animation: appear 140ms ease-out;
  }
  :host([top]) {
    box-shadow: var(--shadow-high);
  }
  /* A layer of its own: what is below it is not drawn anew at each step. */
  :host([moving]) {
    will-change: transform;
  }
  :host([filling]) {
    border: 0;
    border-radius: 0;
  }
  .whole {
    position: absolute;
    inset: 0;
    border-radius: inherit;
    pointer-events: none;
  }
  .whole:focus-visible {
    outline-offset: 0;
  }
  :host([keyboard]) .whole:focus-visible,
  .body:focus-visible {
    outline: none;
  }
  :host([minimised]) {
    visibility: hidden;
    pointer-events: none;
  }
  :host([keyboard]) {
    outline: 2px dashed var(--focus);
    outline-offset: 2px;
  }
  @keyframes appear {
    from {
      opacity: 0;
    }
  }
  .title {
    display: flex;
    align-items: center;
    gap: 4px;
    flex: none;
    height: 40px;
    padding: 0 4px 0 4px;
    border-bottom: 1px solid var(--line);
    border-radius: 11px 11px 0 0;
    background: var(--title-idle);
    color: var(--muted);
    user-select: none;
    -webkit-user-select: none;
    touch-action: none;
  }
  :host([top]) .title {
    background: var(--title);
    color: var(--ink);
  }
  :host([filling]) .title {
    border-radius: 0;
  }
  h2 {
    flex: 1;
    min-width: 0;
    overflow: clip;
    font-size: 14px;
    font-weight: 600;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .menu,
  .control {
    display: grid;
    place-items: center;
    flex: none;
    width: 34px;
    height: 32px;
    padding: 0;
    border: 0;
    border-radius: 8px;
    background: transparent;
    color: inherit;
  }
  .menu:hover,
  .control:hover {
    background: var(--hover);
  }
  .control.close:hover {
    background: var(--danger);
    color: var(--on-danger);
  }
  .controls {
    display: flex;
    gap: 2px;
  }
  .tabbed h2 {
    flex: 0 1 auto;
    max-width: 30%;
    margin-inline-end: 8px;
  }
  svc-tabs {
    flex: 1;
  }
  :host([narrow]) .tabbed {
    flex-wrap: wrap;
    height: auto;
    padding-top: 4px;
  }
  :host([narrow]) .tabbed h2 {
    flex: 1;
    max-width: none;
  }
  :host([narrow]) svc-tabs {
    order: 1;
    flex: 0 0 calc(100% + 8px);
    height: 36px;
    margin-inline: -4px;
    border-top: 1px solid var(--line);
  }
  .body {
    position: relative;
    display: flex;
    flex: 1;
    min-height: 0;
    overflow: clip;
    border-radius: 0 0 11px 11px;
  }
  .whole + .body {
    border-radius: 11px;
  }
  :host([filling]) .body {
    border-radius: 0;
  }
  .body > * {
    flex: 1;
    min-width: 0;
  }
  .handle {
    position: absolute;
    touch-action: none;
  }
  .n,
  .s {
    left: 10px;
    right: 10px;
    height: 10px;
    cursor: ns-resize;
  }
  .e,
  .w {
    top: 10px;
    bottom: 10px;
    width: 10px;
    cursor: ew-resize;
  }
  .n {
    top: -6px;
  }
  .s {
    bottom: -6px;
  }
  .e {
    right: -6px;
  }
  .w {
    left: -6px;
  }
  .ne,
  .nw,
  .se,
  .sw {
    width: 18px;
    height: 18px;
  }
  .ne,
  .nw {
    top: -6px;
  }
  .se,
  .sw {
    bottom: -6px;
  }
  .ne,
  .se {
    right: -6px;
  }
  .nw,
  .sw {
    left: -6px;
  }
  .nw,
  .se {
    cursor: nwse-resize;
  }
  .ne,
  .sw {
    cursor: nesw-resize;
  }
  @media (pointer: coarse) {
    .title {
      height: 48px;
    }
    :host([narrow]) svc-tabs {
      height: 46px;
    }
    .menu,
    .control {
      width: 44px;
      height: 44px;
    }
  }
`;
