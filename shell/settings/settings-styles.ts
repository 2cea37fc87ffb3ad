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
  nav ui-field,
  nav ui-select {
    flex: none;
    margin-bottom: 8px;
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
    /* Not bold: wider words would wrap and move what is below. */
    box-shadow: inset 3px 0 0 var(--accent);
  }
  nav h3 {
    padding: 12px 10px 4px;
    color: var(--muted);
    font-size: 12px;
  }
  nav ui-select {
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
  .sample {
    flex: none;
    width: 28px;
    height: 20px;
    border: 1px solid var(--line-strong);
    border-radius: 5px;
  }
  .colour {
    width: 20px;
    border-radius: 50%;
  }
  .azul {
    background: light-dark(#2f5bd0, #3f6be0);
  }
  .verde {
    background: light-dark(#1a7a45, #1f8350);
  }
  .roxo {
    background: light-dark(#7a3fc4, #8850d4);
  }
  .rosa {
    background: light-dark(#b8326f, #c03a78);
  }
  .laranja {
    background: light-dark(#a64f00, #ac5410);
  }
  .grafite {
    background: light-dark(#4a5568, #5b687e);
  }
  .brilho {
    background: radial-gradient(at 15% 0%, color-mix(in srgb, var(--accent) 45%, var(--wall)), var(--wall) 80%);
  }
  .horizonte {
    background: linear-gradient(to top, color-mix(in srgb, var(--accent) 45%, var(--wall)), var(--wall) 80%);
  }
  .faixas {
    background: repeating-linear-gradient(135deg, color-mix(in srgb, var(--accent) 30%, var(--wall)) 0 5px, var(--wall) 5px 10px);
  }
  .pontos {
    background:
      radial-gradient(color-mix(in srgb, var(--accent) 60%, var(--wall)) 1.5px, transparent 2px) 0 0 / 7px 7px,
      var(--wall);
  }
  .liso {
    background: var(--wall);
  }
  ui-radio-group + ui-radio-group {
    margin-top: 20px;
  }
  .quiet,
  .what p {
    color: var(--muted);
    font-size: 13px;
    line-height: 1.5;
    overflow-wrap: anywhere;
  }
  .technical summary {
    width: fit-content;
    color: var(--muted);
    font-size: 13px;
    cursor: pointer;
  }
  @media (pointer: coarse) {
    .technical summary {
      min-height: 44px;
    }
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
  .row ui-select {
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
    nav ui-select {
      display: block;
      margin-bottom: 0;
    }
    .content {
      padding: 16px;
    }
  }
`;
