/** The shell's own line icons, 20 × 20, drawn in the colour of the text around them. */
import { svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { lineGlyph } from '../../sdk/web/ui/line-glyph.ts';

const shapes = {
  apps: svg`<rect x="3" y="3" width="5.5" height="5.5" rx="1.5"/><rect x="11.5" y="3" width="5.5" height="5.5" rx="1.5"/><rect x="3" y="11.5" width="5.5" height="5.5" rx="1.5"/><rect x="11.5" y="11.5" width="5.5" height="5.5" rx="1.5"/>`,
  search: svg`<circle cx="8.75" cy="8.75" r="5.25"/><path d="m12.75 12.75 4 4"/>`,
  minimise: svg`<path d="M5 10h10"/>`,
  maximise: svg`<rect x="5" y="5" width="10" height="10" rx="1.5"/>`,
  restore: svg`<path d="M7.5 5.5v-.25c0-.7.55-1.25 1.25-1.25h6c.7 0 1.25.55 1.25 1.25v6c0 .7-.55 1.25-1.25 1.25h-.25"/><rect x="4" y="7" width="9" height="9" rx="1.5"/>`,
  close: svg`<path d="m5.5 5.5 9 9m0-9-9 9"/>`,
  left: svg`<rect x="3" y="4" width="14" height="12" rx="2"/><path d="M10 4v12"/><path d="M5 7.5v5" stroke-width="2"/>`,
  right: svg`<rect x="3" y="4" width="14" height="12" rx="2"/><path d="M10 4v12"/><path d="M15 7.5v5" stroke-width="2"/>`,
  move: svg`<path d="M10 3v14M3 10h14M10 3 7.75 5.25M10 3l2.25 2.25M10 17l-2.25-2.25M10 17l2.25-2.25M3 10l2.25-2.25M3 10l2.25 2.25M17 10l-2.25-2.25M17 10l-2.25 2.25"/>`,
  resize: svg`<path d="M16 10.5V16h-5.5M4 9.5V4h5.5M16 16 4 4"/>`,
  reload: svg`<path d="M16 10a6 6 0 1 1-1.75-4.25L16 7.5"/><path d="M16 3.75V7.5h-3.75"/>`,
  settings: svg`<path d="M3 6h7M14 6h3M3 14h3M10 14h7"/><circle cx="12" cy="6" r="2"/><circle cx="8" cy="14" r="2"/>`,
  tasks: svg`<path d="M2.5 10.5h3l2-6 4 11 2.25-5h3.75"/>`,
  terminal: svg`<rect x="2.75" y="3.75" width="14.5" height="12.5" rx="2"/><path d="m6 8 2.5 2.25L6 12.5M10.5 12.75h3.5"/>`,
  text: svg`<path d="M5 3.25h6.5l3.5 3.5v10H5zM7.5 9.25h5M7.5 12.25h5"/>`,
  image: svg`<rect x="2.75" y="4" width="14.5" height="12" rx="2"/><circle cx="7" cy="8" r="1.25"/><path d="m3.5 14.5 4-3.75 2.75 2.5 2.5-2.25 4 3.5"/>`,
  queue: svg`<rect x="3" y="3.5" width="14" height="3.5" rx="1"/><rect x="3" y="9" width="14" height="3.5" rx="1"/><path d="M3.5 15.75h8M14.5 15.75h2"/>`,
  start: svg`<path d="M6.5 4.5v11l9-5.5z"/>`,
  stop: svg`<rect x="5" y="5" width="10" height="10" rx="1.5"/>`,
  folder: svg`<path d="M2.75 6c0-1 .75-1.75 1.75-1.75h3L9.25 6h6.25c1 0 1.75.75 1.75 1.75v6.5c0 1-.75 1.75-1.75 1.75h-11c-1 0-1.75-.75-1.75-1.75z"/>`,
  globe: svg`<circle cx="10" cy="10" r="7"/><path d="M3 10h14M10 3c2.25 2 3.25 4.25 3.25 7S12.25 15 10 17c-2.25-2-3.25-4.25-3.25-7S7.75 5 10 3z"/>`,
  help: svg`<circle cx="10" cy="10" r="7"/><path d="M7.9 8a2.1 2.1 0 1 1 3 1.9c-.6.3-.9.7-.9 1.35v.25M10 13.75h.01"/>`,
  app: svg`<rect x="3" y="3.5" width="14" height="13" rx="2.5"/><path d="M3 7.5h14"/>`,
  sun: svg`<circle cx="10" cy="10" r="3.25"/><path d="M10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.7 4.7l1.4 1.4M13.9 13.9l1.4 1.4M4.7 15.3l1.4-1.4M13.9 6.1l1.4-1.4"/>`,
  language: svg`<path d="M2.75 5.25h8M6.75 3.5v1.75M9.25 5.25C8.5 8.5 6.25 11 3.25 12.25M4.75 7.5c1 2 2.75 3.75 5 4.75M9.75 16.5l3.5-8 3.5 8M11 14h4.5"/>`,
  keyboard: svg`<rect x="2.5" y="5" width="15" height="10" rx="2"/><path d="M5.5 8h.01M8.5 8h.01M11.5 8h.01M14.5 8h.01M5.5 12h9" />`,
  out: svg`<path d="M8 3.5H5.5C4.4 3.5 3.5 4.4 3.5 5.5v9c0 1.1.9 2 2 2H8M13 6.5l3.5 3.5L13 13.5M16.5 10H8"/>`,
  key: svg`<circle cx="7" cy="13" r="3.5"/><path d="m9.5 10.5 6.5-6.5M13 7l2.25 2.25M11 9l1.5 1.5"/>`,
  check: svg`<path d="m4.5 10.5 3.75 3.75L15.5 6"/>`,
  shop: svg`<path d="M4.25 7h11.5l.75 8.25c.1 1-.65 1.75-1.6 1.75H5.1c-.95 0-1.7-.75-1.6-1.75z"/><path d="M7 9V6a3 3 0 0 1 6 0v3"/>`,
  download: svg`<path d="M10 3.5v9M6.5 9.25 10 12.75l3.5-3.5M4 16.5h12"/>`,
  update: svg`<circle cx="10" cy="10" r="7"/><path d="M10 13.5v-7M7.25 9 10 6.25 12.75 9"/>`,
  print: svg`<path d="M6 7V3.5h8V7M6 14.5H4.5c-.8 0-1.5-.7-1.5-1.5V8.5C3 7.7 3.7 7 4.5 7h11c.8 0 1.5.7 1.5 1.5V13c0 .8-.7 1.5-1.5 1.5H14"/><path d="M6 11.5h8v5H6z"/>`,
  trash: svg`<path d="M4 6h12M8 6V4.5c0-.55.45-1 1-1h2c.55 0 1 .45 1 1V6M5.5 6l.6 9.1c.05.8.7 1.4 1.5 1.4h4.8c.8 0 1.45-.6 1.5-1.4L14.5 6"/>`,
  forward: svg`<path d="M4 10h12M11.5 5l4.75 5-4.75 5"/>`,
  plus: svg`<path d="M10 4.5v11M4.5 10h11"/>`,
  down: svg`<path d="m5 7.5 5 5 5-5"/>`,
  back: svg`<path d="M16 10H4M8.5 5 3.75 10l4.75 5"/>`,
  link: svg`<path d="M8.5 11.5a3.25 3.25 0 0 0 4.75.25l2.25-2.25a3.25 3.25 0 0 0-4.6-4.6L9.75 6M11.5 8.5a3.25 3.25 0 0 0-4.75-.25L4.5 10.5a3.25 3.25 0 0 0 4.6 4.6L10.25 14"/>`,
  external: svg`<path d="M8.5 4.5H5.75c-.97 0-1.75.78-1.75 1.75v8c0 .97.78 1.75 1.75 1.75h8c.97 0 1.75-.78 1.75-1.75V11.5M11.5 3.5h5v5M16.25 3.75 9.5 10.5"/>`,
  copy: svg`<rect x="7" y="7" width="9.5" height="9.5" rx="2"/><path d="M13 7V5.5c0-1.1-.9-2-2-2H5.5c-1.1 0-2 .9-2 2V11c0 1.1.9 2 2 2H7"/>`,
  shield: svg`<path d="M10 2.75 16 5v4.5c0 3.75-2.4 6.4-6 7.75-3.6-1.35-6-4-6-7.75V5z"/>`,
  undo: svg`<path d="M4 8.5h8.25a4 4 0 0 1 0 8H8M7.25 5 3.75 8.5 7.25 12"/>`,
  bell: svg`<path d="M10 3a4.5 4.5 0 0 0-4.5 4.5c0 3.75-1.5 5-1.5 6h12c0-1-1.5-2.25-1.5-6A4.5 4.5 0 0 0 10 3z"/><path d="M8.25 16a1.9 1.9 0 0 0 3.5 0"/>`,
  puzzle: svg`<path d="M4 7.5h3.25a1.75 1.75 0 1 1 3.5 0H14v3.25a1.75 1.75 0 1 1 0 3.5V17H4z"/>`,
  people: svg`<circle cx="7.5" cy="7" r="2.75"/><path d="M2.5 16c.25-2.9 2.25-4.5 5-4.5s4.75 1.6 5 4.5M13 4.5a2.5 2.5 0 0 1 0 5M14.5 11.75c1.75.5 2.85 2 3 4.25"/>`,
  pin: svg`<path d="M7 3.5h6l-.75 5 2.25 3h-9l2.25-3zM10 11.5V17"/>`,
  unpin: svg`<path d="M8.5 3.5H13l-.75 5 2.25 3H11M7.4 8.9 5.5 11.5h4.25M10 11.5V17M3.5 3.5l13 13"/>`,
  warning: svg`<path d="M10 3.5 17.25 16H2.75z"/><path d="M10 8.5v3.25M10 14h.01"/>`,
} as const satisfies Record<string, SVGTemplateResult>;

export type Glyph = keyof typeof shapes;

export function glyph(name: Glyph, size = 20): TemplateResult {
  return lineGlyph(shapes[name], size);
}
