/** How a line icon is drawn, by the kit and by the desktop: in the colour of the text around it, on a field of 20 by 20. */
import { html, type SVGTemplateResult, type TemplateResult } from 'lit';

export function lineGlyph(shape: SVGTemplateResult, size: number): TemplateResult {
  return html`<svg
    width=${size}
    height=${size}
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    ${shape}
  </svg>`;
}
