/** Settings: the sections beside what is chosen; in a narrow window above it, as one list to choose from. */
import { css } from 'lit';

export const settingsStyles = css`
  .layout {
    grid-template-columns: 248px minmax(0, 1fr);
  }
  nav {
    display: flex;
    flex-direction: column;
    gap: 2px;
    overflow: auto;
    padding: 12px;
    border-right: 1px solid var(--line);
    background: var(--field);
  }
  nav .field {
    flex: none;
    width: 100%;
    margin-bottom: 8px;
    background: var(--surface);
  }
  nav button {
    display: flex;
    align-items: center;
    gap: 10px;
    flex: none;
    min-height: var(--control);
    padding: 6px 10px;
    border: 0;
    border-radius: 8px;
    background: transparent;
    text-align: start;
    overflow-wrap: anywhere;
  }
  nav button svg {
    flex: none;
  }
  nav button:hover {
    background: var(--hover);
  }
  nav button[aria-current] {
    background: var(--selected);
    font-weight: 600;
  }
  nav h3 {
    padding: 12px 10px 4px;
    color: var(--muted);
    font-size: 12px;
  }
  nav select {
    display: none;
  }
  .content {
    overflow: auto;
    padding: 20px 24px 32px;
  }
  .content > * {
    max-width: 680px;
  }
  .content h3 {
    margin-bottom: 14px;
    font-size: 18px;
    overflow-wrap: anywhere;
  }
  .content h3:focus {
    outline: none;
  }
  .content h4 {
    margin: 20px 0 2px;
    font-size: 15px;
  }
  .content section:first-of-type h4 {
    margin-top: 0;
  }
  .type {
    display: flex;
    align-items: center;
    gap: 12px;
    min-width: 0;
  }
  .type span {
    min-width: 0;
  }
  .type small {
    display: block;
    color: var(--muted);
    overflow-wrap: anywhere;
  }
  .problem {
    margin-bottom: 12px;
  }
  fieldset {
    display: grid;
    gap: 2px;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0 0 6px;
    color: var(--muted);
  }
  .choice {
    display: flex;
    align-items: center;
    gap: 10px;
    min-height: var(--control);
    padding: 6px 10px;
    border-radius: 8px;
  }
  .choice:hover {
    background: var(--hover);
  }
  .choice input {
    flex: none;
    width: 18px;
    height: 18px;
    margin: 0;
    accent-color: var(--accent);
  }
  .quiet,
  .what p {
    color: var(--muted);
    font-size: 13px;
    line-height: 1.5;
    overflow-wrap: anywhere;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 16px;
    padding: 12px 0;
  }
  .row + .row {
    border-top: 1px solid var(--line);
  }
  .row .what {
    flex: 1 1 220px;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .row select {
    flex: 0 1 240px;
    min-width: 0;
    max-width: 100%;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .note {
    margin: 12px 0;
  }
  @container (width < 620px) {
    .layout {
      grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
    }
    nav {
      border-right: 0;
      border-bottom: 1px solid var(--line);
    }
    nav button,
    nav h3 {
      display: none;
    }
    nav select {
      display: block;
    }
    nav .field {
      margin-bottom: 4px;
    }
    .content {
      padding: 16px;
    }
  }
`;
