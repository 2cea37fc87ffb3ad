/** How the sign-in page looks: one card in the middle, on 320 px too. */
import { css } from 'lit';
import { controlLook } from '../../sdk/web/ui/control-look.ts';
import { base } from '../ui/base.ts';

const own = css`
  & {
    --svc-controle: 44px;
    display: grid;
    align-content: safe center;
    justify-items: center;
    height: var(--screen);
    padding: 24px 16px;
    /* The desktop behind it never scrolls. */
    overflow: auto;
  }
  main {
    width: min(440px, 100%);
    padding: 32px;
    border: 1px solid var(--line);
    border-radius: 16px;
    background: var(--raised);
    box-shadow: var(--shadow-high);
  }
  .mark {
    display: inline-grid;
    place-items: center;
    width: 44px;
    height: 44px;
    border-radius: 12px;
    background: var(--accent);
    color: var(--on-accent);
  }
  h1 {
    margin: 16px 0;
    font-size: 24px;
    letter-spacing: -0.01em;
  }
  p,
  li {
    color: var(--muted);
    line-height: 1.55;
  }
  ul {
    display: grid;
    gap: 8px;
    margin: 8px 0 0;
    padding-left: 20px;
    list-style: disc;
  }
  code {
    display: block;
    margin-top: 4px;
    padding: 6px 10px;
    border-radius: 8px;
    background: var(--hover);
    color: var(--ink);
    font-size: 13px;
    overflow-wrap: anywhere;
  }
  .ended {
    margin-bottom: 12px;
    color: var(--ink);
    font-weight: 600;
  }
  form {
    display: grid;
    gap: 8px;
  }
  .lead + .by-link {
    margin-top: 20px;
  }
  .label {
    margin: 0;
    font-size: 14px;
  }
  .account .label:not(:first-child) {
    margin-top: 8px;
  }
  .account > ui-button {
    margin-top: 8px;
  }
  .by-link {
    grid-template-columns: minmax(0, 1fr) auto;
    align-items: end;
  }
  .secret {
    position: relative;
    display: grid;
  }
  .secret .control {
    padding-right: 92px;
  }
  .secret ui-button {
    --svc-controle: 36px;
    --svc-passo: 2.5px;
    --svc-texto: var(--muted);
    position: absolute;
    inset: 4px 4px 4px auto;
    font-size: 14px;
  }
  .provider {
    display: flex;
  }
  .provider + .provider {
    margin-top: 8px;
  }
  .or {
    display: flex;
    align-items: center;
    gap: 12px;
    margin: 16px 0;
    font-size: 13px;
  }
  .or::before,
  .or::after {
    content: '';
    flex: 1;
    border-top: 1px solid var(--line);
  }
  details {
    margin-top: 24px;
    padding-top: 12px;
    border-top: 1px solid var(--line);
  }
  summary {
    min-height: 32px;
    padding: 6px 0;
    border-radius: 8px;
    color: var(--muted);
    cursor: pointer;
  }
  details .lead {
    margin: 8px 0 12px;
  }
  .problem {
    display: flex;
    gap: 8px;
    margin-bottom: 16px;
    padding: 10px 12px;
    border-radius: 8px;
    background: var(--note);
    color: var(--on-note);
    overflow-wrap: anywhere;
  }
  .by-link .problem {
    grid-column: 1 / -1;
    margin-bottom: 4px;
  }
  .problem svg {
    flex: none;
  }
  .help {
    margin: 16px 0 -12px;
    text-align: center;
  }
  .help a {
    display: inline-block;
    padding: 8px 12px;
    color: var(--accent-ink);
    font-size: 14px;
  }
  @media (max-width: 399px) {
    main {
      padding: 24px 20px;
    }
    .by-link {
      grid-template-columns: minmax(0, 1fr);
    }
  }
`;

/** The page is in no shadow tree: all of it is said of its element. */
export const signInStyles = css`
  svc-sign-in {
    ${base} ${controlLook} ${own}
  }
`;
