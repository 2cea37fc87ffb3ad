/** How a control with its words looks: in the elements of the kit, and where the control must be the page's own (the sign-in page). */
import { css } from 'lit';

export const controlLook = css`
  .label {
    display: block;
    margin-block-end: var(--svc-passo);
    font-weight: 600;
  }
  .star {
    color: var(--svc-perigo);
  }
  .hint,
  .error {
    margin-block-start: var(--svc-passo);
    font-size: 0.875em;
    overflow-wrap: anywhere;
  }
  .hint {
    color: var(--svc-texto-fraco);
  }
  .error {
    color: var(--svc-perigo);
  }
  .error:empty {
    margin: 0;
  }
  .control {
    width: 100%;
    min-height: var(--svc-controle);
    padding: calc(1.5 * var(--svc-passo)) calc(3 * var(--svc-passo));
    border: 1px solid var(--svc-borda-campo);
    border-radius: var(--svc-raio);
    background: var(--svc-superficie);
    color: var(--svc-texto);
    text-overflow: ellipsis;
  }
  .control::placeholder {
    color: var(--svc-texto-fraco);
    opacity: 1;
  }
  .control[aria-invalid='true'] {
    border-color: var(--svc-perigo);
    box-shadow: inset 0 0 0 1px var(--svc-perigo);
  }
  .control:disabled {
    opacity: 0.6;
    cursor: not-allowed;
  }
  .control:focus-visible {
    outline-offset: 0;
  }
`;
