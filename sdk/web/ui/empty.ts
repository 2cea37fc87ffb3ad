/** Where nothing is: what belongs here, and what to press to begin. */
import { css, html, nothing, type TemplateResult } from 'lit';
import { define, KitElement, kitStyles } from './element.ts';

class UiEmpty extends KitElement implements SvcUiEmpty {
  static override properties = { heading: {} };
  heading = '';
  static override styles = [
    kitStyles,
    css`
      :host {
        display: grid;
        justify-items: center;
        gap: calc(2 * var(--svc-passo));
        padding: calc(8 * var(--svc-passo)) calc(4 * var(--svc-passo));
        color: var(--svc-texto-fraco);
        text-align: center;
        overflow-wrap: anywhere;
      }
      .heading {
        color: var(--svc-texto);
        font-size: 1.0625em;
        font-weight: 600;
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        justify-content: center;
        gap: calc(2 * var(--svc-passo));
      }
    `,
  ];
  override render(): TemplateResult {
    return html`<slot name="icon"></slot>${this.heading === '' ? nothing : html`<p class="heading" part="heading">${this.heading}</p>`}
      <div><slot></slot></div>
      <div class="actions"><slot name="actions"></slot></div>`;
  }
}

define('ui-empty', UiEmpty);
