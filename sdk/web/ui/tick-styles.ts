/** A box, a round or a switch with its words beside it. */
import { css } from 'lit';

export const tickStyles = css`
  .tick {
    display: inline-flex;
    align-items: flex-start;
    gap: calc(2.5 * var(--svc-passo));
    min-height: var(--svc-controle);
    padding-block: calc((var(--svc-controle) - 1.4em) / 2);
    cursor: pointer;
  }
  .tick ~ .hint,
  .tick ~ .error {
    margin-block: 0 var(--svc-passo);
    padding-inline-start: calc(1.2em + 3.5 * var(--svc-passo));
  }
  .tick:has(input:disabled) {
    color: var(--svc-texto-fraco);
    cursor: not-allowed;
  }
  .tick input {
    flex: none;
    width: 1.2em;
    height: 1.2em;
    margin: 0.1em 0 0;
    accent-color: var(--svc-acento);
    cursor: inherit;
  }
  .words {
    min-width: 0;
    overflow-wrap: anywhere;
  }
  small {
    display: block;
    color: var(--svc-texto-fraco);
    font-size: 0.875em;
  }
`;
