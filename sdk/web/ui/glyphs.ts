/** The few line icons that the kit itself needs, in the colour of the text around them. */
import { svg, type TemplateResult } from 'lit';
import { lineGlyph } from './line-glyph.ts';

const shapes = {
  close: svg`<path d="m5.5 5.5 9 9m0-9-9 9"/>`,
  check: svg`<path d="m4.5 10.5 3.75 3.75L15.5 6"/>`,
  down: svg`<path d="m5 7.5 5 5 5-5"/>`,
  right: svg`<path d="m7.5 5 5 5-5 5"/>`,
  search: svg`<circle cx="8.75" cy="8.75" r="5.25"/><path d="m12.75 12.75 4 4"/>`,
  eye: svg`<path d="M2 10c2-3.5 4.7-5.2 8-5.2s6 1.7 8 5.2c-2 3.5-4.7 5.2-8 5.2S4 13.5 2 10z"/><circle cx="10" cy="10" r="2.4"/>`,
  alert: svg`<path d="M10 3.5 17.25 16H2.75z"/><path d="M10 8.5v3.25M10 14h.01"/>`,
} as const;

export function glyph(name: keyof typeof shapes, size = 20): TemplateResult {
  return lineGlyph(shapes[name], size);
}
